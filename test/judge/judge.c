/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judges the machine code that DAME-X or DAME-L writes; see session.h.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session.h"

enum { MAX_FAILURES = 5, MAX_CASES = 1000000000 };

/* ---- options ---- */

static void print_help(void)
{
    printf("Usage: judge [OPTION]...\n"
           "Decodes the machine code that DAME-X or DAME-L writes for layouts and random "
           "datatypes, and runs "
           "it on\na CPU without memory, which checks every access.\n\n"
           "  --cases N      how many random datatypes, 0 to %d (default 700; with --layout 0)\n"
           "  --seed S       seed of all choices, 0 to 18446744073709551615 (default: the time)\n"
           "  --case K       random datatype K only, 0 to %d\n"
           "  --tier x|l     the tier of the code (default x); exit status 77: no dame_llvm.so\n"
           "  --layout NAME  this layout, or those with names that start so, only\n"
           "  --help         print this and exit\n\n"
           "The exit status is 0 when all code is right, 1 when some is wrong, and 2 for wrong "
           "options.\n",
           MAX_CASES, MAX_CASES - 1);
}

/* The number in `text`, which must be in [0, high]; otherwise says so and exits. */
static uint64_t number_option(const char *option, const char *text, uint64_t high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end != '\0' || strchr(text, '-') || value > high) {
        fprintf(stderr, "judge: --%s: '%s' is not a number from 0 to %llu\n", option, text,
                (unsigned long long) high);
        exit(2);
    }
    return value;
}

/* The provider in dame_llvm.so for "l", NULL for "x"; else reports an error and exits. */
static const dame_provider_t *tier_option(const char *text)
{
    const dame_provider_t *(*get)(void) = NULL;
    if (strcmp(text, "x") == 0) {
        return NULL;
    }
    if (strcmp(text, "l") != 0) {
        fprintf(stderr, "judge: --tier: '%s' is not x or l\n", text);
        exit(2);
    }
    void *object = dlopen(DAME_LLVM_SO, RTLD_NOW | RTLD_LOCAL);
    void *symbol = object ? dlsym(object, DAME_PROVIDER_SYMBOL) : NULL;
    if (!symbol) {
        fprintf(stderr, "judge: %s\n", dlerror());
        exit(77);
    }
    memcpy(&get, &symbol, sizeof get);
    return get();
}

static session_plan_t parse_options(int argc, char **argv)
{
    static const struct option names[] = {
        {"cases", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 's'},
        {"case", required_argument, NULL, 'k'},
        {"layout", required_argument, NULL, 'l'},
        {"tier", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    session_plan_t options = {
        .cases = -1, .seed = (uint64_t) time(NULL), .only = -1, .most_failures = MAX_FAILURES};
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (option) {
        case 'n':
            options.cases = (int64_t) number_option("cases", optarg, MAX_CASES);
            break;
        case 's':
            options.seed = number_option("seed", optarg, UINT64_MAX);
            break;
        case 'k':
            options.only = (int64_t) number_option("case", optarg, MAX_CASES - 1);
            break;
        case 'l':
            options.layout = optarg;
            break;
        case 't':
            options.provider = tier_option(optarg);
            break;
        case 'h':
            print_help();
            exit(EXIT_SUCCESS);
        default:
            fprintf(stderr, "Try 'judge --help'.\n");
            exit(2);
        }
    }
    if (options.cases < 0) {
        options.cases = options.layout ? 0 : 700;
    }
    if (optind < argc) {
        fprintf(stderr, "judge: '%s' is not an option. Try 'judge --help'.\n", argv[optind]);
        exit(2);
    }
    return options;
}

int main(int argc, char **argv)
{
    const session_plan_t plan = parse_options(argc, argv);
    session_t session = {.out = stdout};
    setvbuf(stdout, NULL, _IOLBF, 0);
    const bool right = session_run(&session, &plan);
    session_free(&session);
    printf("%" PRId64 " passed, %" PRId64 " failed\n", session.passed, session.failed);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
