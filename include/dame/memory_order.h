/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Levels with blocks that lie badly for the first data cache: the interpreter has kernels of its
 * own for them, and other providers of kernels leave them alone.
 */
#ifndef DAME_MEMORY_ORDER_H
#define DAME_MEMORY_ORDER_H

#include "dame/cpu.h"
#include "dame/program.h"

/* A level of blocks a constant step apart. */
static inline int dame_is_strided_leaf(const dame_prim_t *prim)
{
    return prim->inner_delta == 0 && !dame_prim_has_list(prim) && prim->inner_deltas == NULL;
}

/* Returns whether blocks are so short that several share a cache line. The kernels here are for
 * less than 64 bytes. */
static inline int dame_shares_lines(int64_t bytes)
{
    const int32_t line = dame_data_cache()->line;
    return bytes < (line < 64 ? line : 64);
}

/* Short blocks that all start in the same set of the cache, and more of them than it has ways. */
static inline int dame_in_one_set(const dame_prim_t *prim)
{
    const dame_data_cache_t *cache = dame_data_cache();
    return dame_shares_lines(prim->iter_size) && prim->step != 0 &&
           prim->step % (cache->l1 / cache->ways) == 0 &&
           (prim->count == 0 || prim->count > cache->ways);
}

/*
 * Levels in one set that are moved slower on purpose. Stores of fewer blocks wait in the CPU's
 * buffers, and loads in the second cache. Zen 5, 4 bytes 4,096 apart, 12 ways: unpacking 16 blocks
 * takes 33 ns as fast as it can and 81 paced (Open MPI's loop 59), 48 blocks 310 and 126; packing
 * gains beyond the second cache alone (13 blocks take 0.3, 384 blocks 1.2 times as long).
 */
static inline int dame_throttles_stores(const dame_prim_t *prim)
{
    return dame_in_one_set(prim) &&
           (prim->count == 0 || prim->count > 7 * dame_data_cache()->ways / 4);
}

static inline int dame_throttles_loads(const dame_prim_t *prim)
{
    const uint64_t step = prim->step < 0 ? -(uint64_t) prim->step : (uint64_t) prim->step;
    return dame_throttles_stores(prim) &&
           (prim->count == 0 || (uint64_t) prim->count > (uint64_t) dame_data_cache()->l2 / step);
}

/* Returns in how many sets of the first cache blocks `step` bytes apart begin. Exact where the
 * cache has a power of 2 of them. */
static inline int64_t dame_sets_of(int64_t step)
{
    const dame_data_cache_t *cache = dame_data_cache();
    const int64_t way = cache->l1 / cache->ways, common = (step | way) & -(step | way);
    return common < cache->line ? way / cache->line : way / common;
}

/*
 * Blocks of less than a line whose lines are in few sets of the cache, and more than these hold (of
 * one set, dame_throttles_stores()). Stores that are issued as fast as they can be evict each
 * other's lines on AMD's CPUs; Intel's lose by pacing, and others were not measured. Blocks that
 * take several stores are slow enough for 8 sets (Zen 5, 24, 40 and 56 bytes).
 */
enum { DAME_FEW_SETS = 8, DAME_FEW_SETS_OF_SEVERAL = 4 };

static inline int dame_paces_stores(const dame_prim_t *prim)
{
    if (dame_cpu_detect().make != DAME_MAKE_AMD || prim->step == 0 ||
        !dame_shares_lines(prim->iter_size)) {
        return 0;
    }
    const int64_t sets = dame_sets_of(prim->step), bytes = prim->iter_size;
    const int64_t few = (bytes & (bytes - 1)) == 0 ? DAME_FEW_SETS : DAME_FEW_SETS_OF_SEVERAL;
    return sets == 1
               ? dame_throttles_stores(prim)
               : sets <= few && (prim->count == 0 || prim->count > sets * dame_data_cache()->ways);
}

/* Returns whether blocks are less than a cache line apart. */
static inline int dame_is_near(int64_t step)
{
    const int32_t line = dame_data_cache()->line;
    return step > -line && step < line;
}

/* Returns whether the lines that the blocks of such a level lie on stay in the first cache while
 * its packed bytes pass through, some of them ahead. */
static inline int dame_fits_first_cache(const dame_prim_t *prim)
{
    const dame_data_cache_t *cache = dame_data_cache();
    return prim->count <= cache->l1 / (cache->line + 2 * prim->iter_size);
}

/* Blocks of neighbouring iterations share cache lines, which are evicted in between. */
static inline int dame_walks_columns(const dame_prim_t *prim)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    return !dame_prim_has_list(prim) && dame_is_near(prim->step) && dame_is_strided_leaf(inner) &&
           !dame_is_near(inner->step) && dame_shares_lines(inner->iter_size) &&
           (dame_in_one_set(inner) || !dame_fits_first_cache(inner));
}

/* A fragment must hold at least this many columns for its kernels to use each cache line for
 * several of them. */
enum { DAME_FRAGMENT_COLUMNS = 4 };

/*
 * Looks for a level that walks columns, of which fewer than DAME_FRAGMENT_COLUMNS fit a fragment
 * of `fragment` bytes. Returns the bytes of such a column, the longest one's, or 0.
 */
static inline int64_t dame_wide_column(const dame_program_t *program, int64_t fragment)
{
    int64_t longest = 0;
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        if (prim->inner_delta != 0 && prim->iter_size > longest &&
            prim->iter_size > fragment / DAME_FRAGMENT_COLUMNS && dame_walks_columns(prim)) {
            longest = prim->iter_size;
        }
    }
    return longest;
}

#endif
