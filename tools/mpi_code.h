/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C code that makes MPI datatypes. One call of a constructor for one function here; a datatype that
 * was made before with the same arguments is used again. Counts and blocklengths beyond int are
 * split into nested datatypes.
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
    const char *basic; /* index -1: its name, NULL: that of the code's basic datatype */
    int64_t lb;        /* lower bound */
    int64_t extent;    /* bytes from one to the next */
    int exact;         /* do lb and extent certainly hold? MPI may pad structs, for instance */
} mpi_type_t;

/* Code with a basic datatype named `basic` of `bytes` bytes. NULL when memory is out. */
mpi_code_t *mpi_code_new(const char *basic, int64_t bytes);
void mpi_code_free(mpi_code_t *code);

/* 0, or -1 when memory was out at any time: then the code is of no use. */
int mpi_code_failed(const mpi_code_t *code);

/* The basic datatype. */
mpi_type_t mpi_code_basic(const mpi_code_t *code);

/* `count` times a type, `step` bytes apart. Less than two are not always a datatype of their own.
 */
mpi_type_t mpi_code_run(mpi_code_t *code, int64_t count, int64_t step, mpi_type_t type);

/* `count` blocks, `stride` bytes apart, of blklen times a type. */
mpi_type_t mpi_code_vector(mpi_code_t *code, int64_t count, int64_t blklen, int64_t stride,
                           mpi_type_t type);

/* Block i stands at disps[i] and is blklens[i] times a type. count <= INT_MAX. */
mpi_type_t mpi_code_index(mpi_code_t *code, int64_t count, const int64_t *blklens,
                          const int64_t *disps, mpi_type_t type);

/* Block i stands at disps[i] and is blklens[i] times types[i]. count <= INT_MAX. */
mpi_type_t mpi_code_struct(mpi_code_t *code, int64_t count, const int64_t *blklens,
                           const int64_t *disps, const mpi_type_t *types);

/* The type, with that extent. */
mpi_type_t mpi_code_resized(mpi_code_t *code, int64_t extent, mpi_type_t type);

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
