/*
 * Code for the loops of a program: which kernels there are, and what each consists of. Private to
 * jit/x/.
 */
#ifndef DAME_X_LEVEL_H
#define DAME_X_LEVEL_H

#include "dame/program.h"
#include "jit/jit.h"
#include "code.h"
#include "move.h"

/* What is the same for all kernels of a program, and what is too large for the stack of a thread
 * that may have next to none. */
typedef struct x_context {
    x_code_t code;
    const dame_program_t *program;
    dame_dir_t dir;
    const dame_jit_options_t *options;
    int64_t prefetch_distance; /* blocks */
    x_pieces_t pieces;         /* of the code that is being written */
    x_pieces_t next;           /* of what follows it */
    int32_t kernels[];         /* by primitive: offset of its kernel, or -1 */
} x_context_t;

/*
 * Writes the kernel of a level behind what is there. Kernels of inner levels have been tried
 * before, since outer ones may call them. Returns its offset, or -1, with the code as it was: there
 * is none that would be better than the interpreter's.
 */
int32_t x_level(x_context_t *context, int32_t prim);

#endif
