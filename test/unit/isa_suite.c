/* Which instruction set's kernels programs get. */
#include <string.h>

#include "dame/isa.h"
#include "suites.h"
#include "tools.h"

START_TEST(the_names_of_instruction_sets_can_be_forced_and_others_not)
{
    const char *const *names = dame_isa_names();
    ck_assert_ptr_nonnull(names);
    ck_assert_ptr_nonnull(names[0]);
    bool baseline = false;
    for (int i = 0; names[i]; i++) {
        ck_assert_int_eq(dame_isa_force(names[i]), DAME_OK);
        baseline |= strcmp(names[i], "baseline") == 0;
    }
    ck_assert(baseline);
    ck_assert_int_eq(dame_isa_force("no such set"), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_isa_force(""), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
}
END_TEST

START_TEST(the_instruction_set_is_chosen_by_what_the_cpu_has)
{
    const dame_cpu_t here = dame_cpu_detect(), none = {0};
    const dame_cpu_t avx2 = {.avx2 = 1}, no_vbmi = {.avx2 = 1, .avx512 = 1};
    const dame_cpu_t all = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1};
    ck_assert_str_eq(dame_isa_for(&here), dame_isa_names()[0]);
    ck_assert_str_eq(dame_isa_for(&none), "baseline");
    const bool has_copies = strcmp(dame_isa_for(&all), "baseline") != 0; /* on x86-64 */
    ck_assert_str_eq(dame_isa_for(&all), has_copies ? "avx512" : "baseline");
    ck_assert_str_eq(dame_isa_for(&avx2), has_copies ? "avx2" : "baseline");
    ck_assert_str_eq(dame_isa_for(&no_vbmi), has_copies ? "avx2" : "baseline");
}
END_TEST

START_TEST(a_forced_instruction_set_limits_what_may_be_used)
{
    const dame_cpu_t here = dame_cpu_detect(), none = {0};
    dame_cpu_t cpu = dame_isa_cpu();
    ck_assert(dame_cpu_has(&cpu, &here));
    for (const char *const *name = dame_isa_names(); *name; name++) {
        ck_assert_int_eq(dame_isa_force(*name), DAME_OK);
        cpu = dame_isa_cpu();
        ck_assert_str_eq(dame_isa_for(&cpu), *name);
        ck_assert(dame_cpu_has(&here, &cpu));
    }
    cpu = dame_isa_cpu(); /* of baseline, the last one */
    ck_assert(dame_cpu_has(&none, &cpu));
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
    cpu = dame_isa_cpu();
    ck_assert(dame_cpu_has(&cpu, &here));
}
END_TEST

Suite *isa_suite(void)
{
    Suite *suite = suite_create("isa");
    TCase *tcase = tree_case("isa");
    tcase_add_test(tcase, the_names_of_instruction_sets_can_be_forced_and_others_not);
    tcase_add_test(tcase, the_instruction_set_is_chosen_by_what_the_cpu_has);
    tcase_add_test(tcase, a_forced_instruction_set_limits_what_may_be_used);
    suite_add_tcase(suite, tcase);
    return suite;
}
