/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype as the MPI calls that made it, for people. */
#ifndef DT_DESCRIBE_H
#define DT_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

#include "dame/type.h"

struct opal_datatype_t;

/*
 * Writes the calls in one line, from the outermost inward, as `dame from` reads them:
 *
 *     hvector(64, 1, 18432, vector(64, 1, 144, MPI_DOUBLE))
 *
 * with the arguments of the C binding. Works in memory of `tree`, which is empty before and after.
 * False: they are too many, or a datatype is inside that no such call makes; the text is incomplete
 * then.
 */
bool dt_describe(dame_tree_t *tree, const struct opal_datatype_t *datatype, FILE *out);

#endif
