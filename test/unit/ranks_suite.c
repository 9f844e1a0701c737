/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes come, get ranks and go in any order: each level runs the best that lives. */
#include <string.h>

#include "jit_tools.h"
#include "suites.h"
#include "test/lib/rng.h"
#include "tools.h"

enum { PROGRAMS = 3, TURNS = 10000, EXTENT = 300 };

/* What lives, as it should be; one for each program, direction and variant. */
typedef struct model {
    int lives;
    int32_t rank;
    int64_t ranked; /* when it was */
    int runs;       /* some level runs it */
} model_t;

typedef struct world {
    dame_jit_t *jit;
    dame_program_t *programs[PROGRAMS]; /* of one layout, as the next */
    dame_program_t *interpreted;
    model_t codes[PROGRAMS][2][TEST_VARIANTS];
    int64_t now;
    int64_t evictions; /* expected from what has vanished */
} world_t;

/* Three levels: fields, rows, blocks. */
static dame_program_t *nested_program(void)
{
    static const int64_t fields[] = {0, 200};
    static const int64_t ones[] = {1, 1};
    const dame_type_t *rows = vector(3, 1, 60, vector(4, 1, 9, basic(4)));
    const dame_type_t *members[] = {rows, vector(5, 2, 16, basic(3))};
    return plain_of(resized(0, EXTENT, struct_type(2, ones, fields, members)));
}

static dame_candidate_t candidate_of(int variant)
{
    return (dame_candidate_t){.provider = 0, .variant = (uint32_t) variant};
}

/* ---- what should be ---- */

/* The best variant for a level, counted from the outermost; -1: the interpreter's kernel. */
static int best_of(const model_t *codes, int level)
{
    int best = -1;
    for (int v = 0; v < TEST_VARIANTS; v++) {
        const model_t *code = &codes[v];
        const int has_kernel = v != level + 1; /* see test/lib/provider.c */
        if (code->lives && code->rank > 0 && has_kernel &&
            (best < 0 || code->rank > codes[best].rank ||
             (code->rank == codes[best].rank && code->ranked > codes[best].ranked))) {
            best = v;
        }
    }
    return best;
}

/* Takes note of codes that have been evicted: those that ran only if no idle one was left. */
static void note_evicted(world_t *w, const model_t *added)
{
    int idle_left = 0;
    int ran_gone = 0;
    for (int i = 0; i < PROGRAMS * 2 * TEST_VARIANTS; i++) {
        const int program = i / (2 * TEST_VARIANTS);
        const dame_dir_t dir = (dame_dir_t) (i / TEST_VARIANTS % 2);
        model_t *code = &w->codes[program][dir][i % TEST_VARIANTS];
        const dame_candidate_t candidate = candidate_of(i % TEST_VARIANTS);
        const int32_t rank = dame_jit_rank_of(w->jit, w->programs[program], dir, &candidate);
        if (code->lives && rank < 0) {
            code->lives = 0;
            w->evictions++;
            ran_gone |= code->runs;
        } else {
            ck_assert_int_eq(rank, code->lives ? code->rank : -1);
            idle_left |= code->lives && !code->runs && code != added;
        }
    }
    ck_assert(!(ran_gone && idle_left));
    ck_assert_int_eq(dame_jit_evictions(w->jit), w->evictions);
}

static void check_kernels(world_t *w, int program, dame_dir_t dir)
{
    const dame_program_t *p = w->programs[program];
    model_t *codes = w->codes[program][dir];
    int level = 0;
    for (int v = 0; v < TEST_VARIANTS; v++) {
        codes[v].runs = 0;
    }
    for (int32_t i = 0; i < p->nprims; i++) {
        if (p->prims[i].interpreted == NULL) {
            continue;
        }
        const int best = best_of(codes, level++);
        const dame_run_fn run = dame_prim_run(&p->prims[i], dir);
        if (best < 0) {
            ck_assert(run == p->prims[i].interpreted[dir]);
            continue;
        }
        const dame_candidate_t candidate = candidate_of(best);
        const dame_code_t *code = dame_codes_find(dame_codes_of(p, dir), &candidate);
        ck_assert_ptr_nonnull(code);
        ck_assert_uint_eq((uintptr_t) run, (uintptr_t) code->block->execute + code->entries[i]);
        codes[best].runs = 1;
    }
}

static void check_bytes(world_t *w, int program)
{
    char user[2 * EXTENT];
    char back[2 * EXTENT] = {0};
    char packed[2 * EXTENT];
    char wanted[2 * EXTENT];
    const dame_program_t *p = w->programs[program];
    const size_t size = (size_t) (2 * p->size);
    fill_pattern(user, sizeof user, (unsigned) w->now);
    dame_program_run(w->interpreted, DAME_PACK, (uintptr_t) user, 2, wanted);
    dame_program_run(p, DAME_PACK, (uintptr_t) user, 2, packed);
    ck_assert_mem_eq(packed, wanted, size);
    dame_program_run(p, DAME_UNPACK, (uintptr_t) back, 2, wanted);
    dame_program_run(w->interpreted, DAME_PACK, (uintptr_t) back, 2, packed);
    ck_assert_mem_eq(packed, wanted, size);
}

/* ---- actions ---- */

static void add(world_t *w, int program, dame_dir_t dir, int variant, rng_t *rng)
{
    model_t *code = &w->codes[program][dir][variant];
    const dame_candidate_t candidate = candidate_of(variant);
    atomic_store(&test_provider_bytes, (size_t) rng_range(rng, 0, UNIT));
    ck_assert_int_eq(dame_jit_add(w->jit, w->programs[program], dir, &candidate, NULL, NULL),
                     DAME_OK);
    if (!code->lives) {
        *code = (model_t){.lives = 1};
    }
    note_evicted(w, code);
}

static void change(world_t *w, rng_t *rng)
{
    const int program = (int) rng_range(rng, 0, PROGRAMS - 1);
    const dame_dir_t dir = rng_chance(rng, 50) ? DAME_PACK : DAME_UNPACK;
    const int variant = (int) rng_range(rng, 0, TEST_VARIANTS - 1);
    const dame_candidate_t candidate = candidate_of(variant);
    model_t *code = &w->codes[program][dir][variant];
    const int64_t what = rng_range(rng, 0, 99);
    if (what < 45) {
        add(w, program, dir, variant, rng);
    } else if (what < 80) {
        const int32_t rank = (int32_t) rng_range(rng, -1, 3);
        const int done = dame_jit_rank(w->jit, w->programs[program], dir, &candidate, rank);
        ck_assert_int_eq(done, code->lives);
        code->rank = rank > 0 ? rank : 0;
        code->ranked = w->now;
    } else if (what < 97) {
        dame_jit_drop(w->jit, w->programs[program], dir, &candidate);
        code->lives = 0;
    } else {
        dame_jit_release(w->jit, w->programs[program]);
        memset(w->codes[program], 0, sizeof w->codes[program]);
    }
}

static int64_t living(const world_t *w)
{
    const model_t *codes = &w->codes[0][0][0];
    int64_t n = 0;
    for (int i = 0; i < PROGRAMS * 2 * TEST_VARIANTS; i++) {
        n += codes[i].lives;
    }
    return n;
}

LOOP_TEST(each_level_runs_the_best_that_lives, 2)
{
    world_t w = {.jit = jit_of(4 * UNIT), .interpreted = nested_program()};
    rng_t rng = rng_seeded(11, (uint64_t) _i);
    for (int i = 0; i < PROGRAMS; i++) {
        w.programs[i] = nested_program();
    }
    for (w.now = 1; w.now <= TURNS; w.now++) {
        change(&w, &rng);
        for (int i = 0; i < PROGRAMS; i++) {
            check_kernels(&w, i, DAME_PACK);
            check_kernels(&w, i, DAME_UNPACK);
        }
        check_bytes(&w, (int) (w.now % PROGRAMS));
        ck_assert_int_eq(stats_of(w.jit).live, living(&w));
    }
    ck_assert_int_gt(w.evictions, TURNS / 50);
    for (int i = 0; i < PROGRAMS; i++) {
        dame_jit_release(w.jit, w.programs[i]);
        dame_program_free(w.programs[i]);
    }
    ck_assert_int_eq(stats_of(w.jit).live, 0);
    ck_assert_int_eq(stats_of(w.jit).code_bytes, 0);
    dame_program_free(w.interpreted);
    dame_jit_destroy(w.jit);
}

/* A search drops most codes that it has tried: they do not fill the memory. */
TEST(what_was_dropped_is_freed)
{
    enum { BYTES = 1 << 20, CODES = 12000 };
    dame_jit_t *jit = jit_of(BYTES);
    dame_program_t *program = nested_program();
    const dame_candidate_t candidate = candidate_of(0);
    for (int i = 0; i < CODES; i++) {
        ck_assert_int_eq(dame_jit_add(jit, program, DAME_PACK, &candidate, NULL, NULL), DAME_OK);
        dame_jit_drop(jit, program, DAME_PACK, &candidate);
    }
    ck_assert_int_gt(stats_of(jit).compiled[DAME_PACK] * 64, BYTES / 2);
    ck_assert_int_le(stats_of(jit).arena_bytes, BYTES / 4);
    ck_assert_int_eq(stats_of(jit).evicted, 0);
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
}

SUITE_OF(ranks, have_jumps(), tree_setup, tree_teardown)
