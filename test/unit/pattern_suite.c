/*
 * The pass `pattern`, alone and behind `normalise`. The expected texts were written by hand from
 * what pattern.c promises.
 */
#include "dame/node.h"
#include "suites.h"
#include "tools.h"

/* A list of irregular blocks, then `regular` ones 16 bytes apart, then irregular ones again. */
static dame_program_t *with_stretch(int64_t regular)
{
    enum { ENDS = 200, MOST = 2 * ENDS + DAME_MIN_STRETCH };
    int64_t disps[MOST];
    int64_t at = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < 2 * ENDS + regular; i++) {
        disps[n++] = at;
        at += i >= ENDS && i < ENDS + regular ? 16 : 20 + 4 * (i * i % 101);
    }
    return program_with(ONLY(NORMALISE) | ONLY(PATTERN), blockindex(n, 1, disps, basic(4)));
}

START_TEST(regular_stretches_are_members_of_their_own)
{
    dame_program_t *program = with_stretch(DAME_MIN_STRETCH);
    const dame_prim_t *top = &program->prims[1];
    ck_assert_int_eq(top->op, DAME_OP_STRUCT);
    ck_assert_int_eq(top->count, 3);
    int64_t longest = 0;
    for (int64_t i = 0; i < 3; i++) {
        const dame_prim_t *part = top + top->subs[i] + 1;
        longest = !dame_prim_has_list(part) && part->count > longest ? part->count : longest;
    }
    /* the block behind the last step belongs to it too */
    ck_assert_int_eq(longest, DAME_MIN_STRETCH + 1);
    dame_program_free(program);
    program = with_stretch(DAME_MIN_STRETCH - 2);
    ck_assert_int_eq(program->prims[1].op, DAME_OP_BLOCKINDEXFINAL);
    dame_program_free(program);
}
END_TEST

START_TEST(small_bodies_are_flat)
{
    expect_passes(ONLY(PATTERN),
                  "EXIT\n"
                  "  BLOCKINDEX1(3, 1, [0, 4, 8], 16, 40)\n"
                  "    VECTORFINAL(4, 1, 12, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEXFINAL(12, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0, 12, 24, 36, 4, 16, "
                  "28, 40, 8, 20, 32, 44], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(NORMALISE) | ONLY(PATTERN),
                  "EXIT\n"
                  "  BLOCKINDEX1(3, 1, [0, 4, 8], 16, 40)\n"
                  "    VECTORFINAL(4, 1, 12, 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(12, 1, [0, 12, 24, 36, 4, 16, 28, 40, 8, 20, 32, 44], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(PATTERN),
                  "EXIT\n"
                  "  VECTOR1(50, 1, 100, 16, 32)\n"
                  "    VECTOR1(2, 1, 20, 8, 12)\n"
                  "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "        CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  VECTOR1(50, 1, 100, 16, 32)\n"
                  "    INDEXFINAL(4, [1, 1, 1, 1], [0, 8, 20, 28], 4, 4)\n"
                  "      CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(PATTERN), "EXIT\n"
                                    "  VECTOR1(6, 1, 100, 12, 20)\n"
                                    "    VECTORFINAL(3, 1, 8, 4, 4)\n"
                                    "      CONTIGFINAL(4)\n"
                                    "BOTTOM\n");
    expect_unchanged(ONLY(PATTERN), "EXIT\n"
                                    "  VECTORFINAL(3, 1, 8, 4, 4)\n"
                                    "    CONTIGFINAL(4)\n"
                                    "BOTTOM\n");
}
END_TEST

START_TEST(members_of_large_structs_have_flat_bodies_too)
{
    expect_passes(ONLY(PATTERN),
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 1000], [16, 800], [32, 2384])\n"
                  "    RETURNTO(1)\n"
                  "      VECTOR1(2, 1, 20, 8, 12)\n"
                  "        VECTORFINAL(2, 1, 8, 4, 4)\n"
                  "          CONTIGFINAL(4)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  STRUCT(2, [1, 1], [0, 1000], [16, 800], [32, 2384])\n"
                  "    RETURNTO(1)\n"
                  "      INDEXFINAL(4, [4, 4, 4, 4], [0, 8, 20, 28], 1, 1)\n"
                  "        CONTIGFINAL(1)\n"
                  "    BOTTOM\n"
                  "    RETURNTO(1)\n"
                  "      VECTORFINAL(100, 1, 24, 8, 8)\n"
                  "        CONTIGFINAL(8)\n"
                  "    BOTTOM\n"
                  "BOTTOM\n");
}
END_TEST

START_TEST(a_list_of_long_runs_is_an_index)
{
    expect_passes(ONLY(PATTERN),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(24, 1, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 200, "
                  "208, 216, 224, 232, 240, 248, 256, 264, 272, 280, 288], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(2, [12, 12], [0, 200], 4, 8)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_passes(ONLY(PATTERN),
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(24, 1, [500, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, "
                  "96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  INDEX(2, [1, 23], [500, 0], 4, 8)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
    expect_unchanged(ONLY(PATTERN),
                     "EXIT\n"
                     "  BLOCKINDEXFINAL(24, 1, [0, 8, 16, 24, 32, 40, 200, 208, 216, 224, 232, "
                     "240, 600, 608, 616, 624, 632, 640, 800, 808, 816, 824, 832, 840], 4, 4)\n"
                     "    CONTIGFINAL(4)\n"
                     "BOTTOM\n");
}
END_TEST

START_TEST(an_index_of_short_runs_is_a_list)
{
    expect_passes(ONLY(PATTERN),
                  "EXIT\n"
                  "  INDEX(6, [3, 4, 3, 4, 3, 4], [0, 100, 200, 300, 400, 500], 4, 8)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n",
                  "EXIT\n"
                  "  BLOCKINDEXFINAL(21, 1, [0, 8, 16, 100, 108, 116, 124, 200, 208, 216, 300, "
                  "308, 316, 324, 400, 408, 416, 500, 508, 516, 524], 4, 4)\n"
                  "    CONTIGFINAL(4)\n"
                  "BOTTOM\n");
}
END_TEST

Suite *pattern_suite(void)
{
    Suite *suite = suite_create("pattern");
    TCase *tcase = tree_case("pattern");
    tcase_add_test(tcase, small_bodies_are_flat);
    tcase_add_test(tcase, members_of_large_structs_have_flat_bodies_too);
    tcase_add_test(tcase, a_list_of_long_runs_is_an_index);
    tcase_add_test(tcase, an_index_of_short_runs_is_a_list);
    tcase_add_test(tcase, regular_stretches_are_members_of_their_own);
    suite_add_tcase(suite, tcase);
    return suite;
}
