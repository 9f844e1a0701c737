/* SPDX-License-Identifier: BSD-3-Clause */
/* Line by line difference of two texts. */
#ifndef DIFF_H
#define DIFF_H

#include <stddef.h>
#include <stdio.h>

/* Writes a line, which has `length` bytes, and a newline. */
typedef void (*diff_line_fn)(FILE *out, const char *line, size_t length);

/*
 * Prints what changed from `before` to `after` as `diff -u` does. The shortest change where the
 * lines between the first and the last difference are not too many; otherwise all of these are
 * replaced. 0, or -1 when memory is out.
 */
int diff_print(const char *before, const char *after, diff_line_fn print, FILE *out);

#endif
