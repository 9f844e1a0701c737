/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the time of a compilation goes into. dame_llvm.so exports dame_l_phases().
 */
#ifndef DAME_L_PHASES_H
#define DAME_L_PHASES_H

#include <stdint.h>

/* Nanoseconds. */
typedef struct l_phases {
    int64_t ir;       /* writing and checking it */
    int64_t passes;   /* the pipeline */
    int64_t generate; /* machine code, as an object file */
    int64_t link;     /* the object file into bytes */
} l_phases_t;

/* Of the last compilation of any state. */
__attribute__((visibility("default"))) const l_phases_t *dame_l_phases(void);

#endif
