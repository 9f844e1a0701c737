/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over blocks of one width between user memory and the packed stream. Private to lang/.
 *
 * All of this is inlined into kernels that pass direction, width and kind of table as constants, so
 * that nothing is left of the choices.
 */
#ifndef DAME_BLOCK_H
#define DAME_BLOCK_H

#include "copy.h"
#include "dame/program.h"
#include "widths.h"

/* The bytes of a block: a constant where the width has only one. */
DAME_INLINE int64_t dame_width_bytes(dame_width_t width, int64_t bytes)
{
    switch (width) {
#define DAME_WIDTH(name, lowest, highest)                                                          \
    case DAME_WIDTH_##name:                                                                        \
        return (lowest) == (highest) ? (lowest) : bytes;
        DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
    default:
        return bytes;
    }
}

/* Moves one block. `packed` is read only to unpack. */
DAME_INLINE void dame_move_block(uintptr_t user, char *packed, int64_t bytes, dame_width_t width,
                                 dame_dir_t dir)
{
    char *to = dir == DAME_PACK ? packed : (char *) user;
    const char *from = dir == DAME_PACK ? (const char *) user : packed;
    switch (width) {
#define DAME_WIDTH(name, lowest, highest)                                                          \
    case DAME_WIDTH_##name:                                                                        \
        dame_copy_##name(to, from, bytes);                                                         \
        break;
        DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
    default:
        dame_copy_any(to, from, bytes);
    }
}

/* Four blocks in each iteration hide the loop's cost for short blocks, and are few enough for small
 * counts. Longer blocks gain nothing (README.md). */
DAME_INLINE int dame_is_unrolled(dame_width_t width)
{
    return width <= DAME_WIDTH_64;
}

/*
 * Moves n blocks that are `step` apart in user memory, the first one at `user`, and `pitch` apart
 * in the packed stream.
 */
DAME_INLINE void dame_move_strided(uintptr_t user, uintptr_t step, char *packed, int64_t pitch,
                                   int64_t n, int64_t bytes, dame_width_t width, dame_dir_t dir)
{
    if (dame_is_unrolled(width)) {
        for (; n >= 4; n -= 4) {
            dame_move_block(user, packed, bytes, width, dir);
            dame_move_block(user + step, packed + pitch, bytes, width, dir);
            dame_move_block(user + 2 * step, packed + 2 * pitch, bytes, width, dir);
            dame_move_block(user + 3 * step, packed + 3 * pitch, bytes, width, dir);
            user += 4 * step;
            packed += 4 * pitch;
        }
    }
    for (; n > 0; n--) {
        dame_move_block(user, packed, bytes, width, dir);
        user += step;
        packed += pitch;
    }
}

/* Entry i of one of a level's two tables of displacements. */
DAME_INLINE uintptr_t dame_table_entry(const void *disps, dame_table_t table, int64_t i)
{
    return table == DAME_TABLE_32 ? (uintptr_t) ((const int32_t *) disps)[i]
                                  : (uintptr_t) ((const int64_t *) disps)[i];
}

/* The table from its entry i on. */
DAME_INLINE const void *dame_table_from(const void *disps, dame_table_t table, int64_t i)
{
    return table == DAME_TABLE_32 ? (const void *) ((const int32_t *) disps + i)
                                  : (const void *) ((const int64_t *) disps + i);
}

/* The level's displacements from iteration `first` on. */
DAME_INLINE const void *dame_disps_from(const dame_prim_t *prim, dame_table_t table, int64_t first)
{
    return table == DAME_TABLE_32 ? (const void *) (prim->disps32 + first)
                                  : (const void *) (prim->disps + first);
}

/* The same with the blocks at origin + disps[0], origin + disps[1], ... */
DAME_INLINE void dame_move_listed(uintptr_t origin, const void *disps, dame_table_t table,
                                  char *packed, int64_t pitch, int64_t n, int64_t bytes,
                                  dame_width_t width, dame_dir_t dir)
{
    if (dame_is_unrolled(width)) {
        for (; n >= 4; n -= 4) {
            dame_move_block(origin + dame_table_entry(disps, table, 0), packed, bytes, width, dir);
            dame_move_block(origin + dame_table_entry(disps, table, 1), packed + pitch, bytes,
                            width, dir);
            dame_move_block(origin + dame_table_entry(disps, table, 2), packed + 2 * pitch, bytes,
                            width, dir);
            dame_move_block(origin + dame_table_entry(disps, table, 3), packed + 3 * pitch, bytes,
                            width, dir);
            disps = dame_table_from(disps, table, 4);
            packed += 4 * pitch;
        }
    }
    for (; n > 0; n--) {
        dame_move_block(origin + dame_table_entry(disps, table, 0), packed, bytes, width, dir);
        disps = dame_table_from(disps, table, 1);
        packed += pitch;
    }
}

/* ---- run kernels, to be stamped out with DAME_RUN (kernels.h) ---- */

DAME_INLINE void dame_run_strided(const dame_prim_t *prim, uintptr_t origin, char *packed,
                                  int64_t first, int64_t n, dame_width_t width, dame_dir_t dir)
{
    const int64_t bytes = dame_width_bytes(width, prim->iter_size);
    const uintptr_t step = (uintptr_t) prim->step;
    dame_move_strided(origin + (uintptr_t) first * step, step, packed, bytes, n, bytes, width, dir);
}

DAME_INLINE void dame_run_listed(const dame_prim_t *prim, uintptr_t origin, char *packed,
                                 int64_t first, int64_t n, dame_table_t table, dame_width_t width,
                                 dame_dir_t dir)
{
    const int64_t bytes = dame_width_bytes(width, prim->iter_size);
    dame_move_listed(origin, dame_disps_from(prim, table, first), table, packed, bytes, n, bytes,
                     width, dir);
}

DAME_INLINE void dame_run_ragged(const dame_prim_t *prim, uintptr_t origin, char *packed,
                                 int64_t first, int64_t n, dame_table_t table, dame_dir_t dir)
{
    const int64_t *prefix = prim->prefix + first;
    const void *disps = dame_disps_from(prim, table, first);
    const int64_t start = prefix[0];
    for (int64_t i = 0; i < n; i++) {
        dame_move_block(origin + dame_table_entry(disps, table, i), packed + (prefix[i] - start),
                        prefix[i + 1] - prefix[i], DAME_WIDTH_ANY, dir);
    }
}

/* ---- copy kernels, to be stamped out with DAME_COPY (kernels.h) ---- */

/* Copies one block to the same place of a buffer `shift` bytes away. */
DAME_INLINE void dame_copy_block(uintptr_t at, uintptr_t shift, int64_t bytes, dame_width_t width)
{
    dame_move_block(at, (char *) (at + shift), bytes, width, DAME_PACK);
}

DAME_INLINE void dame_copy_strided(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                                   int64_t first, int64_t n, dame_width_t width)
{
    const int64_t bytes = dame_width_bytes(width, prim->iter_size);
    const uintptr_t step = (uintptr_t) prim->step;
    uintptr_t at = origin + (uintptr_t) first * step;
    for (; n > 0; n--) {
        dame_copy_block(at, shift, bytes, width);
        at += step;
    }
}

DAME_INLINE void dame_copy_listed(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                                  int64_t first, int64_t n, dame_table_t table, dame_width_t width)
{
    const int64_t bytes = dame_width_bytes(width, prim->iter_size);
    const void *disps = dame_disps_from(prim, table, first);
    for (int64_t i = 0; i < n; i++) {
        dame_copy_block(origin + dame_table_entry(disps, table, i), shift, bytes, width);
    }
}

DAME_INLINE void dame_copy_ragged(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                                  int64_t first, int64_t n, dame_table_t table)
{
    const int64_t *prefix = prim->prefix + first;
    const void *disps = dame_disps_from(prim, table, first);
    for (int64_t i = 0; i < n; i++) {
        dame_copy_block(origin + dame_table_entry(disps, table, i), shift,
                        prefix[i + 1] - prefix[i], DAME_WIDTH_ANY);
    }
}

#endif
