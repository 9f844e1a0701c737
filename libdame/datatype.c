/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of datatypes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "make.h"
#include "signature.h"

/* ---- what all constructors do ---- */

dame_datatype_t *dame_draft(const char *who, dame_context_t *context, int64_t numbers,
                            int64_t children, dame_status_t *status)
{
    size_t bytes, pointers;
    dame_datatype_t *type = NULL;
    if (!__builtin_mul_overflow((uint64_t) numbers, sizeof(int64_t), &bytes) &&
        !__builtin_mul_overflow((uint64_t) children, sizeof(dame_type_t *), &pointers) &&
        !__builtin_add_overflow(bytes, pointers, &bytes) &&
        !__builtin_add_overflow(bytes, sizeof(*type), &bytes) && bytes <= PTRDIFF_MAX) {
        type = malloc(bytes);
    }
    if (type == NULL) {
        *status = dame_fail(DAME_ERR_NOMEM, who, "out of memory");
        return NULL;
    }
    *type = (dame_datatype_t){.context = context};
    atomic_init(&type->references, 1);
    atomic_init(&type->mover, NULL);
    return type;
}

/* The bytes of the node's blocks follow each other without gaps, if the child's do. */
static int is_dense(const dame_type_t *node)
{
    const dame_type_t *child = node->child;
    if (node->kind == DAME_BASIC) {
        return 1;
    }
    if (node->kind == DAME_STRUCT || node->kind == DAME_INDEX || node->kind == DAME_BLOCKINDEX ||
        !dame_datatype_of(child)->dense) {
        return 0;
    }
    const int in_row = child->extent == child->size;
    int64_t block;
    switch (node->kind) {
    case DAME_CONTIG:
        return node->count <= 1 || in_row;
    case DAME_VECTOR:
        return (node->blklen <= 1 || in_row) &&
               (node->count <= 1 || (!__builtin_mul_overflow(node->blklen, child->size, &block) &&
                                     node->stride == block));
    default:
        return 1;
    }
}

/* Constructors inside each other; every child gets one more reference. */
static int adopt(const dame_type_t *node)
{
    const int64_t n = node->kind == DAME_BASIC ? 0 : (node->kind == DAME_STRUCT ? node->count : 1);
    int deepest = -1;
    for (int64_t i = 0; i < n; i++) {
        const dame_type_t *child = node->kind == DAME_STRUCT ? node->children[i] : node->child;
        dame_datatype_t *type = (dame_datatype_t *) (uintptr_t) child;
        deepest = type->nested > deepest ? type->nested : deepest;
        atomic_fetch_add_explicit(&type->references, 1, memory_order_relaxed);
    }
    return deepest + 1;
}

dame_status_t dame_finish(const char *who, dame_datatype_t *draft, const dame_type_t *node,
                          dame_datatype_t **out)
{
    draft->node = *node;
    draft->nested = adopt(node);
    draft->dense = is_dense(node);
    dame_context_retain(draft->context);
    if (draft->nested > DAME_MOST_NESTED) {
        dame_datatype_free(draft);
        return dame_fail(DAME_ERR_LIMIT, who,
                         "%d constructors inside each other, at most %d are allowed",
                         DAME_MOST_NESTED + 1, DAME_MOST_NESTED);
    }
    const int made = node->kind == DAME_BASIC
                         ? dame_signature_basic(&draft->signature, &draft->basic)
                         : dame_signature_make(draft);
    if (!made) {
        dame_datatype_free(draft);
        return dame_fail(DAME_ERR_NOMEM, who, "out of memory");
    }
    atomic_fetch_add_explicit(&draft->context->datatypes, 1, memory_order_relaxed);
    *out = draft;
    return DAME_OK;
}

/* Calls the constructor of a node; its tree is only scratch, as the node is copied. */
#define NODE(kind, ...) dame_type_##kind(tree, __VA_ARGS__, &node)
#define FINISH(who, draft, kind, ...)                                                              \
    do {                                                                                           \
        const dame_type_t *node = NULL;                                                            \
        dame_tree_t *tree = dame_tree_new();                                                       \
        dame_status_t made = tree == NULL ? DAME_ERR_NOMEM : NODE(kind, __VA_ARGS__);              \
        made = end_datatype(who, draft, made, node, out);                                          \
        dame_tree_free(tree);                                                                      \
        return made;                                                                               \
    } while (0)

/* Makes the draft a datatype, or frees it. */
static dame_status_t end_datatype(const char *who, dame_datatype_t *draft, dame_status_t status,
                                  const dame_type_t *node, dame_datatype_t **out)
{
    if (status == DAME_OK) {
        return dame_finish(who, draft, node, out);
    }
    free(draft);
    return dame_fail(status, who, "%s",
                     status == DAME_ERR_RANGE
                         ? "the datatype's size or bounds do not fit in 64 bits"
                         : dame_error_phrase(status));
}

/* ---- checks of arguments ---- */

dame_status_t dame_check_old(const char *who, const dame_datatype_t *old, dame_datatype_t **out)
{
    return old == NULL || out == NULL
               ? dame_fail(DAME_ERR_ARGUMENT, who, "%s is NULL", old == NULL ? "old" : "out")
               : DAME_OK;
}

dame_status_t dame_check_number(const char *who, const char *name, int64_t value)
{
    return value < 0 ? dame_fail(DAME_ERR_ARGUMENT, who, "%s is %" PRId64 "; it must be 0 or more",
                                 name, value)
                     : DAME_OK;
}

static dame_status_t check_list(const char *who, const char *name, int64_t count, const void *list)
{
    return count > 0 && list == NULL
               ? dame_fail(DAME_ERR_ARGUMENT, who, "%s is NULL, but count is %" PRId64, name, count)
               : DAME_OK;
}

static dame_status_t check_lengths(const char *who, int64_t count, const int64_t *blocklengths)
{
    dame_status_t status = check_list(who, "blocklengths", count, blocklengths);
    for (int64_t i = 0; status == DAME_OK && i < count; i++) {
        if (blocklengths[i] < 0) {
            status = dame_fail(DAME_ERR_ARGUMENT, who,
                               "blocklengths[%" PRId64 "] is %" PRId64 "; it must be 0 or more", i,
                               blocklengths[i]);
        }
    }
    return status;
}

/* Runs the checks in order until one fails. */
#define CHECK(...)                                                                                 \
    do {                                                                                           \
        dame_status_t checked_ = (__VA_ARGS__);                                                    \
        if (checked_ != DAME_OK) {                                                                 \
            return checked_;                                                                       \
        }                                                                                          \
    } while (0)

/* Writes displacements[i] * unit. */
static dame_status_t scale(const char *who, int64_t count, const int64_t *displacements,
                           int64_t unit, int64_t *bytes)
{
    for (int64_t i = 0; i < count; i++) {
        if (__builtin_mul_overflow(displacements[i], unit, &bytes[i])) {
            return dame_fail(DAME_ERR_RANGE, who,
                             "displacements[%" PRId64 "] is %" PRId64
                             ", which times the extent %" PRId64 " does not fit in 64 bits",
                             i, displacements[i], unit);
        }
    }
    return DAME_OK;
}

/* ---- constructors; `who` is the public function ---- */

dame_status_t dame_make_contiguous(const char *who, int64_t count, const dame_datatype_t *old,
                                   dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    CHECK(dame_check_old(who, old, out));
    CHECK(dame_check_number(who, "count", count));
    dame_datatype_t *draft = dame_draft(who, old->context, 0, 0, &status);
    if (draft == NULL) {
        return status;
    }
    FINISH(who, draft, contig, count, &old->node);
}

dame_status_t dame_make_hvector(const char *who, int64_t count, int64_t blocklength, int64_t stride,
                                const dame_datatype_t *old, dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    CHECK(dame_check_old(who, old, out));
    CHECK(dame_check_number(who, "count", count));
    CHECK(dame_check_number(who, "blocklength", blocklength));
    dame_datatype_t *draft = dame_draft(who, old->context, 0, 0, &status);
    if (draft == NULL) {
        return status;
    }
    FINISH(who, draft, vector, count, blocklength, stride, &old->node);
}

dame_status_t dame_make_indexed(const char *who, int64_t count, const int64_t *blocklengths,
                                const int64_t *displacements, int64_t unit,
                                const dame_datatype_t *old, dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    CHECK(dame_check_number(who, "count", count));
    CHECK(check_lengths(who, count, blocklengths));
    CHECK(check_list(who, "displacements", count, displacements));
    dame_datatype_t *draft =
        dame_draft(who, old->context, count <= INT64_MAX / 2 ? 2 * count : INT64_MAX, 0, &status);
    if (draft == NULL) {
        return status;
    }
    int64_t *lengths = (int64_t *) (draft + 1), *bytes = lengths + count;
    status = scale(who, count, displacements, unit, bytes);
    if (status != DAME_OK) {
        free(draft);
        return status;
    }
    if (count > 0) {
        memcpy(lengths, blocklengths, (size_t) count * sizeof(*lengths));
    }
    FINISH(who, draft, index, count, lengths, bytes, &old->node);
}

dame_status_t dame_make_indexed_block(const char *who, int64_t count, int64_t blocklength,
                                      const int64_t *displacements, int64_t unit,
                                      const dame_datatype_t *old, dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    CHECK(dame_check_number(who, "count", count));
    CHECK(dame_check_number(who, "blocklength", blocklength));
    CHECK(check_list(who, "displacements", count, displacements));
    dame_datatype_t *draft = dame_draft(who, old->context, count, 0, &status);
    if (draft == NULL) {
        return status;
    }
    int64_t *bytes = (int64_t *) (draft + 1);
    status = scale(who, count, displacements, unit, bytes);
    if (status != DAME_OK) {
        free(draft);
        return status;
    }
    FINISH(who, draft, blockindex, count, blocklength, bytes, &old->node);
}

dame_status_t dame_make_resized(const char *who, int64_t lb, int64_t extent,
                                const dame_datatype_t *old, dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    CHECK(dame_check_old(who, old, out));
    dame_datatype_t *draft = dame_draft(who, old->context, 0, 0, &status);
    if (draft == NULL) {
        return status;
    }
    FINISH(who, draft, resized, lb, extent, &old->node);
}

dame_status_t dame_make_struct(const char *who, dame_context_t *context, int64_t count,
                               const int64_t *blocklengths, const int64_t *displacements,
                               const dame_datatype_t *const *types, dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    if (context == NULL || out == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "%s is NULL", context == NULL ? "context" : "out");
    }
    CHECK(dame_check_number(who, "count", count));
    CHECK(check_lengths(who, count, blocklengths));
    CHECK(check_list(who, "displacements", count, displacements));
    CHECK(check_list(who, "types", count, types));
    for (int64_t i = 0; i < count; i++) {
        if (types[i] == NULL || context != types[i]->context) {
            return dame_fail(DAME_ERR_ARGUMENT, who, "types[%" PRId64 "] %s", i,
                             types[i] == NULL ? "is NULL" : "belongs to another context");
        }
    }
    dame_datatype_t *draft =
        dame_draft(who, context, count <= INT64_MAX / 2 ? 2 * count : INT64_MAX, count, &status);
    if (draft == NULL) {
        return status;
    }
    int64_t *lengths = (int64_t *) (draft + 1), *bytes = lengths + count;
    const dame_type_t **children = (const dame_type_t **) (bytes + count);
    for (int64_t i = 0; i < count; i++) {
        lengths[i] = blocklengths[i];
        bytes[i] = displacements[i];
        children[i] = &types[i]->node;
    }
    FINISH(who, draft, struct, count, lengths, bytes, children);
}

dame_status_t dame_make_basic(const char *who, dame_context_t *context, const char *name,
                              int64_t size, dame_datatype_t **out)
{
    dame_status_t status = DAME_OK;
    dame_datatype_t *draft = dame_draft(who, context, 0, 0, &status);
    if (draft == NULL) {
        return status;
    }
    strcpy(draft->basic.name, name);
    draft->basic.size = size;
    FINISH(who, draft, basic, size);
}

/* ---- the public ones that only pass on ---- */

dame_status_t dame_datatype_contiguous(int64_t count, const dame_datatype_t *old,
                                       dame_datatype_t **out)
{
    return dame_make_contiguous(__func__, count, old, out);
}

dame_status_t dame_datatype_hvector(int64_t count, int64_t blocklength, int64_t stride,
                                    const dame_datatype_t *old, dame_datatype_t **out)
{
    return dame_make_hvector(__func__, count, blocklength, stride, old, out);
}

dame_status_t dame_datatype_vector(int64_t count, int64_t blocklength, int64_t stride,
                                   const dame_datatype_t *old, dame_datatype_t **out)
{
    int64_t bytes;
    CHECK(dame_check_old(__func__, old, out));
    if (__builtin_mul_overflow(stride, old->node.extent, &bytes)) {
        return dame_fail(DAME_ERR_RANGE, __func__,
                         "stride is %" PRId64 ", which times the extent %" PRId64
                         " does not fit in 64 bits",
                         stride, old->node.extent);
    }
    return dame_make_hvector(__func__, count, blocklength, bytes, old, out);
}

dame_status_t dame_datatype_indexed(int64_t count, const int64_t *blocklengths,
                                    const int64_t *displacements, const dame_datatype_t *old,
                                    dame_datatype_t **out)
{
    CHECK(dame_check_old(__func__, old, out));
    return dame_make_indexed(__func__, count, blocklengths, displacements, old->node.extent, old,
                             out);
}

dame_status_t dame_datatype_hindexed(int64_t count, const int64_t *blocklengths,
                                     const int64_t *displacements, const dame_datatype_t *old,
                                     dame_datatype_t **out)
{
    CHECK(dame_check_old(__func__, old, out));
    return dame_make_indexed(__func__, count, blocklengths, displacements, 1, old, out);
}

dame_status_t dame_datatype_indexed_block(int64_t count, int64_t blocklength,
                                          const int64_t *displacements, const dame_datatype_t *old,
                                          dame_datatype_t **out)
{
    CHECK(dame_check_old(__func__, old, out));
    return dame_make_indexed_block(__func__, count, blocklength, displacements, old->node.extent,
                                   old, out);
}

dame_status_t dame_datatype_hindexed_block(int64_t count, int64_t blocklength,
                                           const int64_t *displacements, const dame_datatype_t *old,
                                           dame_datatype_t **out)
{
    CHECK(dame_check_old(__func__, old, out));
    return dame_make_indexed_block(__func__, count, blocklength, displacements, 1, old, out);
}

dame_status_t dame_datatype_struct(dame_context_t *context, int64_t count,
                                   const int64_t *blocklengths, const int64_t *displacements,
                                   const dame_datatype_t *const *types, dame_datatype_t **out)
{
    return dame_make_struct(__func__, context, count, blocklengths, displacements, types, out);
}

dame_status_t dame_datatype_resized(int64_t lb, int64_t extent, const dame_datatype_t *old,
                                    dame_datatype_t **out)
{
    return dame_make_resized(__func__, lb, extent, old, out);
}

dame_status_t dame_datatype_dup(const dame_datatype_t *old, dame_datatype_t **out)
{
    CHECK(dame_check_old(__func__, old, out));
    dame_datatype_t *type = (dame_datatype_t *) (uintptr_t) old;
    atomic_fetch_add_explicit(&type->references, 1, memory_order_relaxed);
    *out = type;
    return DAME_OK;
}
