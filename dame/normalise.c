/*
 * Pass `normalise`: every constructor to its most constrained equivalent, so that one layout gives
 * one program whichever constructors made it.
 */
#include <stddef.h>
#include <string.h>

#include "granule.h"
#include "node.h"
#include "sequence.h"
#include "wide.h"

/* A loop that goes on where its inner loop ends is one loop. */
static dame_status_t normalise_loop(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    const dame_node_t *child = draft->child;
    if (DAME_SHAPE_LOOP == child->shape && draft->step == (wide_t) child->count * child->step) {
        return dame_node_loop(o, draft->count * child->count, child->step, child->child, out);
    }
    return DAME_OK;
}

static dame_sequence_t sequence_of(const dame_node_t *draft)
{
    return (dame_sequence_t){
        .n = draft->count,
        .disps = draft->disps,
        .lengths = DAME_SHAPE_RAGGED == draft->shape ? draft->blklens : NULL,
        .children = DAME_SHAPE_STRUCT == draft->shape ? draft->children : NULL,
    };
}

/* Part of a draft's blocks as a node: from `first` on, n of them. */
static dame_status_t part(dame_optimiser_t *o, const dame_node_t *draft, int64_t first, int64_t n,
                          const dame_node_t **out)
{
    int64_t *disps = draft->disps + first;
    switch (draft->shape) {
    case DAME_SHAPE_LIST:
        return dame_node_list(o, n, disps, draft->child, out);
    case DAME_SHAPE_STRUCT:
        return dame_node_struct(o, n, disps, draft->children + first, out);
    default:
        return dame_node_dense(draft)
                   ? dame_node_bytes(o, n, draft->blklens + first, disps, draft->granule, out)
                   : dame_node_ragged(o, n, draft->blklens + first, disps, draft->step,
                                      draft->child, out);
    }
}

/* Groups of blocks that are alike: a list of one group. */
static dame_status_t fold(dame_optimiser_t *o, const dame_node_t *draft, const dame_node_t **out)
{
    const dame_sequence_t sequence = sequence_of(draft);
    if (dame_passes(o, DAME_PASS_PATTERN) && draft->blocks <= DAME_SMALL_BODY) {
        return DAME_OK; /* flat lists are better */
    }
    const int64_t period = dame_sequence_period(&sequence);
    if (0 == period) {
        return DAME_OK;
    }
    const int64_t groups = draft->count / period;
    int64_t *disps = dame_node_numbers(o, groups);
    if (NULL == disps) {
        return DAME_ERR_NOMEM;
    }
    for (int64_t i = 0; i < groups; i++) {
        disps[i] = draft->disps[i * period];
    }
    const dame_node_t *group;
    dame_status_t status = part(o, draft, 0, period, &group);
    return DAME_OK != status ? status : dame_node_list(o, groups, disps, group, out);
}

static dame_status_t normalise_list(dame_optimiser_t *o, const dame_node_t *draft,
                                    const dame_node_t **out)
{
    const dame_sequence_t sequence = sequence_of(draft);
    if (dame_sequence_run(&sequence) == draft->count) {
        return dame_node_loop(o, draft->count, draft->disps[1], draft->child, out);
    }
    return fold(o, draft, out);
}

/* One block of a RAGGED as a node. */
static dame_status_t block_of(dame_optimiser_t *o, const dame_node_t *ragged, int64_t length,
                              const dame_node_t **out)
{
    return dame_node_dense(ragged) ? dame_node_block(o, length, ragged->granule, out)
                                   : dame_node_loop(o, length, ragged->step, ragged->child, out);
}

/* The shortest block, if all others are whole numbers of it and there would be less than twice as
 * many of them, else 0. The number of them goes to *n. */
static int64_t common_block(const dame_node_t *ragged, int64_t *n)
{
    int64_t shortest = ragged->blklens[0];
    int64_t total = 0;
    for (int64_t i = 0; i < ragged->count; i++) {
        shortest = ragged->blklens[i] < shortest ? ragged->blklens[i] : shortest;
        total += ragged->blklens[i];
    }
    if (total / shortest >= 2 * ragged->count) {
        return 0;
    }
    for (int64_t i = 0; i < ragged->count; i++) {
        if (ragged->blklens[i] != shortest && 0 != ragged->blklens[i] % shortest) {
            return 0;
        }
    }
    *n = total / shortest;
    if (*n > ragged->count && dame_node_dense(ragged) && 0 != shortest % ragged->granule) {
        return 0; /* an element would be in two blocks */
    }
    return shortest;
}

/* Blocks of mostly one length are a list of blocks of that length. */
static dame_status_t normalise_ragged(dame_optimiser_t *o, const dame_node_t *draft,
                                      const dame_node_t **out)
{
    int64_t n;
    const int64_t length = common_block(draft, &n);
    if (0 == length) {
        return fold(o, draft, out);
    }
    int64_t *disps = draft->disps;
    if (n > draft->count) {
        disps = dame_node_numbers(o, n);
        if (NULL == disps) {
            return DAME_ERR_NOMEM;
        }
        int64_t k = 0;
        for (int64_t i = 0; i < draft->count; i++) {
            for (int64_t at = 0; at < draft->blklens[i]; at += length) {
                disps[k++] = draft->disps[i] + at * draft->step;
            }
        }
    }
    const dame_node_t *block;
    dame_status_t status = block_of(o, draft, length, &block);
    return DAME_OK != status ? status : dame_node_list(o, n, disps, block, out);
}

/* ---- structs ---- */

/* Members that are structs give their own members. */
static dame_status_t splice(dame_optimiser_t *o, const dame_node_t *draft, const dame_node_t **out)
{
    int64_t n = 0;
    int nested = 0;
    for (int64_t i = 0; i < draft->count; i++) {
        int is_struct = DAME_SHAPE_STRUCT == draft->children[i]->shape;
        nested |= is_struct;
        n += is_struct ? draft->children[i]->count : 1;
    }
    if (!nested) {
        return DAME_OK;
    }
    int64_t *disps = dame_node_numbers(o, n);
    const dame_node_t **children = dame_node_nodes(o, n);
    if (NULL == disps || NULL == children) {
        return DAME_ERR_NOMEM;
    }
    int64_t k = 0;
    for (int64_t i = 0; i < draft->count; i++) {
        const dame_node_t *child = draft->children[i];
        int64_t members = DAME_SHAPE_STRUCT == child->shape ? child->count : 1;
        for (int64_t m = 0; m < members; m++, k++) {
            children[k] = DAME_SHAPE_STRUCT == child->shape ? child->children[m] : child;
            disps[k] = draft->disps[i] + (DAME_SHAPE_STRUCT == child->shape ? child->disps[m] : 0);
        }
    }
    return dame_node_struct(o, n, disps, children, out);
}

/* What a member repeats: itself once, or the child of its loop. */
static const dame_node_t *repeated(const dame_node_t *member, const dame_node_t *unit)
{
    return DAME_SHAPE_LOOP == member->shape && !dame_node_equal(member, unit) ? member->child
                                                                              : member;
}

/* Members that repeat one thing at one step are an INDEX. */
static dame_status_t like_members(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    const dame_node_t *unit = draft->children[0];
    int64_t step = 0;
    int loops = 0;
    for (int64_t i = 0; i < draft->count; i++) { /* the innermost thing, if they differ */
        if (DAME_SHAPE_LOOP == unit->shape && !dame_node_equal(unit, draft->children[i])) {
            unit = unit->child;
        }
    }
    for (int64_t i = 0; i < draft->count; i++) {
        const dame_node_t *member = draft->children[i];
        const dame_node_t *base = repeated(member, unit);
        if (!dame_node_equal(base, unit) || (base != member && loops && member->step != step)) {
            return DAME_OK;
        }
        if (base != member) {
            loops = 1;
            step = member->step;
        }
    }
    if (!loops) {
        return dame_node_list(o, draft->count, draft->disps, unit, out);
    }
    int64_t *blklens = dame_node_numbers(o, draft->count);
    if (NULL == blklens) {
        return DAME_ERR_NOMEM;
    }
    for (int64_t i = 0; i < draft->count; i++) {
        const dame_node_t *member = draft->children[i];
        blklens[i] = repeated(member, unit) == member ? 1 : member->count;
    }
    return dame_node_ragged(o, draft->count, blklens, draft->disps, step, unit, out);
}

/* A level of contiguous blocks that has a list of them, or few of them. */
static int is_flat(const dame_node_t *node)
{
    switch (node->shape) {
    case DAME_SHAPE_BLOCK:
        return 1;
    case DAME_SHAPE_LOOP:
        return DAME_SHAPE_BLOCK == node->child->shape && node->count <= DAME_SMALL_BODY;
    case DAME_SHAPE_LIST:
        return DAME_SHAPE_BLOCK == node->child->shape;
    case DAME_SHAPE_RAGGED:
        return dame_node_dense(node);
    default:
        return 0;
    }
}

/* The blocks' common length, or 0. */
static int64_t flat_length(const dame_node_t *node)
{
    return DAME_SHAPE_BLOCK == node->shape    ? node->size
           : DAME_SHAPE_RAGGED == node->shape ? 0
                                              : node->child->size;
}

/*
 * Members that are blocks or lists of blocks are one list. Long lists that repeat are left to
 * group_neighbours(): one table serves all.
 */
static dame_status_t flat_members(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    const int64_t length = is_flat(draft->children[0]) ? flat_length(draft->children[0]) : 0;
    int uniform = 0 != length;
    for (int64_t i = 0; i < draft->count; i++) {
        const dame_node_t *child = draft->children[i];
        if (!is_flat(child) || (i > 0 && child->blocks > DAME_SMALL_BODY &&
                                dame_node_equal(child, draft->children[i - 1]))) {
            return DAME_OK;
        }
        uniform &= length == flat_length(child);
    }
    dame_flat_t flat;
    dame_status_t status = dame_flat_new(o, draft->blocks, &flat);
    if (DAME_OK != status) {
        return status;
    }
    for (int64_t i = 0; i < draft->count; i++) {
        dame_flat_append(&flat, draft->children[i], draft->disps[i]);
    }
    const dame_node_t *block;
    if (uniform) {
        status = dame_node_block(o, length, draft->granule, &block);
        return DAME_OK != status ? status : dame_node_list(o, flat.count, flat.disps, block, out);
    }
    return dame_node_bytes(o, flat.count, flat.lengths, flat.disps, draft->granule, out);
}

/* Neighbours that are alike become lists. */
static dame_status_t group_neighbours(dame_optimiser_t *o, const dame_node_t *draft,
                                      const dame_node_t **out)
{
    int64_t groups = 1;
    for (int64_t i = 1; i < draft->count; i++) {
        groups += !dame_node_equal(draft->children[i], draft->children[i - 1]);
    }
    if (groups == draft->count) {
        return DAME_OK;
    }
    int64_t *disps = dame_node_numbers(o, groups);
    const dame_node_t **children = dame_node_nodes(o, groups);
    if (NULL == disps || NULL == children) {
        return DAME_ERR_NOMEM;
    }
    int64_t first = 0;
    for (int64_t k = 0; k < groups; k++) {
        int64_t end = first + 1;
        while (end < draft->count &&
               dame_node_equal(draft->children[end], draft->children[first])) {
            end++;
        }
        dame_status_t status = dame_node_list(o, end - first, draft->disps + first,
                                              draft->children[first], &children[k]);
        if (DAME_OK != status) {
            return status;
        }
        disps[k] = 0; /* the list has taken its displacement */
        first = end;
    }
    return dame_node_struct(o, groups, disps, children, out);
}

static dame_status_t normalise_struct(dame_optimiser_t *o, const dame_node_t *draft,
                                      const dame_node_t **out)
{
    static dame_status_t (*const rules[])(dame_optimiser_t *, const dame_node_t *,
                                          const dame_node_t **) = {
        splice, like_members, flat_members, fold, group_neighbours,
    };
    dame_status_t status = DAME_OK;
    for (size_t i = 0; DAME_OK == status && NULL == *out && i < sizeof(rules) / sizeof(rules[0]);
         i++) {
        status = rules[i](o, draft, out);
    }
    return status;
}

dame_status_t dame_pass_normalise(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out)
{
    if (!dame_node_is_near(draft)) {
        return DAME_OK;
    }
    switch (draft->shape) {
    case DAME_SHAPE_LOOP:
        return normalise_loop(o, draft, out);
    case DAME_SHAPE_LIST:
        return normalise_list(o, draft, out);
    case DAME_SHAPE_RAGGED:
        return normalise_ragged(o, draft, out);
    case DAME_SHAPE_STRUCT:
        return normalise_struct(o, draft, out);
    default:
        return DAME_OK;
    }
}
