/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counted loops. Private to jit/l/.
 */
#ifndef DAME_L_LOOP_H
#define DAME_L_LOOP_H

#include "unit.h"

enum { L_LOOP_POINTERS = 3 };

typedef struct l_loop {
    LLVMBasicBlockRef before;
    LLVMBasicBlockRef body;
    LLVMBasicBlockRef end;
    LLVMValueRef trips;
    LLVMValueRef i; /* 0, 1, ... */
    int npointers;
    LLVMValueRef pointers[L_LOOP_POINTERS];
    int64_t steps[L_LOOP_POINTERS];
} l_loop_t;

/* Begins a loop of `trips` trips, none where that is 0 or less. */
l_loop_t l_loop_open(l_unit_t *u, LLVMValueRef trips, const char *name);

/* A pointer that starts with `start` and advances by `step` bytes each trip. Right after opening.
 */
LLVMValueRef l_loop_pointer(l_unit_t *u, l_loop_t *loop, LLVMValueRef start, int64_t step,
                            const char *name);

/* Ends the body; instructions emitted next come after the loop. */
void l_loop_close(l_unit_t *u, l_loop_t *loop);

#endif
