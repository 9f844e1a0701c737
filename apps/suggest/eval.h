/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two independent checks of an answer. Neither uses the builder; the second does not use
 * polynomials' arithmetic either, only their values.
 */
#ifndef SUGGEST_EVAL_H
#define SUGGEST_EVAL_H

#include "shape.h"

typedef enum eval_verdict {
    EVAL_UNKNOWN, /* this check cannot decide */
    EVAL_RIGHT,
    EVAL_WRONG
} eval_verdict_t;

typedef struct eval {
    eval_verdict_t verdict;
    int trials;        /* of eval_random(): sizes at which loop and type were compared ... */
    int moved;         /* ... and moved something */
    char message[400]; /* the error or unknown */
} eval_t;

/*
 * The identity: for every copy, the address that the type gives to the copy's position in the
 * buffer is the copy's source, as polynomials in sizes and iteration numbers; and the type's size
 * is the sum of the copies'. UNKNOWN where a guard or an outer loop decides where a copy is in the
 * buffer, and where an inequality between sizes is not clear.
 */
eval_t eval_identity(access_program_t *program, const types_node_t *type);

/*
 * Loops against type, byte by byte, at up to `trials` choices of sizes from a seed: small ones, 0
 * and 1, negative ones (a loop does then not run), and strides beyond 2^31 where no loop's trip
 * follows. Compares the count too when it was proved. UNKNOWN when no choice moved anything or all
 * were too large.
 */
eval_t eval_random(access_program_t *program, const shape_t *shape, int trials, uint64_t seed);

#endif
