/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run kernels of levels of small bodies: a few short blocks each, like the fields of a C struct.
 *
 * A call of the inner level's kernel for every body costs more than its copies. So a tile of bodies
 * is moved block by block: first the first block of all of them, a loop of copies of one width,
 * then the second. A tile stays in the L1 cache meanwhile.
 */
#include "block.h"
#include "kernels.h"

enum { TILE = 64, SHORTEST_TILE = 4, TILE_BYTES = 16384, LINE = 64 };

/* A run of so few bodies is left to a call for each. */
DAME_INLINE int are_few(const dame_prim_t *prim, int64_t n)
{
    const dame_prim_t *body = prim + prim->inner_delta;
    return n <= (body->prefix != NULL ? DAME_FEW_BODIES : DAME_FEW_EQUAL_BODIES);
}

/*
 * Bodies in a tile, so that it takes half of a small L1 cache: what a body covers in user memory
 * and in the stream, where bodies that are a large power of two apart share sets.
 */
DAME_INLINE int64_t tile_length(const dame_prim_t *prim, int64_t apart)
{
    const uint64_t distance = apart < 0 ? -(uint64_t) apart : (uint64_t) apart;
    const uint64_t power = distance & -distance;
    uint64_t reach = 2 * LINE * (uint64_t) prim[prim->inner_delta].count;
    reach = distance < reach ? distance : reach;
    reach = (power > reach ? power : reach) + (uint64_t) prim->iter_size;
    int64_t tile = TILE;
    while (tile > SHORTEST_TILE && (uint64_t) tile * reach > TILE_BYTES) {
        tile /= 2;
    }
    return tile;
}

DAME_INLINE void run_strided(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                             int64_t n, dame_dir_t dir)
{
    if (are_few(prim, n)) {
        dame_outer_strided[dir](prim, origin, packed, first, n);
        return;
    }
    const dame_prim_t *body = prim + prim->inner_delta;
    const uintptr_t step = (uintptr_t) prim->step;
    uintptr_t user = origin + (uintptr_t) first * step;
    for (int64_t tile = tile_length(prim, prim->step); n > 0; n -= tile) {
        tile = n < tile ? n : tile;
        char *stream = packed;
        for (int64_t j = 0; j < body->count; j++) {
            const int64_t bytes = dame_iter_size(body, j);
            dame_strided_loops[dame_short_widths[bytes]][dir](
                user + dame_iter_offset(body, j), step, stream, prim->iter_size, tile, bytes);
            stream += bytes;
        }
        user += (uintptr_t) tile * step;
        packed += tile * prim->iter_size;
    }
}

DAME_INLINE void run_listed(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                            int64_t n, dame_table_t table, dame_dir_t dir)
{
    if (are_few(prim, n)) {
        dame_outer_listed[table][dir](prim, origin, packed, first, n);
        return;
    }
    int64_t starts[TILE];
    const dame_prim_t *body = prim + prim->inner_delta;
    for (int64_t tile = tile_length(prim, prim->params->extent); n > 0; n -= tile) {
        tile = n < tile ? n : tile;
        const void *disps = dame_disps_from(prim, table, first);
        for (int64_t i = 0; i < tile; i++) {
            starts[i] = (int64_t) (origin + dame_table_entry(disps, table, i));
        }
        char *stream = packed;
        for (int64_t j = 0; j < body->count; j++) {
            const int64_t bytes = dame_iter_size(body, j);
            dame_listed_loops[dame_short_widths[bytes]][dir](starts, dame_iter_offset(body, j),
                                                             stream, prim->iter_size, tile, bytes);
            stream += bytes;
        }
        first += tile;
        packed += tile * prim->iter_size;
    }
}

DAME_RUN(pack_strided, run_strided, DAME_PACK)
DAME_RUN(unpack_strided, run_strided, DAME_UNPACK)
DAME_RUN(pack_listed64, run_listed, DAME_TABLE_64, DAME_PACK)
DAME_RUN(unpack_listed64, run_listed, DAME_TABLE_64, DAME_UNPACK)
DAME_RUN(pack_listed32, run_listed, DAME_TABLE_32, DAME_PACK)
DAME_RUN(unpack_listed32, run_listed, DAME_TABLE_32, DAME_UNPACK)

const dame_run_fn dame_struct_tile_strided[2] = {pack_strided, unpack_strided};
const dame_run_fn dame_struct_tile_listed[DAME_TABLE_COUNT][2] = {
    [DAME_TABLE_64] = {pack_listed64, unpack_listed64},
    [DAME_TABLE_32] = {pack_listed32, unpack_listed32},
};
