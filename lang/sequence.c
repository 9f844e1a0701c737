/* SPDX-License-Identifier: BSD-3-Clause */
#include "sequence.h"

#include <stddef.h>

static int same_block(const dame_sequence_t *s, int64_t i, int64_t k)
{
    return (s->lengths == NULL || s->lengths[i] == s->lengths[k]) &&
           (s->children == NULL || dame_node_equal(s->children[i], s->children[k]));
}

int64_t dame_sequence_run(const dame_sequence_t *s)
{
    const int64_t step = s->n > 1 ? s->disps[1] : 0;
    int64_t i = 1;
    while (i < s->n && s->disps[i] == s->disps[i - 1] + step && same_block(s, 0, i)) {
        i++;
    }
    return i;
}

/* Returns whether block k is the same as its counterpart in the first group of p blocks. */
static int sequence_fits(const dame_sequence_t *s, int64_t p, int64_t k)
{
    return s->disps[k] - s->disps[k - k % p] == s->disps[k % p] && same_block(s, k % p, k);
}

/* Returns whether the sequence is groups of p blocks, all like the first. *odd is a block that is
 * likely not to be, looked at first: the one at which the last period failed. */
static int is_period(const dame_sequence_t *s, int64_t p, int64_t *odd)
{
    if (!sequence_fits(s, p, *odd)) {
        return 0;
    }
    for (int64_t group = p; group < s->n; group += p) {
        for (int64_t i = 1; i < p; i++) {
            if (s->disps[group + i] - s->disps[group] != s->disps[i]) {
                *odd = group + i;
                return 0;
            }
        }
        for (int64_t i = 0; i < p; i++) {
            if (!same_block(s, i, group + i)) {
                *odd = group + i;
                return 0;
            }
        }
    }
    return 1;
}

int64_t dame_sequence_period(const dame_sequence_t *s)
{
    const int64_t run = dame_sequence_run(s);
    if (run == s->n) {
        return 0;
    }
    int64_t best = 0;
    int64_t odd = 0;
    for (int64_t d = 1; d <= s->n / d; d++) { /* both divisors, d and n / d */
        if (s->n % d != 0) {
            continue;
        }
        if (d > 1 && d >= run && is_period(s, d, &odd)) {
            best = d;
            break;
        }
        int64_t p = s->n / d;
        if (d > 1 && p >= run && is_period(s, p, &odd)) {
            best = p; /* the least of the large ones comes last */
        }
    }
    return best;
}
