/*
 * What is fastest on which make of CPU, and that the code written for one follows it, whichever CPU
 * the tests run on.
 */
#include <stdlib.h>
#include <string.h>

#include "dame/isa.h"
#include "jit/x/cpu.h"
#include "suites.h"

#include "jit/tier.h"
#include "tools.h"

#ifdef __x86_64__
START_TEST(a_make_has_the_vectors_that_are_fastest_on_it)
{
    static const struct {
        dame_make_t make;
        int vbmi, bits;
        dame_dir_t dir;
        int bytes, tail, permute;
    } cases[] = {
        {DAME_MAKE_INTEL, 1, 0, DAME_PACK, 64, 32, 64},
        {DAME_MAKE_INTEL, 1, 0, DAME_UNPACK, 64, 32, 32},
        {DAME_MAKE_INTEL, 0, 0, DAME_UNPACK, 32, 32, 0},
        {DAME_MAKE_AMD, 1, 0, DAME_PACK, 32, 32, 64},
        {DAME_MAKE_AMD, 1, 0, DAME_UNPACK, 32, 32, 64},
        {DAME_MAKE_OTHER, 1, 0, DAME_PACK, 32, 32, 64},
        {DAME_MAKE_OTHER, 1, 0, DAME_UNPACK, 32, 32, 32},
        /* what a user asks for is no matter of make */
        {DAME_MAKE_INTEL, 1, 256, DAME_PACK, 32, 32, 32},
        {DAME_MAKE_INTEL, 1, 512, DAME_UNPACK, 64, 64, 64},
        {DAME_MAKE_AMD, 1, 256, DAME_UNPACK, 32, 32, 32},
        {DAME_MAKE_AMD, 1, 512, DAME_PACK, 64, 64, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const dame_cpu_t cpu = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = cases[i].vbmi};
        const x_vectors_t found =
            x_vectors_for(cases[i].bits, &cpu, dame_tune_of(cases[i].make), cases[i].dir);
        ck_assert_msg(found.bytes == cases[i].bytes && found.tail_bytes == cases[i].tail &&
                          found.permute_bytes == cases[i].permute,
                      "case %zu: moves %d, tails %d, permutations %d", i, found.bytes,
                      found.tail_bytes, found.permute_bytes);
    }
}
END_TEST

START_TEST(no_make_has_vectors_that_the_cpu_does_not_have)
{
    const dame_cpu_t cpu = {.avx2 = 1};
    for (int make = 0; make < DAME_MAKES; make++) {
        const x_vectors_t found =
            x_vectors_for(0, &cpu, dame_tune_of((dame_make_t) make), DAME_UNPACK);
        ck_assert(found.bytes == 32 && found.mask_bytes == 0 && found.permute_bytes == 16);
    }
}
END_TEST
#endif

#if DAME_X_HAVE_CPU
/* The code for `count` blocks of `bytes`, `step` apart. */
static dame_machine_code_t code_for(int64_t count, int64_t bytes, int64_t step, dame_dir_t dir,
                                    dame_make_t make, int64_t distance)
{
    char text[200];
    dame_machine_code_t code = {0};
    dame_jit_options_t options = *dame_jit_options_default();
    dame_cpu_t cpu = dame_cpu_detect();
    cpu.make = make;
    options.cpu = &cpu;
    options.prefetch_distance = distance;
    snprintf(text, sizeof text,
             "EXIT\nVECTORFINAL(%lld, 1, %lld, %lld, %lld)\nCONTIGFINAL(%lld)\nBOTTOM\n",
             (long long) count, (long long) step, (long long) bytes, (long long) bytes,
             (long long) bytes);
    dame_program_t *program = program_of_text(text);
    ck_assert_int_eq(dame_tier_x.compile(program, dir, &options, &code), DAME_OK);
    dame_program_free(program);
    return code;
}

/* Is there code that prefetches, when so many blocks are to be fetched ahead? */
static int prefetches(int64_t count, int64_t bytes, int64_t step, dame_dir_t dir, dame_make_t make,
                      int64_t distance)
{
    dame_machine_code_t code = code_for(count, bytes, step, dir, make, distance);
    dame_machine_code_t without = code_for(count, bytes, step, dir, make, 0);
    const int differ =
        code.size != without.size || memcmp(code.bytes, without.bytes, code.size) != 0;
    dame_heap_free(code.bytes);
    dame_heap_free(code.entries);
    dame_heap_free(without.bytes);
    dame_heap_free(without.entries);
    return differ;
}

START_TEST(only_walks_that_leave_the_first_cache_prefetch)
{
    for (int make = 0; make < DAME_MAKES; make++) {
        for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
            const dame_make_t m = (dame_make_t) make;
            const dame_dir_t d = (dame_dir_t) dir;
            ck_assert(prefetches(14476, 12, 128, d, m, 16));
            ck_assert(!prefetches(162, 40, 6560, d, m, 16));  /* a megabyte, of which 162 lines */
            ck_assert(!prefetches(14476, 12, 32, d, m, 16));  /* several blocks in a line */
            ck_assert(!prefetches(14476, 64, 128, d, m, 16)); /* whole lines */
        }
    }
}
END_TEST

START_TEST(a_make_prefetches_where_that_is_faster_on_it)
{
    ck_assert(prefetches(14476, 12, 128, DAME_PACK, DAME_MAKE_AMD, -1));
    ck_assert(prefetches(14476, 12, 128, DAME_UNPACK, DAME_MAKE_AMD, -1));
    ck_assert(!prefetches(14476, 12, 128, DAME_PACK, DAME_MAKE_INTEL, -1));
    ck_assert(prefetches(14476, 12, 128, DAME_UNPACK, DAME_MAKE_INTEL, -1));
    ck_assert(!prefetches(14476, 12, 128, DAME_PACK, DAME_MAKE_OTHER, -1));
    ck_assert(!prefetches(14476, 12, 128, DAME_UNPACK, DAME_MAKE_OTHER, -1));
}
END_TEST
#endif

#ifdef __x86_64__
START_TEST(code_is_written_for_the_cpu_in_the_options)
{
    static const struct {
        const char *vectors;
        dame_cpu_t cpu;
    } cases[] = {
        {"sse2", {.avx2 = 0}},
        {"avx2", {.avx2 = 1}},
        {"avx512", {.avx2 = 1, .avx512 = 1}},
    };
    dame_jit_options_t options = *dame_jit_options_default();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.cpu = &cases[i].cpu;
        ck_assert_str_eq(dame_tier_x.vector_name(&options), cases[i].vectors);
    }
}
END_TEST

START_TEST(a_forced_instruction_set_limits_the_code)
{
    const dame_jit_options_t options = *dame_jit_options_default();
    ck_assert_int_eq(dame_isa_force("baseline"), DAME_OK);
    ck_assert_str_eq(dame_tier_x.vector_name(&options), "sse2");
    ck_assert_int_eq(dame_isa_cpu().make, dame_cpu_detect().make);
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
}
END_TEST
#endif

START_TEST(this_cpu_is_of_some_make)
{
    ck_assert_int_ge(dame_cpu_detect().make, 0);
    ck_assert_int_lt(dame_cpu_detect().make, DAME_MAKES);
}
END_TEST

Suite *tune_suite(void)
{
    Suite *suite = suite_create("tune");
    TCase *tcase = tcase_create("tune");
#ifdef __x86_64__
    tcase_add_test(tcase, a_make_has_the_vectors_that_are_fastest_on_it);
    tcase_add_test(tcase, no_make_has_vectors_that_the_cpu_does_not_have);
    tcase_add_test(tcase, code_is_written_for_the_cpu_in_the_options);
    tcase_add_test(tcase, a_forced_instruction_set_limits_the_code);
#endif
#if DAME_X_HAVE_CPU
    tcase_add_test(tcase, only_walks_that_leave_the_first_cache_prefetch);
    tcase_add_test(tcase, a_make_prefetches_where_that_is_faster_on_it);
#endif
    tcase_add_test(tcase, this_cpu_is_of_some_make);
    suite_add_tcase(suite, tcase);
    return suite;
}
