/* Compiled kernels get into programs and out of them again, and the bytes stay right. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit_tools.h"
#include "suites.h"
#include "tools.h"

static size_t page_size(void)
{
    return (size_t) sysconf(_SC_PAGESIZE);
}

START_TEST(a_compiled_program_moves_the_same_bytes)
{
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *program = strided_program(20);
    int compiled = 0;
    ck_assert(strided_packs(program, 20, &compiled) && !compiled);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, "stride 20"), DAME_OK);
    ck_assert(is_compiled(program, DAME_PACK) && !is_compiled(program, DAME_UNPACK));
    ck_assert(strided_packs(program, 20, &compiled) && compiled);
    dame_jit_release(jit, program);
    ck_assert(!is_compiled(program, DAME_PACK));
    ck_assert(strided_packs(program, 20, &compiled) && !compiled);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

/* A struct of a list with lengths of its own and a nested vector, in fragments, both directions. */
START_TEST(every_level_of_a_program_is_compiled)
{
    static const int64_t lengths[] = {3, 1, 2};
    static const int64_t disps[] = {0, 40, 90};
    static const int64_t fields[] = {0, 200};
    static const int64_t ones[] = {1, 1};
    const dame_type_t *pair = vector(2, 1, 9, basic(4));
    const dame_type_t *members[] = {index_type(3, lengths, disps, resized(0, 14, pair)),
                                    vector(5, 2, 16, basic(3))};
    dame_program_t *program = plain_of(resized(0, 300, struct_type(2, ones, fields, members)));
    dame_jit_t *jit = jit_with(NULL);
    enum { COUNT = 3 };
    const int64_t total = COUNT * program->size;
    char user[COUNT * 300];
    char copy[COUNT * 300] = {0};
    char wanted[COUNT * 300] = {0};
    char interpreted[1000];
    char packed[1000];
    fill_pattern(user, sizeof user, 3);
    dame_program_run(program, DAME_PACK, (uintptr_t) user, COUNT, interpreted);
    dame_program_run(program, DAME_UNPACK, (uintptr_t) wanted, COUNT, interpreted);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), DAME_OK);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_UNPACK, NULL), DAME_OK);
    const long before = atomic_load(&jump_calls);
    dame_cursor_t from;
    dame_cursor_t to;
    ck_assert_int_eq(dame_cursor_init(&from, program, (uintptr_t) user, COUNT), DAME_OK);
    ck_assert_int_eq(dame_cursor_init(&to, program, (uintptr_t) copy, COUNT), DAME_OK);
    for (int64_t at = 0; at < total; at += 50) {
        const int64_t n = dame_cursor_pack_exact(&from, packed + at, 50);
        ck_assert_int_eq(dame_cursor_unpack(&to, packed + at, n), n);
    }
    ck_assert_int_gt(atomic_load(&jump_calls), before);
    ck_assert_mem_eq(packed, interpreted, (size_t) total);
    ck_assert_mem_eq(copy, wanted, sizeof copy);
    dame_cursor_fini(&from);
    dame_cursor_fini(&to);
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

START_TEST(what_is_compiled_is_not_compiled_again)
{
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *program = strided_program(20);
    const void *first = NULL;
    const void *second = NULL;
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_UNPACK, NULL), DAME_OK);
    ck_assert_uint_gt(dame_jit_code(program, DAME_UNPACK, &first), 0);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_UNPACK, NULL), DAME_OK);
    ck_assert_uint_gt(dame_jit_code(program, DAME_UNPACK, &second), 0);
    ck_assert_ptr_eq(first, second);
    ck_assert_int_eq(stats_of(jit).compiled[DAME_UNPACK], 1);
    dame_jit_release(jit, program);
    dame_jit_release(jit, program); /* nothing is left to do */
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

/* A face of a cube: 38 rows of 304 bytes, as the only member of a list. Written out row by row they
 * would be 8 KiB. */
START_TEST(rows_inside_a_level_stay_a_loop)
{
    dame_jit_t *jit = NULL;
    ck_assert_int_eq(dame_jit_create(NULL, &jit), DAME_OK);
    dame_program_t *program = program_of_text("EXIT(512000)\n"
                                              "BLOCKINDEX1(1, 1, [13128], 11552, 473904)\n"
                                              "VECTORFINAL(38, 38, 12800, 8, 8)\n"
                                              "CONTIGFINAL(8)\n"
                                              "BOTTOM\n");
    for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
        const void *code;
        const dame_status_t status = dame_jit_compile(jit, program, (dame_dir_t) dir, NULL);
        ck_assert(status == DAME_OK || status == DAME_ERR_UNSUPPORTED); /* not on every CPU */
        ck_assert_uint_le(dame_jit_code(program, (dame_dir_t) dir, &code), 4096);
    }
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

START_TEST(statistics_say_what_happened)
{
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *program = strided_program(20);
    dame_jit_stats_t stats = stats_of(jit);
    ck_assert_int_eq(stats.arena_bytes, 0);
    ck_assert_int_eq(stats.total_ns, 0);
    atomic_store(&jump_padding, 1000);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), DAME_OK);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_UNPACK, NULL), DAME_OK);
    const void *code = NULL;
    ck_assert_uint_eq(dame_jit_code(program, DAME_PACK, &code), 1000);
    stats = stats_of(jit);
    ck_assert_int_eq(stats.compiled[DAME_PACK], 1);
    ck_assert_int_eq(stats.compiled[DAME_UNPACK], 1);
    ck_assert_int_eq(stats.live, 2);
    ck_assert_int_eq(stats.code_bytes, 2000);
    ck_assert_int_ge(stats.arena_bytes, 2048);
    ck_assert_int_gt(stats.worst_ns, 0);
    ck_assert_int_ge(stats.total_ns, stats.worst_ns);
    ck_assert_int_le(stats.total_ns, 2 * stats.worst_ns);
    dame_jit_release(jit, program);
    stats = stats_of(jit);
    ck_assert_int_eq(stats.live, 0);
    ck_assert_int_eq(stats.code_bytes, 0);
    ck_assert_int_eq(stats.evicted, 0);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

START_TEST(a_failed_compilation_leaves_the_program_as_it_was)
{
    static const dame_status_t answers[] = {DAME_ERR_UNSUPPORTED, DAME_ERR_NOMEM};
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *program = strided_program(20);
    int compiled = 0;
    jump_status = answers[_i];
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), answers[_i]);
    ck_assert(!is_compiled(program, DAME_PACK));
    ck_assert(strided_packs(program, 20, &compiled) && !compiled);
    ck_assert_int_eq(stats_of(jit).compiled[DAME_PACK], 0);
    jump_status = DAME_OK;
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), DAME_OK);
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

START_TEST(where_no_memory_is_executable_nothing_is_compiled)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.memory = DAME_JIT_MEMORY_NONE;
    dame_jit_t *jit = jit_with(&options);
    dame_program_t *program = strided_program(20);
    int compiled = 0;
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), DAME_ERR_DENIED);
    ck_assert(strided_packs(program, 20, &compiled) && !compiled);
    ck_assert_int_eq(stats_of(jit).memory, DAME_JIT_MEMORY_NONE);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
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
    WITH(nontemporal_bytes, -1);
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
END_TEST

/* ---- eviction ---- */

enum { PROGRAMS = 6, FIT = 4 };

/* Programs of which four fit into the jit's arena, none of them compiled. */
static dame_jit_t *small_jit(dame_program_t **programs)
{
    atomic_store(&jump_padding, page_size() / FIT);
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = strided_program(20 + i);
    }
    return jit_of(page_size());
}

static void free_programs(dame_jit_t *jit, dame_program_t **programs)
{
    for (int i = 0; i < PROGRAMS; i++) {
        dame_jit_release(jit, programs[i]);
        dame_program_free(programs[i]);
    }
    dame_jit_destroy(jit);
}

START_TEST(the_oldest_code_goes_first)
{
    dame_program_t *programs[PROGRAMS];
    dame_jit_t *jit = small_jit(programs);
    for (int turn = 0; turn < 5 * PROGRAMS; turn++) {
        ck_assert_int_eq(dame_jit_compile(jit, programs[turn % PROGRAMS], DAME_PACK, NULL),
                         DAME_OK);
        for (int i = 0; i < PROGRAMS; i++) {
            const int age = (turn - i + 10 * PROGRAMS) % PROGRAMS; /* turns since it was compiled */
            const int wanted = age < FIT && age <= turn;
            int compiled = 0;
            ck_assert(strided_packs(programs[i], 20 + i, &compiled));
            ck_assert_int_eq(compiled, wanted);
            ck_assert_int_eq(is_compiled(programs[i], DAME_PACK), wanted);
        }
    }
    dame_jit_stats_t stats = stats_of(jit);
    ck_assert_int_eq(stats.evicted, 5 * PROGRAMS - FIT);
    ck_assert_int_eq(stats.live, FIT);
    ck_assert_int_eq(stats.arena_bytes, (int64_t) page_size());
    free_programs(jit, programs);
}
END_TEST

START_TEST(large_code_makes_several_go)
{
    dame_program_t *programs[PROGRAMS];
    dame_jit_t *jit = small_jit(programs);
    for (int i = 0; i < FIT; i++) {
        ck_assert_int_eq(dame_jit_compile(jit, programs[i], DAME_PACK, NULL), DAME_OK);
    }
    atomic_store(&jump_padding, page_size() / 2 + 1);
    ck_assert_int_eq(dame_jit_compile(jit, programs[4], DAME_UNPACK, NULL), DAME_OK);
    ck_assert(!is_compiled(programs[0], DAME_PACK) && !is_compiled(programs[1], DAME_PACK) &&
              !is_compiled(programs[2], DAME_PACK) && is_compiled(programs[3], DAME_PACK));
    ck_assert_int_eq(stats_of(jit).evicted, 3);
    free_programs(jit, programs);
}
END_TEST

START_TEST(nothing_goes_for_code_that_never_fits)
{
    dame_program_t *programs[PROGRAMS];
    dame_jit_t *jit = small_jit(programs);
    ck_assert_int_eq(dame_jit_compile(jit, programs[0], DAME_PACK, NULL), DAME_OK);
    atomic_store(&jump_padding, page_size() + 1);
    ck_assert_int_eq(dame_jit_compile(jit, programs[1], DAME_PACK, NULL), DAME_ERR_FULL);
    ck_assert(is_compiled(programs[0], DAME_PACK) && !is_compiled(programs[1], DAME_PACK));
    free_programs(jit, programs);
}
END_TEST

START_TEST(code_may_fill_the_last_page_of_the_arena)
{
    dame_jit_t *jit = jit_of(page_size() + 1); /* two pages */
    dame_program_t *programs[] = {strided_program(20), strided_program(21)};
    atomic_store(&jump_padding, 2 * page_size());
    for (int turn = 0; turn < 4; turn++) {
        ck_assert_int_eq(dame_jit_compile(jit, programs[turn % 2], DAME_PACK, NULL), DAME_OK);
    }
    ck_assert_int_eq(stats_of(jit).evicted, 3);
    for (int i = 0; i < 2; i++) {
        dame_jit_release(jit, programs[i]);
        dame_program_free(programs[i]);
    }
    dame_jit_destroy(jit);
}
END_TEST

/* Types come and go: the arena does not grow, nor does the process. */
START_TEST(a_hundred_thousand_compilations_take_bounded_memory)
{
    enum { TURNS = 100000, LIVE = 8 };
    dame_jit_t *jit = jit_with(NULL);
    dame_program_t *programs[LIVE];
    atomic_store(&jump_padding, 700);
    for (int i = 0; i < LIVE; i++) {
        programs[i] = strided_program(20 + i);
    }
    long resident[2] = {0};
    for (int turn = 0; turn < TURNS; turn++) {
        dame_program_t *program = programs[turn % LIVE];
        dame_jit_release(jit, program);
        ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), DAME_OK);
        ck_assert_int_eq(dame_jit_compile(jit, program, DAME_UNPACK, NULL), DAME_OK);
        if (turn == 1000 || turn == TURNS - 1) {
            FILE *statm = fopen("/proc/self/statm", "r");
            ck_assert_ptr_nonnull(statm);
            ck_assert_int_eq(fscanf(statm, "%*s %ld", &resident[turn != 1000]), 1);
            fclose(statm);
        }
    }
    dame_jit_stats_t stats = stats_of(jit);
    ck_assert_int_eq(stats.compiled[DAME_PACK], TURNS);
    ck_assert_int_eq(stats.live, 2 * LIVE);
    /* Sixteen codes of 700 bytes are 11 KiB; that holes are filled makes the rest. */
    ck_assert_int_le(stats.arena_bytes, 16384);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
    ck_assert_int_le(resident[1] - resident[0], 64); /* pages; sanitizers keep what was freed */
#endif
    for (int i = 0; i < LIVE; i++) {
        int compiled = 0;
        ck_assert(strided_packs(programs[i], 20 + i, &compiled) && compiled);
        dame_jit_release(jit, programs[i]);
        dame_program_free(programs[i]);
    }
    dame_jit_destroy(jit);
}
END_TEST

Suite *jit_suite(void)
{
    Suite *suite = suite_create("jit");
    TCase *tcase = tree_case("jit");
    tcase_add_test(tcase, options_out_of_range_are_refused);
    tcase_add_test(tcase, where_no_memory_is_executable_nothing_is_compiled);
    tcase_add_test(tcase, rows_inside_a_level_stay_a_loop);
    if (have_jumps()) {
        tcase_add_test(tcase, a_compiled_program_moves_the_same_bytes);
        tcase_add_test(tcase, every_level_of_a_program_is_compiled);
        tcase_add_test(tcase, what_is_compiled_is_not_compiled_again);
        tcase_add_test(tcase, statistics_say_what_happened);
        tcase_add_loop_test(tcase, a_failed_compilation_leaves_the_program_as_it_was, 0, 2);
        tcase_add_test(tcase, the_oldest_code_goes_first);
        tcase_add_test(tcase, large_code_makes_several_go);
        tcase_add_test(tcase, nothing_goes_for_code_that_never_fits);
        tcase_add_test(tcase, code_may_fill_the_last_page_of_the_arena);
        tcase_add_test(tcase, a_hundred_thousand_compilations_take_bounded_memory);
    }
    suite_add_tcase(suite, tcase);
    return suite;
}
