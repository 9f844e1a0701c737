/*
 * Run kernels of levels whose iterations are contiguous blocks. Compiled once for each instruction
 * set, with DAME_ISA naming it; vectors wider than the set's registers become several moves.
 *
 * A kernel touches no byte outside its blocks, in user memory or in the packed stream: gaps may be
 * unmapped, or another thread's.
 */
#include "block.h"

/*
 * Blocks that all fall into one set of the L1 cache: loads and stores that are issued as fast as
 * they can be evict each other's lines before these are used. A call for every block paces them
 * (Zen 4, 16-byte blocks 8 KiB apart: 2.7 instead of 7 ns a block to unpack, 2.2 instead of 2.7 to
 * pack).
 */
static __attribute__((noinline)) void copy_paced(char *to, const char *from, int64_t bytes)
{
    dame_copy_any(to, from, bytes);
}

DAME_INLINE void pack_block_paced(uintptr_t user, char *packed, int64_t bytes)
{
    copy_paced(packed, (const char *) user, bytes);
}

DAME_INLINE void unpack_block_paced(uintptr_t user, const char *packed, int64_t bytes)
{
    copy_paced((char *) user, packed, bytes);
}

#define RUN_PACED(name, MOVE_BLOCK)                                                                \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        uintptr_t at = origin + (uintptr_t) first * (uintptr_t) prim->step;                        \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(at, packed, prim->isize);                                                   \
            at += (uintptr_t) prim->step;                                                          \
            packed += prim->isize;                                                                 \
        }                                                                                          \
    }

RUN_PACED(pack_paced, pack_block_paced)
RUN_PACED(unpack_paced, unpack_block_paced)

/* Four blocks a turn: enough to hide the loop, short enough for small counts. */
#define RUN_STRIDED(name, lowest, highest, MOVE_BLOCK)                                             \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, prim->isize);                            \
        const uintptr_t step = (uintptr_t) prim->step;                                             \
        uintptr_t at = origin + (uintptr_t) first * step;                                          \
        for (; n >= 4; n -= 4) {                                                                   \
            MOVE_BLOCK(at, packed, bytes);                                                         \
            MOVE_BLOCK(at + step, packed + bytes, bytes);                                          \
            MOVE_BLOCK(at + 2 * step, packed + 2 * bytes, bytes);                                  \
            MOVE_BLOCK(at + 3 * step, packed + 3 * bytes, bytes);                                  \
            at += 4 * step;                                                                        \
            packed += 4 * bytes;                                                                   \
        }                                                                                          \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(at, packed, bytes);                                                         \
            at += step;                                                                            \
            packed += bytes;                                                                       \
        }                                                                                          \
    }

#define RUN_LISTED(name, lowest, highest, MOVE_BLOCK, entry_t, table)                              \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, prim->isize);                            \
        const entry_t *disps = prim->table + first;                                                \
        for (; n >= 4; n -= 4) {                                                                   \
            MOVE_BLOCK(origin + (uintptr_t) disps[0], packed, bytes);                              \
            MOVE_BLOCK(origin + (uintptr_t) disps[1], packed + bytes, bytes);                      \
            MOVE_BLOCK(origin + (uintptr_t) disps[2], packed + 2 * bytes, bytes);                  \
            MOVE_BLOCK(origin + (uintptr_t) disps[3], packed + 3 * bytes, bytes);                  \
            disps += 4;                                                                            \
            packed += 4 * bytes;                                                                   \
        }                                                                                          \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(origin + (uintptr_t) *disps, packed, bytes);                                \
            disps++;                                                                               \
            packed += bytes;                                                                       \
        }                                                                                          \
    }

#define DAME_WIDTH(name, lowest, highest)                                                          \
    RUN_STRIDED(pack_strided_##name, lowest, highest, pack_block_##name)                           \
    RUN_STRIDED(unpack_strided_##name, lowest, highest, unpack_block_##name)                       \
    RUN_LISTED(pack_listed_##name, lowest, highest, pack_block_##name, int64_t, disps)             \
    RUN_LISTED(unpack_listed_##name, lowest, highest, unpack_block_##name, int64_t, disps)         \
    RUN_LISTED(pack_listed32_##name, lowest, highest, pack_block_##name, int32_t, disps32)         \
    RUN_LISTED(unpack_listed32_##name, lowest, highest, unpack_block_##name, int32_t, disps32)
DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH

/* Whole windows in the order of their addresses, LISTED for what is left at both ends. */
#define RUN_SORTED(name, lowest, highest, MOVE_BLOCK, LISTED)                                      \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, prim->isize);                            \
        const int64_t window = prim->window;                                                       \
        const int64_t past = first % window;                                                       \
        int64_t head = 0 == past ? 0 : window - past;                                              \
        head = head < n ? head : n;                                                                \
        LISTED(prim, origin, packed, first, head);                                                 \
        first += head;                                                                             \
        packed += head * bytes;                                                                    \
        for (n -= head; n >= window; n -= window) {                                                \
            const dame_visit_t *visits = prim->visits + first;                                     \
            for (int64_t i = 0; i < window; i++) {                                                 \
                MOVE_BLOCK(origin + (uintptr_t) visits[i].disp, packed + visits[i].slot * bytes,   \
                           bytes);                                                                 \
            }                                                                                      \
            first += window;                                                                       \
            packed += window * bytes;                                                              \
        }                                                                                          \
        LISTED(prim, origin, packed, first, n);                                                    \
    }

#define DAME_WIDTH(name, lowest, highest)                                                          \
    RUN_SORTED(pack_sorted_##name, lowest, highest, pack_block_##name, pack_listed32_##name)       \
    RUN_SORTED(unpack_sorted_##name, lowest, highest, unpack_block_##name, unpack_listed32_##name)
DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH

#define RUN_RAGGED(name, MOVE_BLOCK, entry_t, table)                                               \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const int64_t *prefix = prim->prefix + first;                                              \
        const entry_t *disps = prim->table + first;                                                \
        const int64_t start = prefix[0];                                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            MOVE_BLOCK(origin + (uintptr_t) disps[i], packed + (prefix[i] - start),                \
                       prefix[i + 1] - prefix[i]);                                                 \
        }                                                                                          \
    }

RUN_RAGGED(pack_ragged, pack_block_any, int64_t, disps)
RUN_RAGGED(unpack_ragged, unpack_block_any, int64_t, disps)
RUN_RAGGED(pack_ragged32, pack_block_any, int32_t, disps32)
RUN_RAGGED(unpack_ragged32, unpack_block_any, int32_t, disps32)

#define KERNELS_NAME_(isa) dame_kernels_##isa
#define KERNELS_NAME(isa)  KERNELS_NAME_(isa)
#define THIN_NAME_(isa)    dame_thin_##isa
#define THIN_NAME(isa)     THIN_NAME_(isa)
#define COLUMNS_NAME_(isa) dame_columns_##isa
#define COLUMNS_NAME(isa)  COLUMNS_NAME_(isa)
#define SPREAD_NAME_(isa)  dame_spread_##isa
#define SPREAD_NAME(isa)   SPREAD_NAME_(isa)

const dame_kernels_t KERNELS_NAME(DAME_ISA) = {
    .strided =
        {
#define DAME_WIDTH(name, lowest, highest) {pack_strided_##name, unpack_strided_##name},
            DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        },
    .columns = COLUMNS_NAME(DAME_ISA),
    .spread = &SPREAD_NAME(DAME_ISA),
    .thin = THIN_NAME(DAME_ISA),
    .paced = {pack_paced, unpack_paced},
    .listed =
        {
#define DAME_WIDTH(name, lowest, highest) {pack_listed_##name, unpack_listed_##name},
            [DAME_TABLE_64] = {DAME_WIDTHS(DAME_WIDTH)},
#undef DAME_WIDTH
#define DAME_WIDTH(name, lowest, highest) {pack_listed32_##name, unpack_listed32_##name},
            [DAME_TABLE_32] = {DAME_WIDTHS(DAME_WIDTH)},
#undef DAME_WIDTH
        },
    .sorted =
        {
#define DAME_WIDTH(name, lowest, highest) {pack_sorted_##name, unpack_sorted_##name},
            DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        },
    .ragged =
        {
            [DAME_TABLE_64] = {pack_ragged, unpack_ragged},
            [DAME_TABLE_32] = {pack_ragged32, unpack_ragged32},
        },
};
