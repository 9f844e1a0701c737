/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pass `merge`: blocks that touch, or runs that go on where the one before ends, become one. A list
 * of equal blocks stays one, unless at least half of them go: lengths of their own cost more than
 * the blocks that are saved. normalise_ragged() is the other half of this rule.
 */
#include <stddef.h>

#include "granule.h"
#include "node.h"

/* Blocks while they are joined; `end` is where a block would have to start to touch the last. */
typedef struct joined {
    dame_flat_t flat;
    int64_t granule;
    int uneven; /* the last block has a joint that is not a multiple of the granule */
} joined_t;

/* A block with joints anywhere can only be cut at its ends. */
static void close_block(joined_t *joined)
{
    const int64_t last = joined->flat.count - 1;
    if (joined->uneven) {
        joined->granule = dame_granule_common(joined->granule, joined->flat.lengths[last]);
        joined->uneven = 0;
    }
}

static void join(joined_t *joined, int64_t disp, int64_t length, int64_t step, int64_t granule)
{
    dame_flat_t *flat = &joined->flat;
    int64_t last = flat->count - 1;
    if (last >= 0 && flat->disps[last] + flat->lengths[last] * step == disp) {
        joined->uneven |= step == 1 && flat->lengths[last] % granule != 0;
        flat->lengths[last] += length;
        return;
    }
    if (last >= 0) {
        close_block(joined);
    }
    flat->disps[flat->count] = disp;
    flat->lengths[flat->count++] = length;
}

/* How many neighbours touch: blocks of `length` (or lengths[]) instances `step` bytes apart. */
static int64_t touching(const dame_node_t *draft, const int64_t *lengths, int64_t length,
                        int64_t step)
{
    int64_t n = 0;
    for (int64_t i = 1; i < draft->count; i++) {
        int64_t bytes = (lengths != NULL ? lengths[i - 1] : length) * step;
        n += draft->disps[i - 1] + bytes == draft->disps[i];
    }
    return n;
}

/* All blocks of a LIST or RAGGED, joined where they touch. `unit` is their element, NULL for
 * bytes. */
static dame_status_t join_all(dame_optimiser_t *o, const dame_node_t *draft, int64_t length,
                              int64_t step, const dame_node_t *unit, const dame_node_t **out)
{
    const int64_t *lengths = draft->shape == DAME_SHAPE_RAGGED ? draft->blklens : NULL;
    const int64_t touches = touching(draft, lengths, length, step);
    if (touches == 0 || (lengths == NULL && touches < draft->count - draft->count / 2)) {
        return DAME_OK;
    }
    joined_t joined = {.granule = draft->granule};
    dame_status_t status = dame_flat_new(o, draft->count - touches, &joined.flat);
    if (status != DAME_OK) {
        return status;
    }
    for (int64_t i = 0; i < draft->count; i++) {
        join(&joined, draft->disps[i], lengths != NULL ? lengths[i] : length, step, draft->granule);
    }
    close_block(&joined);
    dame_flat_t *flat = &joined.flat;
    return unit == NULL
               ? dame_node_bytes(o, flat->count, flat->lengths, flat->disps, joined.granule, out)
               : dame_node_ragged(o, flat->count, flat->lengths, flat->disps, step, unit, out);
}

/* How many members from `first` on are blocks that touch. */
static int64_t touching_members(const dame_node_t *draft, int64_t first)
{
    int64_t n = 1;
    while (first + n < draft->count && draft->children[first + n - 1]->shape == DAME_SHAPE_BLOCK &&
           draft->children[first + n]->shape == DAME_SHAPE_BLOCK &&
           draft->disps[first + n - 1] + draft->children[first + n - 1]->size ==
               draft->disps[first + n]) {
        n++;
    }
    return n;
}

/* Members of a struct that are blocks and touch. */
static dame_status_t join_members(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < draft->count; i += touching_members(draft, i)) {
        n++;
    }
    if (n == draft->count) {
        return DAME_OK;
    }
    const dame_node_t **children = dame_node_nodes(o, n);
    int64_t *disps = dame_node_numbers(o, n);
    dame_status_t status = children == NULL || disps == NULL ? DAME_ERR_NOMEM : DAME_OK;
    for (int64_t i = 0, k = 0; status == DAME_OK && i < draft->count; k++) {
        const int64_t touching = touching_members(draft, i);
        disps[k] = draft->disps[i];
        children[k] = draft->children[i];
        if (touching > 1) {
            status = dame_node_joined(o, draft->children + i, touching, &children[k]);
        }
        i += touching;
    }
    return status != DAME_OK ? status : dame_node_struct(o, n, disps, children, out);
}

dame_status_t dame_pass_merge(dame_optimiser_t *o, const dame_node_t *draft,
                              const dame_node_t **out)
{
    const dame_node_t *child = draft->child;
    if (!dame_node_is_near(draft)) {
        return DAME_OK;
    }
    switch (draft->shape) {
    case DAME_SHAPE_LIST:
        if (child->shape == DAME_SHAPE_BLOCK) {
            return join_all(o, draft, child->size, 1, NULL, out);
        }
        return child->shape == DAME_SHAPE_LOOP
                   ? join_all(o, draft, child->count, child->step, child->child, out)
                   : DAME_OK;
    case DAME_SHAPE_RAGGED:
        return dame_node_dense(draft) ? join_all(o, draft, 0, 1, NULL, out)
                                      : join_all(o, draft, 0, draft->step, child, out);
    case DAME_SHAPE_STRUCT:
        return join_members(o, draft, out);
    default:
        return DAME_OK;
    }
}
