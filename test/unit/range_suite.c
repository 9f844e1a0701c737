/* Arguments that are wrong, and sizes and bounds at the ends of 64 bits. Nothing is moved here. */
#include "suites.h"
#include "tools.h"

/* What a failing constructor must leave alone. */
static const dame_type_t *untouched(void)
{
    static const dame_type_t sentinel;
    return &sentinel;
}

#define EXPECT_STATUS(wanted, call)                                                                \
    do {                                                                                           \
        const dame_type_t *out = untouched();                                                      \
        dame_status_t status_ = (call);                                                            \
        ck_assert_msg(status_ == (wanted), "%s: %s, not %s", #call, dame_status_text(status_),     \
                      dame_status_text(wanted));                                                   \
        ck_assert_msg(out == untouched(), "%s wrote its output", #call);                           \
    } while (0)

START_TEST(negative_numbers_are_wrong_arguments)
{
    const dame_type_t *b = basic(4);
    const int64_t zeros[2] = {0, 0};
    const int64_t negative[2] = {1, -1};
    const dame_type_t *two[2] = {b, b};
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_basic(tree, -1, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_contig(tree, -1, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_vector(tree, -1, 1, 8, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_vector(tree, 1, -1, 8, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_blockindex(tree, -1, 1, zeros, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_blockindex(tree, 1, -1, zeros, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_index(tree, -1, zeros, zeros, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_index(tree, 2, negative, zeros, b, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_struct(tree, -1, zeros, zeros, two, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_struct(tree, 2, negative, zeros, two, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_contig(tree, INT64_MIN, b, &out));
}
END_TEST

START_TEST(missing_children_are_wrong_arguments)
{
    const int64_t ones[2] = {1, 1};
    const dame_type_t *hole[2] = {basic(4), NULL};
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_contig(tree, 1, NULL, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_vector(tree, 1, 1, 8, NULL, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_blockindex(tree, 1, 1, ones, NULL, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_index(tree, 1, ones, ones, NULL, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_struct(tree, 2, ones, ones, hole, &out));
    EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_resized(tree, 0, 8, NULL, &out));
}
END_TEST

START_TEST(sizes_beyond_64_bits_are_out_of_range)
{
    const dame_type_t *b = basic(2);
    const int64_t ends[2] = {INT64_MAX, INT64_MAX};
    const int64_t zeros[2] = {0, 0};
    const dame_type_t *still = resized(0, 0, basic(1)); /* any number of them has bounds [0, 0) */
    const dame_type_t *two[2] = {still, still};
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_contig(tree, INT64_MAX, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_vector(tree, INT64_MAX, 2, 0, still, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_vector(tree, INT64_MAX, INT64_MAX, 0, still, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_blockindex(tree, 2, INT64_MAX, zeros, still, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_index(tree, 2, ends, zeros, still, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_struct(tree, 2, ends, zeros, two, &out));
}
END_TEST

START_TEST(sums_that_wrap_around_128_bits_are_out_of_range)
{
    /* 16 blocks of 2^62 children of 2^62 bytes are 2^128 bytes; extent 0 keeps the bounds small. */
    const int64_t big = (int64_t) 1 << 62;
    const dame_type_t *child = resized(0, 0, contig(big, basic(1)));
    int64_t *lengths = dame_tree_array(tree, 16);
    int64_t *zeros = dame_tree_array(tree, 16);
    const dame_type_t **children = dame_tree_types(tree, 16);
    for (int i = 0; i < 16; i++) {
        lengths[i] = big;
        zeros[i] = 0;
        children[i] = child;
    }
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_index(tree, 16, lengths, zeros, child, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_struct(tree, 16, lengths, zeros, children, &out));
}
END_TEST

START_TEST(bounds_beyond_64_bits_are_out_of_range)
{
    const dame_type_t *b = basic(8);
    const int64_t top[1] = {INT64_MAX};
    const int64_t wide[2] = {INT64_MIN, INT64_MAX - 8};
    const int64_t ones[2] = {1, 1};
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_vector(tree, 2, 1, INT64_MAX, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_vector(tree, 3, 1, INT64_MIN, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_vector(tree, INT64_MAX, 1, INT64_MAX, basic(1), &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_blockindex(tree, 1, 1, top, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_blockindex(tree, 2, 1, wide, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_index(tree, 2, ones, wide, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_resized(tree, INT64_MAX, 1, b, &out));
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_resized(tree, INT64_MIN, -1, b, &out));
    const dame_type_t *far = resized(0, INT64_MAX, b);
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_contig(tree, 2, far, &out));
    /* The bounds fit, with their width, the data does not: it is 3 * 2^62 wide. */
    const int64_t apart[2] = {-6917529027641081856, 6917529027641081856};
    const dame_type_t *backward = resized(0, INT64_MIN, b);
    EXPECT_STATUS(DAME_ERR_RANGE, dame_type_blockindex(tree, 2, 1, apart, backward, &out));
}
END_TEST

START_TEST(the_ends_of_64_bits_are_in_range)
{
    const dame_type_t *type = basic(INT64_MAX);
    ck_assert_int_eq(type->true_ub, INT64_MAX);
    type = contig(INT64_MAX, basic(1));
    ck_assert_int_eq(type->size, INT64_MAX);
    type = blockindex(1, 1, (int64_t[]){INT64_MIN}, basic(1));
    ck_assert_int_eq(type->lb, INT64_MIN);
    ck_assert_int_eq(type->true_ub, INT64_MIN + 1);
    type = blockindex(1, 1, (int64_t[]){INT64_MAX - 8}, basic(8));
    ck_assert_int_eq(type->true_ub, INT64_MAX);
    type = vector(2, 1, INT64_MIN + 2, basic(1)); /* bytes 0 and -(2^63 - 2) */
    ck_assert_int_eq(type->extent, INT64_MAX);
    type = resized(INT64_MIN, INT64_MAX, basic(4));
    ck_assert_int_eq(type->extent, INT64_MAX);
}
END_TEST

START_TEST(blocks_without_children_may_stand_anywhere)
{
    const dame_type_t *type =
        index_type(3, (int64_t[]){0, 1, 0}, (int64_t[]){INT64_MIN, 8, INT64_MAX}, basic(4));
    ck_assert_int_eq(type->extent, 4);
    dame_program_t *program = program_of(type);
    ck_assert_int_eq(program->true_lb, 8);
    dame_program_free(program);
}
END_TEST

START_TEST(counts_beyond_2_31_are_ordinary)
{
    const int64_t n = 3000000000;
    const dame_type_t *pair = vector(2, 1, 8, basic(1)); /* bytes 0 and 8 */
    const dame_type_t *type = contig(n, pair);
    ck_assert_int_eq(type->size, 2 * n);
    ck_assert_int_eq(type->extent, 9 * n);
    type = vector(n, 3, 100, pair);
    ck_assert_int_eq(type->size, 6 * n);
    ck_assert_int_eq(type->extent, 100 * (n - 1) + 27);
    type = index_type(2, (int64_t[]){n, 2 * n}, (int64_t[]){0, 100 * n}, pair);
    ck_assert_int_eq(type->size, 6 * n);
    ck_assert_int_eq(type->true_ub, 100 * n + 18 * n);
    dame_program_t *program = program_of(type);
    ck_assert_int_eq(program->size, 6 * n);
    ck_assert_int_eq(program->true_ub, 118 * n);
    dame_program_free(program);
}
END_TEST

/* Programs of types at the ends of the range: built and verified without an overflow. */
START_TEST(programs_at_the_ends_of_the_range_are_verified)
{
    const dame_type_t *types[] = {
        contig(INT64_MAX, basic(1)),
        blockindex(1, 1, (int64_t[]){INT64_MIN}, basic(1)),
        blockindex(2, 1, (int64_t[]){-((int64_t) 1 << 62), ((int64_t) 1 << 62) - 16}, basic(8)),
        vector((int64_t) 1 << 61, 1, 3, basic(1)),
        vector((int64_t) 1 << 60, 2, 7, resized(0, 3, basic(1))),
        vector(2, 1, -((int64_t) 1 << 62), vector(2, 1, 16, basic(8))),
        contig((int64_t) 1 << 60, vector(2, 1, 3, basic(1))),
        index_type(2, (int64_t[]){(int64_t) 1 << 60, 1}, (int64_t[]){0, -((int64_t) 1 << 62)},
                   resized(0, 2, basic(1))),
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        dame_program_t *programs[] = {plain_of(types[i]), program_of(types[i])};
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(programs[k]->size, types[i]->size);
            ck_assert_int_eq(programs[k]->extent, types[i]->extent);
            ck_assert_int_eq(programs[k]->true_lb, types[i]->true_lb);
            ck_assert_int_eq(programs[k]->true_ub, types[i]->true_ub);
            dame_program_free(programs[k]);
        }
    }
}
END_TEST

Suite *range_suite(void)
{
    Suite *suite = suite_create("range");
    TCase *wrong = tree_case("refused");
    tcase_add_test(wrong, negative_numbers_are_wrong_arguments);
    tcase_add_test(wrong, missing_children_are_wrong_arguments);
    tcase_add_test(wrong, sizes_beyond_64_bits_are_out_of_range);
    tcase_add_test(wrong, sums_that_wrap_around_128_bits_are_out_of_range);
    tcase_add_test(wrong, bounds_beyond_64_bits_are_out_of_range);
    suite_add_tcase(suite, wrong);

    TCase *right = tree_case("accepted");
    tcase_add_test(right, the_ends_of_64_bits_are_in_range);
    tcase_add_test(right, blocks_without_children_may_stand_anywhere);
    tcase_add_test(right, counts_beyond_2_31_are_ordinary);
    tcase_add_test(right, programs_at_the_ends_of_the_range_are_verified);
    suite_add_tcase(suite, right);
    return suite;
}
