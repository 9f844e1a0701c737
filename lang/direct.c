/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy kernels: blocks from one buffer to the same places of another, with no packed stream
 * between. Those of blocks of less than 32 bytes, and of levels around other levels; the others are
 * in wide_kernels.c.
 *
 * Through a stream every byte would be moved twice; and without one, blocks may be copied in the
 * order that suits memory.
 */
#include "dame/memory_order.h"
#include "block.h"
#include "kernels.h"

#define DAME_WIDTH(name, lowest, highest)                                                          \
    DAME_COPY(strided_##name, dame_copy_strided, DAME_WIDTH_##name)                                \
    DAME_COPY(listed64_##name, dame_copy_listed, DAME_TABLE_64, DAME_WIDTH_##name)                 \
    DAME_COPY(listed32_##name, dame_copy_listed, DAME_TABLE_32, DAME_WIDTH_##name)
DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH

const dame_copy_fn dame_copy_strided_narrow[DAME_WIDTH_NARROW_COUNT] = {
#define DAME_WIDTH(name, lowest, highest) strided_##name,
    DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH
};

const dame_copy_fn dame_copy_listed_narrow[DAME_TABLE_COUNT][DAME_WIDTH_NARROW_COUNT] = {
#define DAME_WIDTH(name, lowest, highest) listed64_##name,
    [DAME_TABLE_64] = {DAME_WIDTHS_NARROW(DAME_WIDTH)},
#undef DAME_WIDTH
#define DAME_WIDTH(name, lowest, highest) listed32_##name,
    [DAME_TABLE_32] = {DAME_WIDTHS_NARROW(DAME_WIDTH)},
#undef DAME_WIDTH
};

/* ---- columns of a matrix, row by row ---- */

static __attribute__((noinline)) void copy_row(uintptr_t at, uintptr_t shift, int64_t bytes)
{
    dame_copy_block(at, shift, bytes, DAME_WIDTH_ANY);
}

DAME_INLINE void copy_columns(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                              int64_t first, int64_t n, dame_width_t width)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const int64_t bytes = dame_width_bytes(width, inner->iter_size);
    uintptr_t row = origin + (uintptr_t) first * (uintptr_t) prim->step;
    for (int64_t i = 0; i < inner->count; i++) {
        if (prim->step == bytes) {
            copy_row(row, shift, n * bytes);
        } else {
            uintptr_t at = row;
            for (int64_t j = 0; j < n; j++) {
                dame_copy_block(at, shift, bytes, width);
                at += (uintptr_t) prim->step;
            }
        }
        row += (uintptr_t) inner->step;
    }
}

#define DAME_WIDTH(name, lowest, highest) DAME_COPY(columns_##name, copy_columns, DAME_WIDTH_##name)
DAME_WIDTHS_IN_LINE(DAME_WIDTH)
#undef DAME_WIDTH

const dame_copy_fn dame_copy_columns[DAME_WIDTH_IN_LINE_COUNT] = {
#define DAME_WIDTH(name, lowest, highest) columns_##name,
    DAME_WIDTHS_IN_LINE(DAME_WIDTH)
#undef DAME_WIDTH
};

/* ---- levels around other levels ---- */

void dame_copy_nothing(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,
                       int64_t n)
{
    (void) prim;
    (void) origin;
    (void) shift;
    (void) first;
    (void) n;
}

void dame_copy_outer_strided(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                             int64_t first, int64_t n)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    uintptr_t at = origin + (uintptr_t) first * (uintptr_t) prim->step;
    for (; n > 0; n--) {
        inner->copy(inner, at, shift, 0, inner->count);
        at += (uintptr_t) prim->step;
    }
}

void dame_copy_outer_struct(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                            int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        const uintptr_t at = origin + (uintptr_t) prim->disps[i];
        const dame_prim_t *inner = prim + prim->inner_deltas[i];
        if (inner == prim) {
            dame_copy_block(at, shift, prim->prefix[i + 1] - prim->prefix[i], DAME_WIDTH_ANY);
        } else {
            inner->copy(inner, at, shift, 0, inner->count);
        }
    }
}

DAME_INLINE void copy_outer_listed(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                                   int64_t first, int64_t n, dame_table_t table)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const void *disps = dame_disps_from(prim, table, first);
    for (int64_t i = 0; i < n; i++) {
        inner->copy(inner, origin + dame_table_entry(disps, table, i), shift, 0, inner->count);
    }
}

/* INDEX: the inner level is a CONTIGCHILD of as many instances as the block has. */
DAME_INLINE void copy_outer_ragged(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                                   int64_t first, int64_t n, dame_table_t table)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const int64_t *prefix = prim->prefix + first;
    const void *disps = dame_disps_from(prim, table, first);
    for (int64_t i = 0; i < n; i++) {
        inner->copy(inner, origin + dame_table_entry(disps, table, i), shift, 0,
                    (prefix[i + 1] - prefix[i]) / inner->iter_size);
    }
}

DAME_COPY(outer_listed64, copy_outer_listed, DAME_TABLE_64)
DAME_COPY(outer_listed32, copy_outer_listed, DAME_TABLE_32)
DAME_COPY(outer_ragged64, copy_outer_ragged, DAME_TABLE_64)
DAME_COPY(outer_ragged32, copy_outer_ragged, DAME_TABLE_32)

const dame_copy_fn dame_copy_outer_listed[DAME_TABLE_COUNT] = {
    [DAME_TABLE_64] = outer_listed64,
    [DAME_TABLE_32] = outer_listed32,
};
const dame_copy_fn dame_copy_outer_ragged[DAME_TABLE_COUNT] = {
    [DAME_TABLE_64] = outer_ragged64,
    [DAME_TABLE_32] = outer_ragged32,
};
