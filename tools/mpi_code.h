/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C code that makes MPI datatypes by the calls of an expression; a datatype that was made before
 * with the same arguments is used again.
 */
#ifndef MPI_CODE_H
#define MPI_CODE_H

#include <stdint.h>
#include <stdio.h>

#include "expression.h"

typedef struct mpi_code mpi_code_t;

/* A datatype of the code. */
typedef struct mpi_type {
    int index;         /* of the array of datatypes, -1: a basic one */
    const char *basic; /* index -1: its name */
} mpi_type_t;

/* NULL when memory is out. */
mpi_code_t *mpi_code_new(void);
void mpi_code_free(mpi_code_t *code);

/* 0, or -1 when memory was out at any time: then the code is of no use. */
int mpi_code_failed(const mpi_code_t *code);

/*
 * The calls of an expression, as they are. *too_large receives a number that does not fit the int
 * that MPI's function takes, or 0: then the type is of no use.
 */
mpi_type_t mpi_code_expression(mpi_code_t *code, const expression_t *expression,
                               int64_t *too_large);

/* Writes the body of a function that returns the type, committed; then mpi_code_failed() says
 * whether it is whole. */
void mpi_code_print(mpi_code_t *code, mpi_type_t type, FILE *out);

#endif
