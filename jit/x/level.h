/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of the levels of a program. Private to jit/x/.
 */
#ifndef DAME_X_LEVEL_H
#define DAME_X_LEVEL_H

#include "context.h"

/*
 * Appends the kernel of a level to the code. Kernels of inner levels come first, since outer ones
 * may call them. Returns its offset, or -1, with the code as it was, when no kernel would be better
 * than the interpreter's.
 */
int32_t x_compile_level(x_context_t *context, int32_t prim);

#endif
