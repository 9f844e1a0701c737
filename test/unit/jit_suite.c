/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled kernels get into programs and out of them again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jit_tools.h"
#include "suites.h"
#include "tools.h"

TEST(a_program_has_code_from_compiling_to_release)
{
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *program = strided_program(20);
    const void *first = NULL, *second = NULL;
    ck_assert(packs(program, 20, 0));
    ck_assert_int_eq(stats_of(jit).arena_bytes, 0);
    ck_assert_int_eq(stats_of(jit).total_ns, 0);
    atomic_store(&test_provider_bytes, UNIT);
    compile(jit, program, DAME_PACK);
    ck_assert(is_compiled(program, DAME_PACK) && !is_compiled(program, DAME_UNPACK));
    ck_assert_uint_eq(dame_jit_code(program, DAME_PACK, &first), UNIT);
    compile(jit, program, DAME_UNPACK);
    compile(jit, program, DAME_PACK); /* not again */
    ck_assert_uint_eq(dame_jit_code(program, DAME_PACK, &second), UNIT);
    ck_assert_ptr_eq(first, second);
    ck_assert(packs(program, 20, 1));
    dame_jit_stats_t stats = stats_of(jit);
    ck_assert_int_eq(stats.compiled[DAME_PACK], 1);
    ck_assert_int_eq(stats.compiled[DAME_UNPACK], 1);
    ck_assert_int_eq(stats.live, 2);
    ck_assert_int_eq(stats.code_bytes, 2 * UNIT);
    ck_assert_int_ge(stats.arena_bytes, 2 * UNIT);
    ck_assert_int_gt(stats.worst_ns, 0);
    ck_assert_int_ge(stats.total_ns, stats.worst_ns);
    ck_assert_int_le(stats.total_ns, 2 * stats.worst_ns);
    dame_jit_release(jit, program);
    dame_jit_release(jit, program); /* nothing is left to do */
    stats = stats_of(jit);
    ck_assert(stats.live == 0 && stats.code_bytes == 0 && stats.evicted == 0);
    ck_assert(!is_compiled(program, DAME_PACK) && packs(program, 20, 0));
    free_all(jit, &program, 1);
}

LOOP_TEST(a_failed_compilation_leaves_the_program_as_it_was, 3)
{
    static const dame_status_t answers[] = {DAME_ERR_UNSUPPORTED, DAME_ERR_NOMEM, DAME_OK};
    dame_jit_options_t options = *dame_jit_options_default();
    options.memory = answers[_i] == DAME_OK ? DAME_JIT_MEMORY_NONE : options.memory;
    dame_jit_t *jit = jit_with(&options);
    dame_program_t *program = strided_program(20);
    test_provider_answer = answers[_i];
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL),
                     answers[_i] == DAME_OK ? DAME_ERR_DENIED : answers[_i]);
    ck_assert(!is_compiled(program, DAME_PACK) && packs(program, 20, 0));
    ck_assert_int_eq(stats_of(jit).compiled[DAME_PACK], 0);
    ck_assert_int_eq(stats_of(jit).memory, options.memory);
    if (answers[_i] != DAME_OK) {
        test_provider_answer = DAME_OK;
        compile(jit, program, DAME_PACK);
    }
    free_all(jit, &program, 1);
}

TEST(options_out_of_range_are_refused)
{
    const dame_jit_options_t good = *dame_jit_options_default();
    dame_jit_options_t bad[15];
    int n = 0;
#define WITH(field, value)                                                                         \
    bad[n] = good;                                                                                 \
    bad[n++].field = value
    WITH(vector_bits, 64);
    WITH(vector_bits, -128);
    WITH(vector_bits, 1024);
    WITH(unroll_bytes, -1);
    WITH(straight_bytes, -1);
    WITH(memcpy_bytes, 63);
    WITH(prefetch_distance, -2);
    WITH(list_entries, -1);
    WITH(arena_bytes, 0);
    WITH(arena_bytes, DAME_JIT_LARGEST_ARENA + 1);
    WITH(memory, (dame_jit_memory_t) 3);
#undef WITH
    dame_jit_t *jit = NULL;
    for (int i = 0; i < n; i++) {
        ck_assert_msg(dame_jit_create(&bad[i], &jit) == DAME_ERR_ARGUMENT, "%d", i);
        ck_assert_ptr_null(jit);
    }
    ck_assert_int_eq(dame_jit_create(&good, &jit), DAME_OK);
    dame_jit_destroy(jit);
}

/* ---- the size of code ---- */

/* Compiles with DAME-X; returns the bytes of both codes. Not every CPU has a compiler. */
static size_t compiled_bytes(const dame_jit_options_t *options, dame_program_t *program)
{
    dame_jit_t *jit = NULL;
    size_t bytes = 0;
    ck_assert_int_eq(dame_jit_create(options, &jit), DAME_OK);
    for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
        const void *code;
        const dame_status_t status = dame_jit_compile(jit, program, (dame_dir_t) dir, NULL);
        ck_assert(status == DAME_OK || status == DAME_ERR_UNSUPPORTED);
        bytes += dame_jit_code(program, (dame_dir_t) dir, &code);
    }
    free_all(jit, &program, 1);
    return bytes;
}

/* A face of a cube: 38 rows of 304 bytes, as the only member of a list. Written out row by row they
 * would be 8 KiB. And blocks that no buffer for code is long enough for, without the C library. */
TEST(code_does_not_grow_with_rows_and_long_blocks)
{
    const int64_t block = INT64_C(1) << 40;
    dame_jit_options_t options = *dame_jit_options_default();
    ck_assert_uint_le(
        compiled_bytes(&options, program_of_text("EXIT(512000)\n"
                                                 "BLOCKINDEX1(1, 1, [13128], 11552, 473904)\n"
                                                 "VECTORFINAL(38, 38, 12800, 8, 8)\n"
                                                 "CONTIGFINAL(8)\n"
                                                 "BOTTOM\n")),
        2 * 4096);
    options.memcpy_bytes = INT64_MAX;
    compiled_bytes(&options, program_of(vector(30, 1, block + 8, basic(block))));
}

/* ---- eviction ---- */

enum { PROGRAMS = 6, FIT = 4 };

/* Programs of which four fit into the jit's arena, none of them compiled. */
static dame_jit_t *small_jit(dame_program_t **programs)
{
    atomic_store(&test_provider_bytes, UNIT);
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = strided_program(20 + i);
    }
    return jit_of(FIT * UNIT);
}

TEST(the_oldest_code_goes_first)
{
    dame_program_t *programs[PROGRAMS];
    dame_jit_t *jit = small_jit(programs);
    for (int turn = 0; turn < 5 * PROGRAMS; turn++) {
        compile(jit, programs[turn % PROGRAMS], DAME_PACK);
        for (int i = 0; i < PROGRAMS; i++) {
            const int age = (turn - i + 10 * PROGRAMS) % PROGRAMS; /* turns since it was compiled */
            const int wanted = age < FIT && age <= turn;
            ck_assert(packs(programs[i], 20 + i, wanted));
            ck_assert_int_eq(is_compiled(programs[i], DAME_PACK), wanted);
        }
    }
    ck_assert_int_eq(stats_of(jit).evicted, 5 * PROGRAMS - FIT);
    ck_assert_int_eq(stats_of(jit).live, FIT);
    ck_assert_int_eq(stats_of(jit).arena_bytes, FIT * UNIT);
    free_all(jit, programs, PROGRAMS);
}

TEST(large_code_makes_several_go_and_what_never_fits_none)
{
    dame_program_t *programs[PROGRAMS];
    dame_jit_t *jit = small_jit(programs);
    for (int i = 0; i < FIT; i++) {
        compile(jit, programs[i], DAME_PACK);
    }
    atomic_store(&test_provider_bytes, FIT * UNIT + 1);
    ck_assert_int_eq(dame_jit_compile(jit, programs[4], DAME_PACK, NULL), DAME_ERR_FULL);
    ck_assert_int_eq(stats_of(jit).live, FIT);
    atomic_store(&test_provider_bytes, FIT * UNIT / 2 + 1);
    compile(jit, programs[4], DAME_UNPACK);
    for (int i = 0; i < FIT; i++) {
        ck_assert_int_eq(is_compiled(programs[i], DAME_PACK), i == 3);
    }
    ck_assert_int_eq(stats_of(jit).evicted, 3);
    atomic_store(&test_provider_bytes, FIT * UNIT); /* also the last byte of the arena */
    compile(jit, programs[5], DAME_PACK);
    ck_assert_int_eq(stats_of(jit).evicted, 5);
    free_all(jit, programs, PROGRAMS);
}

/* Types come and go: arena and process do not grow. */
TEST(a_hundred_thousand_compilations_take_bounded_memory)
{
    enum { TURNS = 100000, LIVE = 8 };
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *programs[LIVE];
    atomic_store(&test_provider_bytes, UNIT - 100);
    for (int i = 0; i < LIVE; i++) {
        programs[i] = strided_program(20 + i);
    }
    long resident[2] = {0};
    for (int turn = 0; turn < TURNS; turn++) {
        dame_program_t *program = programs[turn % LIVE];
        dame_jit_release(jit, program);
        compile(jit, program, DAME_PACK);
        compile(jit, program, DAME_UNPACK);
        if (turn == 1000 || turn == TURNS - 1) {
            FILE *statm = fopen("/proc/self/statm", "r");
            ck_assert_ptr_nonnull(statm);
            ck_assert_int_eq(fscanf(statm, "%*s %ld", &resident[turn != 1000]), 1);
            fclose(statm);
        }
    }
    ck_assert_int_eq(stats_of(jit).compiled[DAME_PACK], TURNS);
    ck_assert_int_eq(stats_of(jit).live, 2 * LIVE);
    ck_assert_int_le(stats_of(jit).arena_bytes, 24 * UNIT); /* sixteen codes; holes are filled */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
    ck_assert_int_le(resident[1] - resident[0], 64); /* pages; sanitizers keep freed memory */
#endif
    for (int i = 0; i < LIVE; i++) {
        ck_assert(packs(programs[i], 20 + i, 1));
    }
    free_all(jit, programs, LIVE);
}

SUITE_OF(jit, have_jumps(), tree_setup, tree_teardown)
