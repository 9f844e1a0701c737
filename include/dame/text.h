/*
 * Programs as text. doc/language.md has the grammar.
 *
 * Printing a program and parsing what was printed gives the same program: the same primitives with
 * the same parameters, the same size, extent, bounds and granule. (Subprograms that a STRUCT's
 * blocks share are printed once for each block, and not shared after parsing; kernels are chosen
 * anew, and no list is sorted.)
 *
 * EXIT may have parameters of its own: EXIT(extent) or EXIT(extent, granule), in bytes. Without
 * them extent is true_ub - true_lb, and granule is what the sizes of the CONTIGFINALs amount to;
 * granule 0 stands for DAME_NO_GRANULE. The printer leaves out what would be the same without.
 */
#ifndef DAME_TEXT_H
#define DAME_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dame/program.h"
#include "dame/status.h"

/* Levels of a text that may stand within each other. */
enum { DAME_TEXT_NESTING = 200 };

/* Where a text is wrong. Lines and columns (bytes) count from 1. */
typedef struct dame_text_error {
    int64_t line;
    int64_t column;
    char message[200]; /* what was found and what was expected, one line, no full stop */
} dame_text_error_t;

/*
 * The program of a text, exactly as it is written: nothing is optimised. It has been verified.
 * Time and memory are linear in the length of the text.
 * Errors, all with `error` (may be NULL) filled in: DAME_ERR_TEXT (not in the grammar),
 * DAME_ERR_VERIFY (a rule of dame_program_verify() is broken), DAME_ERR_RANGE (a number or size
 * does not fit in 64 bits), DAME_ERR_LIMIT (too many primitives, or nested deeper than
 * DAME_TEXT_NESTING), DAME_ERR_NOMEM. The caller frees with dame_program_free().
 */
dame_status_t dame_program_parse(const char *text, size_t length, dame_program_t **out,
                                 dame_text_error_t *error);

/* Writes the program's text, indented, newline at the end of every line. 0, or -1 as fprintf(). */
int dame_program_print(const dame_program_t *program, FILE *out);

#endif
