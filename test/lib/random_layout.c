/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_layout.h"

footprint_t footprint(const dame_type_t *child, int64_t blklen)
{
    int64_t reach = blklen > 0 ? (blklen - 1) * child->extent : 0;
    return (footprint_t){child->true_lb + (reach < 0 ? reach : 0),
                         child->true_ub - child->true_lb + (reach < 0 ? -reach : reach)};
}

int64_t random_divisor(rng_t *rng, int64_t n)
{
    if (n <= 1 || rng_chance(rng, 12)) {
        return 1;
    }
    if (rng_chance(rng, 20)) {
        return n;
    }
    int64_t divisor = 1;
    int64_t rest = n;
    for (int64_t p = 2; p * p <= rest; p++) {
        while (rest % p == 0) {
            rest /= p;
            divisor *= rng_chance(rng, 50) ? p : 1;
        }
    }
    return divisor * (rest > 1 && rng_chance(rng, 50) ? rest : 1);
}

static void shuffle(rng_t *rng, int64_t *a, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = rng_range(rng, 0, i);
        int64_t t = a[i];
        a[i] = a[k];
        a[k] = t;
    }
}

/* The order of blocks in memory: order[r] is the block on place r. */
static void random_order(rng_t *rng, int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
    }
    switch (rng_range(rng, 0, 6)) {
    case 0: /* decreasing */
        for (int64_t i = 0; i < n; i++) {
            order[i] = n - 1 - i;
        }
        break;
    case 1:
        shuffle(rng, order, n);
        break;
    case 2: /* neighbours swapped here and there */
        for (int64_t i = 0; i + 1 < n; i += rng_range(rng, 2, 5)) {
            order[i] = i + 1;
            order[i + 1] = i;
        }
        break;
    case 3: /* rotated */
        if (n > 0) {
            int64_t by = rng_range(rng, 0, n - 1);
            for (int64_t i = 0; i < n; i++) {
                order[i] = (i + by) % n;
            }
        }
        break;
    default: /* increasing */
        break;
    }
}

static int64_t random_start(rng_t *rng)
{
    switch (rng_range(rng, 0, 19)) {
    case 0:
        return (int64_t) 1 << 33;
    case 1:
        return -((int64_t) 1 << 33);
    case 2:
    case 3:
        return -rng_range(rng, 0, 1000);
    case 4:
    case 5:
    case 6:
    case 7:
        return rng_range(rng, 0, 1000);
    default:
        return 0;
    }
}

/* A gap between blocks, drawn from one of several habits; at most `most`. */
static int64_t random_gap(rng_t *rng, int habit, int64_t constant, int64_t unit, int64_t most)
{
    int64_t gap = 0;
    switch (habit) {
    case 0: /* adjacent: everything merges */
        break;
    case 1: /* equal steps when the blocks are equal */
        gap = constant;
        break;
    case 2: /* runs that merge, then a hole */
        gap = rng_chance(rng, 65) ? 0 : rng_range(rng, 1, 24);
        break;
    case 3: /* whole units */
        gap = unit * rng_range(rng, 0, 3);
        break;
    case 4: /* steps that change once in a while */
        gap = rng_chance(rng, 90) ? constant : constant + unit;
        break;
    default:
        gap = rng_range(rng, 0, most < 64 || rng_chance(rng, 50) ? most : 64);
        break;
    }
    return gap <= most ? gap : most;
}

void random_places(rng_t *rng, bool overlap, int64_t n, const footprint_t *feet, int64_t budget,
                   int64_t *order, int64_t *disps)
{
    random_order(rng, order, n);
    int64_t used = 0;
    int64_t unit = 1;
    for (int64_t i = 0; i < n; i++) {
        used += feet[i].width;
        unit = feet[i].width > 0 && (unit == 1 || feet[i].width < unit) ? feet[i].width : unit;
    }
    int64_t most = n > 0 && budget > used ? (budget - used) / n : 0;
    int habit = (int) rng_range(rng, 0, 5);
    int64_t constant = rng_range(rng, 0, most < 40 || rng_chance(rng, 20) ? most : 40);
    bool repeat = overlap && rng_chance(rng, 30);
    int64_t position = random_start(rng);
    for (int64_t r = 0; r < n; r++) {
        int64_t i = order[r];
        if (repeat && r > 0 && rng_chance(rng, 40)) {
            int64_t k = order[rng_range(rng, 0, r - 1)];
            disps[i] = disps[k] + feet[k].low - feet[i].low + rng_range(rng, -3, 3);
            continue;
        }
        disps[i] = position - feet[i].low;
        position += feet[i].width + random_gap(rng, habit, constant, unit, most);
    }
}

int64_t random_empty_place(rng_t *rng)
{
    return rng_chance(rng, 20) ? (int64_t) 1 << 40 : rng_range(rng, -5000, 5000);
}

void random_lengths(rng_t *rng, int64_t total, int64_t n, int64_t *lengths)
{
    int habit = (int) rng_range(rng, 0, 3);
    int64_t rest = total - n;
    for (int64_t i = 0; i < n; i++) {
        int64_t even = rest / (n - i);
        int64_t extra = habit == 0   ? even
                        : habit == 1 ? rng_range(rng, 0, 2 * even)
                        : habit == 2 ? (rng_chance(rng, 80) ? 0 : rng_range(rng, 0, rest))
                                     : rng_range(rng, 0, even + 3);
        extra = i == n - 1 ? rest : extra > rest ? rest : extra;
        lengths[i] = 1 + extra;
        rest -= extra;
    }
}
