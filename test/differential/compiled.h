/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs with machine code: compiling them, and what must hold of that beside the bytes moved.
 */
#ifndef TEST_COMPILED_H
#define TEST_COMPILED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "jit/jit.h"
#include "test/lib/rng.h"

struct check;

/* A program in an arena of its own, or all zero. */
typedef struct compiled {
    dame_program_t *program;
    dame_jit_t *jit;
    dame_run_fn *before; /* the interpreter's kernels, two for each primitive */
} compiled_t;

/* The vectors that machine code uses here, or "" without a compiler for this CPU. */
const char *compiled_vectors(void);

/* Sizes that small messages exceed, sensible ones, and the extremes allowed. */
dame_jit_options_t compiled_random_options(rng_t *rng);

/* The users' defaults, except an arena that a few codes fill. */
dame_jit_options_t compiled_small_options(rng_t *rng);

/* Compiles for both directions, in an order drawn at random. False after check_fail(); a missing
 * compiler is not a failure. compiled_fini() is needed either way, before the program goes. */
bool compiled_init(struct check *check, compiled_t *compiled, dame_program_t *program);

/*
 * One step of the life of a program with several codes: one of its candidates, of DAME-X, the
 * tests' provider or DAME-L, is added and ranked, or loses its rank, or is dropped. Any thread that
 * is not inside as a reader may call it, with an rng of its own. The error, or NULL.
 */
const char *compiled_change(const compiled_t *compiled, rng_t *rng);

/* Takes the machine code away; all must be as it was before. */
bool compiled_release(struct check *check, compiled_t *compiled);
void compiled_fini(compiled_t *compiled);

/* Of this process, over all programs with data. */
typedef struct compiled_counts {
    int64_t tried;           /* programs and directions */
    int64_t compiled;        /* .. that got machine code */
    int64_t unsupported;     /* .. that got none: no kernel would become better, or too large */
    int64_t full;            /* .. that got none because the arena was full */
    int64_t evicted;         /* .. that lost it because the arena was full */
    int64_t levels;          /* kernels that programs have */
    int64_t kernels;         /* .. that were machine code */
    int64_t bytes;           /* of machine code */
    atomic_llong changes[3]; /* codes added to programs that had some: DAME-X's, the tests'
                                provider's, DAME-L's */
} compiled_counts_t;

extern compiled_counts_t compiled_counts;

/* Prints the counts, if any; false when so little was compiled that the run says nothing. */
bool compiled_report(void);

#endif
