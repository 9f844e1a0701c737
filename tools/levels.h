/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in a line. */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdio.h>

#include "dame/dame.h"

/*
 * Writes the loop levels from the outermost inward, joined by " > ", for example
 * "VECTOR1 x 128, 268,320 bytes apart > VECTORFINAL x 128 of 8 bytes, 2,064 bytes apart".
 * Of a STRUCT with many blocks and of a deep nest only the first parts are written, then "...".
 */
void levels_write(const dame_program_t *program, FILE *out);

#endif
