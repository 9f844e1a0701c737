/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes of a type tree may be the same? */
#define _POSIX_C_SOURCE 200809L

#include "overlap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIMENSIONS = 8,  /* most levels that are put in order */
    CONDITIONS = 40, /* most that are listed */
    CHILDREN = 100,  /* most children of a struct that are compared */
    EXACT = 1 << 16  /* most blocks that are listed and sorted */
};

/* A nest of vectors over a block. */
typedef struct nest {
    int base;
    const poly_t *offset, *width; /* of the first block */
    int ndims;
    const poly_t *counts[DIMENSIONS], *strides[DIMENSIONS];
} nest_t;

typedef struct finder {
    access_program_t *program;
    poly_space_t *space;
    overlap_t *found;
    const char *conditions[CONDITIONS];
} finder_t;

static const char *text(finder_t *finder, const poly_t *a)
{
    return poly_string(finder->space, a, POLY_SOURCE, false);
}

__attribute__((format(printf, 3, 4))) static void condition(finder_t *finder, bool certain,
                                                            const char *format, ...)
{
    char line[POLY_TEXT / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    const char *kept = poly_text(finder->space, line, strlen(line));
    if (certain && !finder->found->certain) {
        finder->found->certain = true;
        finder->conditions[0] = kept;
        finder->found->nconditions = 1;
    }
    for (int i = 0; i < finder->found->nconditions; i++) {
        if (strcmp(finder->conditions[i], kept) == 0) {
            return;
        }
    }
    if (!finder->found->certain && finder->found->nconditions < CONDITIONS) {
        finder->conditions[finder->found->nconditions++] = kept;
    }
}

/* ---- exactly, where all is numbers ---- */

typedef struct block {
    int64_t base, from, to;
} block_t;

typedef struct blocks {
    block_t *blocks;
    int count;
    int steps;
    bool failed; /* not all numbers, or too many */
} blocks_t;

static bool number(blocks_t *blocks, const poly_t *a, int64_t *value)
{
    blocks->failed |= !poly_is_constant(a, value);
    return !blocks->failed;
}

static void list_blocks(blocks_t *blocks, const types_node_t *node, int64_t shift)
{
    int64_t offset, count, stride = 0;
    if (blocks->failed || ++blocks->steps > 4 * EXACT || node->kind == TYPES_LIST ||
        node->guard != NULL) {
        blocks->failed = true;
        return;
    }
    if (node->kind == TYPES_DENSE) {
        if (number(blocks, node->origin.offset, &offset) && number(blocks, node->count, &count)) {
            int64_t size;
            block_t block = {.base = node->origin.base};
            if (blocks->count == EXACT || __builtin_mul_overflow(count, node->type.size, &size) ||
                __builtin_add_overflow(offset, shift, &block.from) ||
                __builtin_add_overflow(block.from, size, &block.to)) {
                blocks->failed = true;
            } else if (size > 0) {
                blocks->blocks[blocks->count++] = block;
            }
        }
        return;
    }
    bool vector = node->kind == TYPES_VECTOR;
    count = 1;
    if (vector &&
        (!number(blocks, node->count, &count) || !number(blocks, node->stride, &stride))) {
        return;
    }
    for (int64_t i = 0; i < count && !blocks->failed; i++) {
        int64_t step;
        if (__builtin_mul_overflow(i, stride, &step) ||
            __builtin_add_overflow(step, shift, &step) || i > EXACT) {
            blocks->failed = true;
        }
        for (int child = 0; child < node->nchildren; child++) {
            list_blocks(blocks, node->children[child], step);
        }
    }
}

static int compare_blocks(const void *a, const void *b)
{
    const block_t *left = a, *right = b;
    if (left->base != right->base) {
        return left->base < right->base ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

/* false: not decided. */
static bool decide_exactly(finder_t *finder, const types_node_t *type)
{
    blocks_t blocks = {.blocks = calloc(EXACT, sizeof(block_t))};
    blocks.failed = blocks.blocks == NULL;
    list_blocks(&blocks, type, 0);
    if (!blocks.failed) {
        qsort(blocks.blocks, (size_t) blocks.count, sizeof(block_t), compare_blocks);
        for (int i = 1; i < blocks.count; i++) {
            const block_t *a = &blocks.blocks[i - 1], *b = &blocks.blocks[i];
            if (a->base == b->base && b->from < a->to) {
                condition(finder, true, "byte %lld of %s is written twice", (long long) b->from,
                          finder->program->bases[a->base].name);
                break;
            }
        }
    }
    free(blocks.blocks);
    return !blocks.failed;
}

/* ---- a nest of vectors ---- */

static const poly_t *minus(finder_t *finder, const poly_t *a, const poly_t *b)
{
    return poly_subtract(finder->space, a, b);
}

static bool at_least(finder_t *finder, const poly_t *a, const poly_t *b)
{
    return poly_at_least(finder->space, minus(finder, a, b), 0);
}

/* (count - 1) * stride + width: how far the blocks of a dimension reach. */
static const poly_t *reach(finder_t *finder, const poly_t *count, const poly_t *stride,
                           const poly_t *width)
{
    poly_space_t *space = finder->space;
    const poly_t *last = poly_subtract(space, count, poly_constant(space, 1));
    return poly_add(space, poly_multiply(space, last, stride), width);
}

static void swap_dimensions(nest_t *nest, int i, int j)
{
    const poly_t *count = nest->counts[i], *stride = nest->strides[i];
    nest->counts[i] = nest->counts[j];
    nest->strides[i] = nest->strides[j];
    nest->counts[j] = count;
    nest->strides[j] = stride;
}

/* Can the dimensions from `first` on be put in an order in which each steps over the one before?
 * Leaves the nest in that order. */
static bool ordered(finder_t *finder, nest_t *nest, int first, const poly_t *width)
{
    if (first == nest->ndims) {
        return true;
    }
    for (int i = first; i < nest->ndims; i++) {
        if (at_least(finder, nest->strides[i], width)) {
            swap_dimensions(nest, first, i);
            const poly_t *wider = reach(finder, nest->counts[first], nest->strides[first], width);
            if (ordered(finder, nest, first + 1, wider)) {
                return true;
            }
            swap_dimensions(nest, first, i);
        }
    }
    return false;
}

/* By stride, as far as it is known: then some steps remain to be conditions. */
static void order_by_stride(finder_t *finder, nest_t *nest)
{
    for (int i = 1; i < nest->ndims; i++) {
        for (int j = i; j > 0 && at_least(finder, nest->strides[j - 1], nest->strides[j]); j--) {
            swap_dimensions(nest, j - 1, j);
        }
    }
}

static void check_nest(finder_t *finder, nest_t *nest)
{
    const poly_t *one = poly_constant(finder->space, 1);
    for (int i = 0; i < nest->ndims; i++) {
        const poly_t *down = poly_negate(finder->space, nest->strides[i]);
        if (poly_is_zero(nest->strides[i])) {
            condition(finder, true, "%s iterations write the same bytes",
                      text(finder, nest->counts[i]));
            return;
        }
        if (at_least(finder, down, one)) {
            nest->strides[i] = down; /* the same bytes, from the other end */
        }
    }
    if (ordered(finder, nest, 0, nest->width)) {
        return;
    }
    order_by_stride(finder, nest);
    const poly_t *width = nest->width;
    for (int i = 0; i < nest->ndims; i++) {
        if (poly_at_least(finder->space, minus(finder, width, nest->strides[i]), 1) &&
            poly_at_least(finder->space, nest->counts[i], 2)) {
            condition(finder, true, "blocks of %s bytes are %s bytes apart", text(finder, width),
                      text(finder, nest->strides[i]));
        } else if (!at_least(finder, nest->strides[i], width)) {
            condition(finder, false, "%s >= %s", text(finder, nest->strides[i]),
                      text(finder, width));
        }
        width = reach(finder, nest->counts[i], nest->strides[i], width);
    }
}

/* ---- trees ---- */

/* The nest that a node is; false: it is something else. */
static bool as_nest(finder_t *finder, const types_node_t *node, nest_t *nest)
{
    *nest = (nest_t){.base = node->origin.base};
    while (node->kind == TYPES_VECTOR && node->guard == NULL && nest->ndims < DIMENSIONS) {
        nest->counts[nest->ndims] = node->count;
        nest->strides[nest->ndims++] = node->stride;
        node = node->children[0];
    }
    if (node->kind != TYPES_DENSE) {
        return false;
    }
    nest->base = node->origin.base;
    nest->offset = node->origin.offset;
    nest->width = poly_scale(finder->space, node->count, node->type.size);
    return true;
}

static bool same_dimensions(const nest_t *a, const nest_t *b)
{
    bool same = a->ndims == b->ndims;
    for (int i = 0; i < a->ndims && same; i++) {
        same = poly_equal(a->counts[i], b->counts[i]) && poly_equal(a->strides[i], b->strides[i]);
    }
    return same;
}

/* The first and the last byte + 1 of a nest; its strides have a known sign. */
static bool bounds(finder_t *finder, const nest_t *nest, const poly_t **low, const poly_t **high)
{
    const poly_t *one = poly_constant(finder->space, 1);
    *low = nest->offset;
    *high = poly_add(finder->space, nest->offset, nest->width);
    for (int i = 0; i < nest->ndims; i++) {
        const poly_t *far =
            poly_multiply(finder->space, minus(finder, nest->counts[i], one), nest->strides[i]);
        if (at_least(finder, nest->strides[i], one)) {
            *high = poly_add(finder->space, *high, far);
        } else if (at_least(finder, poly_negate(finder->space, nest->strides[i]), one)) {
            *low = poly_add(finder->space, *low, far);
        } else {
            return false;
        }
    }
    return true;
}

static bool pair_apart(finder_t *finder, const nest_t *a, const nest_t *b)
{
    const poly_t *low[2], *high[2];
    if (a->base != b->base) {
        return true;
    }
    if (bounds(finder, a, &low[0], &high[0]) && bounds(finder, b, &low[1], &high[1]) &&
        (at_least(finder, low[1], high[0]) || at_least(finder, low[0], high[1]))) {
        return true;
    }
    if (!same_dimensions(a, b)) {
        return false;
    }
    /* Fields of the same elements: side by side, and all steps go over both. */
    const nest_t *first = at_least(finder, b->offset, a->offset) ? a : b;
    const nest_t *second = first == a ? b : a;
    nest_t both = *first;
    const poly_t *end = poly_add(finder->space, first->offset, first->width);
    both.width =
        poly_add(finder->space, minus(finder, second->offset, first->offset), second->width);
    for (int i = 0; i < both.ndims; i++) {
        const poly_t *down = poly_negate(finder->space, both.strides[i]);
        if (poly_at_least(finder->space, down, 1)) {
            both.strides[i] = down;
        }
    }
    return at_least(finder, second->offset, end) && ordered(finder, &both, 0, both.width);
}

static void check_node(finder_t *finder, const types_node_t *node);

static void check_children(finder_t *finder, const types_node_t *node)
{
    for (int i = 0; i < node->nchildren && i < CHILDREN; i++) {
        nest_t a, b;
        check_node(finder, node->children[i]);
        bool plain = as_nest(finder, node->children[i], &a);
        for (int j = 0; j < i; j++) {
            if (!plain || !as_nest(finder, node->children[j], &b)) {
                condition(finder, false, "parts %d and %d have no byte in common", j + 1, i + 1);
            } else if (!pair_apart(finder, &a, &b)) {
                condition(finder, false, "the parts at %s and at %s have no byte in common",
                          types_address_text(finder->program, node->children[j]->origin),
                          types_address_text(finder->program, node->children[i]->origin));
            }
        }
    }
    if (node->nchildren > CHILDREN) {
        condition(finder, false, "the %d parts have no byte in common", node->nchildren);
    }
}

static void check_node(finder_t *finder, const types_node_t *node)
{
    nest_t nest;
    if (as_nest(finder, node, &nest)) {
        check_nest(finder, &nest);
    } else if (node->kind == TYPES_STRUCT) {
        check_children(finder, node);
    } else if (node->kind == TYPES_LIST) {
        condition(finder, false, "no two blocks of the list over %s have a byte in common",
                  poly_atom_text(finder->space, node->loops[0].variable));
    } else {
        check_node(finder, node->children[0]);
        condition(finder, false, "the %s parts that are %s bytes apart have no byte in common",
                  text(finder, node->count), text(finder, node->stride));
    }
}

overlap_t overlap_find(access_program_t *program, const types_node_t *type)
{
    overlap_t found = {.nconditions = 0};
    finder_t finder = {.program = program, .space = program->space, .found = &found};
    if (!decide_exactly(&finder, type)) {
        check_node(&finder, type);
    }
    const char **kept = poly_alloc(program->space, CONDITIONS, sizeof(*kept));
    if (kept != NULL) {
        memcpy(kept, finder.conditions, sizeof(finder.conditions));
    }
    found.conditions = kept;
    return found;
}
