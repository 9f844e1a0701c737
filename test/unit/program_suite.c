/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program of hand-chosen types with no pass on, its fields and limits. (What the passes make of
 * programs is in test/optimiser/.) The expected texts were written from the language's description
 * (DAME paper, Fig. 4 and 5), not copied from the printer.
 */
#include <stdlib.h>

#include "jit/jit.h"
#include "suites.h"
#include "tools.h"

enum { MAX_PRIMS = 1 << 20 }; /* dame/program.h, dame_program_build() */

/* A level, and a member of a STRUCT, in a text. */
#define GAPPED         "VECTORFINAL(2, 1, 8, 4, 4) CONTIGFINAL(4) "
#define MEMBER(text)   "RETURNTO(1) " text "BOTTOM "
#define INNER(n, text) "RETURNTO(" #n ") " text "BOTTOM "

TEST(a_type_without_passes_has_this_text)
{
    const dame_type_t *gap = vector(2, 1, 8, basic(4)); /* two ints with a gap between */
    const dame_type_t *wide = vector(3, 1, 16, basic(8)),
                      *at_84 = blockindex(1, 1, (int64_t[]){84}, basic(4));
    const dame_type_t *c_struct[] = {basic(1), basic(8), basic(4), basic(1)};
    const dame_type_t *like[] = {gap, gap, basic(0), gap};
    const dame_type_t *unlike[] = {gap, wide, basic(4)}, *pair[] = {gap, wide};
    const dame_type_t *outer[] = {basic(8),
                                  struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 20}, pair)};
    const dame_type_t *only_one[] = {basic(16), gap, contig(0, basic(4))};
    const int64_t ones[] = {1, 1, 1, 1};
    const struct {
        const dame_type_t *type;
        const char *text;
    } cases[] = {
        /* the paper's transpose: int mat[4][3], column by column */
        {blockindex(3, 1, (int64_t[]){0, 4, 8}, vector(4, 1, 12, basic(4))),
         "EXIT BLOCKINDEX1(3, 1, [0, 4, 8], 16, 40) VECTORFINAL(4, 1, 12, 4, 4) CONTIGFINAL(4) "
         "BOTTOM"},
        /* contiguous types collapse */
        {basic(40), "EXIT CONTIGFINAL(40) BOTTOM"},
        {contig(10, basic(4)), "EXIT(40, 4) CONTIGFINAL(40) BOTTOM"},
        {contig(5, contig(2, basic(4))), "EXIT(40, 4) CONTIGFINAL(40) BOTTOM"},
        {vector(5, 2, 8, basic(4)), "EXIT(40, 4) CONTIGFINAL(40) BOTTOM"},
        {vector(1, 10, 999, basic(4)), "EXIT(40, 4) CONTIGFINAL(40) BOTTOM"},
        {resized(-8, 100, basic(40)), "EXIT(100) CONTIGFINAL(40) BOTTOM"},
        {contig(3000000000, basic(8)), "EXIT(24000000000, 8) CONTIGFINAL(24000000000) BOTTOM"},
        /* empty types are a leaf of no bytes */
        {basic(0), "EXIT CONTIGFINAL(0) BOTTOM"},
        {contig(0, gap), "EXIT CONTIGFINAL(0) BOTTOM"},
        {vector(3, 0, 8, gap), "EXIT CONTIGFINAL(0) BOTTOM"},
        {struct_type(0, NULL, NULL, NULL), "EXIT CONTIGFINAL(0) BOTTOM"},
        {resized(4, 100, basic(0)), "EXIT(100) CONTIGFINAL(0) BOTTOM"},
        /* a common offset becomes one displacement at the top, or goes into a list */
        {blockindex(1, 1, (int64_t[]){84}, vector(2, 3, 32, basic(4))),
         "EXIT BLOCKINDEX1(1, 1, [84], 24, 44) VECTORFINAL(2, 3, 32, 4, 4) CONTIGFINAL(4) BOTTOM"},
        {vector(2, 3, 32, at_84),
         "EXIT BLOCKINDEX1(1, 1, [84], 24, 44) VECTORFINAL(2, 3, 32, 4, 4) CONTIGFINAL(4) BOTTOM"},
        {blockindex(2, 1, (int64_t[]){0, 1000}, blockindex(1, 1, (int64_t[]){100}, gap)),
         "EXIT BLOCKINDEX1(2, 1, [100, 1100], 8, 12) " GAPPED "BOTTOM"},
        /* a struct has a subprogram for each member with data */
        {struct_type(4, ones, (int64_t[]){0, 8, 16, 24}, c_struct),
         "EXIT STRUCT(4, [1, 1, 1, 1], [0, 8, 16, 24], [1, 8, 4, 1], [1, 8, 4, 1]) " MEMBER(
             "CONTIGFINAL(1) ") MEMBER("CONTIGFINAL(8) ") MEMBER("CONTIGFINAL(4) ")
             MEMBER("CONTIGFINAL(1) ") "BOTTOM"},
        {struct_type(4, (int64_t[]){1, 3, 5, 1}, (int64_t[]){0, 100, 7, 200}, like),
         "EXIT STRUCT(3, [1, 1, 1], [0, 100, 200], [8, 24, 8], [12, 36, 12]) " MEMBER(GAPPED)
             MEMBER("CONTIG(3, 8, 12) " GAPPED) MEMBER(GAPPED) "BOTTOM"},
        {struct_type(3, (int64_t[]){2, 1, 5}, (int64_t[]){0, 100, 200}, unlike),
         "EXIT(220, 8) STRUCT(3, [1, 1, 1], [0, 100, 200], [16, 24, 20], [24, 40, 20]) " MEMBER(
             "CONTIG(2, 8, 12) " GAPPED) MEMBER("VECTORFINAL(3, 1, 16, 8, 8) CONTIGFINAL(8) ")
             MEMBER("CONTIGFINAL(20) ") "BOTTOM"},
        {struct_type(2, ones, (int64_t[]){0, 100}, outer),
         "EXIT STRUCT(2, [1, 1], [0, 100], [8, 32], [8, 60]) " MEMBER("CONTIGFINAL(8) ")
             MEMBER("STRUCT(2, [1, 1], [0, 20], [8, 24], [12, 40]) " INNER(6, GAPPED)
                        INNER(6, "VECTORFINAL(3, 1, 16, 8, 8) CONTIGFINAL(8) ")) "BOTTOM"},
        /* a blocklength is a level of its own; blocklength 1 has primitives of its own */
        {vector(3, 2, 100, resized(0, 8, basic(4))),
         "EXIT(216) VECTOR1(3, 1, 100, 8, 12) " GAPPED "BOTTOM"},
        {vector(3, 2, 100, gap),
         "EXIT VECTOR1(3, 1, 100, 16, 24) CONTIG(2, 8, 12) " GAPPED "BOTTOM"},
        {blockindex(3, 2, (int64_t[]){0, 100, 300}, gap),
         "EXIT BLOCKINDEX1(3, 1, [0, 100, 300], 16, 24) CONTIG(2, 8, 12) " GAPPED "BOTTOM"},
        {vector(3, 1, -100, gap), "EXIT VECTOR1(3, 1, -100, 8, 12) " GAPPED "BOTTOM"},
        {index_type(3, (int64_t[]){1, 3, 2}, (int64_t[]){0, 100, 50}, gap),
         "EXIT INDEX(3, [1, 3, 2], [0, 100, 50], 8, 12) " GAPPED "BOTTOM"},
        /* a stride of the extent is CONTIG */
        {contig(5, gap), "EXIT CONTIG(5, 8, 12) " GAPPED "BOTTOM"},
        {vector(5, 1, 12, gap), "EXIT CONTIG(5, 8, 12) " GAPPED "BOTTOM"},
        {vector(1, 5, 0, gap), "EXIT CONTIG(5, 8, 12) " GAPPED "BOTTOM"},
        /* lists of basics are final, and not merged */
        {blockindex(4, 2, (int64_t[]){0, 8, 32, 40}, basic(4)),
         "EXIT BLOCKINDEXFINAL(4, 2, [0, 8, 32, 40], 4, 4) CONTIGFINAL(4) BOTTOM"},
        {index_type(3, (int64_t[]){1, 5, 4}, (int64_t[]){0, 4, -40}, basic(4)),
         "EXIT INDEXFINAL(3, [1, 5, 4], [0, 4, -40], 4, 4) CONTIGFINAL(4) BOTTOM"},
        /* levels of one iteration and empty blocks vanish */
        {contig(1, gap), "EXIT " GAPPED "BOTTOM"},
        {vector(1, 1, 77, gap), "EXIT " GAPPED "BOTTOM"},
        {resized(-4, 50, gap), "EXIT(50) " GAPPED "BOTTOM"},
        {blockindex(1, 1, (int64_t[]){0}, gap), "EXIT " GAPPED "BOTTOM"},
        {index_type(3, (int64_t[]){0, 1, 0}, (int64_t[]){5, 0, 9}, gap), "EXIT " GAPPED "BOTTOM"},
        {struct_type(3, (int64_t[]){0, 1, 1}, (int64_t[]){5, 0, 9}, only_one),
         "EXIT " GAPPED "BOTTOM"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        expect_text(plain_of(cases[i].type), cases[i].text);
    }
}

TEST(a_program_states_what_one_element_is)
{
    dame_program_t *program = plain_of(
        resized(-16, 200, blockindex(2, 1, (int64_t[]){8, -40}, vector(2, 1, 8, basic(4)))));
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

/* As they are, or as distances from the first one, which a level of one entry places. */
TEST(displacements_are_kept_in_32_bits_where_they_fit)
{
    static const struct {
        int64_t first, second;
        bool narrow;
    } lists[] = {
        {0, 100, true},
        {INT32_MIN, INT32_MAX, true},
        {INT32_MAX - 3, INT32_MAX - 1, true},
        {INT32_MAX - 2, INT32_MAX, true},
        {0, INT64_C(1) + INT32_MAX, false},
        {0, INT64_C(1) + INT32_MIN, false},
        {INT64_C(-1) + INT32_MIN, 0, false},
        {INT64_C(1) << 32, (INT64_C(1) << 32) + 9, true},
    };
    for (int i = 0; i < COUNT_OF(lists); i++) {
        const int64_t disps[] = {lists[i].first, lists[i].second, lists[i].first + 2,
                                 lists[i].second - 2};
        dame_program_t *program = plain_of(blockindex(4, 1, disps, basic(1)));
        const dame_prim_t *level = &program->prims[1];
        int64_t place = 0;
        if (level->count == 1) {
            place = dame_prim_disp(level++, 0);
        }
        ck_assert_int_eq(level->disps32 != NULL, lists[i].narrow);
        ck_assert_int_eq(level->disps != NULL, !lists[i].narrow);
        for (int k = 0; k < 4; k++) {
            ck_assert_int_eq(place + dame_prim_disp(level, k), disps[k]);
        }
        dame_program_free(program);
    }
}

/* ---- memory and limits ---- */

/* n blocks of 8 bytes with steps that grow by 8: nothing repeats. */
static const dame_type_t *irregular(int64_t n)
{
    int64_t *disps = dame_tree_array(tree, n);
    disps[0] = 0;
    for (int64_t i = 1; i < n; i++) {
        disps[i] = disps[i - 1] + 8 * (i + 1);
    }
    return blockindex(n, 1, disps, basic(8));
}

/* A struct of n members, from `first` on, each behind the one before with a growing gap. */
static const dame_type_t *members(int64_t n, const dame_type_t *(*member)(int64_t i))
{
    int64_t *ones = dame_tree_array(tree, n), *disps = dame_tree_array(tree, n);
    const dame_type_t **types = dame_tree_types(tree, n), *type = NULL;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        ones[i] = 1;
        disps[i] = at;
        types[i] = member(i);
        at += types[i]->extent + 100 + 8 * i;
    }
    ck_assert_int_eq(dame_type_struct(tree, n, ones, disps, types, &type), DAME_OK);
    return type;
}

static const dame_type_t *shared; /* by the members that are made of it */

static const dame_type_t *one_of_three(int64_t i)
{
    return vector(2 + i % 3, 1, 16, basic(8));
}

static const dame_type_t *the_shared_one(int64_t i)
{
    return i % 1001 < 1000 ? shared : basic(8);
}

static const dame_type_t *unlike_the_others(int64_t i)
{
    return vector(i + 2, 1, shared->extent + 8 * (i + 1), shared);
}

TEST(memory_is_that_of_the_lists)
{
    enum { N = 10000, FIXED = 2000 };
    int64_t *lengths = dame_tree_array(tree, N), *disps = dame_tree_array(tree, N);
    for (int i = 0; i < N; i++) {
        lengths[i] = 1 + i % 3;
        disps[i] = (i ^ 1) * 8;
    }
    shared = irregular(1000);
    const struct {
        dame_program_t *program;
        size_t most;
    } cases[] = {
        {plain_of(blockindex(N, 1, disps, basic(4))), FIXED + 4 * N},
        {plain_of(index_type(N, lengths, disps, basic(2))), FIXED + 12 * N},
        {plain_of(members(N, one_of_three)), 48 * N},
        {program_of(members(1001, the_shared_one)), 100 * (1000 + 1001)}, /* not their product */
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        ck_assert_uint_le(cases[i].program->memory, cases[i].most);
        dame_program_free(cases[i].program);
    }
}

/* The build is refused and says of what there are `value` or more, and how many are allowed. */
static void expect_limit(const dame_type_t *type, dame_passes_t passes, const char *what,
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
    ck_assert_int_ge(limit.limit, most);
    ck_assert_int_ge(limit.value, value);
    snprintf(wanted, sizeof wanted, "%lld %s, at most %lld are allowed", (long long) limit.value,
             what, (long long) limit.limit);
    ck_assert_str_eq(dame_limit_text(&limit, text, sizeof text), wanted);
    options.limit = NULL; /* not wanted */
    ck_assert_int_eq(dame_program_build(type, &options, &program), DAME_ERR_LIMIT);
}

/* Four primitives a member: RETURNTO, VECTORFINAL, CONTIGFINAL, BOTTOM. EXIT, STRUCT and BOTTOM
 * leave three of the last four; with a loop around the struct the limit is met exactly. */
TEST(programs_have_so_many_primitives_and_no_more)
{
    const int64_t most = MAX_PRIMS / 4 - 1;
    shared = basic(4);
    const dame_type_t *full = members(most, unlike_the_others);
    const dame_type_t *over = members(most + 1, unlike_the_others);
    dame_program_t *program = plain_of(contig(2, resized(0, full->extent + 1, full)));
    ck_assert_int_eq(program->nprims, MAX_PRIMS);
    dame_program_free(program);
    expect_limit(over, DAME_PASSES_NONE, "primitives", MAX_PRIMS, MAX_PRIMS + 3);
    expect_limit(contig(2, resized(0, over->extent + 1, over)), DAME_PASSES_NONE, "primitives",
                 MAX_PRIMS, MAX_PRIMS + 4);
}

TEST(tables_are_bounded_by_the_lists_of_the_type)
{
    enum { LIST = 100000, MEMBERS = 200 };
    shared = irregular(LIST); /* 800 kB, in members that are all unlike */
    expect_limit(members(MEMBERS, unlike_the_others), DAME_PASSES_ALL, "bytes of tables",
                 (64 << 20) + 32 * (LIST + MEMBERS), (64 << 20) + 32 * (LIST + MEMBERS) + 1);
    dame_program_free(program_of(members(20, unlike_the_others)));
}

TEST(constructors_nest_so_deep_and_no_deeper)
{
    const dame_type_t *type = irregular(3);
    for (int level = 0; level < 998; level++) {
        type = contig(1, type);
    }
    dame_program_free(program_of(type));
    for (int level = 0; level < 100000; level++) {
        type = contig(1, type);
    }
    expect_limit(type, DAME_PASSES_ALL, "nested constructors", 1000, 1001);
}

/* Each level has the one below several times: as text it would have 2^30 subprograms, or 4^14
 * lists. */
TEST(shared_members_do_not_take_exponential_time)
{
    const dame_type_t *type = vector(2, 1, 8, basic(4)), *other = vector(3, 1, 24, basic(8));
    for (int level = 0; level < 30; level++) {
        const dame_type_t *parts[] = {type, other, type};
        type = struct_type(3, (int64_t[]){1, 1, 1},
                           (int64_t[]){0, type->true_ub + 8, type->true_ub + 100}, parts);
    }
    dame_program_t *program = plain_of(type);
    ck_assert_int_gt(program->depth, 30);
    dame_program_free(program);
    type = irregular(20);
    for (int level = 0; level < 14; level++) {
        const int64_t far = 4 * type->extent + 1000;
        const dame_type_t *parts[] = {
            basic(8),
            vector(2, 1, type->extent + 8, type),
            basic(8),
            blockindex(2, 1, (int64_t[]){0, 3 * type->extent + 24}, type),
        };
        type = struct_type(4, (int64_t[]){1, 1, 1, 1}, (int64_t[]){0, 16, far, far + 16}, parts);
    }
    program = NULL;
    const dame_status_t status =
        dame_program_build(type, NULL, &program); /* an answer, whichever */
    ck_assert(status == DAME_OK || status == DAME_ERR_LIMIT);
    dame_program_free(program);
}

/* A step between instances that are never two matters to nothing, and may be anything. */
TEST(steps_at_the_end_of_the_range_are_ordinary)
{
    static const int64_t steps[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, -1, 0};
    for (int i = 0; i < COUNT_OF(steps); i++) {
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

SUITE_OF(program, 1, tree_setup, tree_teardown)
