/*
 * Moves of one block between user memory and the packed stream: pack_block_WIDTH() and
 * unpack_block_WIDTH() for every width of kernels.h, and _any for blocks of any width. Private to
 * dame/.
 */
#ifndef DAME_BLOCK_H
#define DAME_BLOCK_H

#include "copy.h"
#include "kernels.h"

#define DAME_WIDTH(name, lowest, highest)                                                          \
    DAME_INLINE void pack_block_##name(uintptr_t user, char *packed, int64_t bytes)                \
    {                                                                                              \
        dame_copy_##name(packed, (const char *) user, bytes);                                      \
    }                                                                                              \
    DAME_INLINE void unpack_block_##name(uintptr_t user, const char *packed, int64_t bytes)        \
    {                                                                                              \
        dame_copy_##name((char *) user, packed, bytes);                                            \
    }
DAME_WIDTHS(DAME_WIDTH)
DAME_WIDTH(any, 0, INT64_MAX)
#undef DAME_WIDTH

/* The width of a block as a constant where its range has only one. */
#define DAME_BYTES(lowest, highest, bytes) ((lowest) == (highest) ? (lowest) : (bytes))

#endif
