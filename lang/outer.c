/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run kernels of levels of levels: they find each iteration and run all of the inner level there.
 */
#include "block.h"
#include "kernels.h"

DAME_INLINE void run_strided(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                             int64_t n, dame_dir_t dir)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const dame_run_fn run = dame_prim_run(inner, dir);
    const int64_t count = inner->count;
    const int64_t iter_size = prim->iter_size;
    const uintptr_t step = (uintptr_t) prim->step;
    uintptr_t user = origin + (uintptr_t) first * step;
    for (int64_t i = 0; i < n; i++) {
        run(inner, user, packed, 0, count);
        user += step;
        packed += iter_size;
    }
}

/* The iterations are columns: their blocks are walked together. */
DAME_INLINE void run_columns(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                             int64_t n, dame_dir_t dir)
{
    const int64_t rows = prim[prim->inner_delta].count;
    prim->by_block[dir](prim, origin, packed, first * rows, n * rows);
}

DAME_INLINE void run_listed(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                            int64_t n, dame_table_t table, dame_dir_t dir)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const dame_run_fn run = dame_prim_run(inner, dir);
    const int64_t count = inner->count;
    const int64_t iter_size = prim->iter_size;
    const void *disps = dame_disps_from(prim, table, first);
    for (int64_t i = 0; i < n; i++) {
        run(inner, origin + dame_table_entry(disps, table, i), packed, 0, count);
        packed += iter_size;
    }
}

/* INDEX: the inner level is a CONTIGCHILD of as many instances as the block has. */
DAME_INLINE void run_ragged(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                            int64_t n, dame_table_t table, dame_dir_t dir)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const dame_run_fn run = dame_prim_run(inner, dir);
    const int64_t *prefix = prim->prefix + first;
    const void *disps = dame_disps_from(prim, table, first);
    for (int64_t i = 0; i < n; i++) {
        const int64_t bytes = prefix[i + 1] - prefix[i];
        run(inner, origin + dame_table_entry(disps, table, i), packed, 0, bytes / inner->iter_size);
        packed += bytes;
    }
}

DAME_INLINE void run_struct(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                            int64_t n, dame_dir_t dir)
{
    for (int64_t i = first; i < first + n; i++) {
        const uintptr_t user = origin + (uintptr_t) prim->disps[i];
        const int64_t bytes = prim->prefix[i + 1] - prim->prefix[i];
        if (prim->inner_deltas[i] == 0) {
            dame_move_block(user, packed, bytes, DAME_WIDTH_ANY, dir);
        } else {
            const dame_prim_t *inner = prim + prim->inner_deltas[i];
            dame_prim_run(inner, dir)(inner, user, packed, 0, inner->count);
        }
        packed += bytes;
    }
}

DAME_RUN(pack_strided, run_strided, DAME_PACK)
DAME_RUN(unpack_strided, run_strided, DAME_UNPACK)
DAME_RUN(pack_columns, run_columns, DAME_PACK)
DAME_RUN(unpack_columns, run_columns, DAME_UNPACK)
DAME_RUN(pack_listed64, run_listed, DAME_TABLE_64, DAME_PACK)
DAME_RUN(unpack_listed64, run_listed, DAME_TABLE_64, DAME_UNPACK)
DAME_RUN(pack_listed32, run_listed, DAME_TABLE_32, DAME_PACK)
DAME_RUN(unpack_listed32, run_listed, DAME_TABLE_32, DAME_UNPACK)
DAME_RUN(pack_ragged64, run_ragged, DAME_TABLE_64, DAME_PACK)
DAME_RUN(unpack_ragged64, run_ragged, DAME_TABLE_64, DAME_UNPACK)
DAME_RUN(pack_ragged32, run_ragged, DAME_TABLE_32, DAME_PACK)
DAME_RUN(unpack_ragged32, run_ragged, DAME_TABLE_32, DAME_UNPACK)
DAME_RUN(pack_struct, run_struct, DAME_PACK)
DAME_RUN(unpack_struct, run_struct, DAME_UNPACK)

static void nothing(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                    int64_t n)
{
    (void) prim;
    (void) origin;
    (void) packed;
    (void) first;
    (void) n;
}

const dame_run_fn dame_outer_nothing[2] = {nothing, nothing};
const dame_run_fn dame_outer_strided[2] = {pack_strided, unpack_strided};
const dame_run_fn dame_outer_columns[2] = {pack_columns, unpack_columns};
const dame_run_fn dame_outer_listed[DAME_TABLE_COUNT][2] = {
    [DAME_TABLE_64] = {pack_listed64, unpack_listed64},
    [DAME_TABLE_32] = {pack_listed32, unpack_listed32},
};
const dame_run_fn dame_outer_ragged[DAME_TABLE_COUNT][2] = {
    [DAME_TABLE_64] = {pack_ragged64, unpack_ragged64},
    [DAME_TABLE_32] = {pack_ragged32, unpack_ragged32},
};
const dame_run_fn dame_outer_struct[2] = {pack_struct, unpack_struct};
