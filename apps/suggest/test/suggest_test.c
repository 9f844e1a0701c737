/* The core of apps/suggest/. Options: --cases N of the random tests, --seed N. */
#include "suggest_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

void check(bool good, const char *format, ...)
{
    if (good) {
        passed++;
        return;
    }
    va_list args;
    va_start(args, format);
    fputs("FAIL ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    failed++;
}

int main(int argc, char **argv)
{
    int cases = 300;
    unsigned long seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--cases") == 0) {
            cases = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = strtoul(argv[i + 1], NULL, 10);
        }
    }
    printf("seed %lu\n", seed);
    cases_run(SUGGEST_CASES "/answers.cases");
    cases_run(SUGGEST_CASES "/refusals.cases");
    poly_run(cases, seed);
    nests_run(cases, seed);
    texts_run();
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
