/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of blocks: straight-line code. Private to jit/l/.
 */
#ifndef DAME_L_MOVE_H
#define DAME_L_MOVE_H

#include "body.h"
#include "unit.h"

/*
 * Moves the blocks of `body`. User displacements count from `user`, packed ones from `packed`.
 * Within the contract of dame_run_fn: `next` has the blocks that the same run moves afterwards
 * (NULL if absent). Reads may reach into them, and writes to the stream may spoil them.
 */
void l_move_body(l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, const l_body_t *body,
                 const l_body_t *next);

/* One block. */
void l_move_block(l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, int64_t bytes);

/* One block of unknown length, 0 and more. */
void l_move_any(l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, LLVMValueRef bytes);

#endif
