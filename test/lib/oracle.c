/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "walk.h"

/*
 * What the bounds of a typemap depend on: its data entries, and the lower- and upper-bound markers
 * that resized types put into it. Markers win over data (MPI-4.0, section 5.1.6).
 */
typedef struct bounds {
    bool has_data;
    int64_t low;
    int64_t high;
    bool has_markers;
    int64_t lower;
    int64_t upper;
} bounds_t;

static int64_t bounds_lb(const bounds_t *b)
{
    return b->has_markers ? b->lower : b->has_data ? b->low : 0;
}

static int64_t bounds_extent(const bounds_t *b)
{
    return b->has_markers ? b->upper - b->lower : b->has_data ? b->high - b->low : 0;
}

/* Adds `part`, displaced, to `sum`. */
static void bounds_add(bounds_t *sum, const bounds_t *part, int64_t displacement)
{
    if (part->has_data) {
        int64_t low = part->low + displacement;
        int64_t high = part->high + displacement;
        sum->low = sum->has_data && sum->low < low ? sum->low : low;
        sum->high = sum->has_data && sum->high > high ? sum->high : high;
        sum->has_data = true;
    }
    if (part->has_markers) {
        int64_t lower = part->lower + displacement;
        int64_t upper = part->upper + displacement;
        sum->lower = sum->has_markers && sum->lower < lower ? sum->lower : lower;
        sum->upper = sum->has_markers && sum->upper > upper ? sum->upper : upper;
        sum->has_markers = true;
    }
}

oracle_block_t oracle_block(const dame_type_t *type, int64_t i)
{
    switch (type->kind) {
    case DAME_CONTIG:
        return (oracle_block_t){type->count, 0, type->child};
    case DAME_VECTOR:
        return (oracle_block_t){type->blklen, i * type->stride, type->child};
    case DAME_BLOCKINDEX:
        return (oracle_block_t){type->blklen, type->disps[i], type->child};
    case DAME_INDEX:
        return (oracle_block_t){type->blklens[i], type->disps[i], type->child};
    case DAME_STRUCT:
        return (oracle_block_t){type->blklens[i], type->disps[i], type->children[i]};
    case DAME_RESIZED:
        return (oracle_block_t){1, 0, type->child};
    default:
        abort();
    }
}

int64_t oracle_blocks(const dame_type_t *type)
{
    return type->kind == DAME_CONTIG || type->kind == DAME_RESIZED ? 1 : type->count;
}

static bounds_t bounds_of(const dame_type_t *type)
{
    bounds_t sum = {0};
    if (type->kind == DAME_BASIC) {
        if (type->size > 0) {
            sum = (bounds_t){.has_data = true, .low = 0, .high = type->size};
        }
        return sum;
    }
    const dame_type_t *known = NULL; /* bounds of the child last seen */
    bounds_t inner = {0};
    for (int64_t i = 0; i < oracle_blocks(type); i++) {
        oracle_block_t block = oracle_block(type, i);
        if (block.length == 0) {
            continue;
        }
        if (block.child != known) {
            known = block.child;
            inner = bounds_of(known);
        }
        /* The ends of a row of equally spaced instances are its first and its last. */
        bounds_add(&sum, &inner, block.displacement);
        bounds_add(&sum, &inner, block.displacement + (block.length - 1) * bounds_extent(&inner));
    }
    if (type->kind == DAME_RESIZED) {
        sum.has_markers = true;
        sum.lower = type->lb;
        sum.upper = type->lb + type->extent;
    }
    return sum;
}

void oracle_bounds(const dame_type_t *type, int64_t *lb, int64_t *extent)
{
    bounds_t b = bounds_of(type);
    *lb = bounds_lb(&b);
    *extent = bounds_extent(&b);
}

bool oracle_has_markers(const dame_type_t *type)
{
    return bounds_of(type).has_markers;
}

/* The list under construction: counts only while `offsets` is NULL. */
typedef struct walk {
    int64_t n;
    int64_t *offsets;
    bool *starts;
} walk_t;

static void walk_type(walk_t *walk, const dame_type_t *type, int64_t offset)
{
    if (type->kind == DAME_BASIC) {
        for (int64_t i = 0; i < type->size; i++) {
            if (walk->offsets) {
                walk->offsets[walk->n] = offset + i;
                walk->starts[walk->n] = i == 0;
            }
            walk->n++;
        }
        return;
    }
    const dame_type_t *known = NULL;
    int64_t lb;
    int64_t extent = 0;
    for (int64_t i = 0; i < oracle_blocks(type); i++) {
        oracle_block_t block = oracle_block(type, i);
        if (block.length > 1 && block.child != known) {
            known = block.child;
            oracle_bounds(known, &lb, &extent);
        }
        for (int64_t k = 0; k < block.length; k++) {
            walk_type(walk, block.child, offset + block.displacement + (k ? k * extent : 0));
        }
    }
}

/* Room for the offsets of `size` bytes. */
static bool allocate(oracle_t *oracle, int64_t size)
{
    const size_t n = (size_t) size + 1;
    *oracle = (oracle_t){.size = size,
                         .offsets = malloc(n * sizeof *oracle->offsets),
                         .starts = malloc(n * sizeof *oracle->starts)};
    if (!oracle->offsets || !oracle->starts) {
        oracle_fini(oracle);
        return false;
    }
    return true;
}

bool oracle_init(oracle_t *oracle, const dame_type_t *type)
{
    walk_t walk = {0};
    walk_type(&walk, type, 0);
    if (!allocate(oracle, walk.n)) {
        return false;
    }
    walk = (walk_t){.offsets = oracle->offsets, .starts = oracle->starts};
    walk_type(&walk, type, 0);
    oracle_bounds(type, &oracle->lb, &oracle->extent);
    oracle_span(oracle, 1, &oracle->true_lb, &oracle->true_ub);
    return true;
}

bool oracle_init_program(oracle_t *oracle, const dame_program_t *program)
{
    if (!allocate(oracle, program->size)) {
        return false;
    }
    memset(oracle->starts, 1, (size_t) program->size * sizeof *oracle->starts);
    if (walk_program(program, oracle->offsets, program->size) != program->size) {
        oracle_fini(oracle);
        return false;
    }
    oracle->extent = program->extent;
    oracle_span(oracle, 1, &oracle->true_lb, &oracle->true_ub);
    return true;
}

void oracle_fini(oracle_t *oracle)
{
    free(oracle->offsets);
    free(oracle->starts);
    *oracle = (oracle_t){0};
}

uintptr_t oracle_address(const oracle_t *oracle, uintptr_t base, int64_t position)
{
    uint64_t element = (uint64_t) (position / oracle->size) * (uint64_t) oracle->extent;
    return base + element + (uint64_t) oracle->offsets[position % oracle->size];
}

void oracle_place(const oracle_t *oracle, uintptr_t base, int64_t position, oracle_place_t *place)
{
    *place = (oracle_place_t){.oracle = oracle, .element = base};
    if (oracle->size > 0) {
        place->element += (uint64_t) (position / oracle->size) * (uint64_t) oracle->extent;
        place->byte = position % oracle->size;
    }
}

void oracle_pack(const oracle_t *oracle, uintptr_t base, int64_t from, int64_t to, char *packed)
{
    oracle_place_t place;
    oracle_place(oracle, base, from, &place);
    for (int64_t i = from; i < to; i++) {
        packed[i - from] = *(const char *) oracle_next(&place);
    }
}

void oracle_unpack(const oracle_t *oracle, uintptr_t base, int64_t from, int64_t to,
                   const char *packed)
{
    oracle_place_t place;
    oracle_place(oracle, base, from, &place);
    for (int64_t i = from; i < to; i++) {
        *(char *) oracle_next(&place) = packed[i - from];
    }
}

bool oracle_is_boundary(const oracle_t *oracle, int64_t count, int64_t position)
{
    return position == oracle->size * count || oracle->starts[position % oracle->size];
}

void oracle_span(const oracle_t *oracle, int64_t count, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = 0;
    if (oracle->size == 0 || count == 0) {
        return;
    }
    *low = *high = oracle->offsets[0];
    for (int64_t i = 0; i < oracle->size; i++) {
        int64_t offset = oracle->offsets[i];
        *low = offset < *low ? offset : *low;
        *high = offset > *high ? offset : *high;
    }
    int64_t reach = (count - 1) * oracle->extent;
    *low += reach < 0 ? reach : 0;
    *high += (reach > 0 ? reach : 0) + 1;
}
