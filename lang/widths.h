/* SPDX-License-Identifier: BSD-3-Clause */
/* Widths of blocks that have kernels of their own. Private to lang/. */
#ifndef DAME_WIDTHS_H
#define DAME_WIDTHS_H

#include <stdint.h>

/*
 * Block widths with kernels of their own: DAME_WIDTH(name, lowest, highest). A range of one width
 * is a constant in its kernel; in a wider range blocks are copied with two (or four) moves that
 * overlap.
 */
#define DAME_WIDTHS_NARROW(DAME_WIDTH) /* moves of at most 16 bytes: alike in all sets */          \
    DAME_WIDTH(1, 1, 1)                                                                            \
    DAME_WIDTH(2, 2, 2)                                                                            \
    DAME_WIDTH(3, 3, 3)                                                                            \
    DAME_WIDTH(4, 4, 4)                                                                            \
    DAME_WIDTH(5to7, 5, 7)                                                                         \
    DAME_WIDTH(8, 8, 8)                                                                            \
    DAME_WIDTH(12, 12, 12)                                                                         \
    DAME_WIDTH(9to15, 9, 15)                                                                       \
    DAME_WIDTH(16, 16, 16)                                                                         \
    DAME_WIDTH(24, 24, 24)                                                                         \
    DAME_WIDTH(17to31, 17, 31)

#define DAME_WIDTHS_HALF_LINE(DAME_WIDTH) /* half a cache line and more, but not all of it */      \
    DAME_WIDTH(32, 32, 32)                                                                         \
    DAME_WIDTH(40, 40, 40)                                                                         \
    DAME_WIDTH(48, 48, 48)                                                                         \
    DAME_WIDTH(33to63, 33, 63)

#define DAME_WIDTHS_IN_LINE(DAME_WIDTH) /* less than a cache line */                               \
    DAME_WIDTHS_NARROW(DAME_WIDTH)                                                                 \
    DAME_WIDTHS_HALF_LINE(DAME_WIDTH)

#define DAME_WIDTHS_SHORT(DAME_WIDTH) /* up to a cache line */                                     \
    DAME_WIDTHS_IN_LINE(DAME_WIDTH)                                                                \
    DAME_WIDTH(64, 64, 64)

#define DAME_WIDTHS_WIDE(DAME_WIDTH) /* all that are not narrow */                                 \
    DAME_WIDTHS_HALF_LINE(DAME_WIDTH)                                                              \
    DAME_WIDTH(64, 64, 64)                                                                         \
    DAME_WIDTH(65to128, 65, 128)                                                                   \
    DAME_WIDTH(129to256, 129, 256)                                                                 \
    DAME_WIDTH(long, 257, INT64_MAX)

#define DAME_WIDTHS(DAME_WIDTH)                                                                    \
    DAME_WIDTHS_NARROW(DAME_WIDTH)                                                                 \
    DAME_WIDTHS_WIDE(DAME_WIDTH)

typedef enum dame_width {
#define DAME_WIDTH(name, lowest, highest) DAME_WIDTH_##name,
    DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        DAME_WIDTH_COUNT,
    DAME_WIDTH_ANY = DAME_WIDTH_COUNT, /* every block has its own */
    DAME_WIDTH_NARROW_COUNT = DAME_WIDTH_32,
    DAME_WIDTH_IN_LINE_COUNT = DAME_WIDTH_64,
    DAME_WIDTH_SHORT_COUNT = DAME_WIDTH_65to128,
    DAME_WIDTH_WIDE_COUNT = DAME_WIDTH_COUNT - DAME_WIDTH_NARROW_COUNT
} dame_width_t;

enum { DAME_SHORT = 64 }; /* bytes of a cache line */

/* By bytes of a block: the narrowest width that has it (kernels.c). */
extern const uint8_t dame_short_widths[DAME_SHORT + 1];

/* The width of blocks of `bytes` bytes, 1 or more. */
static inline dame_width_t dame_width_of(int64_t bytes)
{
    return bytes <= DAME_SHORT ? (dame_width_t) dame_short_widths[bytes]
           : bytes <= 128      ? DAME_WIDTH_65to128
           : bytes <= 256      ? DAME_WIDTH_129to256
                               : DAME_WIDTH_long;
}

/* Which of a level's two tables of displacements a kernel reads. */
typedef enum dame_table { DAME_TABLE_64, DAME_TABLE_32, DAME_TABLE_COUNT } dame_table_t;

#endif
