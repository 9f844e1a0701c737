/* SPDX-License-Identifier: BSD-3-Clause */
/* What all kernels of a program share. Private to jit/x/. */
#ifndef DAME_X_CONTEXT_H
#define DAME_X_CONTEXT_H

#include "dame/program.h"
#include "code.h"
#include "move.h"
#include "parameters.h"

/* It has scratch too large for the stack of a thread that may
 * have little. */
typedef struct x_context {
    x_code_t code;
    const dame_program_t *program;
    dame_dir_t dir;
    x_options_t options; /* of the variant */
    x_blocks_t blocks;   /* x_compiler_t.blocks */
    x_blocks_t next;     /* scratch: blocks of later iterations */
    int32_t kernels[];   /* by primitive: offset of its kernel, or -1 */
} x_context_t;

#endif
