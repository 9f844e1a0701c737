/*
 * Run kernels of levels whose iterations are contiguous blocks. Compiled once for each instruction
 * set, with DAME_ISA naming it; vectors wider than the set's registers become several moves.
 *
 * A kernel touches no byte outside its blocks, in user memory or in the packed stream: gaps may be
 * unmapped, or another thread's.
 */
#include "kernels.h"

#include <string.h>

typedef char bytes16_t __attribute__((vector_size(16), aligned(1), may_alias));
typedef char bytes32_t __attribute__((vector_size(32), aligned(1), may_alias));
typedef char bytes64_t __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint16_t word2_t __attribute__((aligned(1), may_alias));
typedef uint32_t word4_t __attribute__((aligned(1), may_alias));
typedef uint64_t word8_t __attribute__((aligned(1), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define MOVE(type, to, from, at) (*(type *)((to) + (at)) = *(const type *)((from) + (at)))

/* Two moves from both ends of `bytes`, which overlap in the middle. */
#define MOVE_ENDS(type, to, from, bytes)                                                           \
    do {                                                                                           \
        type low_ = *(const type *)(from);                                                         \
        type high_ = *(const type *)((from) + (bytes) - sizeof(type));                             \
        *(type *)(to) = low_;                                                                      \
        *(type *)((to) + (bytes) - sizeof(type)) = high_;                                          \
    } while (0)

ALWAYS_INLINE void copy_1(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    *to = *from;
}

ALWAYS_INLINE void copy_2(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(word2_t, to, from, 0);
}

ALWAYS_INLINE void copy_3(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(word2_t, to, from, 0);
    to[2] = from[2];
}

ALWAYS_INLINE void copy_4(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(word4_t, to, from, 0);
}

ALWAYS_INLINE void copy_5to7(char *to, const char *from, int64_t bytes)
{
    MOVE_ENDS(word4_t, to, from, bytes);
}

ALWAYS_INLINE void copy_8(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(word8_t, to, from, 0);
}

ALWAYS_INLINE void copy_12(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(word8_t, to, from, 0);
    MOVE(word4_t, to, from, 8);
}

ALWAYS_INLINE void copy_9to15(char *to, const char *from, int64_t bytes)
{
    MOVE_ENDS(word8_t, to, from, bytes);
}

ALWAYS_INLINE void copy_16(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(bytes16_t, to, from, 0);
}

ALWAYS_INLINE void copy_24(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(bytes16_t, to, from, 0);
    MOVE(word8_t, to, from, 16);
}

ALWAYS_INLINE void copy_17to31(char *to, const char *from, int64_t bytes)
{
    MOVE_ENDS(bytes16_t, to, from, bytes);
}

ALWAYS_INLINE void copy_32(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(bytes32_t, to, from, 0);
}

ALWAYS_INLINE void copy_40(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(bytes32_t, to, from, 0);
    MOVE(word8_t, to, from, 32);
}

ALWAYS_INLINE void copy_48(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(bytes32_t, to, from, 0);
    MOVE(bytes16_t, to, from, 32);
}

ALWAYS_INLINE void copy_33to63(char *to, const char *from, int64_t bytes)
{
    MOVE_ENDS(bytes32_t, to, from, bytes);
}

ALWAYS_INLINE void copy_64(char *to, const char *from, int64_t bytes)
{
    (void)bytes;
    MOVE(bytes64_t, to, from, 0);
}

ALWAYS_INLINE void copy_65to128(char *to, const char *from, int64_t bytes)
{
    MOVE_ENDS(bytes64_t, to, from, bytes);
}

ALWAYS_INLINE void copy_129to256(char *to, const char *from, int64_t bytes)
{
    MOVE(bytes64_t, to, from, 0);
    MOVE(bytes64_t, to, from, 64);
    MOVE_ENDS(bytes64_t, to + bytes - 128, from + bytes - 128, 128);
}

ALWAYS_INLINE void copy_long(char *to, const char *from, int64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

/* A block of any width; the tests are for ragged lists, where no kernel can know. */
ALWAYS_INLINE void copy_any(char *to, const char *from, int64_t bytes)
{
    if (bytes <= 16) {
        if (bytes >= 8) {
            MOVE_ENDS(word8_t, to, from, bytes);
        } else if (bytes >= 4) {
            MOVE_ENDS(word4_t, to, from, bytes);
        } else if (bytes >= 2) {
            MOVE_ENDS(word2_t, to, from, bytes);
        } else {
            *to = *from;
        }
    } else if (bytes <= 32) {
        MOVE_ENDS(bytes16_t, to, from, bytes);
    } else if (bytes <= 64) {
        MOVE_ENDS(bytes32_t, to, from, bytes);
    } else if (bytes <= 128) {
        MOVE_ENDS(bytes64_t, to, from, bytes);
    } else if (bytes <= 256) {
        copy_129to256(to, from, bytes);
    } else {
        memcpy(to, from, (size_t)bytes);
    }
}

/* The width as a constant where the range has one. */
#define BYTES(lowest, highest) ((lowest) == (highest) ? (lowest) : prim->isize)

/* Four blocks a turn: enough to hide the loop, short enough for small counts. */
#define RUN_STRIDED(name, lowest, highest, MOVE_BLOCK)                                             \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const int64_t bytes = BYTES(lowest, highest);                                              \
        const uintptr_t step = (uintptr_t)prim->step;                                              \
        uintptr_t at = origin + (uintptr_t)first * step;                                           \
        for (; n >= 4; n -= 4) {                                                                   \
            MOVE_BLOCK(at, packed, bytes);                                                                \
            MOVE_BLOCK(at + step, packed + bytes, bytes);                                                 \
            MOVE_BLOCK(at + 2 * step, packed + 2 * bytes, bytes);                                         \
            MOVE_BLOCK(at + 3 * step, packed + 3 * bytes, bytes);                                         \
            at += 4 * step;                                                                        \
            packed += 4 * bytes;                                                                   \
        }                                                                                          \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(at, packed, bytes);                                                                \
            at += step;                                                                            \
            packed += bytes;                                                                       \
        }                                                                                          \
    }

#define RUN_LISTED(name, lowest, highest, MOVE_BLOCK)                                              \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const int64_t bytes = BYTES(lowest, highest);                                              \
        const int64_t *disps = prim->disps + first;                                                \
        for (; n >= 4; n -= 4) {                                                                   \
            MOVE_BLOCK(origin + (uintptr_t)disps[0], packed, bytes);                                      \
            MOVE_BLOCK(origin + (uintptr_t)disps[1], packed + bytes, bytes);                              \
            MOVE_BLOCK(origin + (uintptr_t)disps[2], packed + 2 * bytes, bytes);                          \
            MOVE_BLOCK(origin + (uintptr_t)disps[3], packed + 3 * bytes, bytes);                          \
            disps += 4;                                                                            \
            packed += 4 * bytes;                                                                   \
        }                                                                                          \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(origin + (uintptr_t)*disps, packed, bytes);                                        \
            disps++;                                                                               \
            packed += bytes;                                                                       \
        }                                                                                          \
    }

#define DAME_WIDTH(name, lowest, highest)                                                          \
    ALWAYS_INLINE void pack_block_##name(uintptr_t user, char *packed, int64_t bytes)              \
    {                                                                                              \
        copy_##name(packed, (const char *)user, bytes);                                            \
    }                                                                                              \
    ALWAYS_INLINE void unpack_block_##name(uintptr_t user, const char *packed, int64_t bytes)      \
    {                                                                                              \
        copy_##name((char *)user, packed, bytes);                                                  \
    }
DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH

#define DAME_WIDTH(name, lowest, highest)                                                          \
    RUN_STRIDED(pack_strided_##name, lowest, highest, pack_block_##name)                           \
    RUN_STRIDED(unpack_strided_##name, lowest, highest, unpack_block_##name)                       \
    RUN_LISTED(pack_listed_##name, lowest, highest, pack_block_##name)                             \
    RUN_LISTED(unpack_listed_##name, lowest, highest, unpack_block_##name)
DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH

static void pack_ragged(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                        int64_t n)
{
    const int64_t *prefix = prim->prefix + first;
    const int64_t *disps = prim->disps + first;
    const int64_t start = prefix[0];
    for (int64_t i = 0; i < n; i++) {
        copy_any(packed + (prefix[i] - start), (const char *)(origin + (uintptr_t)disps[i]),
                 prefix[i + 1] - prefix[i]);
    }
}

static void unpack_ragged(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                          int64_t n)
{
    const int64_t *prefix = prim->prefix + first;
    const int64_t *disps = prim->disps + first;
    const int64_t start = prefix[0];
    for (int64_t i = 0; i < n; i++) {
        copy_any((char *)(origin + (uintptr_t)disps[i]), packed + (prefix[i] - start),
                 prefix[i + 1] - prefix[i]);
    }
}

#define KERNELS_NAME_(isa) dame_kernels_##isa
#define KERNELS_NAME(isa) KERNELS_NAME_(isa)

const dame_kernels_t KERNELS_NAME(DAME_ISA) = {
    .strided =
        {
#define DAME_WIDTH(name, lowest, highest) {pack_strided_##name, unpack_strided_##name},
            DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        },
    .listed =
        {
#define DAME_WIDTH(name, lowest, highest) {pack_listed_##name, unpack_listed_##name},
            DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        },
    .ragged = {pack_ragged, unpack_ragged},
};
