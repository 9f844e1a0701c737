/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C code with MPI calls for a type that was found: constructors innermost first, inner datatypes
 * freed at once, lists of displacements in loops and in memory of malloc().
 */
#ifndef SUGGEST_CODE_H
#define SUGGEST_CODE_H

#include "shape.h"

/* Texts of the program's space. Sent is `count` times `type` from `address` on; of a shape with an
 * extent, each of several. */
typedef struct code {
    const char *make;      /* declarations and statements, whole lines; "" for a basic type */
    const char *comparison; /* behind them: of the call's count, needs <stdio.h>; "" where it is
                               proved */
    const char *address;   /* arguments of the call */
    const char *count;
    const char *type;
    const char *release; /* statements behind the call that frees the type; "" for a basic type */
    bool lists;          /* needs <stdlib.h> */
    bool offsets;        /* needs <stddef.h> */
} code_t;

typedef enum code_language { CODE_C, CODE_CXX } code_language_t;

/*
 * Code for a shape that was decided, each line indented by `indent`. The code is meant for a block
 * of its own; its names start with `prefix`, and no other name of the source may. Strides and
 * displacements are computed as MPI_Aint. Counts are int, which holds them wherever the loop's own
 * count fitted: each is at most the number of elements sent. A count below 0 becomes 0. Where a
 * list finds no memory, the code calls MPI_Abort().
 */
code_t code_make(access_program_t *program, const shape_t *shape, code_language_t language,
                 const char *indent, const char *prefix);

#endif
