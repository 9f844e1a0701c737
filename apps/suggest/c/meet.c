/* SPDX-License-Identifier: BSD-3-Clause */
/* Do two parts of one array have bytes in common? Both are listed, with small numbers in the place
 * of all sizes; what meets for most numbers is taken to meet. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 9,
    TRIED = 200,
    FURTHER = 15,
    MOST_BLOCKS = 20000,
    LEAST_SIZE = 4,
    SIZES = 7,
    LATEST_ITERATION = 40,
    ROWS = 1000003,
    ROW = 1 << 24
};

typedef struct block {
    int64_t begin, end;
} block_t;

typedef struct sample {
    run_t *run;
    unsigned seed;
    int64_t *iteration; /* of loops, by their atoms; -1: not one of the loops around */
    poly_values_t values;
    block_t *blocks;
    size_t n;
    bool failed;
} sample_t;

static unsigned mix(unsigned seed, int64_t value)
{
    uint64_t all = seed * 0x9e3779b97f4a7c15u + (uint64_t) value + 0x7f4a7c15u;

    all = (all ^ (all >> 30)) * 0xbf58476d1ce4e5b9u;
    all = (all ^ (all >> 27)) * 0x94d049bb133111ebu;
    return (unsigned) (all >> 33);
}

static int64_t value_of(void *data, poly_atom_t atom)
{
    sample_t *sample = data;
    const run_atom_t *known = &sample->run->atoms[atom];
    int64_t a, b;

    if (sample->iteration[atom] >= 0) {
        return sample->iteration[atom];
    }
    if (known->kind == RUN_ATOM_OPERATION &&
        poly_value(sample->run->space, known->operand[0], &sample->values, &a) &&
        poly_value(sample->run->space, known->operand[1], &sample->values, &b) && b != 0) {
        return known->operation[2] == '/' ? a / b : a % b;
    }
    if (known->kind == RUN_ATOM_SOMEWHERE) {
        sample->failed = true;
    }
    return LEAST_SIZE + mix(sample->seed, atom) % SIZES + (mix(sample->seed, ~atom) % 2) * FURTHER;
}

static int64_t entry_of(void *data, poly_atom_t atom, int count, const int64_t *subscripts)
{
    sample_t *sample = data;
    const char *text = poly_atom_text(sample->run->space, atom);
    unsigned hash = sample->seed;
    int i;

    for (; *text; text++) {
        hash = mix(hash, *text);
    }
    for (i = 0; i < count; i++) {
        hash = mix(hash, subscripts[i]);
    }
    if (sample->run->atoms[atom].type && sample->run->atoms[atom].type->kind == C_TYPE_POINTER) {
        return (int64_t) (hash % ROWS) * ROW; /* rows are apart */
    }
    return LEAST_SIZE + hash % (3 * SIZES);
}

/* Numbers with which most loops of the function run at least once. */
static void choose_seeds(run_t *run, sample_t *sample)
{
    unsigned best[SAMPLES] = {0}, seed;
    int scores[SAMPLES], i, j;

    for (i = 0; i < SAMPLES; i++) {
        scores[i] = -1;
    }
    for (seed = 1; seed <= TRIED; seed++) {
        int score = 0, at = SAMPLES;
        int64_t trip;

        sample->seed = mix(7, seed);
        for (i = 0; i < run->n_loops; i++) {
            score += !poly_depends_on_loops(run->space, run->loops[i].trip) &&
                     poly_value(run->space, run->loops[i].trip, &sample->values, &trip) && trip > 0;
        }
        while (at > 0 && score > scores[at - 1]) {
            at--;
        }
        for (j = SAMPLES - 1; j > at; j--) {
            best[j] = best[j - 1];
            scores[j] = scores[j - 1];
        }
        if (at < SAMPLES) {
            best[at] = sample->seed;
            scores[at] = score;
        }
    }
    memcpy(run->seeds, best, sizeof best);
}

static void add_block(sample_t *sample, const run_extent_t *extent)
{
    int64_t offset, size;

    if (sample->n == MOST_BLOCKS ||
        !poly_value(sample->run->space, extent->offset, &sample->values, &offset) ||
        !poly_value(sample->run->space, extent->size, &sample->values, &size)) {
        sample->failed = true;
    } else if (size > 0) {
        sample->blocks[sample->n++] = (block_t){offset, offset + size};
    }
}

/* Runs the loops in CHAIN, outermost last. */
static void run_loops(sample_t *sample, const run_extent_t *extent, const int *chain, int n)
{
    const run_loop_t *loop;
    int64_t trip, i;

    if (n == 0) {
        add_block(sample, extent);
        return;
    }
    loop = &sample->run->loops[chain[n - 1]];
    if (!poly_value(sample->run->space, loop->trip, &sample->values, &trip)) {
        sample->failed = true;
    }
    trip = trip < LATEST_ITERATION ? trip : LATEST_ITERATION;
    for (i = 0; i < trip && !sample->failed; i++) {
        if (loop->atom >= 0) {
            sample->iteration[loop->atom] = i;
        }
        run_loops(sample, extent, chain, n - 1);
    }
    if (loop->atom >= 0) {
        sample->iteration[loop->atom] = -1;
    }
}

static void list(sample_t *sample, const run_extent_t *extent)
{
    int chain[24], n = 0, loop;

    for (loop = extent->loop; loop >= 0 && n < 24; loop = sample->run->loops[loop].parent) {
        chain[n++] = loop;
    }
    run_loops(sample, extent, chain, n);
}

static int by_begin(const void *one, const void *two)
{
    const block_t *a = one, *b = two;

    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static bool blocks_meet(block_t *a, size_t n, block_t *b, size_t m)
{
    size_t i = 0, j = 0;

    qsort(a, n, sizeof *a, by_begin);
    qsort(b, m, sizeof *b, by_begin);
    while (i < n && j < m) {
        if (a[i].end <= b[j].begin) {
            i++;
        } else if (b[j].end <= a[i].begin) {
            j++;
        } else {
            return true;
        }
    }
    return false;
}

bool run_meet(run_t *run, const run_extent_t *a, const run_extent_t *b)
{
    sample_t sample = {.run = run};
    int met = 0, tried = 0, i;
    size_t n;

    if (!a->offset || !a->size || !b->offset || !b->size || a->irregular || b->irregular) {
        return true;
    }
    if (a->loop == b->loop && poly_equal(a->offset, b->offset)) {
        return true;
    }
    sample.blocks = malloc(2 * (MOST_BLOCKS + 1) * sizeof *sample.blocks);
    sample.iteration = malloc(((size_t) run->n_atoms + 1) * sizeof *sample.iteration);
    if (!sample.blocks || !sample.iteration) {
        free(sample.blocks);
        free(sample.iteration);
        return true;
    }
    memset(sample.iteration, 0xff, ((size_t) run->n_atoms + 1) * sizeof *sample.iteration);
    sample.values = (poly_values_t){value_of, entry_of, &sample};
    if (!run->seeds && (run->seeds = calloc(SAMPLES, sizeof *run->seeds)) != NULL) {
        choose_seeds(run, &sample);
        sample.failed = false;
    }
    for (i = 0; i < SAMPLES && run->seeds && !sample.failed; i++) {
        sample.seed = run->seeds[i];
        sample.n = 0;
        list(&sample, a);
        n = sample.n;
        list(&sample, b);
        if (!sample.failed && n > 0 && sample.n > n) {
            tried++;
            met += blocks_meet(sample.blocks, n, sample.blocks + n, sample.n - n);
        }
    }
    free(sample.blocks);
    free(sample.iteration);
    return sample.failed || !run->seeds || tried == 0 || 2 * met > tried;
}
