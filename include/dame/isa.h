/*
 * The instruction sets for which the interpreter has kernels.
 */
#ifndef DAME_ISA_H
#define DAME_ISA_H

#include "dame/cpu.h"
#include "dame/status.h"

/* Names of those this CPU can run, best first, NULL at the end. Static storage. */
const char *const *dame_isa_names(void);

/*
 * Makes programs built from now on use the named one; NULL: the best again.
 * Error: DAME_ERR_ARGUMENT when the name is not among dame_isa_names().
 */
dame_status_t dame_isa_force(const char *name);

/* The best of them for a CPU that need not be this one. Static storage. */
const char *dame_isa_for(const dame_cpu_t *cpu);

/* What programs built or compiled from now on may use of this CPU: what the forced instruction set
 * needs, or all that it has. */
dame_cpu_t dame_isa_cpu(void);

#endif
