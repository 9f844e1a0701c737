/* SPDX-License-Identifier: BSD-3-Clause */
#include "dame/type.h"

#include "arena.h"
#include "base/heap.h"
#include "wide.h"

struct dame_tree {
    dame_arena_t arena;
    _Alignas(16) char first[8192]; /* regular types need no second allocation */
};

dame_tree_t *dame_tree_new(void)
{
    dame_tree_t *tree = dame_heap_alloc(sizeof(*tree));
    if (tree != NULL) {
        dame_arena_init(&tree->arena, tree->first, sizeof(tree->first));
    }
    return tree;
}

void dame_tree_free(dame_tree_t *tree)
{
    if (tree != NULL) {
        dame_arena_fini(&tree->arena);
        dame_heap_free(tree);
    }
}

void dame_tree_reset(dame_tree_t *tree)
{
    dame_arena_reset(&tree->arena);
}

int64_t *dame_tree_array(dame_tree_t *tree, int64_t n)
{
    return n < 0 ? NULL : dame_arena_alloc(&tree->arena, (size_t) n, sizeof(int64_t));
}

const dame_type_t **dame_tree_types(dame_tree_t *tree, int64_t n)
{
    return n < 0 ? NULL : dame_arena_alloc(&tree->arena, (size_t) n, sizeof(dame_type_t *));
}

/* An interval that grows. */
typedef struct hull {
    wide_t low, high;
    int any;
} hull_t;

/* Bounds and size while a type is put together, wide enough for any sum of its parts. */
typedef struct extent_sum {
    wide_t size;
    hull_t plain;  /* bounds of parts without markers */
    hull_t marked; /* bounds of parts with markers; if there are any, they alone count */
    hull_t data;   /* bytes of data */
} extent_sum_t;

static wide_t wide_min(wide_t a, wide_t b)
{
    return a < b ? a : b;
}

static wide_t wide_max(wide_t a, wide_t b)
{
    return a > b ? a : b;
}

static void cover(hull_t *hull, wide_t low, wide_t high)
{
    hull->low = hull->any ? wide_min(hull->low, low) : low;
    hull->high = hull->any ? wide_max(hull->high, high) : high;
    hull->any = 1;
}

/* Takes in the bounds, not the size, of `blklen` instances of `child` in a row from `disp` on. */
static void cover_block(extent_sum_t *sum, wide_t disp, int64_t blklen, const dame_type_t *child)
{
    wide_t last = disp + (wide_t) (blklen - 1) * child->extent;
    wide_t low = wide_min(disp, last);
    wide_t high = wide_max(disp, last);
    if (child->marked) {
        cover(&sum->marked, low + child->lb, high + child->lb + child->extent);
    }
    if (child->size != 0) {
        cover(&sum->plain, low + child->lb, high + child->lb + child->extent);
        cover(&sum->data, low + child->true_lb, high + child->true_ub);
    }
}

/* Makes the node: what the caller put into `shape`, completed with size and bounds. */
static dame_status_t finish_type(dame_tree_t *tree, const dame_type_t *shape,
                                 const extent_sum_t *sum, const dame_type_t **out)
{
    const hull_t *bounds = sum->marked.any ? &sum->marked : &sum->plain;
    if (!wide_fits(sum->size) || !wide_fits(bounds->low) || !wide_fits(bounds->high) ||
        !wide_fits(bounds->high - bounds->low) || !wide_fits(sum->data.low) ||
        !wide_fits(sum->data.high) || !wide_fits(sum->data.high - sum->data.low)) {
        return DAME_ERR_RANGE;
    }
    dame_type_t *type = dame_arena_alloc(&tree->arena, 1, sizeof(*type));
    if (type == NULL) {
        return DAME_ERR_NOMEM;
    }
    *type = *shape;
    type->size = (int64_t) sum->size;
    type->marked = sum->marked.any;
    type->lb = (int64_t) bounds->low;
    type->extent = (int64_t) (bounds->high - bounds->low);
    type->true_lb = (int64_t) sum->data.low;
    type->true_ub = (int64_t) sum->data.high;
    *out = type;
    return DAME_OK;
}

dame_status_t dame_type_basic(dame_tree_t *tree, int64_t size, const dame_type_t **out)
{
    if (size < 0) {
        return DAME_ERR_ARGUMENT;
    }
    extent_sum_t sum = {.size = size};
    if (size > 0) {
        cover(&sum.plain, 0, size);
        cover(&sum.data, 0, size);
    }
    return finish_type(tree, &(dame_type_t){.kind = DAME_BASIC, .count = 1}, &sum, out);
}

dame_status_t dame_type_contig(dame_tree_t *tree, int64_t count, const dame_type_t *child,
                               const dame_type_t **out)
{
    if (count < 0 || child == NULL) {
        return DAME_ERR_ARGUMENT;
    }
    extent_sum_t sum = {.size = (wide_t) count * child->size};
    if (count > 0) {
        cover_block(&sum, 0, count, child);
    }
    return finish_type(tree, &(dame_type_t){.kind = DAME_CONTIG, .count = count, .child = child},
                       &sum, out);
}

dame_status_t dame_type_vector(dame_tree_t *tree, int64_t count, int64_t blklen, int64_t stride,
                               const dame_type_t *child, const dame_type_t **out)
{
    if (count < 0 || blklen < 0 || child == NULL) {
        return DAME_ERR_ARGUMENT;
    }
    extent_sum_t sum = {.size = 0};
    if (count > 0 && blklen > 0) {
        sum.size = (wide_t) blklen * child->size;
        if (!wide_fits(sum.size)) { /* count * size must not overflow even wide_t */
            return DAME_ERR_RANGE;
        }
        sum.size *= count;
        cover_block(&sum, 0, blklen, child);
        cover_block(&sum, (wide_t) (count - 1) * stride, blklen, child);
    }
    return finish_type(tree,
                       &(dame_type_t){.kind = DAME_VECTOR,
                                      .count = count,
                                      .blklen = blklen,
                                      .stride = stride,
                                      .child = child},
                       &sum, out);
}

dame_status_t dame_type_blockindex(dame_tree_t *tree, int64_t count, int64_t blklen,
                                   const int64_t *disps, const dame_type_t *child,
                                   const dame_type_t **out)
{
    if (count < 0 || blklen < 0 || child == NULL || (count > 0 && disps == NULL)) {
        return DAME_ERR_ARGUMENT;
    }
    extent_sum_t sum = {.size = 0};
    if (count > 0 && blklen > 0) {
        int64_t low = disps[0];
        int64_t high = disps[0];
        for (int64_t i = 1; i < count; i++) {
            low = disps[i] < low ? disps[i] : low;
            high = disps[i] > high ? disps[i] : high;
        }
        sum.size = (wide_t) blklen * child->size;
        if (!wide_fits(sum.size)) {
            return DAME_ERR_RANGE;
        }
        sum.size *= count;
        cover_block(&sum, low, blklen, child);
        cover_block(&sum, high, blklen, child);
    }
    return finish_type(tree,
                       &(dame_type_t){.kind = DAME_BLOCKINDEX,
                                      .count = count,
                                      .blklen = blklen,
                                      .disps = disps,
                                      .child = child},
                       &sum, out);
}

dame_status_t dame_type_index(dame_tree_t *tree, int64_t count, const int64_t *blklens,
                              const int64_t *disps, const dame_type_t *child,
                              const dame_type_t **out)
{
    if (count < 0 || child == NULL || (count > 0 && (disps == NULL || blklens == NULL))) {
        return DAME_ERR_ARGUMENT;
    }
    int64_t low = INT64_MAX; /* starts of the instances at both ends */
    int64_t high = INT64_MIN;
    int64_t instances = 0;
    int overflow = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t last;
        if (blklens[i] < 0) {
            return DAME_ERR_ARGUMENT;
        }
        if (blklens[i] == 0) {
            continue;
        }
        overflow |= __builtin_mul_overflow(blklens[i] - 1, child->extent, &last);
        overflow |= __builtin_add_overflow(last, disps[i], &last);
        overflow |= __builtin_add_overflow(instances, blklens[i], &instances);
        low = disps[i] < low ? disps[i] : low;
        low = last < low ? last : low;
        high = disps[i] > high ? disps[i] : high;
        high = last > high ? last : high;
    }
    if (overflow) {
        return DAME_ERR_RANGE;
    }
    extent_sum_t sum = {.size = (wide_t) instances * child->size};
    if (instances > 0) {
        cover_block(&sum, low, 1, child);
        cover_block(&sum, high, 1, child);
    }
    return finish_type(
        tree,
        &(dame_type_t){
            .kind = DAME_INDEX, .count = count, .blklens = blklens, .disps = disps, .child = child},
        &sum, out);
}

dame_status_t dame_type_struct(dame_tree_t *tree, int64_t count, const int64_t *blklens,
                               const int64_t *disps, const dame_type_t *const *children,
                               const dame_type_t **out)
{
    if (count < 0 || (count > 0 && (disps == NULL || blklens == NULL || children == NULL))) {
        return DAME_ERR_ARGUMENT;
    }
    extent_sum_t sum = {.size = 0};
    for (int64_t i = 0; i < count; i++) {
        if (blklens[i] < 0 || children[i] == NULL) {
            return DAME_ERR_ARGUMENT;
        }
        wide_t bytes = (wide_t) blklens[i] * children[i]->size;
        if (!wide_fits(bytes)) { /* so that their sum fits into wide_t */
            return DAME_ERR_RANGE;
        }
        if (blklens[i] > 0) {
            sum.size += bytes;
            cover_block(&sum, disps[i], blklens[i], children[i]);
        }
    }
    return finish_type(tree,
                       &(dame_type_t){.kind = DAME_STRUCT,
                                      .count = count,
                                      .blklens = blklens,
                                      .disps = disps,
                                      .children = children},
                       &sum, out);
}

dame_status_t dame_type_resized(dame_tree_t *tree, int64_t lb, int64_t extent,
                                const dame_type_t *child, const dame_type_t **out)
{
    if (child == NULL) {
        return DAME_ERR_ARGUMENT;
    }
    extent_sum_t sum = {.size = child->size};
    sum.marked = (hull_t){.low = lb, .high = (wide_t) lb + extent, .any = 1};
    if (child->size > 0) {
        cover(&sum.data, child->true_lb, child->true_ub);
    }
    return finish_type(tree, &(dame_type_t){.kind = DAME_RESIZED, .count = 1, .child = child}, &sum,
                       out);
}
