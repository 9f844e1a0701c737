/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction sets for which the interpreter has kernels.
 */
#ifndef DAME_ISA_H
#define DAME_ISA_H

#include "dame/cpu.h"
#include "dame/status.h"

/* Names of the instruction sets that this CPU can run, best first, NULL at the end. Static storage.
 */
const char *const *dame_isa_names(void);

/*
 * Programs built from now on use the named instruction set; NULL restores the best one.
 * Error: DAME_ERR_ARGUMENT if the name is not in dame_isa_names().
 */
dame_status_t dame_isa_force(const char *name);

/* The best instruction set for `cpu`, which need not be this CPU. Static storage. */
const char *dame_isa_for(const dame_cpu_t *cpu);

/* The features that programs built or compiled from now on may use: those of the forced instruction
 * set, or all features of this CPU. */
dame_cpu_t dame_isa_cpu(void);

#endif
