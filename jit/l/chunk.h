/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many short blocks at once: a chunk of user memory is loaded whole, and a permutation gathers the
 * blocks from it, or scatters them into it. Private to jit/l/.
 */
#ifndef DAME_L_CHUNK_H
#define DAME_L_CHUNK_H

#include "body.h"
#include "unit.h"

enum {
    L_CHUNK_BYTES = 256, /* most packed bytes of a chunk */
    L_CHUNK_SPAN = 1024  /* most bytes of user memory */
};

/* Several iterations of a body, byte by byte. */
typedef struct l_chunk {
    int64_t iterations;
    int64_t bytes;     /* packed */
    int64_t low, high; /* bounds in user memory, from the first iteration's start on */
    int64_t body_high; /* the same of one iteration */
    int64_t step;
    int is_ordered;              /* iterations follow each other in user memory */
    int16_t user[L_CHUNK_BYTES]; /* where each packed byte lies, from `low` on */
} l_chunk_t;

/* Do permutations gain for a body, repeated every `step` bytes `count` times (0: not known)? Then
 * *chunk is what one round of a loop moves. */
int l_chunk_of(const l_unit_t *u, const l_body_t *body, int64_t step, int64_t count,
               l_chunk_t *chunk);

/* The first n iterations of a chunk, 1 and more, as a chunk of its own. */
void l_chunk_cut(const l_chunk_t *chunk, int64_t n, l_chunk_t *out);

/* Returns whether the chunk can be moved in whole vectors. */
int l_chunk_is_whole(const l_unit_t *u, const l_chunk_t *chunk);

/* Moves all of it, exactly. */
void l_chunk_move(l_unit_t *u, const l_chunk_t *chunk, LLVMValueRef user, LLVMValueRef packed);

/* Returns whether runs of fewer iterations than a chunk has can be moved by masks. */
int l_chunk_has_masks(const l_unit_t *u, const l_chunk_t *chunk);

/* Moves its first `n` iterations only, 0 and more, by masks. */
void l_chunk_move_some(l_unit_t *u, const l_chunk_t *chunk, LLVMValueRef user, LLVMValueRef packed,
                       LLVMValueRef n);

#endif
