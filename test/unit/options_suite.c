/* Which passes a text names. */
#include <string.h>

#include "dame/options.h"
#include "suites.h"

#define MERGE  ((dame_passes_t) 1 << DAME_PASS_MERGE)
#define BUFFER ((dame_passes_t) 1 << DAME_PASS_BUFFER)

START_TEST(a_list_names_passes_and_all_and_none_stand_alone)
{
    const struct {
        const char *text;
        dame_passes_t passes;
    } cases[] = {
        {"all", DAME_PASSES_ALL}, {"none", 0}, {"merge", MERGE}, {"merge,buffer", MERGE | BUFFER},
        {"merge,merge", MERGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dame_passes_t passes = ~(dame_passes_t) 0;
        const char *bad;
        int length;
        ck_assert_int_eq(dame_passes_parse(cases[i].text, &passes, &bad, &length), DAME_OK);
        ck_assert_uint_eq(passes, cases[i].passes);
    }
}
END_TEST

START_TEST(the_first_name_that_is_no_pass_is_pointed_at)
{
    const struct {
        const char *text;
        const char *bad;
        size_t at;
    } cases[] = {
        {"", "", 0},
        {"fold", "fold", 0},
        {"merge,fold,buffer", "fold", 6},
        {"merge,", "", 6},
        {"merg", "merg", 0},
        {"all,none", "all", 0},
        {"none,merge", "none", 0},
        {"merge,all", "all", 6},
        {"all,", "all", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dame_passes_t passes = BUFFER;
        const char *bad = NULL;
        int length = -1;
        ck_assert_int_eq(dame_passes_parse(cases[i].text, &passes, &bad, &length),
                         DAME_ERR_ARGUMENT);
        ck_assert_ptr_eq(bad, cases[i].text + cases[i].at);
        ck_assert_int_eq(length, (int) strlen(cases[i].bad));
        ck_assert_uint_eq(passes, BUFFER);
    }
}
END_TEST

Suite *options_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *passes = tcase_create("passes");
    tcase_add_test(passes, a_list_names_passes_and_all_and_none_stand_alone);
    tcase_add_test(passes, the_first_name_that_is_no_pass_is_pointed_at);
    suite_add_tcase(suite, passes);
    return suite;
}
