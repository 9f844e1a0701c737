/* Polynomials against their values: arithmetic of polynomials is arithmetic of numbers. */
#include <stdio.h>
#include <string.h>

#include "suggest/poly.h"
#include "suggest_test.h"
#include "test/lib/rng.h"

enum { NAMES = 4 };

typedef struct point {
    int64_t values[64];
} point_t;

static int64_t below(rng_t *rng, int64_t n)
{
    return rng_range(rng, 0, n - 1);
}

static int64_t value_of(void *data, poly_atom_t atom)
{
    return ((point_t *) data)->values[atom];
}

static int64_t entry_of(void *data, poly_atom_t atom, int count, const int64_t *subscripts)
{
    (void) data;
    (void) atom;
    return count + 3 * subscripts[0];
}

static int64_t at(const poly_space_t *space, const poly_t *a, point_t *point)
{
    poly_values_t values = {value_of, entry_of, point};
    int64_t out = 0;
    check(poly_value(space, a, &values, &out), "a value does not fit");
    return out;
}

static const poly_t *random_poly(poly_space_t *space, rng_t *rng)
{
    const poly_t *out = poly_constant(space, below(rng, 9) - 4);
    for (int64_t terms = below(rng, 4); terms > 0; terms--) {
        const poly_t *term = poly_constant(space, below(rng, 7) - 3);
        for (int64_t degree = 1 + below(rng, 2); degree > 0; degree--) {
            char name[2] = {(char) ('a' + below(rng, NAMES)), '\0'};
            term = poly_multiply(space, term, poly_variable(space, poly_name(space, name, 1)));
        }
        out = poly_add(space, out, term);
    }
    return out;
}

static void try_algebra(rng_t *rng)
{
    poly_space_t *space = poly_space_new();
    for (char name = 'a'; name < 'a' + NAMES; name++) {
        (void) poly_name(space, &name, 1);
    }
    const poly_t *p = random_poly(space, rng), *q = random_poly(space, rng);
    const poly_t *sum = poly_add(space, p, q), *product = poly_multiply(space, p, q);
    const poly_t *entry = poly_variable(space, poly_entry(space, "list", 4, 1, &p));
    point_t point;
    for (int i = 0; i < 64; i++) {
        point.values[i] = below(rng, 11) - 5;
    }
    int64_t x = at(space, p, &point), y = at(space, q, &point);
    check(at(space, sum, &point) == x + y, "sum");
    check(at(space, product, &point) == x * y, "product");
    check(at(space, poly_subtract(space, p, q), &point) == x - y, "difference");
    check(at(space, entry, &point) == 1 + 3 * x, "entry");
    if (!poly_is_zero(q)) {
        const poly_t *back = poly_divide(space, product, q);
        check(back != NULL && poly_equal(back, p), "(p * q) / q is not p");
        const poly_t *more = poly_add(space, product, poly_constant(space, 1));
        int64_t number;
        bool unit = poly_is_constant(q, &number) && (number == 1 || number == -1);
        check(unit == (poly_divide(space, more, q) != NULL), "(p * q + 1) / q");
    }
    const poly_t *by = poly_substitute(space, entry, 0, q);
    point_t other = point;
    other.values[0] = y;
    check(at(space, by, &point) == at(space, entry, &other), "substitution");
    if (poly_at_least(space, p, 2)) {
        for (int i = 0; i < NAMES; i++) {
            point.values[i] = 1 + below(rng, 5);
        }
        check(at(space, p, &point) >= 2, "at least 2, but it is %d", (int) at(space, p, &point));
    }
    check(poly_error(space) == POLY_OK, "an error");
    poly_space_free(space);
}

static void try_text(const char *sums, const char *wanted, int64_t factor)
{
    poly_space_t *space = poly_space_new();
    const poly_t *product = poly_constant(space, factor);
    for (const char *name = sums; *name != '\0'; name++) {
        const poly_t *sum = poly_add(space, poly_variable(space, poly_name(space, name, 1)),
                                     poly_constant(space, 4));
        poly_note(space, sum);
        product = poly_multiply(space, product, sum);
    }
    const char *got = poly_string(space, product, POLY_AINT, false);
    check(strcmp(got, wanted) == 0, "wanted %s, got %s", wanted, got);
    poly_space_free(space);
}

static void try_limits(void)
{
    poly_space_t *space = poly_space_new();
    const poly_t *large = poly_constant(space, INT64_MAX);
    check(poly_is_zero(poly_subtract(space, large, large)) && poly_error(space) == POLY_OK,
          "0 is in range");
    poly_add(space, large, poly_constant(space, 1));
    check(poly_error(space) == POLY_OVERFLOW, "2^63 is out of range");
    poly_space_free(space);
    space = poly_space_new();
    const poly_t *power = poly_variable(space, poly_name(space, "x", 1));
    for (int i = 0; i < 5; i++) {
        power = poly_multiply(space, power, power);
    }
    check(poly_error(space) == POLY_LIMIT, "x^32 is beyond the limit");
    poly_space_free(space);
    space = poly_space_new();
    const poly_t *entry = poly_constant(space, 1);
    for (int i = 0; i < POLY_ENTRIES; i++) {
        entry = poly_variable(space, poly_entry(space, "a", 1, 1, &entry));
    }
    check(poly_error(space) == POLY_OK, "entries nest %d deep", POLY_ENTRIES);
    poly_entry(space, "a", 1, 1, &entry);
    check(poly_error(space) == POLY_LIMIT, "and no deeper");
    poly_space_free(space);
}

void poly_run(int count, unsigned long seed)
{
    rng_t rng = rng_seeded(seed, 7);
    for (int i = 0; i < count; i++) {
        try_algebra(&rng);
    }
    try_text("xy", "(MPI_Aint) 40*(x+4)*(y+4)", 40);
    try_text("xx", "(MPI_Aint) (x+4)*(x+4)", 1);
    try_text("x", "x+4", 1);
    try_text("", "-8", -8);
    try_limits();
}
