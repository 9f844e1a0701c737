/*
 * Kernels of the levels of a program. Private to jit/x/.
 */
#ifndef DAME_X_LEVEL_H
#define DAME_X_LEVEL_H

#include "dame/program.h"
#include "code.h"
#include "move.h"
#include "options.h"

/* What all kernels of a program share, and scratch too large for the stack of a thread that may
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

/*
 * Appends the kernel of a level to the code. Kernels of inner levels come first, since outer ones
 * may call them. Returns its offset, or -1, with the code as it was, when no kernel would be better
 * than the interpreter's.
 */
int32_t x_compile_level(x_context_t *context, int32_t prim);

#endif
