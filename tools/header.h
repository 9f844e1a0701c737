/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comment lines "# FIELD: VALUE" at the beginning of a file, which dt_dame_dump and `dame from`
 * write: what a program does not say. doc/tuning.md lists the fields.
 */
#ifndef HEADER_H
#define HEADER_H

#include <stddef.h>

#include "datatype.h"
#include "expression.h"

/* The value of the first line of that field, a string that the caller frees; NULL if absent before
 * the program begins, or memory is out. */
char *header_string(const char *text, size_t length, const char *field);

/*
 * The constructor calls of the field "mpi", which must describe what `datatype`, the program's,
 * moves. NULL: absent, or, after a message, they do not. The caller frees with expression_free().
 */
expression_t *header_expression(const char *path, const char *text, size_t length,
                                const tool_datatype_t *datatype);

#endif
