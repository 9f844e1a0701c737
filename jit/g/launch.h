/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code for a grid, for those who launch it: one function moves one piece of the packed stream, and
 * all pieces of a message or fragment are moved at once, in any order, by as many threads. See
 * README.md. Needs no LLVM.
 */
#ifndef DAME_GRID_LAUNCH_H
#define DAME_GRID_LAUNCH_H

#include <stdint.h>

/*
 * The arguments, in this order. A piece is 1 << log2_width bytes of the stream, at a multiple of
 * that; log2_width is what dame_grid_pieces() allows. Piece 0 is the one that has byte `first`.
 */
typedef struct dame_grid_arguments {
    uint64_t base;   /* address of the message in user memory */
    uint64_t packed; /* .. of byte `first` of the stream */
    int64_t first;   /* bytes [first, last) of the stream are moved */
    int64_t last;
    uint64_t image; /* address of the program's image (image.h), a multiple of 8 */
    int32_t log2_width;
} dame_grid_arguments_t;

/* What runs a grid. */
typedef enum dame_grid_target {
    DAME_GRID_HOST,  /* the host, for tests: the function has one more argument, int64_t piece */
    DAME_GRID_PTX,   /* NVIDIA's devices, as text */
    DAME_GRID_AMDGPU /* AMD's, as assembly: looked at in tests, not run */
} dame_grid_target_t;

enum {
    DAME_GRID_BLOCK = 256, /* threads of a block, which the code for devices counts with */
    DAME_GRID_VARIANT = 64 /* number of DAME-L's variant for the first target, the others follow */
};

/* Returns whether this variant of DAME-L is text, which does not run in this process. */
static inline int dame_grid_is_text(uint32_t variant)
{
    return variant == DAME_GRID_VARIANT + DAME_GRID_PTX ||
           variant == DAME_GRID_VARIANT + DAME_GRID_AMDGPU;
}

/* The function for DAME_GRID_HOST. */
typedef void (*dame_grid_host_fn)(uint64_t base, uint64_t packed, int64_t first, int64_t last,
                                  uint64_t image, int32_t log2_width, int64_t piece);

/* The name of the function; that of a kernel of the outermost level. */
#define DAME_GRID_FUNCTION "k0"

#endif
