/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of one contiguous block, by width. Private to lang/.
 *
 * Blocks from user memory and their bytes in the packed stream never overlap. No byte outside the
 * block is touched, on either side.
 */
#ifndef DAME_COPY_H
#define DAME_COPY_H

#include <stdint.h>
#include <string.h>

typedef char bytes16_t __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t word2_t __attribute__((aligned(1), may_alias));
typedef uint32_t word4_t __attribute__((aligned(1), may_alias));
typedef uint64_t word8_t __attribute__((aligned(1), may_alias));

#define DAME_INLINE static inline __attribute__((always_inline))

#define DAME_MOVE(type, to, from, at) (*(type *) ((to) + (at)) = *(const type *) ((from) + (at)))

/* Two moves from both ends of `bytes`, which overlap in the middle. */
#define DAME_MOVE_ENDS(type, to, from, bytes)                                                      \
    do {                                                                                           \
        type low_ = *(const type *) (from);                                                        \
        type high_ = *(const type *) ((from) + (bytes) - sizeof(type));                            \
        *(type *) (to) = low_;                                                                     \
        *(type *) ((to) + (bytes) - sizeof(type)) = high_;                                         \
    } while (0)

/*
 * 32 and 64 bytes in the widest registers of the instruction set. The compiler gets no vectors
 * wider than those: it would move them through the stack.
 */
DAME_INLINE void dame_copy_32(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
#ifdef __AVX__
    typedef char bytes32_t __attribute__((vector_size(32), aligned(1), may_alias));
    DAME_MOVE(bytes32_t, to, from, 0);
#else
    DAME_MOVE(bytes16_t, to, from, 0);
    DAME_MOVE(bytes16_t, to, from, 16);
#endif
}

DAME_INLINE void dame_copy_64(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
#ifdef __AVX512F__
    typedef char bytes64_t __attribute__((vector_size(64), aligned(1), may_alias));
    DAME_MOVE(bytes64_t, to, from, 0);
#else
    dame_copy_32(to, from, 32);
    dame_copy_32(to + 32, from + 32, 32);
#endif
}

DAME_INLINE void dame_copy_1(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    *to = *from;
}

DAME_INLINE void dame_copy_2(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(word2_t, to, from, 0);
}

DAME_INLINE void dame_copy_3(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(word2_t, to, from, 0);
    to[2] = from[2];
}

DAME_INLINE void dame_copy_4(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(word4_t, to, from, 0);
}

DAME_INLINE void dame_copy_5to7(char *to, const char *from, int64_t bytes)
{
    DAME_MOVE_ENDS(word4_t, to, from, bytes);
}

DAME_INLINE void dame_copy_8(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(word8_t, to, from, 0);
}

DAME_INLINE void dame_copy_12(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(word8_t, to, from, 0);
    DAME_MOVE(word4_t, to, from, 8);
}

DAME_INLINE void dame_copy_9to15(char *to, const char *from, int64_t bytes)
{
    DAME_MOVE_ENDS(word8_t, to, from, bytes);
}

DAME_INLINE void dame_copy_16(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(bytes16_t, to, from, 0);
}

DAME_INLINE void dame_copy_24(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    DAME_MOVE(bytes16_t, to, from, 0);
    DAME_MOVE(word8_t, to, from, 16);
}

DAME_INLINE void dame_copy_17to31(char *to, const char *from, int64_t bytes)
{
    DAME_MOVE_ENDS(bytes16_t, to, from, bytes);
}

DAME_INLINE void dame_copy_40(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    dame_copy_32(to, from, 32);
    DAME_MOVE(word8_t, to, from, 32);
}

DAME_INLINE void dame_copy_48(char *to, const char *from, int64_t bytes)
{
    (void) bytes;
    dame_copy_32(to, from, 32);
    DAME_MOVE(bytes16_t, to, from, 32);
}

DAME_INLINE void dame_copy_33to63(char *to, const char *from, int64_t bytes)
{
    dame_copy_32(to, from, 32);
    dame_copy_32(to + bytes - 32, from + bytes - 32, 32);
}

DAME_INLINE void dame_copy_65to128(char *to, const char *from, int64_t bytes)
{
    dame_copy_64(to, from, 64);
    dame_copy_64(to + bytes - 64, from + bytes - 64, 64);
}

DAME_INLINE void dame_copy_129to256(char *to, const char *from, int64_t bytes)
{
    dame_copy_64(to, from, 64);
    dame_copy_64(to + 64, from + 64, 64);
    dame_copy_64(to + bytes - 128, from + bytes - 128, 64);
    dame_copy_64(to + bytes - 64, from + bytes - 64, 64);
}

/* From here on the C library's copy, with its knowledge of the CPU, is the better one. */
DAME_INLINE void dame_copy_long(char *to, const char *from, int64_t bytes)
{
    memcpy(to, from, (size_t) bytes);
}

/* A block of any width: for ragged lists and cut blocks, where no kernel can know. */
DAME_INLINE void dame_copy_any(char *to, const char *from, int64_t bytes)
{
    if (bytes <= 16) {
        if (bytes >= 8) {
            DAME_MOVE_ENDS(word8_t, to, from, bytes);
        } else if (bytes >= 4) {
            DAME_MOVE_ENDS(word4_t, to, from, bytes);
        } else if (bytes >= 2) {
            DAME_MOVE_ENDS(word2_t, to, from, bytes);
        } else if (bytes == 1) {
            *to = *from;
        }
    } else if (bytes <= 32) {
        DAME_MOVE_ENDS(bytes16_t, to, from, bytes);
    } else if (bytes <= 64) {
        dame_copy_32(to, from, 32);
        dame_copy_32(to + bytes - 32, from + bytes - 32, 32);
    } else if (bytes <= 128) {
        dame_copy_65to128(to, from, bytes);
    } else if (bytes <= 256) {
        dame_copy_129to256(to, from, bytes);
    } else {
        dame_copy_long(to, from, bytes);
    }
}

#endif
