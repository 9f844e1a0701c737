/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The image of a program: the numbers that a grid's code reads where it runs, in one piece of
 * memory without addresses, so that a device can have a copy. Where each number is follows from the
 * program's shape (jit/shape.h), as does the code. Needs no LLVM.
 */
#ifndef DAME_GRID_IMAGE_H
#define DAME_GRID_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "dame/program.h"

/* Where the numbers of a loop level are, in bytes from the start of the image; multiples of 8. */
typedef struct dame_grid_place {
    int64_t step;   /* the level's step, 8 bytes */
    int64_t disps;  /* entries of 4 bytes where the program has disps32, else of 8 */
    int64_t prefix; /* count + 1 entries of 8 bytes */
} dame_grid_place_t;

/* Returns the place of prims[i]; meaningless for what is not a loop level, and for tables that it
 * does not have. In O(i). */
dame_grid_place_t dame_grid_place(const dame_program_t *program, int32_t i);

/* Bytes of the image, a multiple of 8. */
size_t dame_grid_image_size(const dame_program_t *program);

/* Writes it. */
void dame_grid_image_write(const dame_program_t *program, void *image);

/*
 * The widest piece, 1, 2, 4, 8 or 16 bytes, of which the blocks of any message consist, each at a
 * multiple of it from the base, and in the stream from its start.
 */
int32_t dame_grid_grain(const dame_program_t *program);

/* The number of pieces of 1 << log2_width bytes with bytes of [first, last), which is a part of the
 * stream that has `first` at `packed`. Sets *log2_width to the widest that the program's grain and
 * the two addresses allow. */
int64_t dame_grid_pieces(int32_t grain, uint64_t base, uint64_t packed, int64_t first, int64_t last,
                         int32_t *log2_width);

#endif
