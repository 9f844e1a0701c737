/*
 * Pass `pattern`: what is regular inside irregular lists, and small bodies of several blocks.
 */
#include <stddef.h>

#include "node.h"

enum {
    MIN_RUN = 8,      /* blocks of an average run, for runs of one step to be worth a level */
    MIN_STRETCH = 128 /* blocks of a regular stretch that is worth a subprogram of its own */
};

/* Contiguous blocks, and one level around them. */
static int is_leaf_level(const dame_node_t *node)
{
    return DAME_SHAPE_BLOCK == node->shape ||
           (DAME_SHAPE_RAGGED == node->shape
                ? dame_node_dense(node)
                : NULL != node->child && DAME_SHAPE_BLOCK == node->child->shape);
}

static dame_status_t flatten(dame_optimiser_t *o, const dame_node_t *draft, const dame_node_t **out)
{
    dame_flat_t flat;
    dame_status_t status = dame_flat_new(o, draft->blocks, &flat);
    if (DAME_OK != status) {
        return status;
    }
    dame_flat_append(&flat, draft, 0);
    return dame_node_bytes(o, flat.count, flat.lengths, flat.disps, draft->granule, out);
}

/* ---- lists that are mostly runs of one step: INDEX of blocks that step apart ---- */

/* How many runs the list is, with the first step that is taken twice in a row; 0 for more than
 * `most`, when there is no need to look at all of it. */
static int64_t count_runs(const dame_node_t *draft, int64_t most, int64_t *step)
{
    const int64_t *disps = draft->disps;
    int64_t i = 2;
    while (disps[i] - disps[i - 1] != disps[i - 1] - disps[i - 2]) {
        if (++i > most + 2 || i >= draft->count) {
            return 0;
        }
    }
    *step = disps[i] - disps[i - 1];
    int64_t runs = 1;
    for (i = 1; i < draft->count && runs <= most; i++) {
        runs += disps[i] - disps[i - 1] != *step;
    }
    return runs <= most ? runs : 0;
}

static dame_status_t find_runs(dame_optimiser_t *o, const dame_node_t *draft,
                               const dame_node_t **out)
{
    int64_t step = 0;
    const int64_t runs = draft->count < 3 ? 0 : count_runs(draft, draft->count / MIN_RUN, &step);
    if (0 == runs) {
        return DAME_OK;
    }
    dame_flat_t flat;
    dame_status_t status = dame_flat_new(o, runs, &flat);
    if (DAME_OK != status) {
        return status;
    }
    for (int64_t i = 0; i < draft->count; i++) {
        if (i > 0 && draft->disps[i] - draft->disps[i - 1] == step) {
            flat.lengths[flat.count - 1]++;
        } else {
            flat.disps[flat.count] = draft->disps[i];
            flat.lengths[flat.count++] = 1;
        }
    }
    return dame_node_ragged(o, flat.count, flat.lengths, flat.disps, step, draft->child, out);
}

/* ---- regular stretches: pieces of their own ---- */

/* Where the stretch that starts with block i ends: equal steps, or equal lengths. */
static int64_t stretch_end(const dame_node_t *draft, int64_t i)
{
    int64_t end = i + 1;
    if (DAME_SHAPE_RAGGED == draft->shape) {
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
    return end - i >= MIN_STRETCH;
}

/* Where to look for the next stretch: the block that ends a short one may start a long one. */
static int64_t next_stretch(const dame_node_t *draft, int64_t i, int64_t end)
{
    int shares = DAME_SHAPE_LIST == draft->shape && end - i > 1 && end < draft->count;
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
    int64_t *disps = draft->disps + first;
    pieces->disps[pieces->count++] = 0; /* the piece's node has its displacement */
    return DAME_SHAPE_RAGGED == draft->shape
               ? dame_node_bytes(o, end - first, draft->blklens + first, disps, draft->granule,
                                 node)
               : dame_node_list(o, end - first, disps, draft->child, node);
}

/* Is the list regular behind block i, for a few blocks? */
static int is_regular(const dame_node_t *draft, int64_t i)
{
    enum { FEW = 8 };
    const int ragged = DAME_SHAPE_RAGGED == draft->shape;
    const int64_t *values = (ragged ? draft->blklens : draft->disps) + i;
    int64_t n = 0;
    while (n < FEW && values[n + 1] - values[n] == (ragged ? 0 : values[1] - values[0])) {
        n++;
    }
    return FEW == n;
}

/* A stretch that is long enough is regular behind a block of a raster of half its length: lists
 * without any are known quickly. */
static int may_have_stretch(const dame_node_t *draft)
{
    for (int64_t i = 0; i + MIN_STRETCH / 2 <= draft->count; i += MIN_STRETCH / 2) {
        if (is_regular(draft, i)) {
            return 1;
        }
    }
    return 0;
}

/* Stretches that are long enough. */
static int64_t count_stretches(const dame_node_t *draft)
{
    int64_t n = 0;
    for (int64_t i = 0, end; i < draft->count; i = next_stretch(draft, i, end)) {
        end = stretch_end(draft, i);
        if (end - i == draft->count) {
            return 0; /* all of it: no list at all */
        }
        n += is_worth_it(i, end);
    }
    return n;
}

static dame_status_t find_stretches(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    const int64_t stretches =
        draft->count < MIN_STRETCH || !may_have_stretch(draft) ? 0 : count_stretches(draft);
    if (0 == stretches) {
        return DAME_OK;
    }
    pieces_t pieces = {.disps = dame_node_numbers(o, 2 * stretches + 1),
                       .nodes = dame_node_nodes(o, 2 * stretches + 1)};
    if (NULL == pieces.disps || NULL == pieces.nodes) {
        return DAME_ERR_NOMEM;
    }
    dame_status_t status = DAME_OK;
    int64_t done = 0;
    for (int64_t i = 0, end; DAME_OK == status && i < draft->count;
         i = next_stretch(draft, i, end)) {
        end = stretch_end(draft, i);
        if (is_worth_it(i, end)) {
            status = add_piece(o, draft, done, i, &pieces);
            if (DAME_OK == status) {
                status = add_piece(o, draft, i, end, &pieces);
            }
            done = end;
        }
    }
    if (DAME_OK == status) {
        status = add_piece(o, draft, done, draft->count, &pieces);
    }
    return DAME_OK != status ? status
                             : dame_node_pieces(o, pieces.count, pieces.disps, pieces.nodes, out);
}

static dame_status_t pattern_list(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    dame_status_t status = find_runs(o, draft, out);
    if (DAME_OK == status && NULL == *out && DAME_SHAPE_BLOCK == draft->child->shape) {
        status = find_stretches(o, draft, out);
    }
    return status;
}

static dame_status_t pattern_ragged(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    if (dame_node_dense(draft)) {
        return find_stretches(o, draft, out);
    }
    /* short runs of blocks are better as the list of all blocks */
    int64_t instances = draft->size / draft->child->size;
    return DAME_SHAPE_BLOCK == draft->child->shape && draft->count > instances / MIN_RUN
               ? flatten(o, draft, out)
               : DAME_OK;
}

dame_status_t dame_pass_pattern(dame_optimiser_t *o, const dame_node_t *draft,
                                const dame_node_t **out)
{
    if (!dame_node_is_near(draft)) {
        return DAME_OK;
    }
    if (draft->blocks <= DAME_SMALL_BODY && !is_leaf_level(draft)) {
        return flatten(o, draft, out);
    }
    if (draft->blocks <= DAME_SMALL_BODY) {
        return DAME_OK;
    }
    switch (draft->shape) {
    case DAME_SHAPE_LIST:
        return pattern_list(o, draft, out);
    case DAME_SHAPE_RAGGED:
        return pattern_ragged(o, draft, out);
    default:
        return DAME_OK;
    }
}
