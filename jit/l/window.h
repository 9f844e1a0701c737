/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many short blocks at once: a window of user memory is loaded whole, and a permutation gathers the
 * blocks from it, or scatters them into it. Private to jit/l/.
 */
#ifndef DAME_L_WINDOW_H
#define DAME_L_WINDOW_H

#include "body.h"
#include "unit.h"

enum {
    L_WINDOW_BYTES = 256, /* most packed bytes of a window */
    L_WINDOW_SPAN = 1024  /* most bytes of user memory */
};

/* Several iterations of a body, byte by byte. */
typedef struct l_window {
    int64_t iterations;
    int64_t bytes;     /* packed */
    int64_t low, high; /* bounds in user memory, from the first iteration's start on */
    int64_t body_high; /* the same of one iteration */
    int64_t step;
    int is_ordered;               /* iterations follow each other in user memory */
    int16_t user[L_WINDOW_BYTES]; /* where each packed byte lies, from `low` on */
} l_window_t;

/* Do permutations gain for a body, repeated every `step` bytes `count` times (0: not known)? Then
 * *window is what one round of a loop moves. */
int l_window_of(const l_unit_t *u, const l_body_t *body, int64_t step, int64_t count,
                l_window_t *window);

/* The first n iterations of a window, 1 and more, as a window of its own. */
void l_window_cut(const l_window_t *window, int64_t n, l_window_t *out);

/* Can it be moved, in whole vectors? */
int l_window_is_whole(const l_unit_t *u, const l_window_t *window);

/* Moves all of it, exactly. */
void l_window_move(l_unit_t *u, const l_window_t *window, LLVMValueRef user, LLVMValueRef packed);

/* Can runs of fewer iterations than a window has be moved by masks? */
int l_window_has_masks(const l_unit_t *u, const l_window_t *window);

/* Moves its first `n` iterations only, 0 and more, by masks. */
void l_window_move_some(l_unit_t *u, const l_window_t *window, LLVMValueRef user,
                        LLVMValueRef packed, LLVMValueRef n);

#endif
