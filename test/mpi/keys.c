/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keys and fingerprints of opal-glue/layout_key.c: its arithmetic against a slow one, and
 * datatypes that are made twice, or with one number changed. One rank, without DAME.
 */
#include "opal-glue/import/layout_key.c" /* for its arithmetic */

#include <stdio.h>
#include <stdlib.h>

#include "test/lib/rng.h"

static long passed, failed;

static void check(bool ok, const char *what)
{
    passed += ok;
    failed += !ok;
    if (!ok) {
        fprintf(stderr, "FAILED: %s\n", what);
    }
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* Bit by bit, modulo 2^127 - 1. */
static wide_t slow_times(wide_t a, wide_t b)
{
    wide_t product = 0;
    for (int bit = 127; bit >= 0; bit--) {
        product = (product * 2) % PRIME; /* below 2^128, as product is below the prime */
        if (1 & (int) (b >> bit)) {
            product = (product + a % PRIME) % PRIME;
        }
    }
    return product;
}

static wide_t some_number(rng_t *rng)
{
    static const int shifts[] = {0, 1, 63, 64, 65, 126};
    wide_t number = (wide_t) rng_next(rng) << 64 | rng_next(rng);
    switch (rng_next(rng) % 4) {
    case 0:
        number = ((wide_t) 1 << shifts[rng_next(rng) % 6]) - rng_next(rng) % 2;
        break;
    case 1:
        number = PRIME - rng_next(rng) % 3;
        break;
    default:
        break;
    }
    number &= PRIME;
    return number;
}

static void arithmetic_is_modulo_the_prime(void)
{
    enum { PAIRS = 200000 };
    rng_t rng = rng_seeded(1, 0);
    long products = 0, sums = 0, large = 0;
    for (int i = 0; i < PAIRS; i++) {
        const wide_t a = some_number(&rng), b = some_number(&rng);
        products += slow_times(a, b) == times(a, b) % PRIME;
        sums += (a % PRIME + b % PRIME) % PRIME == plus(a, b) % PRIME;
        large += times(a, b) > PRIME || plus(a, b) > PRIME;
    }
    check(products == PAIRS, "products");
    check(sums == PAIRS, "sums");
    check(large == 0, "results are at most the prime");
}

static void coefficients_are_sums_of_products(void)
{
    enum { CASES = 20000 };
    rng_t rng = rng_seeded(2, 0);
    long right = 0;
    for (int i = 0; i < CASES; i++) {
        uint64_t numbers[BLOCK];
        const int n = 1 + (int) (rng_next(&rng) % BLOCK);
        wide_t sum = 0;
        for (int k = 0; k < n; k++) {
            numbers[k] = 0 == rng_next(&rng) % 3 ? UINT64_MAX : rng_next(&rng);
            sum = (sum + slow_times(numbers[k], (wide_t) at.high[k] << 64 | at.low[k])) % PRIME;
        }
        right += sum == coefficient(numbers, n) % PRIME;
    }
    check(right == CASES, "coefficients");
    for (int k = 0; k < BLOCK; k++) { /* so that no sum overflows */
        check(0 == at.low[k] >> 60 && 0 == at.high[k] >> 59, "factors are small");
    }
}

/* ---- datatypes ------------------------------------------------------------------------------ */

enum { ENTRIES = 100 };

/* The numbers of the calls that make a datatype. */
typedef struct plan {
    int what, n, displacements[ENTRIES], lengths[ENTRIES];
    MPI_Aint addresses[ENTRIES], extent;
    MPI_Datatype basic, other;
} plan_t;

static MPI_Datatype make(const plan_t *p)
{
    MPI_Datatype inner, type, types[ENTRIES];
    MPI_Type_create_hvector(2, 3, p->extent, p->basic, &inner);
    switch (p->what) {
    case 0:
        MPI_Type_create_indexed_block(p->n, p->lengths[0], p->displacements, inner, &type);
        break;
    case 1:
        MPI_Type_indexed(p->n, p->lengths, p->displacements, inner, &type);
        break;
    case 2:
        MPI_Type_create_hindexed(p->n, p->lengths, p->addresses, inner, &type);
        break;
    default:
        for (int i = 0; i < p->n; i++) {
            types[i] = i % 3 ? inner : p->other;
        }
        MPI_Type_create_struct(p->n, p->lengths, p->addresses, types, &type);
        break;
    }
    MPI_Type_free(&inner);
    MPI_Type_commit(&type);
    return type;
}

static dame_layout_key_t key_of(const plan_t *p, dame_tree_t *tree, uint64_t *fingerprint)
{
    MPI_Datatype type = make(p);
    dame_layout_key_t key = {0, 0};
    check(dt_layout_key(tree, (const opal_datatype_t *) type, &key), "there is memory");
    *fingerprint = dt_layout_fingerprint((const opal_datatype_t *) type);
    MPI_Type_free(&type);
    return key;
}

static plan_t draw_plan(rng_t *rng, int what)
{
    plan_t p = {.what = what,
                .n = 2 + (int) (rng_next(rng) % (ENTRIES - 1)),
                .extent = 100,
                .basic = MPI_DOUBLE,
                .other = MPI_INT};
    for (int i = 0; i < ENTRIES; i++) {
        p.displacements[i] = 10 * i + (int) (rng_next(rng) % 5);
        p.lengths[i] = 1 + (int) (rng_next(rng) % 4);
        p.addresses[i] = ((MPI_Aint) 1 << 33) * i - (MPI_Aint) (rng_next(rng) % 1000);
    }
    return p;
}

/* One number of the plan, or one basic type, is another. */
static void change(plan_t *p, rng_t *rng)
{
    const int entry = (int) (rng_next(rng) % (uint64_t) p->n);
    const int by = 1 + (int) (rng_next(rng) % 3);
    switch (rng_next(rng) % 5) {
    case 0:
        p->extent += 8 * by;
        break;
    case 1:
        p->basic = p->basic == MPI_DOUBLE ? MPI_FLOAT : MPI_DOUBLE;
        break;
    case 2:
        p->lengths[p->what == 0 ? 0 : entry] += by;
        break;
    default:
        p->displacements[entry] += by;
        p->addresses[entry] -= (MPI_Aint) by << 40;
        break;
    }
}

static void keys_tell_layouts_apart(dame_tree_t *tree)
{
    enum { CASES = 4000 };
    rng_t rng = rng_seeded(3, 0);
    long same = 0, told = 0, fingerprinted = 0;
    for (int i = 0; i < CASES; i++) {
        uint64_t fingerprints[3];
        plan_t plan = draw_plan(&rng, i % 4);
        const dame_layout_key_t key = key_of(&plan, tree, &fingerprints[0]);
        const dame_layout_key_t again = key_of(&plan, tree, &fingerprints[1]);
        change(&plan, &rng);
        const dame_layout_key_t changed = key_of(&plan, tree, &fingerprints[2]);
        same += dame_layout_key_equals(key, again) && fingerprints[0] == fingerprints[1];
        told += !dame_layout_key_equals(key, changed);
        fingerprinted += fingerprints[0] != fingerprints[2];
    }
    check(same == CASES, "made again, a layout has the key and the fingerprint that it had");
    check(told == CASES, "another number, another key");
    check(fingerprinted > CASES / 4, "and often another fingerprint");
}

/* Two kinds of basic elements of one size, and a predefined struct. */
static void predefined_datatypes_differ(dame_tree_t *tree)
{
    const MPI_Datatype basics[] = {MPI_INT, MPI_FLOAT, MPI_DOUBLE, MPI_DOUBLE_INT};
    dame_layout_key_t keys[4];
    uint64_t fingerprint;
    rng_t rng = rng_seeded(4, 0);
    plan_t plan = draw_plan(&rng, 2);
    for (int i = 0; i < 4; i++) {
        plan.basic = basics[i];
        keys[i] = key_of(&plan, tree, &fingerprint);
        for (int k = 0; k < i; k++) {
            check(!dame_layout_key_equals(keys[i], keys[k]), "of other elements");
        }
    }
}

static void deep_nesting_has_no_key(dame_tree_t *tree)
{
    MPI_Datatype type = MPI_INT, outer;
    dame_layout_key_t key;
    int levels = 0;
    while (type == MPI_INT ||
           (dt_layout_key(tree, (const opal_datatype_t *) type, &key) && levels < 100)) {
        MPI_Type_create_hvector(2, 1, 16, type, &outer);
        if (type != MPI_INT) {
            MPI_Type_free(&type);
        }
        type = outer;
        levels++;
    }
    check(levels > 32 && levels < 100, "a nest that is too deep is refused");
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    dame_tree_t *tree = dame_tree_new();
    dt_layout_key_start();
    arithmetic_is_modulo_the_prime();
    coefficients_are_sums_of_products();
    if (tree != NULL) {
        keys_tell_layouts_apart(tree);
        predefined_datatypes_differ(tree);
        deep_nesting_has_no_key(tree);
    }
    check(tree != NULL, "memory");
    dame_tree_free(tree);
    MPI_Finalize();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
