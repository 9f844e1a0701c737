/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run kernels of levels of contiguous blocks, apart from those of wide_kernels.c, and the loops
 * that struct_tile.c moves the blocks of its bodies with.
 *
 * A kernel touches no byte outside its blocks, in user memory or in the packed stream: gaps may be
 * unmapped, or another thread's.
 */
#include "block.h"
#include "kernels.h"

/* A new width of up to 64 bytes must also be here. */
_Static_assert(DAME_WIDTH_64 == 15, "dame_short_widths[] has all widths");
const uint8_t dame_short_widths[DAME_SHORT + 1] = {
    [1] = DAME_WIDTH_1,
    [2] = DAME_WIDTH_2,
    [3] = DAME_WIDTH_3,
    [4] = DAME_WIDTH_4,
    [5 ... 7] = DAME_WIDTH_5to7,
    [8] = DAME_WIDTH_8,
    [9 ... 11] = DAME_WIDTH_9to15,
    [12] = DAME_WIDTH_12,
    [13 ... 15] = DAME_WIDTH_9to15,
    [16] = DAME_WIDTH_16,
    [17 ... 23] = DAME_WIDTH_17to31,
    [24] = DAME_WIDTH_24,
    [25 ... 31] = DAME_WIDTH_17to31,
    [32] = DAME_WIDTH_32,
    [33 ... 39] = DAME_WIDTH_33to63,
    [40] = DAME_WIDTH_40,
    [41 ... 47] = DAME_WIDTH_33to63,
    [48] = DAME_WIDTH_48,
    [49 ... 63] = DAME_WIDTH_33to63,
    [64] = DAME_WIDTH_64,
};

#define DAME_WIDTH(name, lowest, highest)                                                          \
    DAME_RUN(pack_strided_##name, dame_run_strided, DAME_WIDTH_##name, DAME_PACK)                  \
    DAME_RUN(unpack_strided_##name, dame_run_strided, DAME_WIDTH_##name, DAME_UNPACK)              \
    DAME_RUN(pack_listed_##name, dame_run_listed, DAME_TABLE_32, DAME_WIDTH_##name, DAME_PACK)     \
    DAME_RUN(unpack_listed_##name, dame_run_listed, DAME_TABLE_32, DAME_WIDTH_##name, DAME_UNPACK)
DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH

const dame_run_fn dame_strided_narrow[DAME_WIDTH_NARROW_COUNT][2] = {
#define DAME_WIDTH(name, lowest, highest) {pack_strided_##name, unpack_strided_##name},
    DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH
};

const dame_run_fn dame_listed_narrow[DAME_WIDTH_NARROW_COUNT][2] = {
#define DAME_WIDTH(name, lowest, highest) {pack_listed_##name, unpack_listed_##name},
    DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH
};

/* ---- loops with a pitch of their own ---- */

#define STRIDED_LOOP(function, width, dir)                                                         \
    static void function(uintptr_t user, uintptr_t step, char *packed, int64_t pitch, int64_t n,   \
                         int64_t bytes)                                                            \
    {                                                                                              \
        dame_move_strided(user, step, packed, pitch, n, dame_width_bytes(width, bytes), width,     \
                          dir);                                                                    \
    }

#define LISTED_LOOP(function, width, dir)                                                          \
    static void function(const int64_t *starts, uintptr_t disp, char *packed, int64_t pitch,       \
                         int64_t n, int64_t bytes)                                                 \
    {                                                                                              \
        dame_move_listed(disp, starts, DAME_TABLE_64, packed, pitch, n,                            \
                         dame_width_bytes(width, bytes), width, dir);                              \
    }

#define DAME_WIDTH(name, lowest, highest)                                                          \
    STRIDED_LOOP(pack_strided_loop_##name, DAME_WIDTH_##name, DAME_PACK)                           \
    STRIDED_LOOP(unpack_strided_loop_##name, DAME_WIDTH_##name, DAME_UNPACK)                       \
    LISTED_LOOP(pack_listed_loop_##name, DAME_WIDTH_##name, DAME_PACK)                             \
    LISTED_LOOP(unpack_listed_loop_##name, DAME_WIDTH_##name, DAME_UNPACK)
DAME_WIDTHS_SHORT(DAME_WIDTH)
#undef DAME_WIDTH

const dame_strided_loop_fn dame_strided_loops[DAME_WIDTH_SHORT_COUNT][2] = {
#define DAME_WIDTH(name, lowest, highest) {pack_strided_loop_##name, unpack_strided_loop_##name},
    DAME_WIDTHS_SHORT(DAME_WIDTH)
#undef DAME_WIDTH
};

const dame_listed_loop_fn dame_listed_loops[DAME_WIDTH_SHORT_COUNT][2] = {
#define DAME_WIDTH(name, lowest, highest) {pack_listed_loop_##name, unpack_listed_loop_##name},
    DAME_WIDTHS_SHORT(DAME_WIDTH)
#undef DAME_WIDTH
};

/* ---- any width ---- */

DAME_INLINE void run_listed64(const dame_prim_t *prim, uintptr_t origin, char *packed,
                              int64_t first, int64_t n, dame_dir_t dir)
{
    const dame_width_t width = dame_width_of(prim->iter_size);
    if (width < DAME_WIDTH_SHORT_COUNT) {
        dame_listed_loops[width][dir](prim->disps + first, origin, packed, prim->iter_size, n,
                                      prim->iter_size);
    } else {
        dame_run_listed(prim, origin, packed, first, n, DAME_TABLE_64, DAME_WIDTH_ANY, dir);
    }
}

DAME_RUN(pack_listed64, run_listed64, DAME_PACK)
DAME_RUN(unpack_listed64, run_listed64, DAME_UNPACK)

const dame_run_fn dame_listed64[2] = {pack_listed64, unpack_listed64};

/* Whole windows in the order of their addresses; the list's own order at both ends of the run. */
DAME_INLINE void run_sorted(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                            int64_t n, dame_dir_t dir)
{
    const int64_t bytes = prim->iter_size;
    const int64_t window = prim->window;
    while (n > 0) {
        const int64_t past = first % window;
        const int64_t done = window - past < n ? window - past : n;
        if (done == window) {
            const dame_visit_t *visits = prim->visits + first;
            for (int64_t i = 0; i < window; i++) {
                dame_move_block(origin + (uintptr_t) visits[i].disp,
                                packed + visits[i].slot * bytes, bytes, DAME_WIDTH_ANY, dir);
            }
        } else {
            dame_run_listed(prim, origin, packed, first, done, DAME_TABLE_32, DAME_WIDTH_ANY, dir);
        }
        first += done;
        packed += done * bytes;
        n -= done;
    }
}

DAME_RUN(pack_sorted, run_sorted, DAME_PACK)
DAME_RUN(unpack_sorted, run_sorted, DAME_UNPACK)

const dame_run_fn dame_sorted[2] = {pack_sorted, unpack_sorted};

/*
 * Blocks in few sets of the L1 cache: stores that are issued as fast as they can be evict each
 * other's lines before these are written. Stores to one line, which stays in the cache, pace them:
 * 2 between two blocks where the blocks have 8 sets, 4 where they have 4, 8 where they have 2, 6
 * where they have 1. Zen 4, blocks of 8 bytes, ns a block without and with: 512 bytes apart 3.5 and
 * 1.2, 1024 4.2 and 1.5, 2048 5.5 and 1.7, 4096 and more 7 and 3 to 3.7 (with 12 stores). Zen 5,
 * 128 blocks of 4 bytes 4096 apart: 965 ns without, 334 with 12 stores, 279 with 6.
 */
DAME_INLINE void run_paced(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                           int64_t n, dame_width_t width)
{
    const int64_t bytes = dame_width_bytes(width, prim->iter_size);
    const int64_t stores = dame_pacing_stores((int64_t) prim->step);
    uintptr_t user = origin + (uintptr_t) first * (uintptr_t) prim->step;
    volatile char line = 0;
    (void) line;
    for (; n > 0; n--) {
        dame_move_block(user, packed, bytes, width, DAME_UNPACK);
        for (int64_t i = 0; i < stores; i++) {
            line = 0;
        }
        user += (uintptr_t) prim->step;
        packed += bytes;
    }
}

#define DAME_WIDTH(name, lowest, highest)                                                          \
    DAME_RUN(unpack_paced_##name, run_paced, DAME_WIDTH_##name)
DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH

const dame_run_fn dame_paced[DAME_WIDTH_NARROW_COUNT][2] = {
#define DAME_WIDTH(name, lowest, highest) {pack_strided_##name, unpack_paced_##name},
    DAME_WIDTHS_NARROW(DAME_WIDTH)
#undef DAME_WIDTH
};

/* All in one set: a call for every block slows loads down, too (Zen 4, 16-byte blocks 8 KiB apart:
 * 2.2 instead of 2.7 ns a block to pack). kernel_select.c knows the CPUs that gain. */
static __attribute__((noinline)) void copy_throttled(char *to, const char *from, int64_t bytes)
{
    dame_copy_any(to, from, bytes);
}

static void pack_throttled(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                           int64_t n)
{
    uintptr_t user = origin + (uintptr_t) first * (uintptr_t) prim->step;
    for (; n > 0; n--) {
        copy_throttled(packed, (const char *) user, prim->iter_size);
        user += (uintptr_t) prim->step;
        packed += prim->iter_size;
    }
}

void dame_unpack_paced(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                       int64_t n)
{
    run_paced(prim, origin, packed, first, n, DAME_WIDTH_ANY);
}

const dame_run_fn dame_throttled[2] = {pack_throttled, dame_unpack_paced};
