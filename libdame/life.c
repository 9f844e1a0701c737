/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype's references, its commit, and its numbers. */
#include <inttypes.h>
#include <stdlib.h>

#include "dame/status.h"
#include "lib.h"
#include "signature.h"

/* Drops the references to the children of a datatype that is no longer needed; those that were the
 * last go on the list. Not recursive: datatypes nest deep. */
static dame_datatype_t *release_children(dame_datatype_t *type, dame_datatype_t *freed)
{
    const int64_t members = dame_members(type);
    for (int64_t i = 0; i < members; i++) {
        dame_datatype_t *child = (dame_datatype_t *) (uintptr_t) dame_member(type, i).child;
        if (atomic_fetch_sub_explicit(&child->references, 1, memory_order_acq_rel) == 1) {
            child->next_freed = freed;
            freed = child;
        }
    }
    return freed;
}

void dame_datatype_free(dame_datatype_t *type)
{
    if (type == NULL ||
        atomic_fetch_sub_explicit(&type->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    type->next_freed = NULL;
    while (type != NULL) {
        dame_context_t *context = type->context;
        dame_mover_t *mover = atomic_load_explicit(&type->mover, memory_order_relaxed);
        dame_datatype_t *rest = release_children(type, type->next_freed);
        if (mover != NULL) {
            dame_mover_release(mover);
        }
        dame_signature_fini(&type->signature);
        free(type);
        dame_context_free(context);
        type = rest;
    }
}

dame_status_t dame_datatype_commit(const dame_datatype_t *type)
{
    dame_limit_t limit = {.what = NULL};
    dame_mover_t *mover, *none = NULL;
    if (type == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "type is NULL");
    }
    if (atomic_load_explicit(&type->mover, memory_order_acquire) != NULL) {
        return DAME_OK;
    }
    dame_status_t status = dame_mover_attach(type->context->movers, &type->node, &limit, &mover);
    if (status != DAME_OK) {
        char text[120];
        return dame_fail(status, __func__, "%s",
                         limit.what != NULL ? dame_limit_text(&limit, text, sizeof(text))
                                            : dame_error_phrase(status));
    }
    /* Two threads may commit at the same time: one program stays. */
    if (!atomic_compare_exchange_strong_explicit(&((dame_datatype_t *) (uintptr_t) type)->mover,
                                                 &none, mover, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        dame_mover_release(mover);
        return DAME_OK;
    }
    atomic_fetch_add_explicit(&type->context->commits, 1, memory_order_relaxed);
    return DAME_OK;
}

dame_status_t dame_datatype_size(const dame_datatype_t *type, int64_t *size)
{
    if (type == NULL || size == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL", type == NULL ? "type" : "size");
    }
    *size = type->node.size;
    return DAME_OK;
}

static dame_status_t interval(const char *who, const dame_datatype_t *type, int64_t low,
                              int64_t length, int64_t *low_out, int64_t *length_out)
{
    if (type == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "type is NULL");
    }
    if (low_out != NULL) {
        *low_out = low;
    }
    if (length_out != NULL) {
        *length_out = length;
    }
    return DAME_OK;
}

dame_status_t dame_datatype_extent(const dame_datatype_t *type, int64_t *lb, int64_t *extent)
{
    return interval(__func__, type, type != NULL ? type->node.lb : 0,
                    type != NULL ? type->node.extent : 0, lb, extent);
}

dame_status_t dame_datatype_true_extent(const dame_datatype_t *type, int64_t *true_lb,
                                        int64_t *true_extent)
{
    return interval(__func__, type, type != NULL ? type->node.true_lb : 0,
                    type != NULL ? type->node.true_ub - type->node.true_lb : 0, true_lb,
                    true_extent);
}

dame_status_t dame_message_bytes(const char *who, const char *count_name,
                                 const dame_datatype_t *type, int64_t count, int64_t *bytes)
{
    if (count < 0) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "%s is %" PRId64 "; it must be 0 or more",
                         count_name, count);
    }
    if (__builtin_mul_overflow(count, type->node.size, bytes)) {
        return dame_fail(DAME_ERR_RANGE, who,
                         "%s is %" PRId64 ", which times the size %" PRId64
                         " does not fit in 64 bits",
                         count_name, count, type->node.size);
    }
    return DAME_OK;
}

dame_status_t dame_check_message(const char *who, const char *type_name,
                                 const dame_datatype_t *type, const char *count_name, int64_t count,
                                 int64_t *bytes)
{
    if (type == NULL || atomic_load_explicit(&type->mover, memory_order_acquire) == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "%s is %s", type_name,
                         type == NULL ? "NULL" : "not committed; call dame_datatype_commit()");
    }
    return dame_message_bytes(who, count_name, type, count, bytes);
}

dame_status_t dame_packed_size(const dame_datatype_t *type, int64_t count, int64_t *bytes)
{
    if (type == NULL || bytes == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         type == NULL ? "type" : "bytes");
    }
    int64_t all = 0;
    dame_status_t status = dame_message_bytes(__func__, "count", type, count, &all);
    if (status == DAME_OK) {
        *bytes = all;
    }
    return status;
}
