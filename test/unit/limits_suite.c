/*
 * Datatypes that would make huge programs: they are refused, and nothing is written out of bounds.
 */
#include <stdlib.h>

#include "jit/jit.h"
#include "suites.h"
#include "tools.h"

enum { MAX_PRIMS = 1 << 20 }; /* dame/program.h, dame_program_build() */

static dame_status_t build(const dame_type_t *type, dame_program_t **program)
{
    *program = NULL;
    return dame_program_build(type, NULL, program);
}

/* The build is refused and says of what there are `value` or more, and how many are allowed. */
static void check_refused(const dame_type_t *type, dame_passes_t passes, const char *what,
                          int64_t most, int64_t value)
{
    dame_limit_t limit = {.what = NULL};
    dame_options_t options = *dame_options_default();
    dame_program_t *program = NULL;
    char text[100], wanted[100];
    options.passes = passes;
    options.limit = &limit;
    ck_assert_int_eq(dame_program_build(type, &options, &program), DAME_ERR_LIMIT);
    ck_assert_ptr_null(program);
    ck_assert_str_eq(limit.what, what);
    ck_assert_int_eq(limit.limit, most);
    ck_assert_int_eq(limit.value, value);
    snprintf(wanted, sizeof wanted, "%lld %s, at most %lld are allowed", (long long) value, what,
             (long long) most);
    ck_assert_str_eq(dame_limit_text(&limit, text, sizeof text), wanted);
    options.limit = NULL; /* not wanted */
    ck_assert_int_eq(dame_program_build(type, &options, &program), DAME_ERR_LIMIT);
}

/* A struct of n members that are all unlike: member i is a vector of i + 2 elements. Each has four
 * primitives: RETURNTO, VECTORFINAL, CONTIGFINAL, BOTTOM. */
static const dame_type_t *unlike_vectors(int64_t n)
{
    int64_t *ones = dame_tree_array(tree, n);
    int64_t *disps = dame_tree_array(tree, n);
    const dame_type_t **members = dame_tree_types(tree, n);
    const dame_type_t *element = basic(4);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        ones[i] = 1;
        disps[i] = at;
        members[i] = vector(i + 2, 1, 8, element);
        at += members[i]->extent + 100;
    }
    const dame_type_t *type;
    ck_assert_int_eq(dame_type_struct(tree, n, ones, disps, members, &type), DAME_OK);
    return type;
}

/* EXIT, STRUCT and BOTTOM leave three of the last four primitives; with a loop around the struct the
 * limit is met exactly. */
START_TEST(programs_have_so_many_primitives_and_no_more)
{
    const int64_t most = MAX_PRIMS / 4 - 1;
    dame_program_t *program;
    dame_options_t plain = *dame_options_default();
    plain.passes = DAME_PASSES_NONE; /* short vectors stay vectors */
    const dame_type_t *full = unlike_vectors(most);
    const dame_type_t *over = unlike_vectors(most + 1);
    ck_assert_int_eq(
        dame_program_build(contig(2, resized(0, full->extent + 1, full)), &plain, &program),
        DAME_OK);
    ck_assert_int_eq(program->nprims, MAX_PRIMS);
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    dame_program_free(program);
    /* counting stops at the first too many */
    check_refused(over, DAME_PASSES_NONE, "primitives", MAX_PRIMS, MAX_PRIMS + 3);
    check_refused(contig(2, resized(0, over->extent + 1, over)), DAME_PASSES_NONE, "primitives",
                  MAX_PRIMS, MAX_PRIMS + 4);
}
END_TEST

/* n blocks of 8 bytes whose steps grow by 8: nothing repeats. */
static const dame_type_t *irregular(int64_t n)
{
    int64_t *disps = dame_tree_array(tree, n);
    disps[0] = 0;
    for (int64_t i = 1; i < n; i++) {
        disps[i] = disps[i - 1] + 8 * (i + 1);
    }
    return blockindex(n, 1, disps, basic(8));
}

START_TEST(a_list_that_members_repeat_stays_one_list)
{
    enum { LIST = 1000, MEMBERS = 1000 };
    const dame_type_t *list = irregular(LIST);
    const dame_type_t *members[MEMBERS + 1];
    int64_t ones[MEMBERS + 1], disps[MEMBERS + 1];
    for (int64_t i = 0; i <= MEMBERS; i++) {
        ones[i] = 1;
        disps[i] = i * list->extent + 16 * i * i;
        members[i] = i < MEMBERS ? list : basic(8);
    }
    dame_program_t *program = program_of(struct_type(MEMBERS + 1, ones, disps, members));
    /* both lists, not their product */
    ck_assert_uint_lt(program->memory, 100 * (LIST + MEMBERS));
    dame_program_free(program);
}
END_TEST

/* Each level has the one below four times, in two unlike ways. */
START_TEST(shared_members_do_not_take_exponential_time)
{
    const dame_type_t *type = irregular(20);
    for (int level = 0; level < 14; level++) {
        const int64_t far = 4 * type->extent + 1000;
        const dame_type_t *members[] = {
            basic(8),
            vector(2, 1, type->extent + 8, type),
            basic(8),
            blockindex(2, 1, (int64_t[]){0, 3 * type->extent + 24}, type),
        };
        type = struct_type(4, (int64_t[]){1, 1, 1, 1}, (int64_t[]){0, 16, far, far + 16}, members);
    }
    dame_program_t *program;
    dame_status_t status = build(type, &program); /* an answer, whichever */
    ck_assert(status == DAME_OK || status == DAME_ERR_LIMIT);
    dame_program_free(program);
}
END_TEST

START_TEST(tables_are_bounded_by_the_lists_of_the_type)
{
    enum { LIST = 100000, MEMBERS = 200 };
    const dame_type_t *list = irregular(LIST);
    const dame_type_t *members[MEMBERS];
    int64_t ones[MEMBERS], disps[MEMBERS];
    for (int64_t i = 0; i < MEMBERS; i++) { /* all unlike, over one list of 800 kB */
        ones[i] = 1;
        disps[i] = i * 1000 * list->extent + i * i;
        members[i] = vector(2 + i, 1, list->extent + 8 * (i + 1), list);
    }
    dame_program_t *program;
    /* the lists of every member; 64 MiB and 32 bytes for every entry that the type has */
    dame_limit_t limit;
    dame_options_t options = *dame_options_default();
    options.limit = &limit;
    ck_assert_int_eq(
        dame_program_build(struct_type(MEMBERS, ones, disps, members), &options, &program),
        DAME_ERR_LIMIT);
    ck_assert_str_eq(limit.what, "bytes of tables");
    ck_assert_int_ge(limit.limit, (64 << 20) + 32 * (LIST + MEMBERS));
    ck_assert_int_gt(limit.value, limit.limit);
    ck_assert_int_eq(build(struct_type(20, ones, disps, members), &program), DAME_OK);
    dame_program_free(program);
}
END_TEST

START_TEST(constructors_nest_so_deep_and_no_deeper)
{
    const dame_type_t *type = irregular(3);
    dame_program_t *program;
    for (int level = 0; level < 998; level++) {
        type = contig(1, type);
    }
    ck_assert_int_eq(build(type, &program), DAME_OK);
    dame_program_free(program);
    for (int level = 0; level < 100000; level++) {
        type = contig(1, type);
    }
    check_refused(type, DAME_PASSES_ALL, "nested constructors", 1000, 1001);
}
END_TEST

/* A step between instances that are never two matters to nothing, and may be anything. */
START_TEST(steps_at_the_end_of_the_range_are_ordinary)
{
    static const int64_t steps[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, -1, 0};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "EXIT INDEX(2, [1, 1], [1000, 5000], 4, %lld) CONTIGFINAL(4) BOTTOM",
                 (long long) steps[i]);
        dame_program_t *program = program_of_text(text);
        for (dame_passes_t passes = DAME_PASSES_NONE; passes <= DAME_PASSES_ALL; passes++) {
            dame_program_t *optimised = optimised_with(passes, program);
            ck_assert_int_eq(optimised->size, 8);
            ck_assert_int_eq(optimised->true_lb, 1000);
            ck_assert_int_eq(optimised->true_ub, 5004);
            dame_program_free(optimised);
        }
        dame_program_free(program);
    }
}
END_TEST

/* Without the C library's copy: blocks that no buffer for code is long enough for. */
START_TEST(compiling_does_not_count_the_bytes_of_long_blocks)
{
    const int64_t block = INT64_C(1) << 40;
    dame_jit_options_t options = *dame_jit_options_default();
    options.memcpy_bytes = INT64_MAX;
    options.nontemporal_bytes = 1;
    dame_jit_t *jit;
    ck_assert_int_eq(dame_jit_create(&options, &jit), DAME_OK);
    dame_program_t *program;
    ck_assert_int_eq(build(vector(30, 1, block + 8, basic(block)), &program), DAME_OK);
    for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
        const dame_status_t status = dame_jit_compile(jit, program, (dame_dir_t) dir, NULL);
        ck_assert(status == DAME_OK || status == DAME_ERR_UNSUPPORTED);
    }
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
}
END_TEST

Suite *limits_suite(void)
{
    Suite *suite = suite_create("limits");
    TCase *tcase = tree_case("limits");
    tcase_add_test(tcase, programs_have_so_many_primitives_and_no_more);
    tcase_add_test(tcase, a_list_that_members_repeat_stays_one_list);
    tcase_add_test(tcase, shared_members_do_not_take_exponential_time);
    tcase_add_test(tcase, tables_are_bounded_by_the_lists_of_the_type);
    tcase_add_test(tcase, constructors_nest_so_deep_and_no_deeper);
    tcase_add_test(tcase, steps_at_the_end_of_the_range_are_ordinary);
    tcase_add_test(tcase, compiling_does_not_count_the_bytes_of_long_blocks);
    suite_add_tcase(suite, tcase);
    return suite;
}
