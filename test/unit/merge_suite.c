/*
 * The pass `merge`, alone and behind `normalise`. The expected texts were written by hand from what
 * merge.c promises.
 */
#include "suites.h"
#include "tools.h"

/* Offsets that are multiples of 8 lie inside the second member: only the ends are sure. */
START_TEST(members_that_shift_against_each_other_leave_the_ends)
{
    const struct {
        int64_t first, second, granule;
    } cases[] = {{8, 4, 8}, {4, 8, 12}, {16, 8, 16}, {1, 16, 17}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const dame_type_t *members[] = {basic(cases[i].first), basic(cases[i].second)};
        dame_program_t *program =
            program_with(ONLY(MERGE), struct_type(2, (int64_t[]){1, 1},
                                                  (int64_t[]){0, cases[i].first}, members));
        ck_assert_int_eq(program->prims[1].op, DAME_OP_CONTIGFINAL);
        ck_assert_int_eq(program->granule, cases[i].granule);
        dame_program_free(program);
    }
}
END_TEST

START_TEST(blocks_of_a_list_that_touch_are_joined_when_half_of_them_go)
{
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(4, 2, [0, 8, 32, 40], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEXFINAL(2, [4, 4], [0, 32], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE) | ONLY(MERGE),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(4, 2, [0, 8, 32, 40], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTORFINAL(2, 4, 32, 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(MERGE), "EXIT\n"
                                  "  BLOCKINDEXFINAL(4, 1, [0, 4, 20, 40], 4, 4)\n"
                                  "    CONTIGFINAL(4)\n"
                                  "BOTTOM\n");
}
END_TEST

START_TEST(blocks_of_an_index_that_touch_are_joined)
{
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  INDEXFINAL(3, [1, 3, 2], [0, 4, 40], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEXFINAL(2, [4, 2], [0, 40], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  INDEXFINAL(3, [1, 5, 4], [0, 4, 24], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT(40, 4)\n"
                  "  CONTIGFINAL(40)\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(MERGE), "EXIT\n"
                                  "  INDEXFINAL(3, [1, 3, 2], [0, -12, 40], 4, 4)\n"
                                  "    CONTIGFINAL(4)\n"
                                  "BOTTOM\n");
}
END_TEST

START_TEST(a_joint_that_is_no_multiple_of_the_granule_leaves_the_ends)
{
    expect_passes(ONLY(MERGE),
                  "EXIT(12, 8)\n"
                  "  INDEXFINAL(2, [4, 8], [0, 4], 1, 1)\n"
                  "    CONTIGFINAL(1)\n"
                  "BOTTOM\n",
                  "EXIT(12, 24)\n"
                  "  CONTIGFINAL(12)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(runs_that_go_on_where_the_one_before_ends_are_joined)
{
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  INDEX(3, [2, 3, 1], [0, 24, 100], 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(2, [5, 1], [0, 100], 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  BLOCKINDEX1(4, 1, [0, 24, 100, 124], 16, 24)\n"
                  "    CONTIG(2, 8, 12)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(2, [4, 4], [0, 100], 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(members_of_a_struct_that_touch_are_joined)
{
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  STRUCT(3, [1, 1, 1], [0, 8, 40], [8, 4, 4], [8, 4, 4])\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT(44, 8)\n"
                  "  STRUCT(2, [1, 1], [0, 40], [12, 4], [12, 4])\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(12)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(a_contig_goes_into_the_blocklength_around_it)
{
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  VECTOR1(3, 1, 100, 16, 24)\n"
                  "    CONTIG(2, 8, 12)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTOR(3, 2, 100, 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  BLOCKINDEX1(3, 1, [0, 100, 300], 16, 24)\n"
                  "    CONTIG(2, 8, 12)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEX(3, 2, [0, 100, 300], 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(MERGE),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 100], [24, 24], [36, 40])\n"
                  "    RETURNTO(1)\n"
                  "      CONTIG(3, 8, 12)\n"
                  "        VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(3, 1, 16, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  STRUCT(2, [3, 1], [0, 100], [8, 24], [12, 40])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(3, 1, 16, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(MERGE), "EXIT\n"
                                  "  VECTOR1(3, 1, 100, 16, 25)\n"
                                  "    VECTOR1(2, 1, 13, 8, 12)\n"
                                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                                  "        CONTIGFINAL(4)\n"
                                  "BOTTOM\n");
}
END_TEST

/* Before the members are a list, in which only their lengths are known. */
START_TEST(members_are_joined_while_their_elements_are_known)
{
    const dame_type_t *members[] = {basic(16), basic(8), basic(4), basic(4)};
    dame_program_t *program =
        program_with(ONLY(NORMALISE) | ONLY(MERGE),
                     struct_type(4, (int64_t[]){1, 1, 1, 1}, (int64_t[]){0, 16, 24, 100}, members));
    ck_assert_int_eq(program->prims[1].op, DAME_OP_INDEXFINAL);
    ck_assert_int_eq(program->prims[1].count, 2);
    ck_assert_int_eq(program->granule, 16);
    dame_program_free(program);
}
END_TEST

/* struct { int a; struct { int b; double c; } d; }, packed: b alone is not aligned to c's size. */
START_TEST(granules_do_not_depend_on_how_members_are_nested)
{
    const dame_type_t *inside[] = {basic(4), basic(8)};
    const dame_type_t *pair = struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 4}, inside);
    const dame_type_t *outside[] = {basic(4), pair};
    const dame_type_t *flat[] = {basic(4), basic(4), basic(8)};
    const dame_type_t *types[] = {
        struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 4}, outside),
        struct_type(3, (int64_t[]){1, 1, 1}, (int64_t[]){0, 4, 8}, flat),
    };
    for (int i = 0; i < 2; i++) {
        dame_program_t *program = program_with(ONLY(NORMALISE) | ONLY(MERGE), types[i]);
        ck_assert_int_eq(program->granule, 8);
        dame_program_free(program);
    }
    dame_program_t *program = program_with(ONLY(NORMALISE) | ONLY(MERGE), pair);
    ck_assert_int_eq(program->granule, 12);
    dame_program_free(program);
}
END_TEST

Suite *merge_suite(void)
{
    Suite *suite = suite_create("merge");
    TCase *tcase = tree_case("merge");
    tcase_add_test(tcase, blocks_of_a_list_that_touch_are_joined_when_half_of_them_go);
    tcase_add_test(tcase, blocks_of_an_index_that_touch_are_joined);
    tcase_add_test(tcase, a_joint_that_is_no_multiple_of_the_granule_leaves_the_ends);
    tcase_add_test(tcase, runs_that_go_on_where_the_one_before_ends_are_joined);
    tcase_add_test(tcase, members_of_a_struct_that_touch_are_joined);
    tcase_add_test(tcase, a_contig_goes_into_the_blocklength_around_it);
    tcase_add_test(tcase, members_that_shift_against_each_other_leave_the_ends);
    tcase_add_test(tcase, members_are_joined_while_their_elements_are_known);
    tcase_add_test(tcase, granules_do_not_depend_on_how_members_are_nested);
    suite_add_tcase(suite, tcase);
    return suite;
}
