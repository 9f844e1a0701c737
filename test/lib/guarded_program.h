/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of a program of which the primitives and every table end, or start, at a page that faults,
 * so that what reads beyond them, against the contract of dame_run_fn (dame/program.h), is found,
 * be it machine code or not.
 */
#ifndef TEST_GUARDED_PROGRAM_H
#define TEST_GUARDED_PROGRAM_H

#include <stdbool.h>

#include "dame/program.h"
#include "guarded.h"

enum { MOST_PIECES = 60 };

typedef struct guarded_program {
    dame_program_t *program; /* NULL: no copy. Not for dame_program_free() */
    int npieces;
    guarded_t pieces[MOST_PIECES]; /* the program, then its tables */
} guarded_program_t;

/* False when memory is out or the program has more tables; *copy is for guarded_program_free() even
 * then. `program` has no machine code. */
bool guarded_program_copy(const dame_program_t *program, edge_t edge, guarded_program_t *copy);
void guarded_program_free(guarded_program_t *copy);

#endif
