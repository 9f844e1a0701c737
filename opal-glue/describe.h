/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype as the MPI calls that made it, for people. */
#ifndef DT_DESCRIBE_H
#define DT_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

#include "dame/type.h"

struct opal_datatype_t;

/*
 * Writes lines that start with `prefix`: constructors from the outermost inward, as in
 *
 *     hvector(64, 1, 18432) of vector(64, 1, 144) of MPI_DOUBLE
 *
 * with the arguments of the C binding; a struct's members stand one a line, indented, as
 * "blocklength at displacement: type". Long lists and structs are abbreviated, and so is a datatype
 * of very many constructors. Works in memory of `tree`, which is empty before and after.
 */
void dt_describe(dame_tree_t *tree, const struct opal_datatype_t *datatype, const char *prefix,
                 FILE *out);

/*
 * Writes the same calls in one line and in full, as `dame from` reads them:
 *
 *     hvector(64, 1, 18432, vector(64, 1, 144, MPI_DOUBLE))
 *
 * False: they are too many, or a datatype is inside that no such call makes; the text is incomplete
 * then.
 */
bool dt_describe_calls(dame_tree_t *tree, const struct opal_datatype_t *datatype, FILE *out);

#endif
