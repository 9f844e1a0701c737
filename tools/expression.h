/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of MPI's constructors as text: "vector(1000, 1, 3, double)". Names are those of the C
 * functions, with or without MPI_Type_ and create_; arguments are in the order of the C functions.
 * The number of entries that stands before lists may be left out. Basic datatypes have the names of
 * basic.h. doc/dame.1 has the grammar for users.
 */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/basic.h"

/* In the order of the table in expression.c. */
typedef enum constructor {
    MAKES_BASIC,
    MAKES_DUP,
    MAKES_CONTIGUOUS,
    MAKES_VECTOR,
    MAKES_HVECTOR,
    MAKES_INDEXED,
    MAKES_HINDEXED,
    MAKES_INDEXED_BLOCK,
    MAKES_HINDEXED_BLOCK,
    MAKES_STRUCT,
    MAKES_SUBARRAY,
    MAKES_RESIZED
} constructor_t;

enum { EXPRESSION_LISTS = 3, EXPRESSION_NUMBERS = 3, EXPRESSION_NESTING = 200 };

typedef struct expression expression_t;
struct expression {
    constructor_t made_by;
    const basic_t *basic;               /* MAKES_BASIC */
    int64_t number[EXPRESSION_NUMBERS]; /* in the order of the C function, without n */
    int64_t *list[EXPRESSION_LISTS];    /* in the order of the C function, n entries each */
    int64_t n;                          /* entries of lists */
    int fortran;                        /* the order of subarray */
    expression_t **old;                 /* one; of struct n */
    int64_t olds;
};

/* Where and why a text is wrong; columns are bytes, from 1. */
typedef struct expression_error {
    int64_t line, column;
    char message[200];
} expression_error_t;

/* NULL: *error says why. The caller frees with expression_free(). */
expression_t *expression_parse(const char *text, size_t length, expression_error_t *error);
void expression_free(expression_t *expression);

/* Writes it in one line, so that it can be parsed. */
void expression_print(const expression_t *expression, FILE *out);

/* The C function's name without MPI_Type_ and create_, and its arguments, one letter each: n
 * entries of the lists that follow; i, a int or MPI_Aint; I, A lists of them; o order; t the old
 * datatype, T a list. Static storage. */
const char *constructor_name(constructor_t made_by);
const char *constructor_arguments(constructor_t made_by);

#endif
