/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/sarif.h: results as SARIF 2.1.0 (OASIS standard), one run. */
#ifndef SUGGEST_C_SARIF_H
#define SUGGEST_C_SARIF_H

#include <jansson.h>
#include <stdio.h>

/* Adds to an array of results. REFUSAL: its number, 0: a datatype was found. Lines and columns (in
 * bytes) count from 1. */
void sarif_add(json_t *results, const char *path, unsigned line, unsigned column, int refusal,
               const char *message);
/* Prints the run, and frees the array. */
void sarif_print(json_t *results, FILE *out);

#endif
