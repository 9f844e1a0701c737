/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular stretches of lists: pieces of their own.
 */
#include <stddef.h>

#include "node.h"

/* Where the stretch that starts with block i ends: equal steps, or equal lengths. */
static int64_t stretch_end(const dame_node_t *draft, int64_t i)
{
    int64_t end = i + 1;
    if (draft->shape == DAME_SHAPE_RAGGED) {
        while (end < draft->count && draft->blklens[end] == draft->blklens[i]) {
            end++;
        }
        return end;
    }
    while (end < draft->count && (end == i + 1 || draft->disps[end] - draft->disps[end - 1] ==
                                                      draft->disps[i + 1] - draft->disps[i])) {
        end++;
    }
    return end;
}

static int is_worth_it(int64_t i, int64_t end)
{
    return end - i >= DAME_MIN_STRETCH;
}

/* Where to look for the next stretch: the block that ends a short one may start a long one. */
static int64_t next_stretch(const dame_node_t *draft, int64_t i, int64_t end)
{
    int shares = draft->shape == DAME_SHAPE_LIST && end - i > 1 && end < draft->count;
    return shares && !is_worth_it(i, end) ? end - 1 : end;
}

typedef struct pieces {
    int64_t *disps;
    const dame_node_t **nodes;
    int64_t count;
} pieces_t;

static dame_status_t add_piece(dame_optimiser_t *o, const dame_node_t *draft, int64_t first,
                               int64_t end, pieces_t *pieces)
{
    if (first == end) {
        return DAME_OK;
    }
    const dame_node_t **node = &pieces->nodes[pieces->count];
    int64_t *disps = dame_node_copied(o, draft->disps + first, end - first);
    int64_t *lengths = draft->shape == DAME_SHAPE_RAGGED
                           ? dame_node_copied(o, draft->blklens + first, end - first)
                           : disps;
    if (disps == NULL || lengths == NULL) {
        return DAME_ERR_NOMEM;
    }
    pieces->disps[pieces->count++] = 0; /* the piece's node has its displacement */
    return draft->shape == DAME_SHAPE_RAGGED
               ? dame_node_bytes(o, end - first, lengths, disps, draft->granule, node)
               : dame_node_list(o, end - first, disps, draft->child, node);
}

/* Returns whether the list is regular behind block i, for a few blocks. */
static int is_regular(const dame_node_t *draft, int64_t i)
{
    enum { FEW = 8 };
    const int ragged = draft->shape == DAME_SHAPE_RAGGED;
    const int64_t *values = (ragged ? draft->blklens : draft->disps) + i;
    int64_t n = 0;
    while (n < FEW && values[n + 1] - values[n] == (ragged ? 0 : values[1] - values[0])) {
        n++;
    }
    return n == FEW;
}

/* A stretch that is long enough is regular behind a block of a raster of half its length: lists
 * without any are known quickly. */
static int may_have_stretch(const dame_node_t *draft)
{
    for (int64_t i = 0; i + DAME_MIN_STRETCH / 2 <= draft->count; i += DAME_MIN_STRETCH / 2) {
        if (is_regular(draft, i)) {
            return 1;
        }
    }
    return 0;
}

/* Stretches that are long enough; 0 if the whole list is one. */
static int64_t count_stretches(const dame_node_t *draft)
{
    int64_t n = 0;
    for (int64_t i = 0, end; i < draft->count; i = next_stretch(draft, i, end)) {
        end = stretch_end(draft, i);
        if (end - i == draft->count) {
            return 0;
        }
        n += is_worth_it(i, end);
    }
    return n;
}

dame_status_t dame_split_stretches(dame_optimiser_t *o, const dame_node_t *draft,
                                   const dame_node_t **out)
{
    const int64_t stretches =
        draft->count < DAME_MIN_STRETCH || !may_have_stretch(draft) ? 0 : count_stretches(draft);
    if (stretches == 0) {
        return DAME_OK;
    }
    pieces_t pieces = {.disps = dame_node_numbers(o, 2 * stretches + 1),
                       .nodes = dame_node_nodes(o, 2 * stretches + 1)};
    if (pieces.disps == NULL || pieces.nodes == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_status_t status = DAME_OK;
    int64_t done = 0;
    for (int64_t i = 0, end; status == DAME_OK && i < draft->count;
         i = next_stretch(draft, i, end)) {
        end = stretch_end(draft, i);
        if (is_worth_it(i, end)) {
            status = add_piece(o, draft, done, i, &pieces);
            if (status == DAME_OK) {
                status = add_piece(o, draft, i, end, &pieces);
            }
            done = end;
        }
    }
    if (status == DAME_OK) {
        status = add_piece(o, draft, done, draft->count, &pieces);
    }
    if (status != DAME_OK) {
        return status;
    }
    return o->settled ? dame_node_pieces(o, pieces.count, pieces.disps, pieces.nodes, out)
                      : dame_node_struct(o, pieces.count, pieces.disps, pieces.nodes, out);
}
