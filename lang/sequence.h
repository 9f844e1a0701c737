/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What repeats in a list of blocks. Private to lang/.
 */
#ifndef DAME_SEQUENCE_H
#define DAME_SEQUENCE_H

#include "node.h"

/* Blocks at displacements, of lengths or of children if those differ. */
typedef struct dame_sequence {
    int64_t n;
    const int64_t *disps;               /* n entries, disps[0] is 0 */
    const int64_t *lengths;             /* n entries, or NULL */
    const dame_node_t *const *children; /* n entries, or NULL */
} dame_sequence_t;

/* How many blocks from the first on are alike and a constant step apart; at least 1. */
int64_t dame_sequence_run(const dame_sequence_t *s);

/*
 * The least p, 1 < p < n, such that the sequence is groups of p blocks with the same blocks at the
 * same displacements from the group's first; 0 if there is no such p. Parts of the run that the
 * sequence starts with are none. At most O(n) times the number of divisors of n, but O(n) for
 * sequences without a period and for those that one block spoils.
 */
int64_t dame_sequence_period(const dame_sequence_t *s);

#endif
