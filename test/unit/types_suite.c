/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Type trees: wrong arguments, the ends of 64 bits, memory. Sizes and bounds of ordinary types are
 * compared with the oracle by the differential test.
 */
#include "suites.h"
#include "tools.h"

static const int64_t big = INT64_C(1) << 62;

/* The constructor fails and leaves its output alone. */
#define EXPECT_STATUS(wanted, call)                                                                \
    do {                                                                                           \
        static const dame_type_t untouched;                                                        \
        const dame_type_t *out = &untouched;                                                       \
        const dame_status_t status_ = (call);                                                      \
        ck_assert_msg(status_ == (wanted), "%s: %s, not %s", #call, dame_status_text(status_),     \
                      dame_status_text(wanted));                                                   \
        ck_assert_msg(out == &untouched, "%s wrote its output", #call);                            \
    } while (0)
#define WRONG(call)        EXPECT_STATUS(DAME_ERR_ARGUMENT, dame_type_##call)
#define OUT_OF_RANGE(call) EXPECT_STATUS(DAME_ERR_RANGE, dame_type_##call)

TEST(wrong_arguments_are_refused)
{
    const dame_type_t *b = basic(4), *two[2] = {b, b}, *hole[2] = {b, NULL};
    const int64_t zeros[2] = {0, 0}, ones[2] = {1, 1}, negative[2] = {1, -1};
    WRONG(basic(tree, -1, &out));
    WRONG(contig(tree, -1, b, &out));
    WRONG(contig(tree, INT64_MIN, b, &out));
    WRONG(vector(tree, -1, 1, 8, b, &out));
    WRONG(vector(tree, 1, -1, 8, b, &out));
    WRONG(blockindex(tree, -1, 1, zeros, b, &out));
    WRONG(blockindex(tree, 1, -1, zeros, b, &out));
    WRONG(index(tree, -1, zeros, zeros, b, &out));
    WRONG(index(tree, 2, negative, zeros, b, &out));
    WRONG(struct(tree, -1, zeros, zeros, two, &out));
    WRONG(struct(tree, 2, negative, zeros, two, &out));
    WRONG(contig(tree, 1, NULL, &out));
    WRONG(vector(tree, 1, 1, 8, NULL, &out));
    WRONG(blockindex(tree, 1, 1, ones, NULL, &out));
    WRONG(index(tree, 1, ones, ones, NULL, &out));
    WRONG(struct(tree, 2, ones, ones, hole, &out));
    WRONG(resized(tree, 0, 8, NULL, &out));
    ck_assert_ptr_null(dame_tree_array(tree, -1));
    ck_assert_ptr_null(dame_tree_array(tree, INT64_MAX));
    ck_assert_ptr_null(dame_tree_types(tree, -1));
    ck_assert_ptr_null(dame_tree_types(tree, INT64_MAX));
    dame_tree_free(NULL);
}

TEST(sizes_and_bounds_beyond_64_bits_are_refused)
{
    const dame_type_t *b = basic(8);
    const dame_type_t *still = resized(0, 0, basic(1)); /* any number of them has bounds [0, 0) */
    const dame_type_t *two[2] = {still, still};
    const int64_t zeros[2] = {0, 0}, ones[2] = {1, 1}, ends[2] = {INT64_MAX, INT64_MAX};
    const int64_t wide[2] = {INT64_MIN, INT64_MAX - 8};
    OUT_OF_RANGE(contig(tree, INT64_MAX, basic(2), &out));
    OUT_OF_RANGE(vector(tree, INT64_MAX, 2, 0, still, &out));
    OUT_OF_RANGE(vector(tree, INT64_MAX, INT64_MAX, 0, still, &out));
    OUT_OF_RANGE(blockindex(tree, 2, INT64_MAX, zeros, still, &out));
    OUT_OF_RANGE(index(tree, 2, ends, zeros, still, &out));
    OUT_OF_RANGE(struct(tree, 2, ends, zeros, two, &out));
    OUT_OF_RANGE(vector(tree, 2, 1, INT64_MAX, b, &out));
    OUT_OF_RANGE(vector(tree, 3, 1, INT64_MIN, b, &out));
    OUT_OF_RANGE(vector(tree, INT64_MAX, 1, INT64_MAX, basic(1), &out));
    OUT_OF_RANGE(blockindex(tree, 1, 1, ends, b, &out));
    OUT_OF_RANGE(blockindex(tree, 2, 1, wide, b, &out));
    OUT_OF_RANGE(index(tree, 2, ones, wide, b, &out));
    OUT_OF_RANGE(resized(tree, INT64_MAX, 1, b, &out));
    OUT_OF_RANGE(resized(tree, INT64_MIN, -1, b, &out));
    OUT_OF_RANGE(contig(tree, 2, resized(0, INT64_MAX, b), &out));
    /* Only the width of the bounds does not fit. */
    const dame_type_t *far[2] = {resized(INT64_MIN, 1, b), resized(INT64_MAX - 1, 1, b)};
    OUT_OF_RANGE(struct(tree, 2, ones, zeros, far, &out));
    /* The bounds fit, with their width, the data does not: it is 3 * 2^62 wide. */
    const int64_t apart[2] = {-6917529027641081856, 6917529027641081856};
    OUT_OF_RANGE(blockindex(tree, 2, 1, apart, resized(0, INT64_MIN, b), &out));
    /* 16 blocks of 2^62 children of 2^62 bytes are 2^128 bytes. */
    const dame_type_t *child = resized(0, 0, contig(big, basic(1))), *children[16];
    int64_t lengths[16], starts[16] = {0};
    for (int i = 0; i < 16; i++) {
        lengths[i] = big;
        children[i] = child;
    }
    OUT_OF_RANGE(index(tree, 16, lengths, starts, child, &out));
    OUT_OF_RANGE(struct(tree, 16, lengths, starts, children, &out));
}

/* Bounds at the ends of 64 bits, and programs that have them without an overflow. */
TEST(the_ends_of_64_bits_are_in_range)
{
    const int64_t n = 3000000000; /* more than 32 bits count */
    const dame_type_t *pair = vector(2, 1, 8, basic(1));
    const struct {
        const dame_type_t *type;
        int64_t size, lb, extent, true_lb, true_ub;
    } cases[] = {
        {basic(INT64_MAX), INT64_MAX, 0, INT64_MAX, 0, INT64_MAX},
        {contig(INT64_MAX, basic(1)), INT64_MAX, 0, INT64_MAX, 0, INT64_MAX},
        {blockindex(1, 1, (int64_t[]){INT64_MIN}, basic(1)), 1, INT64_MIN, 1, INT64_MIN,
         INT64_MIN + 1},
        {blockindex(1, 1, (int64_t[]){INT64_MAX - 8}, basic(8)), 8, INT64_MAX - 8, 8, INT64_MAX - 8,
         INT64_MAX},
        {blockindex(2, 1, (int64_t[]){-big, big - 16}, basic(8)), 16, -big, 2 * (big - 4), -big,
         big - 8},
        {vector(2, 1, INT64_MIN + 2, basic(1)), 2, INT64_MIN + 2, INT64_MAX, INT64_MIN + 2, 1},
        {resized(INT64_MIN, INT64_MAX, basic(4)), 4, INT64_MIN, INT64_MAX, 0, 4},
        {vector(big / 2, 1, 3, basic(1)), big / 2, 0, big / 2 * 3 - 2, 0, big / 2 * 3 - 2},
        {vector(2, 1, -big, vector(2, 1, 16, basic(8))), 32, -big, big + 24, -big, 24},
        {index_type(3, (int64_t[]){0, 1, 0}, (int64_t[]){INT64_MIN, 8, INT64_MAX}, basic(4)), 4, 8,
         4, 8, 12},
        {contig(n, pair), 2 * n, 0, 9 * n, 0, 9 * n},
        {vector(n, 3, 100, pair), 6 * n, 0, 100 * (n - 1) + 27, 0, 100 * (n - 1) + 27},
        {index_type(2, (int64_t[]){n, 2 * n}, (int64_t[]){0, 100 * n}, pair), 6 * n, 0, 118 * n, 0,
         118 * n},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const dame_type_t *type = cases[i].type;
        dame_program_t *programs[] = {plain_of(type), program_of(type)};
        ck_assert_msg(type->size == cases[i].size && type->lb == cases[i].lb &&
                          type->extent == cases[i].extent && type->true_lb == cases[i].true_lb &&
                          type->true_ub == cases[i].true_ub,
                      "case %d", i);
        for (int k = 0; k < 2; k++) {
            const dame_program_t *p = programs[k];
            ck_assert_msg(p->size == type->size && p->extent == type->extent &&
                              p->true_lb == type->true_lb && p->true_ub == type->true_ub,
                          "program of case %d", i);
            dame_program_free(programs[k]);
        }
    }
}

TEST(a_reset_tree_makes_types_like_a_new_one)
{
    /* rounds that fit the memory it keeps, that do not, and again that do */
    static const int64_t lengths[] = {10, 1000, 100000, 3, 20000, 200000, 1};
    dame_program_t *program = plain_of(blockindex(3, 1, (int64_t[]){0, 40, 16}, basic(4)));
    for (int round = 0; round < COUNT_OF(lengths); round++) {
        const int64_t n = lengths[round];
        dame_tree_reset(tree);
        int64_t *disps = dame_tree_array(tree, n), *more = dame_tree_array(tree, n);
        ck_assert(disps && more);
        for (int64_t i = 0; i < n; i++) {
            disps[i] = 16 * i;
            more[i] = -1;
        }
        const dame_type_t *type = NULL;
        ck_assert_int_eq(dame_type_blockindex(tree, n, 1, disps, basic(4), &type), DAME_OK);
        ck_assert_int_eq(type->size, 4 * n);
        ck_assert_int_eq(type->true_ub, 16 * n - 12);
        for (int64_t i = 0; i < n; i++) {
            ck_assert(disps[i] == 16 * i && more[i] == -1);
        }
    }
    /* The program outlives them all. */
    expect_text(program, "EXIT BLOCKINDEXFINAL(3, 1, [0, 40, 16], 4, 4) CONTIGFINAL(4) BOTTOM");
    dame_program_free(NULL);
}

TEST(every_status_has_its_own_text)
{
    for (int i = DAME_OK; i <= DAME_ERR_FULL; i++) {
        ck_assert_str_ne(dame_status_text((dame_status_t) i), "");
        for (int k = DAME_OK; k < i; k++) {
            ck_assert_str_ne(dame_status_text((dame_status_t) i),
                             dame_status_text((dame_status_t) k));
        }
    }
}

SUITE_OF(types, 1, tree_setup, tree_teardown)
