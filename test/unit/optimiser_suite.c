/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the optimiser's passes promise of types that are too long to write down, or of granules,
 * which a text may not show; how passes and instruction sets are chosen. Everything else about
 * passes is in test/optimiser/.
 */
#include <string.h>

#include "dame/isa.h"
#include "lang/node.h"
#include "dame/options.h"
#include "suites.h"
#include "tools.h"

TEST(long_stretches_of_longer_blocks_are_not_divided)
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

/* Facts about the elements in a block that members were joined to; they do not depend on the
 * nesting. */
TEST(granules_are_those_of_what_was_joined)
{
    const dame_passes_t both = ONLY(NORMALISE) | ONLY(MERGE);
    const int64_t ones[] = {1, 1, 1, 1};
    const dame_type_t *four = basic(4), *eight = basic(8), *sixteen = basic(16), *byte = basic(1);
    const dame_type_t *shifted =
        struct_type(2, ones, (int64_t[]){0, 4}, (const dame_type_t *[]){four, eight});
#define PAIR(a, b, at) struct_type(2, ones, (int64_t[]){0, at}, (const dame_type_t *[]){a, b})
    const struct {
        dame_passes_t passes;
        const dame_type_t *type;
        dame_op_t op;
        int64_t granule;
    } cases[] = {
        /* offsets that are multiples of 8 lie inside the second member: only the ends are sure */
        {ONLY(MERGE), PAIR(eight, four, 8), DAME_OP_CONTIGFINAL, 8},
        {ONLY(MERGE), shifted, DAME_OP_CONTIGFINAL, 12},
        {both, shifted, DAME_OP_CONTIGFINAL, 12},
        {ONLY(MERGE), PAIR(sixteen, eight, 16), DAME_OP_CONTIGFINAL, 16},
        {ONLY(MERGE), PAIR(byte, sixteen, 1), DAME_OP_CONTIGFINAL, 17},
        {both, PAIR(four, shifted, 4), DAME_OP_CONTIGFINAL, 8},
        {both,
         struct_type(3, ones, (int64_t[]){0, 4, 8}, (const dame_type_t *[]){four, four, eight}),
         DAME_OP_CONTIGFINAL, 8},
        /* before the members are a list, in which only their lengths are known */
        {both,
         struct_type(4, ones, (int64_t[]){0, 16, 24, 100},
                     (const dame_type_t *[]){sixteen, eight, four, four}),
         DAME_OP_INDEXFINAL, 16},
        {DAME_PASSES_ALL, index_type(2, (int64_t[]){5, 3}, (int64_t[]){0, 100}, basic(2)),
         DAME_OP_INDEXFINAL, 2},
        {DAME_PASSES_ALL,
         struct_type(2, (int64_t[]){3, 5}, (int64_t[]){0, 100},
                     (const dame_type_t *[]){eight, four}),
         DAME_OP_INDEXFINAL, 8},
        {DAME_PASSES_ALL, PAIR(contig(3, byte), contig(5, byte), 3), DAME_OP_CONTIGFINAL, 1},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        dame_program_t *program = program_with(cases[i].passes, cases[i].type);
        ck_assert_msg(program->prims[1].params->op == cases[i].op &&
                          program->granule == cases[i].granule,
                      "case %d: granule %d", i, (int) program->granule);
        dame_program_free(program);
    }
}

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

TEST(regular_stretches_are_members_of_their_own)
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

TEST(lists_are_sorted_only_where_the_options_say_so)
{
    enum { N = 1019 }; /* a prime of which all are cubes: no pattern */
    int64_t disps[N];
    for (int64_t i = 0; i < N; i++) {
        disps[i] = i * i % N * i % N * 16;
    }
    const dame_passes_t only = 1u << DAME_PASS_SORT;
    const dame_passes_t sort = only | 1u << DAME_PASS_BUFFER;
    const dame_options_t tries[] = {
        {.passes = DAME_PASSES_ALL, .fragment = 16384},
        {.passes = sort, .fragment = 16384},
        {.passes = DAME_PASSES_DEFAULT, .fragment = 16384},
        {.passes = only, .fragment = 16384}, /* too long a window */
        *dame_options_default(),
    };
    static const int64_t windows[] = {512, 512, 0, 0, 0}; /* 4 a fragment */
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        dame_program_t *program;
        const dame_type_t *type = blockindex(N, 1, disps, basic(8));
        ck_assert_int_eq(dame_program_build(type, &tries[i], &program), DAME_OK);
        ck_assert_int_eq(program->prims[1].window, windows[i]);
        ck_assert_int_eq(program->prims[1].visits != NULL, windows[i] != 0);
        dame_program_free(program);
    }
}

static bool same_kernels(const dame_prim_t *a, const dame_prim_t *b)
{
    return a->run[DAME_PACK] == b->run[DAME_PACK] && a->run[DAME_UNPACK] == b->run[DAME_UNPACK];
}

TEST(a_pass_that_is_off_chooses_no_kernels)
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
        const dame_passes_t sets[] = {DAME_PASSES_ALL, pass, DAME_PASSES_ALL & ~pass,
                                      DAME_PASSES_NONE};
        dame_program_t *made[4];
        for (int k = 0; k < 4; k++) {
            made[k] = program_with(sets[k], of[i].type);
        }
        ck_assert(same_kernels(&made[0]->prims[1], &made[1]->prims[1]));
        ck_assert(same_kernels(&made[2]->prims[1], &made[3]->prims[1]));
        ck_assert(!same_kernels(&made[0]->prims[1], &made[3]->prims[1]));
        for (int k = 0; k < 4; k++) {
            dame_program_free(made[k]);
        }
    }
}

/* ---- which passes a text names, which kernels a CPU gets ---- */

TEST(a_list_names_passes_and_the_first_other_name_is_pointed_at)
{
    static const struct {
        const char *text;
        dame_passes_t passes; /* when `bad` is NULL */
        const char *bad;
        int at;
    } cases[] = {
        {"all", DAME_PASSES_ALL, NULL, 0},
        {"none", 0, NULL, 0},
        {"merge", ONLY(MERGE), NULL, 0},
        {"merge,buffer", ONLY(MERGE) | ONLY(BUFFER), NULL, 0},
        {"merge,merge", ONLY(MERGE), NULL, 0},
        {"", 0, "", 0},
        {"fold", 0, "fold", 0},
        {"merge,fold,buffer", 0, "fold", 6},
        {"merge,", 0, "", 6},
        {"merg", 0, "merg", 0},
        {"all,none", 0, "all", 0},
        {"none,merge", 0, "none", 0},
        {"merge,all", 0, "all", 6},
        {"all,", 0, "all", 0},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const dame_passes_t before = 12345;
        dame_passes_t passes = before;
        const char *bad = NULL;
        int length = -1;
        const dame_status_t status = dame_passes_parse(cases[i].text, &passes, &bad, &length);
        ck_assert_int_eq(status, cases[i].bad ? DAME_ERR_ARGUMENT : DAME_OK);
        ck_assert_uint_eq(passes, cases[i].bad ? before : cases[i].passes);
        if (cases[i].bad) {
            ck_assert_ptr_eq(bad, cases[i].text + cases[i].at);
            ck_assert_int_eq(length, (int) strlen(cases[i].bad));
        }
    }
}

#ifdef __x86_64__
TEST(the_cpu_has_what_the_compiler_says)
{
    const dame_cpu_t here = dame_cpu_detect();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl");
    ck_assert_int_eq(here.avx2, __builtin_cpu_supports("avx2") != 0);
    ck_assert_int_eq(here.avx512, avx512);
    ck_assert_int_eq(here.avx512_vbmi, avx512 && __builtin_cpu_supports("avx512vbmi"));
    ck_assert_int_eq(here.make == DAME_MAKE_INTEL, __builtin_cpu_is("intel") != 0);
    ck_assert_int_eq(here.make == DAME_MAKE_AMD, __builtin_cpu_is("amd") != 0);
}
#endif

TEST(the_instruction_set_is_chosen_by_what_the_cpu_has)
{
    const dame_cpu_t here = dame_cpu_detect(), none = {0};
    const dame_cpu_t avx2 = {.avx2 = 1}, no_vbmi = {.avx2 = 1, .avx512 = 1};
    const dame_cpu_t all = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1};
    const bool has_copies = strcmp(dame_isa_for(&all), "baseline") != 0; /* on x86-64 */
    ck_assert_str_eq(dame_isa_for(&here), dame_isa_names()[0]);
    ck_assert_str_eq(dame_isa_for(&none), "baseline");
    ck_assert_str_eq(dame_isa_for(&all), has_copies ? "avx512" : "baseline");
    ck_assert_str_eq(dame_isa_for(&avx2), has_copies ? "avx2" : "baseline");
    ck_assert_str_eq(dame_isa_for(&no_vbmi), has_copies ? "avx2" : "baseline");
}

TEST(a_forced_instruction_set_limits_what_may_be_used)
{
    const dame_cpu_t here = dame_cpu_detect(), none = {0};
    dame_cpu_t cpu = none;
    for (const char *const *name = dame_isa_names(); *name; name++) {
        ck_assert_int_eq(dame_isa_force(*name), DAME_OK);
        cpu = dame_isa_cpu();
        ck_assert_str_eq(dame_isa_for(&cpu), *name);
        ck_assert(dame_cpu_has(&here, &cpu));
        ck_assert_int_eq(cpu.make, here.make);
    }
    cpu = dame_isa_cpu(); /* of baseline, the last one */
    ck_assert(dame_cpu_has(&none, &cpu));
    ck_assert_int_eq(dame_isa_force("no such set"), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_isa_force(""), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
    cpu = dame_isa_cpu();
    ck_assert(dame_cpu_has(&cpu, &here));
}

SUITE_OF(optimiser, 1, tree_setup, tree_teardown)
