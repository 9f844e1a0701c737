/* What repeats in a list of blocks, by the functions that normalise.c asks. */
#include "dame/sequence.h"
#include "suites.h"
#include "tools.h"

enum { MOST = 16 };

START_TEST(a_run_is_as_many_blocks_as_step_alike)
{
    const struct {
        int64_t n;
        int64_t disps[MOST];
        int64_t lengths[MOST]; /* all 0: none */
        int64_t run;
    } cases[] = {
        {1, {0}, {0}, 1},
        {2, {0, 7}, {0}, 2},
        {4, {0, 8, 16, 25}, {0}, 3},
        {4, {0, -8, -16, -24}, {0}, 4},
        {3, {0, 0, 0}, {0}, 3},
        {4, {0, 8, 16, 24}, {5, 5, 6, 5}, 2},
        {4, {0, 8, 16, 24}, {5, 5, 5, 5}, 4},
        {3, {0, 8, 20}, {5, 6, 6}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const dame_sequence_t s = {.n = cases[i].n,
                                   .disps = cases[i].disps,
                                   .lengths = cases[i].lengths[0] ? cases[i].lengths : NULL};
        ck_assert_int_eq(dame_sequence_run(&s), cases[i].run);
    }
}
END_TEST

START_TEST(a_period_is_the_least_group_that_repeats)
{
    const struct {
        int64_t n;
        int64_t disps[MOST];
        int64_t lengths[MOST]; /* all 0: none */
        int64_t period;
    } cases[] = {
        {1, {0}, {0}, 0},
        {4, {0, 8, 16, 24}, {0}, 0},                    /* all of it is a run */
        {4, {0, 8, 100, 108}, {0}, 2},                  /* runs */
        {6, {0, 8, 100, 108, 116, 124}, {0}, 2},        /* runs of which two touch */
        {6, {0, 3, 5, 50, 53, 55}, {0}, 3},             /* groups at one step */
        {9, {0, 3, 5, 70, 73, 75, 50, 53, 55}, {0}, 3}, /* and at any displacements */
        {6, {0, 3, 5, 50, 53, 56}, {0}, 0},             /* the last block differs */
        {8, {0, 3, 10, 13, 50, 53, 61, 64}, {0}, 2},    /* not the 4 that repeat in nothing */
        {8, {0, 3, 10, 14, 50, 53, 60, 64}, {0}, 4},    /* 2 is no period */
        {5, {0, 3, 5, 50, 53}, {0}, 0},                 /* 5 has no divisor */
        {12, {0, 1, 2, 3, 9, 10, 11, 12, 20, 21, 22, 23}, {0}, 4}, /* no parts of the run */
        {4, {0, 9, 50, 59}, {1, 2, 1, 2}, 2},
        {4, {0, 9, 50, 59}, {1, 2, 1, 3}, 0},
        {4, {0, 9, 50, 59}, {1, 2, 2, 2}, 0},
        {4, {0, 0, 0, 0}, {1, 2, 1, 2}, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const dame_sequence_t s = {.n = cases[i].n,
                                   .disps = cases[i].disps,
                                   .lengths = cases[i].lengths[0] ? cases[i].lengths : NULL};
        ck_assert_msg(dame_sequence_period(&s) == cases[i].period, "case %zu: %d", i,
                      (int) dame_sequence_period(&s));
    }
}
END_TEST

START_TEST(blocks_alike_are_those_of_equal_children)
{
    const dame_node_t a = {.shape = DAME_SHAPE_BLOCK, .size = 4, .high = 4, .granule = 4};
    const dame_node_t same = a;
    const dame_node_t b = {.shape = DAME_SHAPE_BLOCK, .size = 8, .high = 8, .granule = 4};
    const int64_t disps[] = {0, 10, 20, 30};
    const dame_node_t *alike[] = {&a, &same, &a, &same};
    const dame_node_t *pairs[] = {&a, &b, &same, &b};
    dame_sequence_t s = {.n = 4, .disps = disps, .children = alike};
    ck_assert_int_eq(dame_sequence_run(&s), 4);
    s.children = pairs;
    ck_assert_int_eq(dame_sequence_run(&s), 1);
    ck_assert_int_eq(dame_sequence_period(&s), 2);
}
END_TEST

Suite *sequence_suite(void)
{
    Suite *suite = suite_create("sequence");
    TCase *tcase = tree_case("sequence");
    tcase_add_test(tcase, a_run_is_as_many_blocks_as_step_alike);
    tcase_add_test(tcase, a_period_is_the_least_group_that_repeats);
    tcase_add_test(tcase, blocks_alike_are_those_of_equal_children);
    suite_add_tcase(suite, tcase);
    return suite;
}
