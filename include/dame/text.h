/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs as text. doc/language.md has the grammar.
 *
 * Parsing a printed program gives the same program: the same primitives and parameters, the same
 * size, extent, bounds and granule. (Subprograms that blocks of a STRUCT share are printed once for
 * each block and are not shared after parsing. Kernels are chosen again, and no list is sorted.)
 *
 * EXIT has optional parameters: EXIT(extent) or EXIT(extent, granule), in bytes. The default extent
 * is true_ub - true_lb; the default granule follows from the sizes of the CONTIGFINALs. Granule 0
 * means DAME_NO_GRANULE. The printer omits parameters that equal their defaults.
 */
#ifndef DAME_TEXT_H
#define DAME_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dame/program.h"
#include "dame/status.h"

/* How deep the levels of a text may nest. */
enum { DAME_TEXT_NESTING = 200 };

/* Where and why a text is invalid. Lines and columns (in bytes) count from 1. */
typedef struct dame_text_error {
    int64_t line;
    int64_t column;
    char message[200]; /* found and expected, one line, no full stop */
} dame_text_error_t;

/*
 * Parses a text into a program, exactly as written: verified, but not optimised. Time and memory
 * are linear in the length of the text. Errors, all with `error` (may be NULL) filled in:
 * DAME_ERR_TEXT (not in the grammar), DAME_ERR_VERIFY (a rule of dame_program_verify() is broken),
 * DAME_ERR_RANGE (a number or size does not fit in 64 bits), DAME_ERR_LIMIT (too many primitives,
 * or nested deeper than DAME_TEXT_NESTING), DAME_ERR_NOMEM. The caller frees with
 * dame_program_free().
 */
dame_status_t dame_program_parse(const char *text, size_t length, dame_program_t **out,
                                 dame_text_error_t *error);

/* Writes the program's text, indented. Returns 0, or -1 if writing fails. */
int dame_program_print(const dame_program_t *program, FILE *out);

#endif
