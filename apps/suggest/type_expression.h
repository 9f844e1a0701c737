/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype as calls of MPI's constructors. */
#ifndef TYPE_EXPRESSION_H
#define TYPE_EXPRESSION_H

#include <stdio.h>

#include "dame/type.h"

/* Writes "hvector(3, 1, 16, MPI_DOUBLE)", as "dame from" reads it, of basic datatypes that have the
 * sizes of the type's. */
void type_expression(const dame_type_t *type, FILE *out);

#endif
