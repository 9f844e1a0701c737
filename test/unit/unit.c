/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs every suite; each test in a process of its own unless CK_FORK=no says otherwise. */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

/*
 * AddressSanitizer asks for its options. Every test inherits what this process has freed, and its
 * search for leaks goes through that: by default, 256 MiB of it, half the time. The search also
 * guesses where dynamic thread-local storage is, and can crash on a wrong guess.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:intercept_tls_get_addr=0";
}

Suite *(*suites[MOST_SUITES])(void);
int nsuites;

int main(void)
{
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < nsuites; i++) {
        srunner_add_suite(runner, suites[i]());
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);
    fflush(stdout);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
