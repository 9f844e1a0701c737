/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The module of a program: a function for each level that gets a kernel. Private to jit/l/.
 */
#ifndef DAME_L_KERNELS_H
#define DAME_L_KERNELS_H

#include "unit.h"

/* What the back end shall make code for: names as LLVM has them. */
typedef struct l_target {
    dame_cpu_t cpu;
    char features[128]; /* "+avx2,..." */
    const char *tune;   /* the CPU that instructions are scheduled for */
    int64_t vector_bytes;
} l_target_t;

enum { L_NAME = 16 };

/* The name of the kernel of a primitive. */
void l_kernel_name(int32_t prim, char name[L_NAME]);

/*
 * Writes the kernels of all levels into u->module. The caller creates and disposes of context,
 * builder and module, and owns `kernels`, an entry for each primitive. Returns their number.
 */
int32_t l_emit_kernels(l_unit_t *u, const l_target_t *target);

#endif
