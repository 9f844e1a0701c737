/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of MCA parameters: lines "PARAMETER = VALUE". */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include <stddef.h>
#include <stdio.h>

/* The user's own: DIRECTORY/mca-params.conf at home. The caller frees; NULL after a message. */
char *parameters_own(const char *directory);

/* A file's text, "" without a file; the caller frees. */
int parameters_read(const char *name, char **text, size_t *length);

/* The value of a line and its length, or NULL: the line says something else. */
const char *parameters_value(const char *parameter, const char *line, const char *end,
                             size_t *length);

/* Writes the file anew from its text, if that changes it; its directory is made. */
typedef void parameters_write_t(FILE *out, const char *text, size_t length, const void *context);
int parameters_edit(const char *name, parameters_write_t *write, const void *context);

#endif
