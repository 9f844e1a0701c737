/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Case number k of a seed: one type or two, with what to do with them. Every fourth case is one of
 * a width, all of which have their turn: kernels differ by it.
 */
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/dame.h"
#include "test/lib/rng.h"

enum { MAX_COUNTS = 5 };

typedef struct test_case {
    dame_tree_t *tree;
    const dame_type_t *type;
    int ncounts;
    int64_t counts[MAX_COUNTS]; /* elements of each message to try */
    bool absolute;              /* displacements are addresses, the base is 0 */
    bool overlap;               /* data may overlap */
    const dame_type_t *partner; /* a type of the same signature, or NULL */
    int64_t pair_count;         /* elements of `type` that have the signature of .. */
    int64_t partner_count;      /* .. this number of elements of `partner` */
    const char *isa;            /* kernels to use */
    uint64_t check_seed;        /* for cuts, orders and contents */
} test_case_t;

/*
 * Generates the case; `isa` forces the kernels, NULL draws them. On failure, which is the library's
 * fault, the status is not DAME_OK and *what names the constructor. case_fini() frees either way.
 */
dame_status_t case_init(test_case_t *c, uint64_t seed, int64_t number, const char *isa,
                        const char **what);
void case_fini(test_case_t *c);

#endif
