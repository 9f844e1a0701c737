/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks at known displacements. Private to jit/l/.
 */
#ifndef DAME_L_BODY_H
#define DAME_L_BODY_H

#include "dame/program.h"

/* A contiguous block; displacements from where its body starts. */
typedef struct l_span {
    int64_t user;
    int64_t packed;
    int64_t bytes;
} l_span_t;

enum {
    L_MOST_BLOCKS = 64,
    L_LONG = 1024,   /* longer blocks are the C library's */
    L_STRAIGHT = 512 /* bytes of a level that needs no loop */
};

/* Blocks that follow each other in the packed stream. */
typedef struct l_body {
    int n;
    int64_t bytes; /* in the stream */
    l_span_t at[L_MOST_BLOCKS];
} l_body_t;

/*
 * The blocks of the first n iterations of a level. Returns 0, with *body incomplete, if
 * displacements or lengths are not part of the shape, or if blocks are too many, too long or too
 * far away for straight-line code.
 */
int l_body_of_level(const dame_prim_t *level, int64_t n, int64_t most_bytes, l_body_t *body);

/* The same for one iteration of a level, its displacement left out: that may come from a list. */
int l_body_of_iteration(const dame_prim_t *level, l_body_t *body);

/* Appends n copies of `one`, `step` bytes apart in user memory. Returns 0 when they do not fit. */
int l_body_repeat(const l_body_t *one, int64_t step, int64_t n, l_body_t *body);

/* Bytes from the lowest to behind the highest byte in user memory. */
void l_body_bounds(const l_body_t *body, int64_t *low, int64_t *high);

#endif
