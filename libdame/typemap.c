/* SPDX-License-Identifier: BSD-3-Clause */
/* The typemap of a datatype, from any basic element on. */
#include <inttypes.h>

#include "lib.h"

typedef struct lister {
    int64_t skip; /* elements still to pass over */
    dame_typemap_entry_t *entries;
    int64_t room;
    int64_t listed;
    int64_t elements; /* in the listed entries */
    int full;
} lister_t;

/* Displacements wrap as addresses do: only those of data must fit. */
static int64_t moved(int64_t displacement, int64_t times, int64_t by)
{
    return (int64_t) ((uint64_t) displacement + (uint64_t) times * (uint64_t) by);
}

/* The next `count` elements lie side by side. */
static void give(lister_t *lister, const dame_basic_t *basic, int64_t displacement, int64_t count)
{
    if (lister->skip >= count) {
        lister->skip -= count;
        return;
    }
    displacement = moved(displacement, lister->skip, basic->size);
    count -= lister->skip;
    lister->skip = 0;
    dame_typemap_entry_t *last = lister->listed > 0 ? &lister->entries[lister->listed - 1] : NULL;
    if (last != NULL && last->name == basic->name &&
        moved(last->displacement, last->count, last->size) == displacement) {
        last->count += count;
    } else if (lister->listed < lister->room) {
        lister->entries[lister->listed++] =
            (dame_typemap_entry_t){basic->name, basic->size, displacement, count};
    } else {
        lister->full = 1;
        return;
    }
    lister->elements += count;
}

static int is_plain(const dame_datatype_t *type)
{
    return type->dense && type->signature.period != NULL && type->signature.period->nruns == 1;
}

static void list(lister_t *lister, const dame_datatype_t *type, int64_t displacement);

/* `n` elements of `child` from `displacement` on. */
static void list_block(lister_t *lister, const dame_type_t *child, int64_t displacement, int64_t n)
{
    const dame_datatype_t *type = dame_datatype_of(child);
    const int64_t each = type->signature.elements;
    if (each == 0) {
        return;
    }
    if (is_plain(type) && child->extent == child->size) {
        give(lister, type->signature.period->runs[0].basic, moved(displacement, 1, child->true_lb),
             n * each);
        return;
    }
    int64_t i = lister->skip / each;
    i = i < n ? i : n;
    lister->skip -= i * each;
    for (; i < n && !lister->full; i++) {
        list(lister, type, moved(displacement, i, child->extent));
    }
}

static void list(lister_t *lister, const dame_datatype_t *type, int64_t displacement)
{
    const dame_type_t *node = &type->node;
    if (lister->skip >= type->signature.elements) {
        lister->skip -= type->signature.elements;
        return;
    }
    if (is_plain(type)) {
        give(lister, type->signature.period->runs[0].basic, moved(displacement, 1, node->true_lb),
             type->signature.elements);
        return;
    }
    if (node->kind == DAME_CONTIG || node->kind == DAME_RESIZED) {
        list_block(lister, node->child, displacement, node->count);
        return;
    }
    int64_t i = 0;
    if (node->kind == DAME_VECTOR || node->kind == DAME_BLOCKINDEX) { /* whole blocks at once */
        const int64_t block = type->signature.elements / node->count;
        i = lister->skip / block;
        lister->skip -= i * block;
    }
    for (; i < node->count && !lister->full; i++) {
        const dame_type_t *child = node->kind == DAME_STRUCT ? node->children[i] : node->child;
        const int64_t start = node->kind == DAME_VECTOR ? moved(displacement, i, node->stride)
                                                        : moved(displacement, 1, node->disps[i]);
        const int listed = node->kind == DAME_INDEX || node->kind == DAME_STRUCT;
        list_block(lister, child, start, listed ? node->blklens[i] : node->blklen);
    }
}

dame_status_t dame_datatype_typemap(const dame_datatype_t *type, int64_t *position,
                                    dame_typemap_entry_t *entries, int64_t n, int64_t *listed)
{
    if (type == NULL || position == NULL || entries == NULL || listed == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         type == NULL       ? "type"
                         : position == NULL ? "position"
                                            : (entries == NULL ? "entries" : "listed"));
    }
    if (*position < 0 || *position > type->signature.elements) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__,
                         "*position is %" PRId64 "; it must be 0 to the datatype's %" PRId64
                         " basic elements",
                         *position, type->signature.elements);
    }
    if (n < 1) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "n is %" PRId64 "; it must be 1 or more", n);
    }
    lister_t lister = {.skip = *position, .entries = entries, .room = n};
    list(&lister, type, 0);
    *listed = lister.listed;
    *position += lister.elements;
    return DAME_OK;
}
