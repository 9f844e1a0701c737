/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pass `pattern`: finds regular stretches inside irregular lists, and small bodies of several
 * blocks.
 */
#include <stddef.h>

#include "node.h"

/* Contiguous blocks, and one level around them. */
static int is_leaf_level(const dame_node_t *node)
{
    return node->shape == DAME_SHAPE_BLOCK ||
           (node->shape == DAME_SHAPE_RAGGED
                ? dame_node_dense(node)
                : node->child != NULL && node->child->shape == DAME_SHAPE_BLOCK);
}

static int is_small_body(const dame_node_t *node)
{
    return node->blocks <= DAME_SMALL_BODY && !is_leaf_level(node);
}

static dame_status_t flatten(dame_optimiser_t *o, const dame_node_t *draft, const dame_node_t **out)
{
    dame_flat_t flat;
    dame_status_t status = dame_flat_new(o, draft->blocks, &flat);
    if (status != DAME_OK) {
        return status;
    }
    dame_flat_append(&flat, draft, draft->off);
    return dame_node_bytes(o, flat.count, flat.lengths, flat.disps, draft->granule, out);
}

/* ---- lists that are mostly runs of one step: INDEX of blocks that step apart ---- */

/* The step that all but `most` - 1 of the differences are, if there is one: then it is the majority
 * of the first few (Boyer and Moore's vote). */
static int64_t common_step(const dame_node_t *draft, int64_t most)
{
    int64_t step = 0;
    int64_t votes = 0;
    for (int64_t i = 1; i < 2 * most; i++) {
        int64_t difference = draft->disps[i] - draft->disps[i - 1];
        if (votes == 0) {
            step = difference;
        }
        votes += difference == step ? 1 : -1;
    }
    return step;
}

/* How many runs of one step the list is; 0 for more than `most`, without looking at all of it. */
static int64_t count_runs(const dame_node_t *draft, int64_t most, int64_t step)
{
    int64_t runs = 1;
    for (int64_t i = 1; i < draft->count && runs <= most; i++) {
        runs += draft->disps[i] - draft->disps[i - 1] != step;
    }
    return runs <= most ? runs : 0;
}

static dame_status_t find_runs(dame_optimiser_t *o, const dame_node_t *draft,
                               const dame_node_t **out)
{
    const int64_t most = draft->count / DAME_MIN_RUN;
    const int64_t step = common_step(draft, most);
    const int64_t runs = count_runs(draft, most, step);
    if (runs == 0) {
        return DAME_OK;
    }
    dame_flat_t flat;
    dame_status_t status = dame_flat_new(o, runs, &flat);
    if (status != DAME_OK) {
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

/* ---- the levels ---- */

static dame_status_t pattern_loop(dame_optimiser_t *o, const dame_node_t *node,
                                  const dame_node_t **out)
{
    const dame_node_t *child;
    dame_status_t status = dame_pass_pattern(o, node->child, &child);
    return status != DAME_OK || child == node->child
               ? status
               : dame_node_loop(o, node->count, node->step, child, out);
}

static dame_status_t pattern_list(dame_optimiser_t *o, const dame_node_t *node,
                                  const dame_node_t **out)
{
    dame_node_t list = *node;
    dame_status_t status = dame_pass_pattern(o, node->child, &list.child);
    if (status == DAME_OK) {
        status = find_runs(o, &list, out);
    }
    if (status == DAME_OK && node == *out && list.child->shape == DAME_SHAPE_BLOCK) {
        status = dame_split_stretches(o, &list, out);
    }
    if (status != DAME_OK || node != *out || list.child == node->child) {
        return status;
    }
    int64_t *disps = dame_node_copied(o, list.disps, list.count);
    return disps == NULL ? DAME_ERR_NOMEM : dame_node_list(o, list.count, disps, list.child, out);
}

/* All instances of a RAGGED's blocks as a list. */
static dame_status_t list_instances(dame_optimiser_t *o, const dame_node_t *ragged,
                                    int64_t instances, const dame_node_t **out)
{
    int64_t *disps = dame_node_numbers(o, instances);
    if (disps == NULL) {
        return DAME_ERR_NOMEM;
    }
    int64_t n = 0;
    for (int64_t i = 0; i < ragged->count; i++) {
        for (int64_t k = 0; k < ragged->blklens[i]; k++) {
            disps[n++] = ragged->disps[i] + k * ragged->step;
        }
    }
    const dame_node_t *list;
    dame_status_t status = dame_node_list(o, instances, disps, ragged->child, &list);
    return status != DAME_OK ? status : dame_pass_pattern(o, list, out);
}

static dame_status_t pattern_ragged(dame_optimiser_t *o, const dame_node_t *node,
                                    const dame_node_t **out)
{
    if (dame_node_dense(node)) {
        return DAME_OK;
    }
    const int64_t instances = node->size / node->child->size;
    if (node->count > instances / DAME_MIN_RUN) { /* what find_runs() would not have made */
        return list_instances(o, node, instances, out);
    }
    const dame_node_t *child;
    dame_status_t status = dame_pass_pattern(o, node->child, &child);
    if (status != DAME_OK || child == node->child) {
        return status;
    }
    int64_t *blklens = dame_node_copied(o, node->blklens, node->count);
    int64_t *disps = dame_node_copied(o, node->disps, node->count);
    return blklens == NULL || disps == NULL
               ? DAME_ERR_NOMEM
               : dame_node_ragged(o, node->count, blklens, disps, node->step, child, out);
}

static dame_status_t pattern_struct(dame_optimiser_t *o, const dame_node_t *node,
                                    const dame_node_t **out)
{
    const dame_node_t **children = dame_node_nodes(o, node->count);
    int64_t *disps = dame_node_copied(o, node->disps, node->count);
    dame_status_t status = children == NULL || disps == NULL ? DAME_ERR_NOMEM : DAME_OK;
    int changed = 0;
    for (int64_t i = 0; status == DAME_OK && i < node->count; i++) {
        if (node->same[i] != i) {
            children[i] = children[node->same[i]];
            continue;
        }
        status = dame_pass_pattern(o, node->children[i], &children[i]);
        changed |= status == DAME_OK && children[i] != node->children[i];
    }
    return status != DAME_OK || !changed ? status
                                         : dame_node_pieces(o, node->count, disps, children, out);
}

static dame_status_t pattern_level(dame_optimiser_t *o, const dame_node_t *node,
                                   const dame_node_t **out)
{
    switch (node->shape) {
    case DAME_SHAPE_LOOP:
        return pattern_loop(o, node, out);
    case DAME_SHAPE_LIST:
        return pattern_list(o, node, out);
    case DAME_SHAPE_RAGGED:
        return pattern_ragged(o, node, out);
    case DAME_SHAPE_STRUCT:
        return pattern_struct(o, node, out);
    default:
        return DAME_OK;
    }
}

static dame_status_t pattern_of(dame_optimiser_t *o, const dame_node_t *node,
                                const dame_node_t **out)
{
    dame_status_t status = node->blocks <= DAME_SMALL_BODY ? DAME_OK : pattern_level(o, node, out);
    if (status == DAME_OK && node != *out) {
        status = dame_node_shifted(o, node->off, *out, out);
    }
    /* a body that is small now was larger before its blocks touched */
    return status == DAME_OK && is_small_body(*out) ? flatten(o, *out, out) : status;
}

dame_status_t dame_pass_pattern(dame_optimiser_t *o, const dame_node_t *node,
                                const dame_node_t **out)
{
    *out = node;
    if (node->shape == DAME_SHAPE_EMPTY || !dame_node_is_near(node)) {
        return DAME_OK;
    }
    dame_pattern_of_t *known = &o->patterns[dame_recent_slot(node)];
    if (node == known->node) {
        *out = known->result;
        return DAME_OK;
    }
    dame_status_t status = pattern_of(o, node, out);
    if (status == DAME_OK) {
        *known = (dame_pattern_of_t){node, *out};
    }
    return status;
}
