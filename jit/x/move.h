/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Straight-line code for blocks at known displacements. Private to jit/x/.
 */
#ifndef DAME_X_MOVE_H
#define DAME_X_MOVE_H

#include "dame/program.h"
#include "code.h"

/* A contiguous block. */
typedef struct x_block {
    int64_t user;   /* displacement from the user operand */
    int64_t packed; /* displacement from the packed register */
    int64_t bytes;
} x_block_t;

/* Most blocks of one piece of straight-line code. */
enum { X_MAX_BLOCKS = 64 };

/* One vector is faster when it replaces at least this many stores. */
enum { X_MIN_MOVES = 4 };

typedef struct x_blocks {
    int n;
    int no_masks;    /* masked accesses would often end in another page, which is slow */
    int n_lookahead; /* blocks behind the n that later code copies: they only tell what may be
                        touched */
    x_block_t at[2 * X_MAX_BLOCKS];
} x_blocks_t;

/* Starts over; `at` needs no initial value. */
static inline void x_blocks_clear(x_blocks_t *blocks)
{
    blocks->n = 0;
    blocks->n_lookahead = 0;
    blocks->no_masks = 0;
}

/* How many vectors of user memory one permutation takes bytes from. */
int x_permuted_vectors(const x_code_t *code, dame_dir_t dir);

/*
 * The number of stores that copy one block of `bytes`. Unpacking writes no byte too many, so sizes
 * other than powers of two take two; with vectors of 64 bytes they count as one, since fewer than
 * four blocks in a vector have shown no gain.
 */
int64_t x_moves(const x_code_t *code, dame_dir_t dir, int64_t bytes);

/*
 * Copies n blocks in the order of the packed stream, where they follow each other; all
 * displacements fit. Within the contract of dame_run_fn, packing may write behind a block what
 * later blocks, those of n_lookahead included, write again, and may read beyond a block up to the
 * end of a later one with less than a page between them. Nothing outside the blocks is written.
 * scratch: two registers that are changed; not looked at unless x_needs_scratch().
 */
void x_emit_copies(x_code_t *code, dame_dir_t dir, x_mem_t user, x_reg_t packed,
                   const x_blocks_t *blocks, const x_reg_t scratch[2]);

/* Returns whether there are blocks that x_emit_copies() needs two scratch registers for. */
int x_needs_scratch(const x_blocks_t *blocks);

#endif
