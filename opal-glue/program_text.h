/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of programs that may have no end. */
#ifndef DT_PROGRAM_TEXT_H
#define DT_PROGRAM_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "dame/dame.h"

/*
 * Writes the program's text, or, when that is longer than `limit` bytes, a comment line that says
 * so: subprograms that are shared in memory are repeated in text, so a small datatype can have a
 * text that is too long to store or wait for.
 */
void dt_program_text(const dame_program_t *program, int64_t limit, FILE *out);

#endif
