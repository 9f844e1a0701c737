/*
 * What the optimiser's passes promise of types that are too long to write down, or of granules,
 * which a text may not show. Everything else about them is in test/optimiser/.
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
    ck_assert_int_eq(top->params->op, DAME_OP_STRUCT);
    ck_assert_int_eq(top->count, 2);
    ck_assert_int_eq(top->prefix[1], 8 * LONG);
    for (int i = 0; i < 2; i++) {
        const dame_prim_t *part = top + top->params->sub_deltas[i] + 1;
        ck_assert_int_eq(part->params->op, DAME_OP_BLOCKINDEXFINAL);
        ck_assert_int_eq(part->count, i ? SHORT : LONG);
        ck_assert_int_eq(part->iter_size, i ? 4 : 8);
    }
    dame_program_free(program);
}
END_TEST

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
        ck_assert_int_eq(program->prims[1].params->op, DAME_OP_CONTIGFINAL);
        ck_assert_int_eq(program->granule, cases[i].granule);
        dame_program_free(program);
    }
}
END_TEST

/* Before the members are a list, in which only their lengths are known. */
START_TEST(members_are_joined_while_their_elements_are_known)
{
    const dame_type_t *members[] = {basic(16), basic(8), basic(4), basic(4)};
    dame_program_t *program =
        program_with(ONLY(NORMALISE) | ONLY(MERGE),
                     struct_type(4, (int64_t[]){1, 1, 1, 1}, (int64_t[]){0, 16, 24, 100}, members));
    ck_assert_int_eq(program->prims[1].params->op, DAME_OP_INDEXFINAL);
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
    ck_assert_int_eq(top->params->op, DAME_OP_STRUCT);
    ck_assert_int_eq(top->count, 3);
    int64_t longest = 0;
    for (int64_t i = 0; i < 3; i++) {
        const dame_prim_t *part = top + top->params->sub_deltas[i] + 1;
        longest = !dame_prim_has_list(part) && part->count > longest ? part->count : longest;
    }
    /* the block behind the last step belongs to it too */
    ck_assert_int_eq(longest, DAME_MIN_STRETCH + 1);
    dame_program_free(program);
    program = with_stretch(DAME_MIN_STRETCH - 2);
    ck_assert_int_eq(program->prims[1].params->op, DAME_OP_BLOCKINDEXFINAL);
    dame_program_free(program);
}
END_TEST

START_TEST(lists_are_sorted_only_where_the_options_say_so)
{
    enum { N = 1019, REACH = 16 * (N - 1) }; /* a prime of which all are cubes: no pattern */
    int64_t disps[N];
    for (int64_t i = 0; i < N; i++) {
        disps[i] = i * i % N * i % N * 16;
    }
    const dame_passes_t only = 1u << DAME_PASS_SORT;
    const dame_passes_t sort = only | 1u << DAME_PASS_BUFFER;
    const dame_options_t tries[] = {
        {.passes = DAME_PASSES_ALL, .sort = DAME_SORT_ALWAYS, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_AUTO, .sort_range = REACH - 1, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_AUTO, .sort_range = REACH, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_AUTO, .sort_range = INT32_MAX, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_NEVER, .fragment = 16384},
        {.passes = DAME_PASSES_ALL & ~only, .sort = DAME_SORT_ALWAYS, .fragment = 16384},
        {.passes = only, .sort = DAME_SORT_ALWAYS, .fragment = 16384}, /* too long a window */
        *dame_options_default(),
    };
    static const int64_t windows[] = {512, 512, 0, 0, 0, 0, 0, 0}; /* 4 a fragment */
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        dame_program_t *program;
        const dame_type_t *type = blockindex(N, 1, disps, basic(8));
        ck_assert_int_eq(dame_program_build(type, &tries[i], &program), DAME_OK);
        ck_assert_int_eq(program->prims[1].window, windows[i]);
        ck_assert_int_eq(NULL != program->prims[1].visits, 0 != windows[i]);
        dame_program_free(program);
    }
}
END_TEST

static bool same_kernels(const dame_prim_t *a, const dame_prim_t *b)
{
    return a->run[DAME_PACK] == b->run[DAME_PACK] && a->run[DAME_UNPACK] == b->run[DAME_UNPACK];
}

START_TEST(a_pass_that_is_off_chooses_no_kernels)
{
    const dame_type_t *columns = vector(8, 1, 16, vector(520, 1, 4096, basic(16)));
    const dame_type_t *bodies =
        vector(99, 1, 60, index_type(2, (int64_t[]){1, 2}, (int64_t[]){0, 8}, basic(4)));
    const struct {
        const dame_type_t *type;
        dame_pass_t pass;
    } of[] = {{columns, DAME_PASS_ORDER}, {bodies, DAME_PASS_PATTERN}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const dame_passes_t pass = 1u << of[i].pass;
        dame_program_t *all = program_with(DAME_PASSES_ALL, of[i].type);
        dame_program_t *only = program_with(pass, of[i].type);
        dame_program_t *without = program_with(DAME_PASSES_ALL & ~pass, of[i].type);
        dame_program_t *none = program_with(DAME_PASSES_NONE, of[i].type);
        ck_assert(same_kernels(&all->prims[1], &only->prims[1]));
        ck_assert(same_kernels(&without->prims[1], &none->prims[1]));
        ck_assert(!same_kernels(&all->prims[1], &none->prims[1]));
        dame_program_free(all);
        dame_program_free(only);
        dame_program_free(without);
        dame_program_free(none);
    }
}
END_TEST

Suite *optimiser_suite(void)
{
    Suite *suite = suite_create("optimiser");
    TCase *tcase = tree_case("optimiser");
    tcase_add_test(tcase, long_stretches_of_longer_blocks_are_not_divided);
    tcase_add_test(tcase, members_that_shift_against_each_other_leave_the_ends);
    tcase_add_test(tcase, members_are_joined_while_their_elements_are_known);
    tcase_add_test(tcase, granules_do_not_depend_on_how_members_are_nested);
    tcase_add_test(tcase, regular_stretches_are_members_of_their_own);
    tcase_add_test(tcase, lists_are_sorted_only_where_the_options_say_so);
    tcase_add_test(tcase, a_pass_that_is_off_chooses_no_kernels);
    suite_add_tcase(suite, tcase);
    return suite;
}
