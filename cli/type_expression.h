/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype of dame/type.h as calls of MPI's constructors (expression.h). */
#ifndef TYPE_EXPRESSION_H
#define TYPE_EXPRESSION_H

#include "dame/type.h"

/*
 * "hvector(3, 1, 16, MPI_DOUBLE)", of basic datatypes that have the sizes of the type's. NULL:
 * memory is out, or it would have more than `most` bytes. The caller frees.
 */
char *type_expression(const dame_type_t *type, size_t most);

#endif
