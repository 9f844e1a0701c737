/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes: their life, values that are computed by hand, and sizes that no memory has. */
#include <stdlib.h>
#include <string.h>

#include "dame_config.h"
#include "dame/datatype.h"
#include "test/unit/suites.h"

static dame_context_t *context;
static dame_datatype_t *real, *number; /* float64, int32 */

static void setup(void)
{
    ck_assert_int_eq(dame_context_new(NULL, &context), DAME_OK);
    ck_assert_int_eq(dame_datatype_basic(context, "double", 0, &real), DAME_OK);
    ck_assert_int_eq(dame_datatype_basic(context, "int", 0, &number), DAME_OK);
}

static void teardown(void)
{
    dame_datatype_free(real);
    dame_datatype_free(number);
    dame_context_free(context);
}

#define OK(...) ck_assert_msg((__VA_ARGS__) == DAME_OK, "%s", dame_error_message())

static int64_t counter(const char *name)
{
    int64_t value;
    OK(dame_context_counter(context, name, &value));
    return value;
}

/* ---- life ---- */

TEST(datatypes_outlive_what_they_are_made_of)
{
    dame_context_t *own;
    dame_datatype_t *basic, *column, *matrix, *again;
    OK(dame_context_new(NULL, &own));
    OK(dame_datatype_basic(own, "int", 0, &basic));
    OK(dame_datatype_vector(3, 1, 4, basic, &column));
    OK(dame_datatype_contiguous(2, column, &matrix));
    OK(dame_datatype_dup(matrix, &again));
    dame_context_free(own);
    dame_datatype_free(basic);
    dame_datatype_free(column);
    OK(dame_datatype_commit(again));
    dame_datatype_free(again);
    const int from[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
    const int wanted[] = {0, 4, 8, 9, 13, 17};
    int packed[6];
    OK(dame_pack(matrix, 1, from, 0, packed, sizeof packed, NULL));
    ck_assert_mem_eq(packed, wanted, sizeof wanted);
    dame_datatype_free(matrix);
}

TEST(lists_belong_to_the_caller)
{
    int64_t lengths[] = {1, 1}, disps[] = {8, 0};
    dame_datatype_t *type;
    double from[] = {1, 2}, packed[2];
    OK(dame_datatype_hindexed(2, lengths, disps, real, &type));
    memset(lengths, 0x77, sizeof lengths);
    memset(disps, 0x77, sizeof disps);
    OK(dame_datatype_commit(type));
    OK(dame_datatype_commit(type));
    OK(dame_pack(type, 1, from, 0, packed, 16, NULL));
    ck_assert(packed[0] == 2 && packed[1] == 1);
    dame_datatype_free(type);
}

TEST(contexts_count_what_they_did)
{
    double from[6] = {0}, to[6];
    char packed[16];
    dame_datatype_t *type;
    ck_assert_int_eq(counter("datatypes"), 2);
    OK(dame_datatype_vector(2, 1, 2, real, &type));
    ck_assert_int_eq(counter("datatypes"), 3);
    OK(dame_datatype_commit(type));
    OK(dame_datatype_commit(type));
    ck_assert_int_eq(counter("commits"), 3);
    OK(dame_pack(type, 1, from, 0, packed, 10, NULL));
    OK(dame_pack(type, 1, from, 10, packed, 16, NULL));
    OK(dame_pack(type, 1, from, 16, packed, 16, NULL)); /* nothing */
    OK(dame_unpack(type, 1, to, 0, packed, 16, NULL));
    OK(dame_copy(type, 1, from, real, 2, to));
    ck_assert_int_eq(counter("packs"), 2);
    ck_assert_int_eq(counter("packed_bytes"), 16);
    ck_assert_int_eq(counter("unpacks"), 1);
    ck_assert_int_eq(counter("unpacked_bytes"), 16);
    ck_assert_int_eq(counter("copies"), 1);
    ck_assert_int_eq(counter("copied_bytes"), 16);
    int64_t value;
    ck_assert_int_eq(dame_context_counter(context, "none", &value), DAME_ERR_ARGUMENT);
    int n = 0;
    while (dame_counter_name(n)) {
        OK(dame_context_counter(context, dame_counter_name(n), &value));
        n++;
    }
    ck_assert_int_eq(n, 15);
    ck_assert_ptr_null(dame_counter_name(-1));
    dame_datatype_free(type);
}

/* ---- values ---- */

static void expect_bounds(const dame_datatype_t *type, int64_t size, int64_t lb, int64_t extent,
                          int64_t true_lb, int64_t true_extent)
{
    int64_t is[5];
    OK(dame_datatype_size(type, &is[0]));
    OK(dame_datatype_extent(type, &is[1], &is[2]));
    OK(dame_datatype_true_extent(type, &is[3], &is[4]));
    const int64_t wanted[] = {size, lb, extent, true_lb, true_extent};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(is[i], wanted[i]);
    }
}

/* The example of MPI-4.0, section 5.1.3, in both orders: against loops over indices. */
LOOP_TEST(subarrays_are_loops_over_their_indices, 2)
{
    const int64_t sizes[] = {4, 5, 6}, subsizes[] = {2, 3, 4}, starts[] = {1, 0, 2};
    int from[120], packed[24], wanted[24], n = 0;
    dame_datatype_t *type;
    OK(dame_datatype_subarray(3, sizes, subsizes, starts, _i ? DAME_ORDER_FORTRAN : DAME_ORDER_C,
                              number, &type));
    OK(dame_datatype_commit(type));
    for (int i = 0; i < 120; i++) {
        from[i] = i;
    }
    for (int slow = 0; slow < subsizes[_i ? 2 : 0]; slow++) {
        for (int j = 0; j < subsizes[1]; j++) {
            for (int fast = 0; fast < subsizes[_i ? 0 : 2]; fast++) {
                wanted[n++] = _i ? (1 + fast) + 4 * (j + 5 * (2 + slow))
                                 : (2 + fast) + 6 * (j + 5 * (1 + slow));
            }
        }
    }
    OK(dame_pack(type, 1, from, 0, packed, sizeof packed, NULL));
    ck_assert_mem_eq(packed, wanted, sizeof wanted);
    int64_t lb, extent;
    OK(dame_datatype_extent(type, &lb, &extent));
    ck_assert_int_eq(lb, 0);
    ck_assert_int_eq(extent, 480);
    dame_datatype_free(type);
}

TEST(empty_datatypes_move_nothing)
{
    const int64_t sizes[] = {3, 4}, none[] = {0, 4}, starts[] = {3, 0};
    dame_datatype_t *types[4];
    OK(dame_datatype_contiguous(0, real, &types[0]));
    OK(dame_datatype_struct(context, 0, NULL, NULL, NULL, &types[1]));
    OK(dame_datatype_subarray(2, sizes, none, starts, DAME_ORDER_C, real, &types[2]));
    OK(dame_datatype_resized(-8, 24, types[1], &types[3]));
    expect_bounds(types[2], 0, 0, 96, 0, 0);
    expect_bounds(types[3], 0, -8, 24, 0, 0);
    for (int i = 0; i < 4; i++) {
        OK(dame_datatype_commit(types[i]));
    }
    for (int i = 0; i < 4; i++) {
        int64_t moved = 1, position = 0, listed = 1;
        int same = 0;
        struct iovec block;
        dame_typemap_entry_t entry;
        OK(dame_pack(types[i], INT64_MAX, NULL, 0, NULL, 8, &moved));
        ck_assert_int_eq(moved, 0);
        OK(dame_blocks(types[i], 5, NULL, &position, &block, 1, &listed));
        ck_assert_int_eq(listed, 0);
        OK(dame_datatype_typemap(types[i], &position, &entry, 1, &listed));
        ck_assert_int_eq(listed, 0);
        OK(dame_copy(types[i], 3, NULL, types[3 - i], 4, NULL));
        OK(dame_datatype_same_signature(types[i], 7, real, 0, &same));
        ck_assert_int_eq(same, 1);
        OK(dame_datatype_same_signature(types[i], 7, real, 1, &same));
        ck_assert_int_eq(same, 0);
    }
    for (int i = 0; i < 4; i++) {
        dame_datatype_free(types[i]);
    }
}

/* Displacements beyond 2^31 and counts beyond 2^33: only addresses, no memory. */
TEST(huge_messages_are_listed_anywhere)
{
    const int64_t rows = (int64_t) 3 << 32, step = -((int64_t) 5 << 20);
    int64_t position = (rows - 2) * 8 + 3, listed;
    struct iovec blocks[4];
    dame_datatype_t *type;
    OK(dame_datatype_hvector(rows, 1, step, real, &type));
    OK(dame_datatype_commit(type));
    expect_bounds(type, rows * 8, (rows - 1) * step, 8 - (rows - 1) * step, (rows - 1) * step,
                  8 - (rows - 1) * step);
    OK(dame_blocks(type, 1, NULL, &position, blocks, 4, &listed));
    ck_assert_int_eq(listed, 2);
    ck_assert_int_eq(position, rows * 8);
    ck_assert_int_eq((intptr_t) blocks[0].iov_base, (rows - 2) * step + 3);
    ck_assert_uint_eq(blocks[0].iov_len, 5);
    ck_assert_int_eq((intptr_t) blocks[1].iov_base, (rows - 1) * step);
    dame_typemap_entry_t entry;
    position = rows - 1;
    OK(dame_datatype_typemap(type, &position, &entry, 1, &listed));
    ck_assert_int_eq(entry.displacement, (rows - 1) * step);
    ck_assert_int_eq(entry.count, 1);
    ck_assert_str_eq(entry.name, "float64");
    dame_datatype_free(type);
}

TEST(dense_datatypes_are_one_entry_of_the_typemap)
{
    dame_datatype_t *row, *plane;
    dame_typemap_entry_t entries[2];
    int64_t position = 5, listed;
    OK(dame_datatype_contiguous((int64_t) 1 << 40, real, &row));
    OK(dame_datatype_vector(1 << 10, 1, 1, row, &plane));
    OK(dame_datatype_typemap(plane, &position, entries, 2, &listed));
    ck_assert_int_eq(listed, 1);
    ck_assert_int_eq(entries[0].displacement, 40);
    ck_assert_int_eq(entries[0].count, ((int64_t) 1 << 50) - 5);
    ck_assert_int_eq(position, (int64_t) 1 << 50);
    dame_datatype_free(row);
    dame_datatype_free(plane);
}

/* ---- copies ---- */

/* Pairs of datatypes with programs that differ in one parameter only. */
TEST(layouts_that_differ_a_little_are_told_apart)
{
    const int64_t disps[] = {0, 32, 64}, list[] = {0, 24, 64}, others[] = {0, 40, 64};
    const int64_t lengths[] = {1, 3, 2}, turned[] = {3, 1, 2};
    dame_datatype_t *types[4][2], *narrow, *wide;
    OK(dame_datatype_hindexed_block(3, 1, list, real, &types[0][0]));
    OK(dame_datatype_hindexed_block(3, 1, others, real, &types[0][1]));
    OK(dame_datatype_hindexed(3, lengths, disps, real, &types[1][0]));
    OK(dame_datatype_hindexed(3, turned, disps, real, &types[1][1]));
    OK(dame_datatype_hvector(4, 1, 16, real, &narrow));
    OK(dame_datatype_hvector(4, 1, 24, real, &wide));
    OK(dame_datatype_resized(0, 96, narrow, &types[2][0]));
    OK(dame_datatype_resized(0, 96, wide, &types[2][1]));
    dame_datatype_free(narrow);
    dame_datatype_free(wide);
    OK(dame_datatype_hvector(4, 2, 24, real, &types[3][0]));
    OK(dame_datatype_hvector(2, 4, 48, real, &types[3][1]));
    for (int i = 0; i < 4; i++) {
        double from[12], to[12], packed[2][8];
        int64_t bytes;
        OK(dame_datatype_commit(types[i][0]));
        OK(dame_datatype_commit(types[i][1]));
        OK(dame_packed_size(types[i][0], 1, &bytes));
        for (int k = 0; k < 12; k++) {
            from[k] = k + 1;
            to[k] = -k;
        }
        OK(dame_copy(types[i][0], 1, from, types[i][1], 1, to));
        OK(dame_pack(types[i][0], 1, from, 0, packed[0], bytes, NULL));
        OK(dame_pack(types[i][1], 1, to, 0, packed[1], bytes, NULL));
        ck_assert_mem_eq(packed[0], packed[1], (size_t) bytes);
        dame_datatype_free(types[i][0]);
        dame_datatype_free(types[i][1]);
    }
}

/* ---- signatures ---- */

static dame_datatype_t *pair_of(const dame_datatype_t *first, int64_t n,
                                const dame_datatype_t *second, int64_t m)
{
    const int64_t lengths[] = {n, m}, disps[] = {0, (int64_t) 1 << 61};
    const dame_datatype_t *types[] = {first, second};
    dame_datatype_t *type;
    OK(dame_datatype_struct(context, 2, lengths, disps, types, &type));
    return type;
}

static int same(const dame_datatype_t *a, int64_t a_count, const dame_datatype_t *b,
                int64_t b_count)
{
    int one = -1, other = -2;
    OK(dame_datatype_same_signature(a, a_count, b, b_count, &one));
    OK(dame_datatype_same_signature(b, b_count, a, a_count, &other));
    ck_assert_int_eq(one, other);
    return one;
}

TEST(kinds_count_in_signatures_not_sizes)
{
    dame_datatype_t *integer, *mine, *yours, *size;
    OK(dame_datatype_basic(context, "int64", 0, &integer));
    OK(dame_datatype_basic(context, "mine", 8, &mine));
    OK(dame_datatype_basic(context, "mine", 16, &yours));
    OK(dame_datatype_basic(context, "ptrdiff_t", 0, &size));
    ck_assert(!same(real, 1, integer, 1));
    ck_assert(!same(mine, 1, integer, 1));
    ck_assert(!same(mine, 1, yours, 1));
    ck_assert(!same(mine, 2, yours, 1));
    ck_assert(same(mine, 1, mine, 1));
    ck_assert_int_eq(same(size, 1, integer, 1), sizeof(ptrdiff_t) == 8);
    dame_datatype_free(integer);
    dame_datatype_free(mine);
    dame_datatype_free(yours);
    dame_datatype_free(size);
}

/* (a b a) twice is (a b 2a b a): where copies of a period touch, their runs are one. */
TEST(periods_that_merge_where_they_touch_are_found)
{
    dame_datatype_t *ab = pair_of(real, 1, number, 1), *aba = pair_of(ab, 1, real, 1);
    dame_datatype_t *ba = pair_of(number, 1, real, 1), *abaa = pair_of(aba, 1, real, 1);
    dame_datatype_t *ab_a = pair_of(abaa, 1, ba, 1); /* a b a a b a */
    ck_assert(same(ab_a, 1, aba, 2));
    ck_assert(same(ab_a, 500000000, aba, 1000000000));
    ck_assert(!same(ab_a, 1, ab, 3));
    ck_assert(!same(ab, 3, ba, 3));
    ck_assert(same(ab, 3, ab, 3));
    dame_datatype_t *all[] = {ab, aba, ba, abaa, ab_a};
    for (int i = 0; i < 5; i++) {
        dame_datatype_free(all[i]);
    }
}

/* a b c a b begins again after three, but is not a repetition of a b c. */
TEST(periods_divide_what_they_repeat)
{
    dame_datatype_t *byte;
    OK(dame_datatype_basic(context, "byte", 0, &byte));
    dame_datatype_t *ab = pair_of(real, 1, number, 1), *abc = pair_of(ab, 1, byte, 1);
    dame_datatype_t *abcab = pair_of(abc, 1, ab, 1);
    dame_datatype_t *one = pair_of(abcab, 1, abc, 1), *other = pair_of(abc, 1, abcab, 1);
    ck_assert(!same(one, 1, other, 1));
    ck_assert(!same(one, 3, other, 3));
    ck_assert(same(one, 2, one, 2));
    dame_datatype_t *all[] = {byte, ab, abc, abcab, one, other};
    for (int i = 0; i < 6; i++) {
        dame_datatype_free(all[i]);
    }
}

/* No short period: the constructors are walked, but not element by element. */
TEST(long_signatures_without_a_period_are_compared)
{
    const int64_t n = 1000000000;
    dame_datatype_t *ab = pair_of(real, 1, number, 1), *ab2 = pair_of(ab, 1, ab, 1);
    dame_datatype_t *narrow, *narrow2;
    OK(dame_datatype_resized(0, 16, ab, &narrow));
    OK(dame_datatype_resized(0, 16, ab2, &narrow2));
    dame_datatype_t *one = pair_of(narrow, n, number, 3),
                    *other = pair_of(narrow2, n / 2, number, 3);
    dame_datatype_t *shifted = pair_of(number, 3, narrow, n);
    ck_assert(same(one, 1, other, 1));
    ck_assert(same(one, 3, other, 3));
    ck_assert(!same(one, 1, other, 2));
    ck_assert(!same(one, 1, shifted, 1));
    dame_datatype_t *more = pair_of(one, 1, other, 1), *unlike = pair_of(one, 1, shifted, 1);
    ck_assert(same(more, 1, one, 2));
    ck_assert(!same(more, 1, unlike, 1));
    dame_datatype_t *all[] = {ab, ab2, narrow, narrow2, one, other, shifted, more, unlike};
    for (int i = 0; i < 9; i++) {
        dame_datatype_free(all[i]);
    }
}

/* After one element, one is inside of a period that the other is about to begin. */
TEST(periods_are_skipped_only_where_both_begin)
{
    dame_datatype_t *ab = pair_of(real, 1, number, 1), *narrow;
    OK(dame_datatype_resized(0, 16, ab, &narrow));
    dame_datatype_t *one = pair_of(narrow, 3000, real, 1), *other = pair_of(real, 1, narrow, 3000);
    ck_assert(!same(one, 1, other, 1));
    dame_datatype_t *all[] = {ab, narrow, one, other};
    for (int i = 0; i < 4; i++) {
        dame_datatype_free(all[i]);
    }
}

/* One list of 3000 runs against its two halves; their walks never meet at the start of a period. */
TEST(runs_are_compared_where_periods_do_not_meet)
{
    enum { N = 3000 };
    static int64_t lengths[N], disps[N];
    static const dame_datatype_t *types[N];
    for (int i = 0; i < N; i++) {
        lengths[i] = 1 + i % 7;
        disps[i] = i * 100;
        types[i] = i % 2 ? number : real;
    }
    dame_datatype_t *all, *head, *tail;
    OK(dame_datatype_struct(context, N, lengths, disps, types, &all));
    OK(dame_datatype_struct(context, 1001, lengths, disps, types, &head));
    OK(dame_datatype_struct(context, N - 1001, lengths + 1001, disps, types + 1001, &tail));
    dame_datatype_t *both = pair_of(head, 1, tail, 1), *turned = pair_of(tail, 1, head, 1);
    ck_assert(same(all, 1, both, 1));
    ck_assert(same(all, 5, both, 5));
    ck_assert(!same(all, 1, turned, 1));
    dame_datatype_t *made[] = {all, head, tail, both, turned};
    for (int i = 0; i < 5; i++) {
        dame_datatype_free(made[i]);
    }
}

/* ---- texts ---- */

TEST(texts_have_elements_of_the_callers_choice)
{
    const char *text = "EXIT(64)\n  VECTORFINAL(4, 2, 16, 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n";
    dame_datatype_t *bytes, *floats, *vector, *single;
    OK(dame_datatype_basic(context, "float", 0, &single));
    OK(dame_datatype_vector(4, 2, 4, single, &vector));
    OK(dame_datatype_parse(context, text, strlen(text), NULL, &bytes));
    OK(dame_datatype_parse(context, text, strlen(text), single, &floats));
    ck_assert(same(floats, 2, vector, 2));
    ck_assert(!same(bytes, 1, vector, 1));
    expect_bounds(floats, 32, 0, 64, 0, 56);
    dame_datatype_t *made[] = {bytes, floats, vector, single};
    for (int i = 0; i < 4; i++) {
        dame_datatype_free(made[i]);
    }
}

TEST(explanations_name_constructors_and_signature)
{
    dame_datatype_t *column;
    char *text;
    OK(dame_datatype_vector(4, 1, 10, real, &column));
    OK(dame_datatype_explain(column, &text));
    ck_assert_ptr_nonnull(strstr(text, "vector: 4 blocks, 80 bytes from start to start, each of 1 "
                                       "element of\n  float64, 8 bytes\n"));
    ck_assert_ptr_nonnull(strstr(text, "packed: 32 bytes: 4 float64"));
    ck_assert_ptr_nonnull(strstr(text, "not committed"));
    dame_free(text);
    OK(dame_datatype_commit(column));
    OK(dame_datatype_explain(column, &text));
    ck_assert_ptr_nonnull(strstr(text, "VECTORFINAL(4, 1, 80, 8, 8)"));
    dame_free(text);
    OK(dame_datatype_print(column, &text));
    ck_assert_str_eq(text, "EXIT\n  VECTORFINAL(4, 1, 80, 8, 8)\n    CONTIGFINAL(8)\nBOTTOM\n");
    dame_free(text);
    dame_datatype_free(column);
}

TEST(the_library_says_its_version)
{
    ck_assert_str_eq(dame_version(), PACKAGE_VERSION);
    ck_assert_str_eq(dame_error_phrase(DAME_OK), "success");
    ck_assert_str_eq(dame_error_phrase(DAME_ERR_SIGNATURE),
                     "the signatures of the datatypes differ");
}

SUITE_OF(datatypes, 1, setup, teardown)
