/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples.h"

/* Batches that a mean remembers: few, since arms that take turns are compared, and the machine may
 * have been slower or faster before. */
enum { LONGEST_MEAN = 8 };

static const double UNLIKE = 3; /* times a mean: a batch that was disturbed */

int dame_samples_class(dame_policy_t *policy, uint32_t key)
{
    int rarest = 0;
    for (int c = 0; c < DAME_POLICY_CLASSES; c++) {
        if (policy->weight[c] > 0 && policy->key[c] == key) {
            policy->weight[c]++;
            return c;
        }
        rarest = policy->weight[c] < policy->weight[rarest] ? c : rarest;
    }
    policy->key[rarest] = key;
    policy->weight[rarest] = 1;
    for (int a = 0; a < policy->narms; a++) {
        policy->arms[a].batches[rarest] = 0;
    }
    for (int i = 0; i < policy->nbatch; i++) {
        if (policy->batch_class[i] == rarest) {
            policy->batch_class[i] = DAME_POLICY_CLASSES; /* of a class that is no more */
        }
    }
    return rarest;
}

double dame_samples_mean(float *ticks, int n)
{
    const int half = (n + 1) / 2;
    double sum = 0;
    for (int i = 0; i < half; i++) {
        for (int j = i + 1; j < n; j++) {
            if (ticks[j] < ticks[i]) {
                const float swap = ticks[j];
                ticks[j] = ticks[i];
                ticks[i] = swap;
            }
        }
        sum += (double) ticks[i];
    }
    return sum / half;
}

/* A batch that differs from the mean by more than UNLIKE was disturbed, or the mean was. */
static void add_to_mean(dame_policy_arm_t *arm, int class, double ticks)
{
    const int n = arm->batches[class];
    const double mean = n > 0 ? (double) arm->mean[class] : 0;
    if (n == 0 || ticks < mean / UNLIKE) {
        arm->mean[class] = (float) ticks;
        arm->batches[class] = 1;
    } else if (ticks < mean * UNLIKE) {
        const int parts = n < LONGEST_MEAN ? n + 1 : n;
        arm->mean[class] = (float) (mean + (ticks - mean) / parts);
        arm->batches[class] = (uint8_t) parts;
    }
}

int dame_samples_of(const dame_policy_t *policy, int class, float *ticks)
{
    int n = 0;
    for (int i = 0; i < policy->nbatch; i++) {
        if (policy->batch_class[i] == class) {
            ticks[n++] = policy->batch_ticks[i];
        }
    }
    return n;
}

void dame_samples_fold(dame_policy_t *policy, int32_t arm)
{
    for (int c = 0; c < DAME_POLICY_CLASSES; c++) {
        float ticks[DAME_POLICY_BATCH];
        const int n = dame_samples_of(policy, c, ticks);
        if (n > 0) {
            add_to_mean(&policy->arms[arm], c, dame_samples_mean(ticks, n));
        }
    }
    policy->nbatch = 0;
}

double dame_samples_relative(const dame_policy_t *policy, int32_t a, int32_t b)
{
    const dame_policy_arm_t *x = &policy->arms[a], *y = &policy->arms[b];
    double sum_x = 0, sum_y = 0;
    int common = 0;
    for (int c = 0; c < DAME_POLICY_CLASSES; c++) {
        const float weight = policy->weight[c];
        if (x->batches[c] > 0 || y->batches[c] > 0) {
            sum_x += (double) (weight * (x->batches[c] > 0 ? x : y)->mean[c]);
            sum_y += (double) (weight * (y->batches[c] > 0 ? y : x)->mean[c]);
            common |= x->batches[c] > 0 && y->batches[c] > 0;
        }
    }
    return common ? sum_x / sum_y : 0;
}

double dame_policy_ticks(const dame_policy_t *policy, int32_t arm)
{
    double sum = 0, weight = 0;
    for (int c = 0; c < DAME_POLICY_CLASSES; c++) {
        if (policy->arms[arm].batches[c] > 0) {
            sum += (double) (policy->weight[c] * policy->arms[arm].mean[c]);
            weight += (double) policy->weight[c];
        }
    }
    return weight > 0 ? sum / weight : 0;
}
