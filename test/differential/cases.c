/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

#include <stddef.h>

#include "dame/isa.h"
#include "test/lib/random_type.h"

enum {
    SMALL_BYTES = 200,
    MEDIUM_BYTES = 4096,
    LARGE_BYTES = 20 * 1024,
    HUGE_BYTES = 1024 * 1024,
    FAR_APART = 160 * 1024,     /* more than the L1 cache, and room for blocks whole pages apart */
    FARTHER_APART = 640 * 1024, /* .. enough for walks that machine code fetches ahead in */
    WIDEST = 300,               /* bytes of elements that kernels have code for; then memcpy() */
    MAX_REACH = 4 * 1024 * 1024 /* bytes that the elements of one message may spread over */
};

static type_limits_t random_limits(rng_t *rng)
{
    type_limits_t limits = {.max_blocks = 1000, .state_bounds = rng_chance(rng, 50)};
    int kind = (int) rng_range(rng, 0, 999);
    limits.max_bytes = kind < 550   ? SMALL_BYTES
                       : kind < 850 ? MEDIUM_BYTES
                       : kind < 993 ? LARGE_BYTES
                                    : HUGE_BYTES;
    limits.max_blocks = limits.max_bytes == HUGE_BYTES ? 20000 : 1000;
    limits.max_span = limits.max_bytes * rng_range(rng, 1, 8) + 256;
    limits.max_span += rng_chance(rng, 8) ? rng_chance(rng, 30) ? FARTHER_APART : FAR_APART : 0;
    static const int levels[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 4};
    limits.levels = rng_chance(rng, 4) ? (int) rng_range(rng, 5, 24) : levels[rng_range(rng, 0, 9)];
    limits.overlap = rng_chance(rng, 12);
    return limits;
}

/* Enough elements of one width that unrolled loops have a rest, and no other level fits in. */
static signature_t of_width(rng_t *rng, int64_t width, type_limits_t *limits)
{
    const signature_t signature = {1, {width}, rng_range(rng, 4, 60)};
    const int64_t least = 4 * signature_bytes(&signature);
    limits->max_bytes = limits->max_bytes > least ? limits->max_bytes : least;
    limits->max_span = limits->max_span > least ? limits->max_span : least;
    limits->levels = (int) rng_range(rng, 1, 2);
    return signature;
}

/* `count` elements fit the limits of size and reach. */
static bool fits(const dame_type_t *type, int64_t count, int64_t most_bytes)
{
    int64_t step = type->extent < 0 ? -type->extent : type->extent;
    return count <= 1 || (type->size <= most_bytes / count && step <= MAX_REACH / count);
}

static void choose_counts(test_case_t *c, rng_t *rng, int64_t max_bytes)
{
    bool small = c->type->size <= SMALL_BYTES;
    for (int64_t count = 0; count <= 3; count++) {
        int percent = count == 0 ? 8 : count == 1 ? 100 : small ? 40 : 20;
        if (rng_chance(rng, percent) && fits(c->type, count, 2 * max_bytes)) {
            c->counts[c->ncounts++] = count;
        }
    }
    int64_t count = rng_range(rng, 4, small ? 60 : 10);
    if (rng_chance(rng, 50) && fits(c->type, count, 2 * max_bytes)) {
        c->counts[c->ncounts++] = count;
    }
}

/* Another type of the signature, whole or shared out over some elements. */
static dame_status_t choose_partner(test_case_t *c, rng_t *rng, const type_limits_t *limits,
                                    const signature_t *signature, const char **what)
{
    signature_t other = *signature;
    c->pair_count = c->counts[rng_range(rng, 0, c->ncounts - 1)];
    other.reps *= c->pair_count;
    c->partner_count = 1;
    for (int64_t n = 2; n <= 5; n++) {
        if (other.reps % n == 0 && rng_chance(rng, 20)) {
            c->partner_count = n;
        }
    }
    other.reps /= c->partner_count;
    type_limits_t its = *limits;
    int64_t least = 2 * signature_bytes(&other);
    its.max_span = its.max_span > least ? its.max_span : least;
    its.levels = (int) rng_range(rng, 0, 4);
    const dame_type_t *partner = NULL;
    dame_status_t status = random_type(rng, &its, &other, c->tree, &partner, what);
    if (status == DAME_OK && fits(partner, c->partner_count, 4 * limits->max_bytes)) {
        c->partner = partner;
    }
    return status;
}

dame_status_t case_init(test_case_t *c, uint64_t seed, int64_t number, const char *isa,
                        const char **what)
{
    rng_t rng = rng_seeded(seed, (uint64_t) number);
    *c = (test_case_t){.tree = dame_tree_new()};
    *what = "dame_tree_new";
    if (!c->tree) {
        return DAME_ERR_NOMEM;
    }
    /* Drawn even when forced, so that the rest of the case does not depend on it. */
    int64_t nisas = 0;
    while (dame_isa_names()[nisas]) {
        nisas++;
    }
    const char *drawn = dame_isa_names()[rng_next(&rng) % (uint64_t) nisas];
    c->isa = isa ? isa : drawn;
    c->check_seed = rng_next(&rng);
    c->absolute = rng_chance(&rng, 15);
    type_limits_t limits = random_limits(&rng);
    c->overlap = limits.overlap;
    signature_t signature = number % 4 == 0 ? of_width(&rng, 1 + number / 4 % WIDEST, &limits)
                                            : random_signature(&rng, &limits);
    dame_status_t status = random_type(&rng, &limits, &signature, c->tree, &c->type, what);
    if (status == DAME_OK) {
        choose_counts(c, &rng, limits.max_bytes);
        if (rng_chance(&rng, 30)) {
            status = choose_partner(c, &rng, &limits, &signature, what);
        }
    }
    return status;
}

void case_fini(test_case_t *c)
{
    dame_tree_free(c->tree);
}
