/* SPDX-License-Identifier: BSD-3-Clause */
/* The datatype of libdame that an expression describes. */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "dame/datatype.h"
#include "expression.h"

/*
 * Makes the datatype, not committed. Bounds are MPI's (MPI-4.0, section 5.1.7): without resized()
 * the extent is rounded up so that every basic element is aligned in each of several elements.
 * On an error dame_error_reason() says why.
 */
dame_status_t expression_evaluate(dame_context_t *context, const expression_t *expression,
                                  dame_datatype_t **out);

#endif
