/* Sizes and bounds of every constructor (MPI-4.0, sections 5.1.2 to 5.1.7). */
#include "suites.h"
#include "tools.h"

/* size, lower bound, extent, true lower bound, true upper bound */
static void expect(const dame_type_t *type, int64_t size, int64_t lb, int64_t extent,
                   int64_t true_lb, int64_t true_ub)
{
    ck_assert_int_eq(type->size, size);
    ck_assert_int_eq(type->lb, lb);
    ck_assert_int_eq(type->extent, extent);
    ck_assert_int_eq(type->true_lb, true_lb);
    ck_assert_int_eq(type->true_ub, true_ub);
}

START_TEST(basic_is_as_long_as_its_size)
{
    expect(basic(8), 8, 0, 8, 0, 8);
    expect(basic(1), 1, 0, 1, 0, 1);
    ck_assert_int_eq(basic(8)->kind, DAME_BASIC);
}
END_TEST

START_TEST(contig_puts_children_one_extent_apart)
{
    const dame_type_t *type = contig(5, basic(4));
    expect(type, 20, 0, 20, 0, 20);
    ck_assert_int_eq(type->kind, DAME_CONTIG);
    ck_assert_int_eq(type->count, 5);
    expect(contig(3, resized(0, 10, basic(4))), 12, 0, 30, 0, 24);
}
END_TEST

START_TEST(contig_of_a_negative_extent_grows_downwards)
{
    /* instances at 0, -8, -16; their bounds are [0, -8), [-8, -16), [-16, -24) */
    expect(contig(3, resized(0, -8, basic(4))), 12, -16, 8, -16, 4);
}
END_TEST

START_TEST(contig_of_extent_zero_stays_in_place)
{
    expect(contig(7, resized(0, 0, basic(4))), 28, 0, 0, 0, 4);
}
END_TEST

START_TEST(vector_spans_from_first_to_last_block)
{
    const dame_type_t *type = vector(3, 2, 20, basic(4));
    expect(type, 24, 0, 48, 0, 48);
    ck_assert_int_eq(type->blklen, 2);
    ck_assert_int_eq(type->stride, 20);
}
END_TEST

START_TEST(vector_with_negative_stride_has_negative_lower_bound)
{
    expect(vector(3, 2, -20, basic(4)), 24, -40, 48, -40, 8);
}
END_TEST

START_TEST(vector_with_stride_zero_has_one_block_of_extent)
{
    expect(vector(3, 1, 0, basic(4)), 12, 0, 4, 0, 4);
}
END_TEST

START_TEST(vector_keeps_bounds_of_a_resized_child)
{
    /* blocks at 0 and 100 of two children at +0, +16; child bounds [-4, 12), data [0, 8) */
    expect(vector(2, 2, 100, resized(-4, 16, basic(8))), 32, -4, 132, 0, 124);
}
END_TEST

START_TEST(blockindex_spans_lowest_to_highest_block)
{
    expect(blockindex(3, 2, (int64_t[]){16, -8, 4}, basic(4)), 24, -8, 32, -8, 24);
}
END_TEST

START_TEST(blockindex_may_overlap)
{
    expect(blockindex(3, 1, (int64_t[]){0, 2, 0}, basic(4)), 12, 0, 6, 0, 6);
}
END_TEST

START_TEST(index_ignores_blocks_without_children)
{
    expect(index_type(4, (int64_t[]){0, 2, 0, 1}, (int64_t[]){-1000, 8, INT64_MAX, 0}, basic(4)),
           12, 0, 16, 0, 16);
}
END_TEST

START_TEST(struct_joins_the_bounds_of_its_members)
{
    const dame_type_t *members[] = {basic(1), basic(8), vector(2, 1, -16, basic(4))};
    expect(struct_type(3, (int64_t[]){1, 2, 1}, (int64_t[]){0, 8, 8}, members), 25, -8, 32, -8, 24);
}
END_TEST

START_TEST(struct_ignores_members_of_blocklength_zero)
{
    const dame_type_t *members[] = {basic(8), basic(4)};
    expect(struct_type(2, (int64_t[]){0, 1}, (int64_t[]){INT64_MIN, 4}, members), 4, 4, 4, 4, 8);
}
END_TEST

START_TEST(resized_changes_bounds_but_not_true_bounds)
{
    const dame_type_t *child = blockindex(1, 1, (int64_t[]){4}, basic(4));
    expect(child, 4, 4, 4, 4, 8);
    expect(resized(-3, 100, child), 4, -3, 100, 4, 8);
    expect(resized(6, 1, child), 4, 6, 1, 4, 8);
    expect(resized(8, -20, child), 4, 8, -20, 4, 8);
    expect(resized(0, 0, child), 4, 0, 0, 4, 8);
    expect(resized(2, 7, resized(-3, 100, child)), 4, 2, 7, 4, 8);
}
END_TEST

START_TEST(types_without_data_have_no_bounds)
{
    expect(basic(0), 0, 0, 0, 0, 0);
    expect(contig(0, basic(4)), 0, 0, 0, 0, 0);
    expect(contig(3, basic(0)), 0, 0, 0, 0, 0);
    expect(vector(0, 2, 100, basic(4)), 0, 0, 0, 0, 0);
    expect(vector(3, 0, 100, basic(4)), 0, 0, 0, 0, 0);
    expect(blockindex(2, 0, (int64_t[]){5, 9}, basic(4)), 0, 0, 0, 0, 0);
    expect(index_type(2, (int64_t[]){0, 0}, (int64_t[]){5, 9}, basic(4)), 0, 0, 0, 0, 0);
    expect(struct_type(0, NULL, NULL, NULL), 0, 0, 0, 0, 0);
}
END_TEST

START_TEST(resized_gives_bounds_to_a_type_without_data)
{
    expect(resized(-4, 16, basic(0)), 0, -4, 16, 0, 0);
    expect(contig(3, resized(-4, 16, basic(0))), 0, -4, 48, 0, 0);
}
END_TEST

START_TEST(bounds_of_resized_members_win_over_those_of_data)
{
    /* MPI-4.0, section 5.1.6: lb is the least of the lb markers when there are any. */
    const dame_type_t *members[] = {resized(4, 4, basic(4)), basic(16)};
    expect(struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 0}, members), 20, 4, 4, 0, 16);
}
END_TEST

START_TEST(members_without_data_have_no_bounds_to_contribute)
{
    const dame_type_t *members[] = {contig(0, basic(4)), basic(4)};
    expect(struct_type(2, (int64_t[]){1, 1}, (int64_t[]){100, 8}, members), 4, 8, 4, 8, 12);
    expect(vector(3, 1, 100, contig(0, basic(4))), 0, 0, 0, 0, 0);
}
END_TEST

START_TEST(a_node_may_be_a_child_many_times)
{
    const dame_type_t *leaf = basic(4);
    const dame_type_t *members[] = {leaf, leaf, contig(2, leaf), leaf};
    expect(struct_type(4, (int64_t[]){1, 1, 1, 1}, (int64_t[]){0, 4, 8, 32}, members), 20, 0, 36, 0,
           36);
}
END_TEST

START_TEST(a_tree_holds_many_nodes_and_long_lists)
{
    enum { N = 100000 };
    int64_t *disps = dame_tree_array(tree, N);
    ck_assert_ptr_nonnull(disps);
    for (int64_t i = 0; i < N; i++) {
        disps[i] = 16 * i;
    }
    const dame_type_t *type = NULL;
    ck_assert_int_eq(dame_type_blockindex(tree, N, 1, disps, basic(4), &type), DAME_OK);
    expect(type, 4 * N, 0, 16 * N - 12, 0, 16 * N - 12);
    for (int64_t i = 0; i < 10000; i++) {
        type = contig(1, type);
    }
    expect(type, 4 * N, 0, 16 * N - 12, 0, 16 * N - 12);
    ck_assert_int_eq(disps[N - 1], 16 * (N - 1)); /* the list is borrowed, and unchanged */
}
END_TEST

START_TEST(a_reset_tree_makes_types_like_a_new_one)
{
    /* rounds that fit the memory it keeps, that do not, and again that do */
    static const int64_t lengths[] = {10, 1000, 100000, 3, 20000, 200000, 1};
    for (size_t round = 0; round < sizeof lengths / sizeof lengths[0]; round++) {
        const int64_t n = lengths[round];
        int64_t *disps = dame_tree_array(tree, n);
        int64_t *more = dame_tree_array(tree, n);
        ck_assert(disps && more);
        for (int64_t i = 0; i < n; i++) {
            disps[i] = 16 * i;
            more[i] = -1;
        }
        const dame_type_t *type = NULL;
        ck_assert_int_eq(dame_type_blockindex(tree, n, 1, disps, basic(4), &type), DAME_OK);
        expect(type, 4 * n, 0, 16 * n - 12, 0, 16 * n - 12);
        for (int64_t i = 0; i < n; i++) {
            ck_assert(disps[i] == 16 * i && more[i] == -1);
        }
        dame_tree_reset(tree);
        dame_tree_reset(tree);
    }
}
END_TEST

START_TEST(a_program_outlives_the_reset_of_its_tree)
{
    dame_program_t *program = program_of(blockindex(3, 1, (int64_t[]){0, 40, 16}, basic(4)));
    dame_tree_reset(tree);
    int64_t *again = dame_tree_array(tree, 64);
    ck_assert_ptr_nonnull(again);
    for (int i = 0; i < 64; i++) {
        again[i] = -1;
    }
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    ck_assert_int_eq(program->true_ub, 44);
    dame_program_free(program);
}
END_TEST

START_TEST(freeing_no_tree_is_allowed)
{
    dame_tree_free(NULL);
}
END_TEST

START_TEST(impossible_arrays_are_refused)
{
    ck_assert_ptr_null(dame_tree_array(tree, -1));
    ck_assert_ptr_null(dame_tree_array(tree, INT64_MAX));
    ck_assert_ptr_null(dame_tree_types(tree, -1));
    ck_assert_ptr_null(dame_tree_types(tree, INT64_MAX));
}
END_TEST

START_TEST(every_status_has_its_own_text)
{
    for (int i = DAME_OK; i <= DAME_ERR_FULL; i++) {
        ck_assert_ptr_nonnull(dame_status_text((dame_status_t) i));
        ck_assert_str_ne(dame_status_text((dame_status_t) i), "");
        for (int k = DAME_OK; k < i; k++) {
            ck_assert_str_ne(dame_status_text((dame_status_t) i),
                             dame_status_text((dame_status_t) k));
        }
    }
}
END_TEST

Suite *type_suite(void)
{
    Suite *suite = suite_create("type");
    TCase *data = tree_case("types with data");
    tcase_add_test(data, basic_is_as_long_as_its_size);
    tcase_add_test(data, contig_puts_children_one_extent_apart);
    tcase_add_test(data, contig_of_a_negative_extent_grows_downwards);
    tcase_add_test(data, contig_of_extent_zero_stays_in_place);
    tcase_add_test(data, vector_spans_from_first_to_last_block);
    tcase_add_test(data, vector_with_negative_stride_has_negative_lower_bound);
    tcase_add_test(data, vector_with_stride_zero_has_one_block_of_extent);
    tcase_add_test(data, vector_keeps_bounds_of_a_resized_child);
    tcase_add_test(data, blockindex_spans_lowest_to_highest_block);
    tcase_add_test(data, blockindex_may_overlap);
    tcase_add_test(data, index_ignores_blocks_without_children);
    tcase_add_test(data, struct_joins_the_bounds_of_its_members);
    tcase_add_test(data, struct_ignores_members_of_blocklength_zero);
    tcase_add_test(data, resized_changes_bounds_but_not_true_bounds);
    suite_add_tcase(suite, data);

    TCase *empty = tree_case("empty types and markers");
    tcase_add_test(empty, types_without_data_have_no_bounds);
    tcase_add_test(empty, resized_gives_bounds_to_a_type_without_data);
    tcase_add_test(empty, bounds_of_resized_members_win_over_those_of_data);
    tcase_add_test(empty, members_without_data_have_no_bounds_to_contribute);
    suite_add_tcase(suite, empty);

    TCase *trees = tree_case("trees");
    tcase_add_test(trees, a_node_may_be_a_child_many_times);
    tcase_add_test(trees, a_tree_holds_many_nodes_and_long_lists);
    tcase_add_test(trees, a_reset_tree_makes_types_like_a_new_one);
    tcase_add_test(trees, a_program_outlives_the_reset_of_its_tree);
    tcase_add_test(trees, freeing_no_tree_is_allowed);
    tcase_add_test(trees, impossible_arrays_are_refused);
    tcase_add_test(trees, every_status_has_its_own_text);
    suite_add_tcase(suite, trees);
    return suite;
}
