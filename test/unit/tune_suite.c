/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The variants of DAME-X: which are listed for a program, what comes first on which make of CPU,
 * and that the code follows them, whichever CPU the tests run on.
 */
#include <stdlib.h>
#include <string.h>

#include "jit/options.h"
#include "jit/provider.h"
#include "jit/x/cpu.h"
#include "jit/x/options.h"
#include "jit/x/variant.h"
#include "jit/x/x.h"
#include "suites.h"
#include "tools.h"

TEST(every_variant_has_a_name_of_its_own)
{
    enum { NUMBERS = 1 << (2 * X_CHOICES) };
    static char names[NUMBERS][DAME_VARIANT_NAME];
    int n = 0;
    for (uint32_t variant = 0; variant < NUMBERS; variant++) {
        if (x_variant_exists(variant)) {
            x_variant_name(variant, names[n++]);
            ck_assert_uint_lt(strlen(names[n - 1]), DAME_VARIANT_NAME);
            ck_assert_int_eq(x_variant_named(names[n - 1], strlen(names[n - 1])), variant);
        }
    }
    ck_assert_int_eq(n, 2 * 2 * 4 * 2 * 3);
    qsort(names, (size_t) n, sizeof names[0], (int (*)(const void *, const void *)) strcmp);
    for (int i = 1; i < n; i++) {
        ck_assert_str_ne(names[i - 1], names[i]);
    }
    ck_assert(!x_variant_exists(NUMBERS));
}

TEST(other_names_are_none)
{
    static const char *const none[] = {"",       "+",      "far",         "plain+split",
                                       "split+", "+split", "split+split", "prefetch+prefetch"};
    for (size_t i = 0; i < (size_t) COUNT_OF(none); i++) {
        ck_assert_int_eq(x_variant_named(none[i], strlen(none[i])), -1);
    }
    x_options_t options;
    ck_assert_int_eq(x_options_parse("variant=split+prefetch,list_entries=3", &options), DAME_OK);
    ck_assert_int_eq(options.variant, x_with(x_with(0, X_PREFETCH, X_AHEAD), X_TAILS, X_SPLIT));
    ck_assert_int_eq(options.list_entries, 3);
    ck_assert_int_eq(x_options_parse("variant=best", &options), DAME_ERR_ARGUMENT);
}

#if DAME_X_HAVE_CPU
static void *open_x(const dame_cpu_t *cpu, const char *options)
{
    void *state = NULL;
    ck_assert_int_eq(dame_provider_x.open(cpu, options, &state), DAME_OK);
    return state;
}

/* `count` blocks of `bytes`, `step` apart. */
static dame_program_t *blocks(int64_t count, int64_t bytes, int64_t step)
{
    char text[200];
    snprintf(text, sizeof text,
             "EXIT\nVECTORFINAL(%lld, 1, %lld, %lld, %lld)\nCONTIGFINAL(%lld)\nBOTTOM\n",
             (long long) count, (long long) step, (long long) bytes, (long long) bytes,
             (long long) bytes);
    return program_of_text(text);
}

#ifdef __x86_64__
/* The names of a program's variants, with commas between. */
static const char *variants_of(dame_program_t *program, dame_dir_t dir, const dame_cpu_t *cpu,
                               const char *options)
{
    static char names[500];
    uint32_t variants[20];
    void *state = open_x(cpu, options);
    const int32_t n = dame_provider_x.variants(state, program, dir, variants, 20);
    names[0] = '\0';
    for (int32_t i = 0; i < n; i++) {
        char name[DAME_VARIANT_NAME];
        ck_assert(dame_provider_x.variant_name(state, variants[i], name));
        strcat(strcat(names, i > 0 ? "," : ""), name);
    }
    dame_provider_x.close(state);
    dame_program_free(program);
    return names;
}

static const dame_cpu_t sse2 = {.avx2 = 0};
static const dame_cpu_t avx2 = {.make = DAME_MAKE_INTEL, .avx2 = 1};
static const dame_cpu_t intel = {DAME_MAKE_INTEL, 1, 1, 1};
static const dame_cpu_t amd = {DAME_MAKE_AMD, 1, 1, 1};
static const dame_cpu_t other = {DAME_MAKE_OTHER, 1, 1, 1};

/* Programs, and their candidates: only those that could matter, the make's prior first.
 */
TEST(variants_differ_where_it_could_matter)
{
    static const struct {
        int64_t count, bytes, step;
        dame_dir_t dir;
        const dame_cpu_t *cpu;
        const char *names;
    } cases[] = {
        /* a short loop of long blocks */
        {20, 4096, 5000, DAME_PACK, &sse2, "plain"},
        {20, 4096, 5000, DAME_PACK, &intel, "move64,plain"},
        {20, 2048, 5000, DAME_PACK, &amd, "plain,move64"},
        {20, 768, 5000, DAME_UNPACK, &intel, "move64,plain"},
        {20, 64, 5000, DAME_UNPACK, &intel, "move64,plain,move64+unroll8,move64+unroll1"},
        {20, 63, 5000, DAME_UNPACK, &intel, "plain,unroll8,unroll1"},
        /* short blocks, several in a cache line */
        {200, 4, 8, DAME_PACK, &intel, "pairs,plain,permute64,single,pairs+unroll8,pairs+unroll1"},
        {200, 4, 8, DAME_PACK, &amd,
         "permute64,plain,pairs,single,permute64+unroll8,permute64+unroll1"},
        {200, 4, 8, DAME_PACK, &avx2, "plain,single,unroll8,unroll1"},
        {200, 4, 8, DAME_UNPACK, &intel, "plain,permute64,single,unroll8,unroll1"},
        {200, 4, 8, DAME_UNPACK, &amd,
         "permute64,plain,single,permute64+unroll8,permute64+unroll1"},
        {200, 4, 8, DAME_UNPACK, &other, "plain,permute64,single,unroll8,unroll1"},
        {200, 4, 8, DAME_UNPACK, &avx2, "plain,single,unroll8,unroll1"},
        {200, 4, 8, DAME_UNPACK, &sse2, "plain,unroll8,unroll1"},
        /* short blocks, each in a line of its own: few, and many */
        {162, 40, 6560, DAME_PACK, &amd, "plain,prefetch,unroll8,unroll1"},
        {162, 40, 6560, DAME_UNPACK, &amd, "plain,unroll8,unroll1"},
        /* a line each */
        {14476, 64, 128, DAME_PACK, &sse2, "plain,unroll8,unroll1"},
        {14476, 12, 128, DAME_PACK, &amd,
         "prefetch,plain,prefetch+unroll8,"
         "prefetch+unroll1"},
        {14476, 12, 128, DAME_PACK, &intel, "plain,prefetch,unroll8,unroll1"},
        {14476, 12, 128, DAME_UNPACK, &intel,
         "prefetch,plain,prefetch+split,prefetch+unroll8,prefetch+unroll1"},
        {14476, 12, 128, DAME_UNPACK, &other, "plain,prefetch,split,unroll8,unroll1"},
    };
    for (size_t i = 0; i < (size_t) COUNT_OF(cases); i++) {
        ck_assert_str_eq(variants_of(blocks(cases[i].count, cases[i].bytes, cases[i].step),
                                     cases[i].dir, cases[i].cpu, ""),
                         cases[i].names);
    }
}

/* Blocks of 16 bytes fill registers, of 96 a quarter of a loop's body. */
TEST(how_long_blocks_are_decides_what_could_matter)
{
    ck_assert_str_eq(variants_of(blocks(20, 96, 5000), DAME_PACK, &sse2, ""),
                     "plain,unroll8,unroll1");
    ck_assert_str_eq(variants_of(blocks(20, 97, 5000), DAME_PACK, &sse2, ""), "plain");
    ck_assert_ptr_nonnull(strstr(variants_of(blocks(200, 16, 48), DAME_PACK, &amd, ""), "pairs"));
    ck_assert_ptr_null(strstr(variants_of(blocks(200, 17, 48), DAME_PACK, &amd, ""), "pairs"));
    ck_assert_ptr_null(strstr(variants_of(blocks(200, 16, 80), DAME_PACK, &amd, ""), "pairs"));
}

/* Only long blocks can gain from wider moves. */
TEST(every_block_of_a_list_is_asked)
{
    static const char *const lengths[] = {"20, 33", "20, 4096", "4096, 33"};
    for (int i = 0; i < COUNT_OF(lengths); i++) {
        char text[100];
        snprintf(text, sizeof text,
                 "EXIT INDEXFINAL(2, [%s], [0, 5000], 1, 1) CONTIGFINAL(1) BOTTOM", lengths[i]);
        const char *names = variants_of(program_of_text(text), DAME_UNPACK, &amd, "");
        ck_assert_int_eq(strstr(names, "move64") != NULL, i > 0);
    }
}

TEST(what_an_option_says_is_not_varied)
{
    ck_assert_str_eq(variants_of(blocks(200, 4, 8), DAME_PACK, &intel, "vector_bits=256"),
                     "plain,unroll8,unroll1");
    ck_assert_str_eq(variants_of(blocks(14476, 12, 128), DAME_PACK, &amd,
                                 "prefetch_distance=16,unroll_bytes=64"),
                     "plain");
}

TEST(vectors_follow_the_variant_and_the_cpu)
{
    const uint32_t wide = x_with(x_with(0, X_MOVE, X_WIDE), X_PERMUTE, X_WIDE);
    const uint32_t single = x_with(0, X_PERMUTE, X_SINGLE);
    const uint32_t pairs = x_with(0, X_PERMUTE, X_PAIRS);
    static const dame_cpu_t no_vbmi = {DAME_MAKE_INTEL, 1, 1, 0};
    const struct {
        const dame_cpu_t *cpu;
        int bits;
        uint32_t variant;
        const char *name;
        int bytes, tail, mask, permute, pairs;
    } cases[] = {
        {&sse2, 0, wide, "sse2", 16, 16, 0, 0, 0},
        {&avx2, 0, wide, "avx2", 32, 32, 0, 16, 0},
        {&avx2, 0, single, "avx2", 32, 32, 0, 0, 0},
        {&intel, 0, 0, "avx512", 32, 32, 64, 32, 0},
        {&intel, 0, wide, "avx512", 64, 32, 64, 64, 0},
        {&intel, 0, single, "avx512", 32, 32, 64, 0, 0},
        {&intel, 0, pairs, "avx512", 32, 32, 64, 64, 1},
        {&no_vbmi, 0, wide, "avx512", 64, 32, 64, 0, 0},
        {&no_vbmi, 0, pairs, "avx512", 32, 32, 64, 0, 0},
        /* a user's choice is not a variant */
        {&intel, 256, wide, "avx512", 32, 32, 32, 32, 0},
        {&amd, 512, 0, "avx512", 64, 64, 64, 64, 0},
        {&amd, 512, pairs, "avx512", 64, 64, 64, 64, 0},
        {&intel, 128, wide, "sse2", 16, 16, 0, 0, 0},
    };
    for (size_t i = 0; i < (size_t) COUNT_OF(cases); i++) {
        const x_vectors_t found = x_vectors_for(cases[i].bits, cases[i].cpu, cases[i].variant);
        ck_assert_str_eq(found.name, cases[i].name);
        ck_assert_msg(found.bytes == cases[i].bytes && found.tail_bytes == cases[i].tail &&
                          found.mask_bytes == cases[i].mask &&
                          found.permute_bytes == cases[i].permute && found.pairs == cases[i].pairs,
                      "case %zu: moves %d, tails %d, masks %d, permutations %d", i, found.bytes,
                      found.tail_bytes, found.mask_bytes, found.permute_bytes);
    }
}

#endif

/* Is the code of a variant other than the plain one's? */
static int differs(dame_program_t *program, dame_dir_t dir, uint32_t variant)
{
    const dame_cpu_t cpu = dame_cpu_detect();
    dame_machine_code_t code[2];
    void *states[2];
    for (int i = 0; i < 2; i++) {
        states[i] = open_x(&cpu, "");
        ck_assert_int_eq(
            dame_provider_x.compile(states[i], program, dir, i == 0 ? 0 : variant, &code[i]),
            DAME_OK);
    }
    const int differ =
        code[0].size != code[1].size || memcmp(code[0].bytes, code[1].bytes, code[0].size) != 0;
    for (int i = 0; i < 2; i++) {
        dame_provider_x.close(states[i]);
    }
    dame_program_free(program);
    return differ;
}

TEST(only_walks_that_leave_the_first_cache_prefetch)
{
    for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
        const dame_dir_t d = (dame_dir_t) dir;
        const uint32_t ahead = x_with(0, X_PREFETCH, X_AHEAD);
        ck_assert(differs(blocks(14476, 12, 128), d, ahead));
        /* a megabyte, of which 162 lines: they stay in the first cache, but loads wait for stores
         */
        ck_assert_int_eq(differs(blocks(162, 40, 6560), d, ahead), d == DAME_PACK);
        ck_assert(!differs(blocks(90, 40, 6560), d, ahead));
        ck_assert(!differs(blocks(14476, 12, 32), d, ahead));  /* several blocks in a line */
        ck_assert(!differs(blocks(14476, 64, 128), d, ahead)); /* whole lines */
    }
}

TEST(a_choice_changes_the_code)
{
    ck_assert(differs(blocks(200, 12, 128), DAME_PACK, x_with(0, X_UNROLL, X_ONCE)));
    ck_assert(differs(blocks(200, 12, 128), DAME_PACK, x_with(0, X_UNROLL, X_TWICE)));
    if (dame_cpu_detect().avx512) {
        ck_assert(differs(blocks(20, 768, 5000), DAME_UNPACK, x_with(0, X_MOVE, X_WIDE)));
        ck_assert(differs(blocks(200, 12, 128), DAME_UNPACK, x_with(0, X_TAILS, X_SPLIT)));
    }
    if (dame_cpu_detect().avx512_vbmi) {
        ck_assert(differs(blocks(200, 4, 8), DAME_PACK, x_with(0, X_PERMUTE, X_WIDE)));
        ck_assert(differs(blocks(200, 4, 8), DAME_PACK, x_with(0, X_PERMUTE, X_SINGLE)));
        ck_assert(differs(blocks(200, 4, 8), DAME_PACK, x_with(0, X_PERMUTE, X_PAIRS)));
    }
}

TEST(wrong_options_are_refused)
{
    static const char *const wrong[] = {
        "vector_bits",
        "vector_bits=",
        "vector_bits=64",
        "vector_bits=256,unknown=1",
        "memcpy_bytes=63",
        "unroll_bytes=x",
        "list_entries=-1",
        "prefetch_distance=-2",
        "=1",
        "vector_bits=256;unroll_bytes=1",
    };
    const dame_cpu_t cpu = dame_cpu_detect();
    for (size_t i = 0; i < (size_t) COUNT_OF(wrong); i++) {
        void *state = NULL;
        ck_assert_msg(dame_provider_x.open(&cpu, wrong[i], &state) == DAME_ERR_ARGUMENT, "%s",
                      wrong[i]);
    }
}
#endif

SUITE_OF(tune, 1, tree_setup, tree_teardown)
