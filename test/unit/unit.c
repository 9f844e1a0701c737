/* Runs every suite; each test in a process of its own unless CK_FORK=no says otherwise. */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

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
