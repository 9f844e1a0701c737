/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arms of a policy: which one is the fastest, which is measured next, which leave the search,
 * and what that costs. Decides nothing else. Private to measure/.
 */
#ifndef DAME_ARMS_H
#define DAME_ARMS_H

#include "policy_types.h"

enum {
    DAME_ROUNDS = 3, /* of the search */
    DAME_FIRST_ROUND =
        4 /* batches of an arm in the first one, and twice as many in each one after */
};

#define DAME_HOPELESS 4.0 /* times the best's time: two samples are enough */

/* What a use takes now, as far as known. */
double dame_arms_ticks_now(const dame_policy_t *policy);

/* The fastest arm of the search that can run. A candidate must beat the interpreter by a margin,
 * unless that has left the search, and the native engine the best candidate. */
int32_t dame_arms_fastest(const dame_policy_t *policy);

/* The best, or if that is the native engine, the fastest other arm that can run, whether or not it
 * is still in the search. */
int32_t dame_arms_fastest_fallback(const dame_policy_t *policy);

/* The candidate to promote to: the fastest known, else the first that may be had, at once or else
 * later; 0: none. */
int32_t dame_arms_candidate(const dame_policy_t *policy);

/* Uses before the first sample of a batch. What has not run for a while has caches and branch
 * predictors to warm; what runs anyway would win by that. */
int32_t dame_arms_warming_uses(const dame_policy_t *policy);

/* Returns the cost of adding an arm. It doubles each time its code does not last. */
double dame_arms_cost(const dame_policy_t *policy, int32_t arm);

/* What n samples of an arm cost besides its code. */
double dame_arms_price_of_samples(const dame_policy_t *policy, int32_t arm, int n);

/* What a batch of an arm costs. */
double dame_arms_price(const dame_policy_t *policy, int32_t arm);

/* The least tried arm that lacks batches in this round; -1: none. */
int32_t dame_arms_wanting(const dame_policy_t *policy);

/*
 * A round is over: the faster half of the arms stays, and all that are CLOSE to the best. That may
 * be one that left before: then it was measured while the machine was slow, or the others while it
 * was fast.
 */
void dame_arms_halve(dame_policy_t *policy);

/* Code that runs no more. */
int32_t dame_arms_useless(const dame_policy_t *policy);

#endif
