/* SPDX-License-Identifier: BSD-3-Clause */
/* What jit/ asks DAME-X beside what a provider answers. */
#ifndef DAME_X_H
#define DAME_X_H

#include "dame/cpu.h"

/* The vectors that code for `cpu` uses, of up to vector_bits, 0: any; see dame_jit_stats_t. ""
 * without an emitter for it. Static storage. */
const char *dame_x_vector_name(const dame_cpu_t *cpu, int vector_bits);

#endif
