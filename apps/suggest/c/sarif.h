/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/sarif.h: results as SARIF 2.1.0 (OASIS standard), one run. */
#ifndef SUGGEST_C_SARIF_H
#define SUGGEST_C_SARIF_H

#include <stdbool.h>
#include <stdio.h>

void sarif_begin(FILE *out);
/* REFUSAL: its number, 0: a datatype was found. Lines and columns (in bytes) count from 1. */
void sarif_result(FILE *out, bool first, const char *path, unsigned line, unsigned column,
                  int refusal, const char *message);
void sarif_end(FILE *out);

#endif
