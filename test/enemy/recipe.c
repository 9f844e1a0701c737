/* SPDX-License-Identifier: BSD-3-Clause */
#include "recipe.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/lib/oracle.h"

typedef struct maker {
    rng_t *rng;
    const program_t *program;
    int64_t *words, nwords, room;
    MPI_Datatype *made;
    const dame_type_t **nodes; /* the owner of the datatype of record i; NULL: a part of another
                                  one */
    int64_t nrecords, records_room;
    bool refused; /* MPI made no datatype of a record */
} maker_t;

static void word(maker_t *m, int64_t w)
{
    if (m->nwords == m->room) {
        m->room = 2 * m->room + 64;
        m->words = must(realloc(m->words, (size_t) m->room * sizeof *m->words));
    }
    m->words[m->nwords++] = w;
}

static void words(maker_t *m, const int64_t *w, int64_t n, int64_t unit)
{
    for (int64_t i = 0; i < n; i++) {
        word(m, w[i] / unit);
    }
}

static int64_t begin(maker_t *m, enum combiner combiner)
{
    word(m, combiner);
    word(m, 0);
    return m->nwords;
}

/* The record that began at `at` is complete; its number. */
static int64_t end(maker_t *m, int64_t at)
{
    m->words[at - 1] = m->nwords - at;
    if (m->nrecords == m->records_room) {
        m->records_room = 2 * m->records_room + 16;
        m->made = must(realloc(m->made, (size_t) m->records_room * sizeof *m->made));
        m->nodes = must(realloc(m->nodes, (size_t) m->records_room * sizeof *m->nodes));
    }
    m->made[m->nrecords] = type_of_record(m->words + at - 2, m->made);
    if (m->made[m->nrecords] == MPI_DATATYPE_NULL && !m->refused) {
        fprintf(stderr, "enemy: MPI makes no datatype of a record of combiner %d\n",
                (int) m->words[at - 2]);
        m->refused = true;
    }
    m->nodes[m->nrecords] = NULL;
    return m->nrecords++;
}

static int64_t record(maker_t *m, enum combiner combiner, int64_t n, const int64_t *arguments)
{
    const int64_t at = begin(m, combiner);
    words(m, arguments, n, 1);
    return end(m, at);
}

#define RECORD(m, combiner, ...)                                                                   \
    record(m, combiner, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                        \
           (int64_t[]){__VA_ARGS__})

/* All of them are multiples of the unit, and as multiples fit an int. */
static bool in_units(const int64_t *values, int64_t n, int64_t unit)
{
    for (int64_t i = 0; i < n; i++) {
        if (unit == 0 || values[i] % unit != 0 || values[i] / unit > INT_MAX ||
            values[i] / unit < INT_MIN) {
            return false;
        }
    }
    return true;
}

static int64_t make(maker_t *m, const dame_type_t *type);

static int64_t make_basic(maker_t *m, const dame_type_t *type)
{
    for (int i = 0; i < m->program->nbasics; i++) {
        if (basic_size(m->program->basics[i]) == type->size) {
            return RECORD(m, BASIC, m->program->basics[i]);
        }
    }
    const int64_t basic = RECORD(m, BASIC, m->program->basics[0]);
    return RECORD(m, CONTIGUOUS, basic, 0);
}

/* In Open MPI 4.1.4, MPI_Type_create_darray refuses datatypes without data. */
static bool may_be_darray(const dame_type_t *t)
{
    return t->child->size > 0;
}

static int64_t make_contig(maker_t *m, const dame_type_t *t)
{
    const int64_t child = make(m, t->child), n = t->count;
    switch (n > 0 ? rng_range(m->rng, 0, 7) : 7) {
    case 0:
        return RECORD(m, VECTOR, child, n, 1, 1);
    case 1:
        return RECORD(m, SUBARRAY, child, 1, rng_range(m->rng, 0, 1), n, n, 0);
    case 2:
        if (may_be_darray(t)) {
            return RECORD(m, DARRAY, child, 1, 0, n, rng_range(m->rng, 1, n));
        }
        /* fall through */
    default:
        return RECORD(m, CONTIGUOUS, child, n);
    }
}

/* Blocks as a list: of bytes or elements, with or without their lengths. */
static int64_t make_list(maker_t *m, const dame_type_t *t, int64_t child)
{
    const bool lengths = t->kind == DAME_INDEX || rng_chance(m->rng, 25);
    const bool elements = in_units(t->disps, t->count, t->child->extent) && rng_chance(m->rng, 70);
    const int64_t at = begin(m, lengths ? (elements ? INDEXED : HINDEXED)
                                        : (elements ? INDEXED_BLOCK : HINDEXED_BLOCK));
    word(m, child);
    word(m, t->count);
    for (int64_t i = 0; i < (lengths ? t->count : 1); i++) {
        word(m, t->kind == DAME_INDEX ? t->blklens[i] : t->blklen);
    }
    words(m, t->disps, t->count, elements ? t->child->extent : 1);
    return end(m, at);
}

/* The same as members of a structure. */
static int64_t make_members(maker_t *m, const dame_type_t *t)
{
    const int64_t n = oracle_blocks(t);
    int64_t *children = must(malloc(((size_t) n + 1) * sizeof *children));
    for (int64_t i = 0; i < n; i++) {
        children[i] = make(m, oracle_block(t, i).child);
    }
    const int64_t at = begin(m, STRUCT);
    word(m, n);
    for (int64_t i = 0; i < n; i++) {
        word(m, oracle_block(t, i).length);
    }
    for (int64_t i = 0; i < n; i++) {
        word(m, oracle_block(t, i).displacement);
    }
    words(m, children, n, 1);
    free(children);
    return end(m, at);
}

/* A vector as a list. */
static int64_t make_steps(maker_t *m, const dame_type_t *t, int64_t child)
{
    const int64_t at = begin(m, HINDEXED_BLOCK);
    word(m, child);
    word(m, t->count);
    word(m, t->blklen);
    for (int64_t i = 0; i < t->count; i++) {
        word(m, i * t->stride);
    }
    return end(m, at);
}

/* Open MPI packs other bytes of vectors with blocks that adjoin, or overlap, backwards:
 * test/mpi/edge.c. */
static int64_t make_vector(maker_t *m, const dame_type_t *t)
{
    const int64_t child = make(m, t->child), n = t->count, blklen = t->blklen,
                  extent = t->child->extent;
    if (t->stride < 0 &&
        -t->stride <= blklen * (t->child->true_ub - t->child->true_lb + labs(extent))) {
        return make_steps(m, t, child);
    }
    const bool elements = in_units(&t->stride, 1, extent);
    const int64_t step = elements ? t->stride / extent : 0;
    if (step >= blklen && extent > 0 && n > 0 && blklen > 0 && n * step <= INT_MAX &&
        rng_chance(m->rng, 40)) {
        if (step % blklen == 0 && may_be_darray(t) && rng_chance(m->rng, 50)) {
            return RECORD(m, DARRAY, child, step / blklen, 0, n * step, blklen);
        }
        return rng_chance(m->rng, 50) ? RECORD(m, SUBARRAY, child, 2, 0, n, step, n, blklen, 0, 0)
                                      : RECORD(m, SUBARRAY, child, 2, 1, step, n, blklen, n, 0, 0);
    }
    if (n <= 30 && rng_chance(m->rng, 10)) {
        return make_members(m, t);
    }
    return elements && rng_chance(m->rng, 70) ? RECORD(m, VECTOR, child, n, blklen, step)
                                              : RECORD(m, HVECTOR, child, n, blklen, t->stride);
}

static int64_t make_blocks(maker_t *m, const dame_type_t *t)
{
    const int64_t child = make(m, t->child), extent = t->child->extent;
    if (t->kind == DAME_BLOCKINDEX && t->count == 1 && t->blklen > 0 && extent > 0 &&
        t->disps[0] >= 0 && in_units(t->disps, 1, extent) &&
        t->disps[0] / extent + t->blklen <= INT_MAX) {
        const int64_t first = t->disps[0] / extent;
        return RECORD(m, SUBARRAY, child, 1, 0, first + t->blklen, t->blklen, first);
    }
    return t->count <= 30 && rng_chance(m->rng, 10) ? make_members(m, t) : make_list(m, t, child);
}

static int64_t make_any(maker_t *m, const dame_type_t *t)
{
    switch (t->kind) {
    case DAME_BASIC:
        return make_basic(m, t);
    case DAME_CONTIG:
        return make_contig(m, t);
    case DAME_VECTOR:
        return make_vector(m, t);
    case DAME_STRUCT:
        return make_members(m, t);
    case DAME_RESIZED: {
        const int64_t child = make(m, t->child);
        return RECORD(m, RESIZED, child, t->lb, t->extent);
    }
    default:
        return make_blocks(m, t);
    }
}

/* Of such members, Open MPI 4.1.4 takes the bounds and not the gaps that they make
 * (test/enemy/README.md). */
static bool has_empty_member(const dame_type_t *t)
{
    for (int64_t i = 0; t->kind == DAME_STRUCT && i < t->count; i++) {
        if (oracle_block(t, i).child->size == 0) {
            return true;
        }
    }
    return false;
}

/* The number of the record of a node. Bounds that MPI says otherwise (alignment, arrays) are
 * stated. */
static int64_t make(maker_t *m, const dame_type_t *type)
{
    MPI_Aint lb, extent;
    int64_t want_lb, want_extent;
    for (int64_t i = 0; i < m->nrecords; i++) {
        if (m->nodes[i] == type) {
            return i;
        }
    }
    int64_t made = make_any(m, type);
    oracle_bounds(type, &want_lb, &want_extent);
    MPI_Type_get_extent(m->made[made], &lb, &extent);
    if (lb != want_lb || extent != want_extent || has_empty_member(type)) {
        made = RECORD(m, RESIZED, made, want_lb, want_extent);
    }
    if (rng_chance(m->rng, 8)) {
        made = RECORD(m, DUP, made);
    }
    m->nodes[made] = type;
    return made;
}

static void runs_of(const oracle_t *o, shape_t *shape)
{
    int64_t *runs = must(malloc((size_t) (2 * o->size + 2) * sizeof *runs)), n = 0;
    for (int64_t i = 0; i < o->size; i++) {
        if (i > 0 && o->offsets[i] == o->offsets[i - 1] + 1) {
            runs[2 * n - 1]++;
        } else {
            runs[2 * n] = o->offsets[i];
            runs[2 * n++ + 1] = 1;
        }
    }
    shape->runs = must(realloc(runs, (size_t) (2 * n + 2) * sizeof *runs));
    shape->nruns = n;
}

bool make_recipe(rng_t *rng, const dame_type_t *type, const program_t *program, shape_t *shape)
{
    maker_t m = {.rng = rng, .program = program};
    oracle_t oracle;
    if (!oracle_init(&oracle, type)) {
        return false;
    }
    make(&m, type);
    *shape = (shape_t){.recipe = m.words,
                       .nrecipe = m.nwords,
                       .size = oracle.size,
                       .lb = oracle.lb,
                       .extent = oracle.extent,
                       .true_lb = oracle.true_lb,
                       .true_ub = oracle.true_ub};
    runs_of(&oracle, shape);
    for (int64_t i = 0; i < m.nrecords; i++) {
        if (m.made[i] != MPI_DATATYPE_NULL) {
            MPI_Type_free(&m.made[i]);
        }
    }
    free(m.made);
    free((void *) m.nodes);
    oracle_fini(&oracle);
    return !m.refused;
}
