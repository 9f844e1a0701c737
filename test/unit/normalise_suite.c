/*
 * The pass `normalise`, alone: texts and what it makes of them. The expected texts were written by
 * hand from what normalise.c promises.
 */
#include "dame/node.h"
#include "suites.h"
#include "tools.h"

START_TEST(long_stretches_of_longer_blocks_are_not_divided)
{
    enum { SHORT = 200, LONG = DAME_MIN_STRETCH };
    int64_t lengths[SHORT + LONG], disps[SHORT + LONG];
    for (int64_t i = 0; i < SHORT + LONG; i++) {
        lengths[i] = i < LONG ? 2 : 1;
        disps[i] = 8 * (i * i % 1009); /* irregular, and none twice */
    }
    dame_program_t *program =
        program_with(ONLY(NORMALISE), index_type(SHORT + LONG, lengths, disps, basic(4)));
    const dame_prim_t *top = &program->prims[1];
    ck_assert_int_eq(top->op, DAME_OP_STRUCT);
    ck_assert_int_eq(top->count, 2);
    ck_assert_int_eq(top->prefix[1], 8 * LONG);
    for (int i = 0; i < 2; i++) {
        const dame_prim_t *part = top + top->subs[i] + 1;
        ck_assert_int_eq(part->op, DAME_OP_BLOCKINDEXFINAL);
        ck_assert_int_eq(part->count, i ? SHORT : LONG);
        ck_assert_int_eq(part->isize, i ? 4 : 8);
    }
    dame_program_free(program);
}
END_TEST

START_TEST(loops_that_go_on_where_the_inner_one_ends_are_one)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  VECTOR1(3, 1, 16, 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTORFINAL(6, 1, 8, 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(NORMALISE), "EXIT\n"
                                      "  VECTOR1(3, 1, 17, 8, 12)\n"
                                      "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                                      "      CONTIGFINAL(4)\n"
                                      "BOTTOM\n");
}
END_TEST

START_TEST(a_list_of_one_step_is_a_vector)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(3, 1, [0, 8, 16], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTORFINAL(3, 1, 8, 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(3, 1, [40, 48, 56], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEX1(1, 1, [40], 12, 20)\n"
                  "    VECTORFINAL(3, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(what_all_displacements_start_with_goes_to_the_outermost_list)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  BLOCKINDEX1(3, 1, [0, 100, 300], 12, 24)\n"
                  "    BLOCKINDEXFINAL(3, 1, [8, 0, 20], 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEX1(3, 1, [8, 108, 308], 12, 24)\n"
                  "    BLOCKINDEXFINAL(3, 1, [0, -8, 12], 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(an_index_of_equal_lengths_has_one_blocklength)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  INDEXFINAL(3, [2, 2, 2], [0, 20, 12], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(3, 2, [0, 20, 12], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  INDEX(2, [3, 3], [0, 100], 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTOR1(2, 1, 100, 24, 36)\n"
                  "    CONTIG(3, 8, 12)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(a_few_longer_blocks_are_divided_but_no_element_is)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  INDEXFINAL(3, [1, 2, 1], [0, 20, 12], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(4, 1, [0, 20, 24, 12], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(NORMALISE), "EXIT(28, 8)\n"
                                      "  INDEXFINAL(3, [4, 8, 4], [0, 20, 12], 1, 1)\n"
                                      "    CONTIGFINAL(1)\n"
                                      "BOTTOM\n");
    expect_unchanged(ONLY(NORMALISE), "EXIT\n"
                                      "  INDEXFINAL(2, [1, 3], [0, 20], 4, 4)\n"
                                      "    CONTIGFINAL(4)\n"
                                      "BOTTOM\n");
}
END_TEST

START_TEST(groups_alike_are_a_loop_of_one)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(6, 1, [0, 12, 20, 100, 112, 120], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTOR1(2, 1, 100, 12, 24)\n"
                  "    BLOCKINDEXFINAL(3, 1, [0, 12, 20], 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  INDEXFINAL(4, [1, 3, 1, 3], [0, 12, 100, 112], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTOR1(2, 1, 100, 16, 24)\n"
                  "    INDEXFINAL(2, [1, 3], [0, 12], 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(4, [1, 1, 1, 1], [0, 1000, 10000, 11000], [400, 800, 400, 800], [796, "
                  "2384, 796, 2384])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTOR1(2, 1, 10000, 1200, 3384)\n"
                  "    STRUCT(2, [1, 1], [0, 1000], [400, 800], [796, 2384])\n"
                  "      RETURNTO(2)\n"
                  "        VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "      BOTTOM\n"
                  "      RETURNTO(2)\n"
                  "        VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "          CONTIGFINAL(8)\n"
                  "      BOTTOM\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(runs_of_one_length_are_groups_also_where_they_touch)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(9, 1, [0, 8, 16, 24, 32, 40, 100, 108, 116], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEX1(3, 1, [0, 24, 100], 12, 20)\n"
                  "    VECTORFINAL(3, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(members_of_a_struct_in_a_struct_are_its_own)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 5000], [400, 2400], [796, 6184])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      STRUCT(2, [1, 1], [0, 3000], [800, 1600], [2384, 3184])\n"
                  "        RETURNTO(7)\n"
                  "          VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "            CONTIGFINAL(8)\n"
                  "        BOTTOM\n"
                  "        RETURNTO(7)\n"
                  "          VECTORFINAL(100, 1, 32, 16, 16)\n"
                  "            CONTIGFINAL(16)\n"
                  "        BOTTOM\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  STRUCT(3, [1, 1, 1], [0, 5000, 8000], [400, 800, 1600], [796, 2384, 3184])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 32, 16, 16)\n"
                  "        CONTIGFINAL(16)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(members_that_repeat_one_thing_are_an_index_of_it)
{
    expect_passes(
        ONLY(NORMALISE),
        "EXIT\n"
        "  STRUCT(3, [1, 1, 1], [0, 2000, 20000], [800, 7200, 800], [1596, 14364, 1596])\n"
        "    RETURNTO(1)\n"
        "      VECTORFINAL(200, 1, 8, 4, 4)\n"
        "        CONTIGFINAL(4)\n"
        "    BOTTOM\n"
        "    RETURNTO(1)\n"
        "      CONTIG(9, 800, 1596)\n"
        "        VECTORFINAL(200, 1, 8, 4, 4)\n"
        "          CONTIGFINAL(4)\n"
        "    BOTTOM\n"
        "    RETURNTO(1)\n"
        "      VECTORFINAL(200, 1, 8, 4, 4)\n"
        "        CONTIGFINAL(4)\n"
        "    BOTTOM\n"
        "BOTTOM\n",
        "EXIT\n"
        "  INDEX(3, [1, 9, 1], [0, 2000, 20000], 800, 1596)\n"
        "    VECTORFINAL(200, 1, 8, 4, 4)\n"
        "      CONTIGFINAL(4)\n"
        "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 20000], [7200, 800], [14364, 1596])\n"
                  "    RETURNTO(1)\n"
                  "      CONTIG(9, 800, 1596)\n"
                  "        VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(2, [9, 1], [0, 20000], 800, 1596)\n"
                  "    VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(3, [1, 1, 1], [0, 2000, 9000], [800, 1600, 800], [1596, 3192, 1596])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIG(2, 800, 1596)\n"
                  "        VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEX1(4, 1, [0, 2000, 3596, 9000], 800, 1596)\n"
                  "    VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 20000], [2400, 800], [6596, 1596])\n"
                  "    RETURNTO(1)\n"
                  "      BLOCKINDEX1(3, 1, [0, 3000, 5000], 800, 1596)\n"
                  "        VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEX1(4, 1, [0, 3000, 5000, 20000], 800, 1596)\n"
                  "    VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 90000], [21600, 800], [64364, 1596])\n"
                  "    RETURNTO(1)\n"
                  "      BLOCKINDEX1(3, 1, [0, 20000, 50000], 7200, 14364)\n"
                  "        CONTIG(9, 800, 1596)\n"
                  "          VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "            CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(4, [9, 9, 9, 1], [0, 20000, 50000, 90000], 800, 1596)\n"
                  "    VECTORFINAL(200, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

/* Not the list of all their blocks. */
START_TEST(small_members_that_repeat_one_thing_are_an_index_too)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(3, [1, 1, 1], [0, 100, 400], [8, 72, 8], [12, 108, 12])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIG(9, 8, 12)\n"
                  "        VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(3, [1, 9, 1], [0, 100, 400], 8, 12)\n"
                  "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(neighbours_that_are_alike_become_one_member)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(3, [1, 1, 1], [0, 1500, 5000], [400, 400, 800], [796, 796, 2384])\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 5000], [800, 800], [2296, 2384])\n"
                  "    RETURNTO(1)\n"
                  "      VECTOR1(2, 1, 1500, 400, 796)\n"
                  "        VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(small_members_and_lists_beside_each_other_are_one_list)
{
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 100], [12, 8], [44, 8])\n"
                  "    RETURNTO(1)\n"
                  "      BLOCKINDEXFINAL(3, 1, [0, 12, 40], 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT(108, 8)\n"
                  "  INDEXFINAL(4, [4, 4, 4, 8], [0, 12, 40, 100], 1, 1)\n"
                  "    CONTIGFINAL(1)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE),
                  "EXIT\n"
                  "  STRUCT(3, [1, 1, 1], [0, 20, 1000], [8, 4, 400], [8, 4, 796])\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT(1796, 8)\n"
                  "  STRUCT(2, [1, 1], [0, 1000], [12, 400], [24, 796])\n"
                  "    RETURNTO(1)\n"
                  "      INDEXFINAL(2, [8, 4], [0, 20], 1, 1)\n"
                  "        CONTIGFINAL(1)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n");
}
END_TEST

Suite *normalise_suite(void)
{
    Suite *suite = suite_create("normalise");
    TCase *tcase = tree_case("normalise");
    tcase_add_test(tcase, loops_that_go_on_where_the_inner_one_ends_are_one);
    tcase_add_test(tcase, a_list_of_one_step_is_a_vector);
    tcase_add_test(tcase, what_all_displacements_start_with_goes_to_the_outermost_list);
    tcase_add_test(tcase, an_index_of_equal_lengths_has_one_blocklength);
    tcase_add_test(tcase, a_few_longer_blocks_are_divided_but_no_element_is);
    tcase_add_test(tcase, groups_alike_are_a_loop_of_one);
    tcase_add_test(tcase, runs_of_one_length_are_groups_also_where_they_touch);
    tcase_add_test(tcase, members_of_a_struct_in_a_struct_are_its_own);
    tcase_add_test(tcase, members_that_repeat_one_thing_are_an_index_of_it);
    tcase_add_test(tcase, small_members_that_repeat_one_thing_are_an_index_too);
    tcase_add_test(tcase, neighbours_that_are_alike_become_one_member);
    tcase_add_test(tcase, small_members_and_lists_beside_each_other_are_one_list);
    tcase_add_test(tcase, long_stretches_of_longer_blocks_are_not_divided);
    suite_add_tcase(suite, tcase);
    return suite;
}
