/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loop nests: the runs of a level, and all that is inside. Private to jit/l/.
 */
#ifndef DAME_L_NEST_H
#define DAME_L_NEST_H

#include "unit.h"

/* A level in IR: which, and where its primitive, its origin and the stream are. */
typedef struct l_level {
    const dame_prim_t *at;
    LLVMValueRef prim;
    LLVMValueRef origin;
    LLVMValueRef packed; /* where the run starts in the stream */
} l_level_t;

/* Returns whether the level keeps the interpreter's kernel. */
int l_keeps_interpreter(const dame_prim_t *prim);

/* Moves n iterations, from `first` on. */
void l_emit_run(l_unit_t *u, const l_level_t *level, LLVMValueRef first, LLVMValueRef n);

/* Moves all n iterations of a level; `n` is a constant except for a CONTIGCHILD under INDEX. */
void l_emit_level(l_unit_t *u, const l_level_t *level, LLVMValueRef n);

/* Returns whether a run of all iterations gains from code of its own. */
int l_gains_from_all(const l_unit_t *u, const dame_prim_t *prim);

#endif
