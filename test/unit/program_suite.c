/*
 * The program of hand-chosen types, as text, with no pass on. (What the passes make of them, their
 * suites say.) The expected texts were written from the language's description (DAME paper, Fig. 4
 * and 5), not copied from the printer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"
#include "tools.h"

static void expect_text(const dame_type_t *type, const char *wanted)
{
    dame_program_t *program = plain_of(type);
    char *text = text_of(program);
    ck_assert_str_eq(text, wanted);
    free(text);
    dame_program_free(program);
}

/* The same with what differs between types of one layout, EXIT's parameters, apart. */
static void expect_exit_and_text(const dame_type_t *type, const char *exit, const char *wanted)
{
    char both[1000];
    ck_assert_int_lt(snprintf(both, sizeof both, "EXIT%s\n%s", exit, wanted), sizeof both);
    expect_text(type, both);
}

/* Two ints, 4 bytes of gap between them: not contiguous, extent 12. */
static const dame_type_t *gapped(void)
{
    return vector(2, 1, 8, basic(4));
}

START_TEST(the_papers_transpose_is_a_list_of_columns)
{
    /* int mat[4][3], column by column */
    expect_text(blockindex(3, 1, (int64_t[]){0, 4, 8}, vector(4, 1, 12, basic(4))),
                "EXIT\n"
                "  BLOCKINDEX1(3, 1, [0, 4, 8], 16, 40)\n"
                "    VECTORFINAL(4, 1, 12, 4, 4)\n"
                "      CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(contiguous_types_collapse)
{
    const char *forty = "  CONTIGFINAL(40)\n"
                        "BOTTOM\n";
    expect_exit_and_text(basic(40), "", forty);
    expect_exit_and_text(contig(10, basic(4)), "(40, 4)", forty);
    expect_exit_and_text(contig(5, contig(2, basic(4))), "(40, 4)", forty);
    expect_exit_and_text(vector(5, 2, 8, basic(4)), "(40, 4)", forty);
    expect_exit_and_text(vector(1, 10, 999, basic(4)), "(40, 4)", forty);
    expect_exit_and_text(resized(-8, 100, basic(40)), "(100)", forty);
}
END_TEST

START_TEST(empty_types_are_a_leaf_of_no_bytes)
{
    const char *nothing = "  CONTIGFINAL(0)\n"
                          "BOTTOM\n";
    expect_exit_and_text(basic(0), "", nothing);
    expect_exit_and_text(contig(0, gapped()), "", nothing);
    expect_exit_and_text(vector(3, 0, 8, gapped()), "", nothing);
    expect_exit_and_text(index_type(2, (int64_t[]){0, 0}, (int64_t[]){4, 400}, gapped()), "",
                         nothing);
    expect_exit_and_text(struct_type(0, NULL, NULL, NULL), "", nothing);
    expect_exit_and_text(resized(4, 100, basic(0)), "(100)", nothing);
}
END_TEST

START_TEST(a_common_offset_becomes_one_displacement_at_the_top)
{
    /* The lower right 2 x 3 ints of int mat[4][8]: rows 2 and 3, columns 5 to 7. */
    const dame_type_t *rows = vector(2, 3, 32, basic(4));
    expect_text(blockindex(1, 1, (int64_t[]){84}, rows), "EXIT\n"
                                                         "  BLOCKINDEX1(1, 1, [84], 24, 44)\n"
                                                         "    VECTORFINAL(2, 3, 32, 4, 4)\n"
                                                         "      CONTIGFINAL(4)\n"
                                                         "BOTTOM\n");
    /* Through other constructors the same displacement still travels to the top. */
    const dame_type_t *inside = vector(2, 3, 32, blockindex(1, 1, (int64_t[]){84}, basic(4)));
    expect_text(inside, "EXIT\n"
                        "  BLOCKINDEX1(1, 1, [84], 24, 44)\n"
                        "    VECTORFINAL(2, 3, 32, 4, 4)\n"
                        "      CONTIGFINAL(4)\n"
                        "BOTTOM\n");
}
END_TEST

START_TEST(a_list_takes_in_the_offset_of_its_child)
{
    const dame_type_t *child = blockindex(1, 1, (int64_t[]){100}, gapped());
    expect_text(blockindex(2, 1, (int64_t[]){0, 1000}, child),
                "EXIT\n"
                "  BLOCKINDEX1(2, 1, [100, 1100], 8, 12)\n"
                "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                "      CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(a_struct_has_a_subprogram_for_each_member)
{
    /* struct { char; double; int; (gap) char } */
    const dame_type_t *members[] = {basic(1), basic(8), basic(4), basic(1)};
    expect_text(struct_type(4, (int64_t[]){1, 1, 1, 1}, (int64_t[]){0, 8, 16, 24}, members),
                "EXIT\n"
                "  STRUCT(4, [1, 1, 1, 1], [0, 8, 16, 24], [1, 8, 4, 1], [1, 8, 4, 1])\n"
                "    RETURNTO(1)\n"
                "      CONTIGFINAL(1)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      CONTIGFINAL(8)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      CONTIGFINAL(4)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      CONTIGFINAL(1)\n"
                "    BOTTOM\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(a_struct_of_one_type_leaves_out_empty_members)
{
    const dame_type_t *child = gapped();
    const dame_type_t *members[] = {child, child, basic(0), child};
    expect_text(struct_type(4, (int64_t[]){1, 3, 5, 1}, (int64_t[]){0, 100, 7, 200}, members),
                "EXIT\n"
                "  STRUCT(3, [1, 1, 1], [0, 100, 200], [8, 24, 8], [12, 36, 12])\n"
                "    RETURNTO(1)\n"
                "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                "        CONTIGFINAL(4)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      CONTIG(3, 8, 12)\n"
                "        VECTORFINAL(2, 1, 8, 4, 4)\n"
                "          CONTIGFINAL(4)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                "        CONTIGFINAL(4)\n"
                "    BOTTOM\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(a_struct_of_different_types_has_a_subprogram_for_each)
{
    const dame_type_t *members[] = {gapped(), vector(3, 1, 16, basic(8)), basic(4)};
    expect_text(struct_type(3, (int64_t[]){2, 1, 5}, (int64_t[]){0, 100, 200}, members),
                "EXIT(220, 8)\n"
                "  STRUCT(3, [1, 1, 1], [0, 100, 200], [16, 24, 20], [24, 40, 20])\n"
                "    RETURNTO(1)\n"
                "      CONTIG(2, 8, 12)\n"
                "        VECTORFINAL(2, 1, 8, 4, 4)\n"
                "          CONTIGFINAL(4)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      VECTORFINAL(3, 1, 16, 8, 8)\n"
                "        CONTIGFINAL(8)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      CONTIGFINAL(20)\n"
                "    BOTTOM\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(members_alike_share_a_subprogram_that_text_repeats)
{
    const dame_type_t *a = gapped();
    const dame_type_t *b = vector(2, 1, 16, basic(8));
    const dame_type_t *inner[] = {a, b};
    const dame_type_t *nested = struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 100}, inner);
    const dame_type_t *members[] = {a, b, a, b, nested};
    const dame_type_t *type =
        struct_type(5, (int64_t[]){1, 1, 1, 1, 1}, (int64_t[]){0, 100, 200, 300, 400}, members);
    expect_text(type, "EXIT\n"
                      "  STRUCT(5, [1, 1, 1, 1, 1], [0, 100, 200, 300, 400], [8, 16, 8, 16, 24], "
                      "[12, 24, 12, 24, 124])\n"
                      "    RETURNTO(1)\n"
                      "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                      "        CONTIGFINAL(4)\n"
                      "    BOTTOM\n"
                      "    RETURNTO(1)\n"
                      "      VECTORFINAL(2, 1, 16, 8, 8)\n"
                      "        CONTIGFINAL(8)\n"
                      "    BOTTOM\n"
                      "    RETURNTO(1)\n"
                      "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                      "        CONTIGFINAL(4)\n"
                      "    BOTTOM\n"
                      "    RETURNTO(1)\n"
                      "      VECTORFINAL(2, 1, 16, 8, 8)\n"
                      "        CONTIGFINAL(8)\n"
                      "    BOTTOM\n"
                      "    RETURNTO(1)\n"
                      "      STRUCT(2, [1, 1], [0, 100], [8, 16], [12, 24])\n"
                      "        RETURNTO(19)\n"
                      "          VECTORFINAL(2, 1, 8, 4, 4)\n"
                      "            CONTIGFINAL(4)\n"
                      "        BOTTOM\n"
                      "        RETURNTO(19)\n"
                      "          VECTORFINAL(2, 1, 16, 8, 8)\n"
                      "            CONTIGFINAL(8)\n"
                      "        BOTTOM\n"
                      "    BOTTOM\n"
                      "BOTTOM\n");
    dame_program_t *program = plain_of(type);
    ck_assert_int_eq(program->nprims, 22); /* 30 in the text */
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    dame_program_free(program);
}
END_TEST

/* A program that is a list of single bytes at first and second, and one behind each. */
static dame_program_t *program_at(int64_t first, int64_t second)
{
    return plain_of(blockindex(4, 1, (int64_t[]){first, second, first + 2, second - 2}, basic(1)));
}

START_TEST(displacements_are_kept_in_32_bits_where_they_fit)
{
    static const struct {
        int64_t first, second;
        bool narrow;
    } lists[] = {
        {0, 100, true},
        {INT32_MIN, INT32_MAX, true},
        {INT32_MIN, INT32_MIN + 9, true},
        {INT32_MAX - 2, INT32_MAX, true},
        {INT32_MAX - 1, 0, false},
        {0, INT64_C(1) + INT32_MAX, false},
        {0, INT64_C(3) + INT32_MAX, false},
        {0, INT64_C(1) + INT32_MIN, false},
        {INT64_C(-1) + INT32_MIN, 0, false},
        {INT64_C(1) << 32, (INT64_C(1) << 32) + 9, false},
        {INT64_MIN / 4, INT64_MAX / 4, false},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        dame_program_t *program = program_at(lists[i].first, lists[i].second);
        const dame_prim_t *level = &program->prims[1];
        ck_assert_int_eq(level->params->op, DAME_OP_BLOCKINDEXFINAL);
        ck_assert_int_eq(NULL != level->disps32, lists[i].narrow);
        ck_assert_int_eq(NULL != level->disps, !lists[i].narrow);
        ck_assert_int_eq(dame_prim_disp(level, 0), lists[i].first);
        ck_assert_int_eq(dame_prim_disp(level, 1), lists[i].second);
        ck_assert_int_eq(dame_prim_disp(level, 2), lists[i].first + 2);
        ck_assert_int_eq(dame_prim_disp(level, 3), lists[i].second - 2);
        dame_program_free(program);
    }
}
END_TEST

START_TEST(an_entry_of_a_near_list_costs_4_bytes_and_12_with_a_length)
{
    enum { N = 10000, FIXED = 2000 };
    static int64_t lengths[N], disps[N];
    for (int i = 0; i < N; i++) {
        lengths[i] = 1 + i % 3;
        disps[i] = (i ^ 1) * 8;
    }
    dame_program_t *program = plain_of(blockindex(N, 1, disps, basic(4)));
    ck_assert_uint_le(program->memory, FIXED + 4 * N);
    dame_program_free(program);
    program = plain_of(index_type(N, lengths, disps, basic(2)));
    ck_assert_uint_le(program->memory, FIXED + 12 * N);
    dame_program_free(program);
}
END_TEST

START_TEST(many_unlike_members_cost_no_more_than_their_tables)
{
    enum { N = 10000 };
    static int64_t ones[N], disps[N];
    static const dame_type_t *members[N];
    const dame_type_t *kinds[] = {gapped(), vector(2, 1, 16, basic(8)), vector(3, 1, 8, basic(2))};
    for (int i = 0; i < N; i++) {
        ones[i] = 1;
        disps[i] = 100 * i;
        members[i] = kinds[i % 3];
    }
    dame_program_t *program = plain_of(struct_type(N, ones, disps, members));
    ck_assert_int_lt((int64_t) program->memory, 48 * N);
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    dame_program_free(program);
}
END_TEST

START_TEST(a_nested_struct_names_its_own_primitive)
{
    const dame_type_t *pair[] = {gapped(), vector(3, 1, 16, basic(8))};
    const dame_type_t *inner = struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 20}, pair);
    const dame_type_t *outer[] = {basic(8), inner};
    expect_text(struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 100}, outer),
                "EXIT\n"
                "  STRUCT(2, [1, 1], [0, 100], [8, 32], [8, 60])\n"
                "    RETURNTO(1)\n"
                "      CONTIGFINAL(8)\n"
                "    BOTTOM\n"
                "    RETURNTO(1)\n"
                "      STRUCT(2, [1, 1], [0, 20], [8, 24], [12, 40])\n"
                "        RETURNTO(6)\n"
                "          VECTORFINAL(2, 1, 8, 4, 4)\n"
                "            CONTIGFINAL(4)\n"
                "        BOTTOM\n"
                "        RETURNTO(6)\n"
                "          VECTORFINAL(3, 1, 16, 8, 8)\n"
                "            CONTIGFINAL(8)\n"
                "        BOTTOM\n"
                "    BOTTOM\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(a_blocklength_is_a_level_of_its_own)
{
    expect_text(vector(3, 2, 100, resized(0, 8, basic(4))), "EXIT(216)\n"
                                                            "  VECTOR1(3, 1, 100, 8, 12)\n"
                                                            "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                                                            "      CONTIGFINAL(4)\n"
                                                            "BOTTOM\n");
    expect_text(vector(3, 2, 100, gapped()), "EXIT\n"
                                             "  VECTOR1(3, 1, 100, 16, 24)\n"
                                             "    CONTIG(2, 8, 12)\n"
                                             "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                                             "        CONTIGFINAL(4)\n"
                                             "BOTTOM\n");
    expect_text(blockindex(3, 2, (int64_t[]){0, 100, 300}, gapped()),
                "EXIT\n"
                "  BLOCKINDEX1(3, 1, [0, 100, 300], 16, 24)\n"
                "    CONTIG(2, 8, 12)\n"
                "      VECTORFINAL(2, 1, 8, 4, 4)\n"
                "        CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(blocklength_one_has_primitives_of_its_own)
{
    expect_text(vector(3, 1, -100, gapped()), "EXIT\n"
                                              "  VECTOR1(3, 1, -100, 8, 12)\n"
                                              "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                                              "      CONTIGFINAL(4)\n"
                                              "BOTTOM\n");
    expect_text(blockindex(3, 1, (int64_t[]){0, 100, 300}, gapped()),
                "EXIT\n"
                "  BLOCKINDEX1(3, 1, [0, 100, 300], 8, 12)\n"
                "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                "      CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(an_index_counts_its_inner_instances)
{
    expect_text(index_type(3, (int64_t[]){1, 3, 2}, (int64_t[]){0, 100, 50}, gapped()),
                "EXIT\n"
                "  INDEX(3, [1, 3, 2], [0, 100, 50], 8, 12)\n"
                "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                "      CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(a_stride_of_the_extent_is_contig)
{
    const char *five = "EXIT\n"
                       "  CONTIG(5, 8, 12)\n"
                       "    VECTORFINAL(2, 1, 8, 4, 4)\n"
                       "      CONTIGFINAL(4)\n"
                       "BOTTOM\n";
    expect_text(contig(5, gapped()), five);
    expect_text(vector(5, 1, 12, gapped()), five);
    expect_text(vector(1, 5, 0, gapped()), five);
}
END_TEST

START_TEST(lists_of_basics_are_final)
{
    expect_text(blockindex(3, 2, (int64_t[]){0, 12, 40}, basic(4)),
                "EXIT\n"
                "  BLOCKINDEXFINAL(3, 2, [0, 12, 40], 4, 4)\n"
                "    CONTIGFINAL(4)\n"
                "BOTTOM\n");
    expect_text(index_type(3, (int64_t[]){1, 3, 2}, (int64_t[]){0, 20, -40}, basic(4)),
                "EXIT\n"
                "  INDEXFINAL(3, [1, 3, 2], [0, 20, -40], 4, 4)\n"
                "    CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(levels_of_one_iteration_and_empty_blocks_vanish)
{
    const char *plain = "  VECTORFINAL(2, 1, 8, 4, 4)\n"
                        "    CONTIGFINAL(4)\n"
                        "BOTTOM\n";
    const dame_type_t *members[] = {basic(16), gapped(), contig(0, basic(4))};
    expect_exit_and_text(gapped(), "", plain);
    expect_exit_and_text(contig(1, gapped()), "", plain);
    expect_exit_and_text(vector(1, 1, 77, gapped()), "", plain);
    expect_exit_and_text(resized(-4, 50, gapped()), "(50)", plain);
    expect_exit_and_text(blockindex(1, 1, (int64_t[]){0}, gapped()), "", plain);
    expect_exit_and_text(index_type(3, (int64_t[]){0, 1, 0}, (int64_t[]){5, 0, 9}, gapped()), "",
                         plain);
    expect_exit_and_text(struct_type(3, (int64_t[]){0, 1, 1}, (int64_t[]){5, 0, 9}, members), "",
                         plain);
}
END_TEST

START_TEST(without_merge_adjacent_blocks_stay_apart)
{
    expect_text(blockindex(4, 2, (int64_t[]){0, 8, 32, 40}, basic(4)),
                "EXIT\n"
                "  BLOCKINDEXFINAL(4, 2, [0, 8, 32, 40], 4, 4)\n"
                "    CONTIGFINAL(4)\n"
                "BOTTOM\n");
    expect_text(index_type(3, (int64_t[]){1, 5, 4}, (int64_t[]){0, 4, 24}, basic(4)),
                "EXIT\n"
                "  INDEXFINAL(3, [1, 5, 4], [0, 4, 24], 4, 4)\n"
                "    CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(counts_beyond_2_31_are_text_like_any_other)
{
    expect_text(contig(3000000000, resized(0, 2, basic(1))),
                "EXIT(6000000000)\n"
                "  VECTORFINAL(3000000000, 1, 2, 1, 1)\n"
                "    CONTIGFINAL(1)\n"
                "BOTTOM\n");
    expect_text(contig(3000000000, basic(8)), "EXIT(24000000000, 8)\n"
                                              "  CONTIGFINAL(24000000000)\n"
                                              "BOTTOM\n");
}
END_TEST

START_TEST(a_program_states_what_one_element_is)
{
    dame_program_t *program =
        plain_of(resized(-16, 200, blockindex(2, 1, (int64_t[]){8, -40}, gapped())));
    ck_assert_int_eq(program->size, 16);
    ck_assert_int_eq(program->extent, 200);
    ck_assert_int_eq(program->true_lb, -40);
    ck_assert_int_eq(program->true_ub, 20);
    ck_assert_int_eq(program->granule, 4);
    ck_assert_int_eq(program->nprims, 5); /* EXIT BLOCKINDEX1 VECTORFINAL CONTIGFINAL BOTTOM */
    ck_assert_int_eq(program->depth, 3);  /* EXIT BLOCKINDEX1 VECTORFINAL */
    ck_assert_uint_ge(program->memory, sizeof(dame_program_t) + 5 * sizeof(dame_prim_t));
    dame_program_free(program);
}
END_TEST

/* The greatest common granule of basic sizes, where elements of several sizes share no block. */
START_TEST(the_granule_keeps_elements_whole)
{
    const dame_type_t *mixed[] = {basic(8), basic(4)};
    const struct {
        const dame_type_t *type;
        int64_t granule;
    } cases[] = {
        {basic(8), 8},
        {contig(100, basic(4)), 4},
        {contig(100, basic(1)), 1},
        {index_type(2, (int64_t[]){5, 3}, (int64_t[]){0, 100}, basic(2)), 2},
        {struct_type(2, (int64_t[]){3, 5}, (int64_t[]){0, 100}, mixed), 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dame_program_t *program = program_of(cases[i].type);
        ck_assert_int_eq(program->granule, cases[i].granule);
        dame_program_free(program);
    }
}
END_TEST

START_TEST(adjacent_bytes_keep_the_granule_of_bytes)
{
    const dame_type_t *members[] = {contig(3, basic(1)), contig(5, basic(1)), basic(1)};
    dame_program_t *program =
        program_of(struct_type(3, (int64_t[]){1, 1, 1}, (int64_t[]){0, 3, 100}, members));
    ck_assert_int_eq(program->granule, 1);
    dame_program_free(program);
}
END_TEST

START_TEST(freeing_no_program_is_allowed)
{
    dame_program_free(NULL);
}
END_TEST

START_TEST(a_program_outlives_its_tree)
{
    dame_tree_t *other = dame_tree_new();
    int64_t *disps = dame_tree_array(other, 3);
    disps[0] = 0;
    disps[1] = 40;
    disps[2] = 16;
    const dame_type_t *leaf = NULL;
    const dame_type_t *type = NULL;
    dame_program_t *program = NULL;
    ck_assert_int_eq(dame_type_basic(other, 4, &leaf), DAME_OK);
    ck_assert_int_eq(dame_type_blockindex(other, 3, 1, disps, leaf, &type), DAME_OK);
    ck_assert_int_eq(dame_program_build(type, NULL, &program), DAME_OK);
    dame_tree_free(other);
    char *text = text_of(program);
    ck_assert_str_eq(text, "EXIT\n"
                           "  BLOCKINDEXFINAL(3, 1, [0, 40, 16], 4, 4)\n"
                           "    CONTIGFINAL(4)\n"
                           "BOTTOM\n");
    free(text);
    dame_program_free(program);
}
END_TEST

Suite *program_suite(void)
{
    Suite *suite = suite_create("program");
    TCase *text = tree_case("text");
    tcase_add_test(text, the_papers_transpose_is_a_list_of_columns);
    tcase_add_test(text, contiguous_types_collapse);
    tcase_add_test(text, empty_types_are_a_leaf_of_no_bytes);
    tcase_add_test(text, a_common_offset_becomes_one_displacement_at_the_top);
    tcase_add_test(text, a_list_takes_in_the_offset_of_its_child);
    tcase_add_test(text, a_struct_has_a_subprogram_for_each_member);
    tcase_add_test(text, a_struct_of_one_type_leaves_out_empty_members);
    tcase_add_test(text, a_struct_of_different_types_has_a_subprogram_for_each);
    tcase_add_test(text, members_alike_share_a_subprogram_that_text_repeats);
    tcase_add_test(text, many_unlike_members_cost_no_more_than_their_tables);
    tcase_add_test(text, displacements_are_kept_in_32_bits_where_they_fit);
    tcase_add_test(text, an_entry_of_a_near_list_costs_4_bytes_and_12_with_a_length);
    tcase_add_test(text, a_nested_struct_names_its_own_primitive);
    tcase_add_test(text, a_blocklength_is_a_level_of_its_own);
    tcase_add_test(text, blocklength_one_has_primitives_of_its_own);
    tcase_add_test(text, an_index_counts_its_inner_instances);
    tcase_add_test(text, a_stride_of_the_extent_is_contig);
    tcase_add_test(text, lists_of_basics_are_final);
    tcase_add_test(text, levels_of_one_iteration_and_empty_blocks_vanish);
    tcase_add_test(text, without_merge_adjacent_blocks_stay_apart);
    tcase_add_test(text, counts_beyond_2_31_are_text_like_any_other);
    suite_add_tcase(suite, text);

    TCase *fields = tree_case("fields");
    tcase_add_test(fields, a_program_states_what_one_element_is);
    tcase_add_test(fields, the_granule_keeps_elements_whole);
    tcase_add_test(fields, adjacent_bytes_keep_the_granule_of_bytes);
    tcase_add_test(fields, freeing_no_program_is_allowed);
    tcase_add_test(fields, a_program_outlives_its_tree);
    suite_add_tcase(suite, fields);
    return suite;
}
