/* SPDX-License-Identifier: BSD-3-Clause */
#include "arms.h"

#include <string.h>

#include "samples.h"

enum {
    MOST_WARMING = 16,   /* uses */
    WARMING_SAMPLES = 40 /* warming takes as long as this many samples cost */
};

static const double CLOSE = 1.03; /* times the best's time: is not told from it yet */
static const double NATIVE = 2; /* .. that the native engine is expected to take (bench/compare) */

double dame_arms_ticks_now(const dame_policy_t *policy)
{
    double ticks = dame_policy_ticks(policy, policy->current);
    if (ticks > 0) {
        return ticks;
    }
    ticks = dame_policy_ticks(policy, 0);
    if (ticks == 0 && policy->nbatch > 1 && policy->current == 0) { /* not enough to be folded */
        float few[DAME_POLICY_BATCH];
        memcpy(few, policy->batch_ticks, sizeof(few));
        ticks = dame_samples_mean(few, policy->nbatch);
    }
    ticks = ticks > 0 ? ticks : policy->expect.ticks;
    return policy->current == 0 ? ticks : ticks * (1 - policy->expect.saved);
}

int32_t dame_arms_fastest(const dame_policy_t *policy)
{
    const int is_matched = policy->arms[0].in && dame_policy_ticks(policy, 0) > 0;
    int32_t best = 0;
    for (int32_t a = 1; a < policy->narms; a++) {
        const dame_policy_arm_t *arm = &policy->arms[a];
        if (arm->lives && arm->in && dame_policy_ticks(policy, a) > 0) {
            const double ratio = dame_samples_relative(policy, a, best);
            const int is_first =
                best == 0 && !is_matched && (a != policy->native || a == policy->best);
            const double limit = best == 0 || a == policy->native ? DAME_POLICY_MARGIN : 1;
            best = is_first || (ratio > 0 && ratio < limit) ? a : best;
        }
    }
    return best;
}

int32_t dame_arms_fastest_fallback(const dame_policy_t *policy)
{
    int32_t best = 0;
    if (policy->best != policy->native) {
        return policy->best;
    }
    for (int32_t a = 1; a < policy->native; a++) {
        const double ratio = policy->arms[a].lives ? dame_samples_relative(policy, a, best) : 0;
        best = ratio > 0 && ratio < (best == 0 ? DAME_POLICY_MARGIN : 1) ? a : best;
    }
    return best;
}

int32_t dame_arms_warming_uses(const dame_policy_t *policy)
{
    const double uses = WARMING_SAMPLES * policy->expect.sample / dame_arms_ticks_now(policy);
    return uses < 1 ? 1 : uses < MOST_WARMING ? (int32_t) uses : MOST_WARMING;
}

double dame_arms_cost(const dame_policy_t *policy, int32_t arm)
{
    const dame_policy_arm_t *of = &policy->arms[arm];
    const double once = of->cost > 0 ? (double) of->cost : policy->expect.cost;
    return once * (double) (INT64_C(1) << (of->setbacks < 40 ? of->setbacks : 40));
}

int32_t dame_arms_candidate(const dame_policy_t *policy)
{
    int32_t first = 0, best = 0;
    for (int32_t a = 1; a < policy->narms; a++) {
        const dame_policy_arm_t *arm = &policy->arms[a];
        if (!arm->failed && a != policy->native) {
            const double ratio = dame_samples_relative(policy, a, best);
            const int is_nearer = arm->far == DAME_AT_HAND && policy->arms[first].far;
            first = first == 0 || is_nearer ? a : first;
            best = ratio > 0 && ratio < DAME_POLICY_MARGIN && !arm->far ? a : best;
        }
    }
    return best != 0 ? best : first;
}

int32_t dame_arms_wanting(const dame_policy_t *policy)
{
    int32_t found = -1;
    for (int32_t a = 0; a < policy->narms; a++) {
        const dame_policy_arm_t *arm = &policy->arms[a];
        if (arm->in && arm->tried < DAME_FIRST_ROUND << policy->round &&
            (found < 0 || arm->tried < policy->arms[found].tried)) {
            found = a;
        }
    }
    return found;
}

/* Returns whether the arm was measured in this search, and may win. */
static int may_win(const dame_policy_t *policy, int32_t arm)
{
    const dame_policy_arm_t *a = &policy->arms[arm];
    return a->tried > 0 && !a->failed && (arm == 0 || a->lives);
}

/* Arms that are faster than this one. */
static int faster_than(const dame_policy_t *policy, int32_t arm)
{
    int n = 0;
    for (int32_t a = 0; a < policy->narms; a++) {
        const double ratio = dame_samples_relative(policy, arm, a);
        n += a != arm && may_win(policy, a) && (ratio > 1 || (ratio == 1 && a < arm));
    }
    return n;
}

void dame_arms_halve(dame_policy_t *policy)
{
    int in[DAME_POLICY_ARMS], n = 0;
    for (int32_t a = 0; a < policy->narms; a++) {
        n += policy->arms[a].in;
    }
    for (int32_t a = 0; a < policy->narms; a++) {
        in[a] = may_win(policy, a) && (faster_than(policy, a) < (n + 1) / 2 || a == policy->best ||
                                       dame_samples_relative(policy, a, policy->best) < CLOSE);
    }
    for (int32_t a = 0; a < policy->narms; a++) {
        policy->arms[a].in = (uint8_t) in[a];
    }
    policy->round++;
}

/* Ticks by which a use on an arm is slower than on the best; hopeless arms run only twice. */
static double excess(const dame_policy_t *policy, int32_t arm)
{
    const double ticks = dame_policy_ticks(policy, policy->best);
    double ratio = dame_samples_relative(policy, arm, policy->best);
    if (ratio == 0) {
        const int is_saved = arm == 0 && policy->expect.saved < 1;
        ratio = is_saved ? 1 / (1 - policy->expect.saved) : arm == policy->native ? NATIVE : 1;
    }
    ratio = ratio < DAME_HOPELESS ? ratio : DAME_HOPELESS;
    return ratio > 1 ? ticks * (ratio - 1) : 0;
}

double dame_arms_price_of_samples(const dame_policy_t *policy, int32_t arm, int n)
{
    return n * (policy->expect.sample + policy->expect.more) +
           (n + dame_arms_warming_uses(policy)) * excess(policy, arm);
}

double dame_arms_price(const dame_policy_t *policy, int32_t arm)
{
    const int is_there = arm == 0 || policy->arms[arm].lives;
    return (is_there ? 0 : dame_arms_cost(policy, arm)) +
           dame_arms_price_of_samples(policy, arm, DAME_POLICY_BATCH);
}

int32_t dame_arms_useless(const dame_policy_t *policy)
{
    for (int32_t a = 1; a < policy->narms; a++) {
        if (policy->arms[a].lives && !policy->arms[a].in && a != policy->current &&
            a != policy->fallback && a != policy->native) {
            return a;
        }
    }
    return 0;
}
