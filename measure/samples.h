/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a policy: how a few noisy ones become a mean. Private to measure/. */
#ifndef DAME_SAMPLES_H
#define DAME_SAMPLES_H

#include "policy_types.h"

/* The class of a key, 0 to DAME_POLICY_CLASSES - 1, counted once more; a new one takes the rarest's
 * place. */
int dame_samples_class(dame_policy_t *policy, uint32_t key);

/* The samples of one class in the batch into `ticks`; returns how many. */
int dame_samples_of(const dame_policy_t *policy, int class, float *ticks);

/* The mean of the smaller half of a few samples, n > 0. Interruptions and cold caches only add
 * time, so the extra time is left out, unless most samples have it. Reorders them. */
double dame_samples_mean(float *ticks, int n);

/* Adds the batch to an arm's means, and empties it. */
void dame_samples_fold(dame_policy_t *policy, int32_t arm);

/* Time of arm a relative to b; 0: no class has samples of both. In a class with samples of only one
 * arm, the arms are taken to be equal, so that no arm wins by messages that the other did not
 * move. */
double dame_samples_relative(const dame_policy_t *policy, int32_t a, int32_t b);

/* Ticks of a use on an arm as measured; 0: not measured. */
double dame_policy_ticks(const dame_policy_t *policy, int32_t arm);

#endif
