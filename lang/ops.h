/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dame/ops.def says of an operation. Private to lang/.
 */
#ifndef DAME_OPS_H
#define DAME_OPS_H

#include <stddef.h>

#include "dame/program.h"

typedef enum dame_class {
    DAME_CLASS_CONTROL,
    DAME_CLASS_BASE,
    DAME_CLASS_FINAL,
    DAME_CLASS_STRUCT,
    DAME_CLASS_LEAF
} dame_class_t;

/* `op` must be an operation of the table. Strings are static. */
dame_class_t dame_op_class(dame_op_t op);
const char *dame_op_params(dame_op_t op);

/* Returns whether a parameter's letter is that of a list. */
static inline int dame_op_is_list(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

/* The operation with this spelling, one of several. 0 if unknown. */
int dame_op_find(const char *name, size_t length, dame_op_t *out);

/* The field of a primitive for a letter of dame/ops.def that is not a list. */
int64_t *dame_op_scalar(dame_prim_t *prim, dame_params_t *params, char letter);

#endif
