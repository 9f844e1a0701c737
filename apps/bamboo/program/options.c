/* SPDX-License-Identifier: BSD-3-Clause */
/* getopt() with variables of the task's own. What the C library remembers within an argument such
 * as -abc is in its own static memory: tasks must not read their options in turns, which they can
 * only if one waits in its loop. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int optind = 1, opterr = 1, optopt = '?';
char *optarg;

typedef int next_option_t(int, char *const *, const char *, const struct option *, int *);

static struct library {
    int *optind, *opterr, *optopt;
    char **optarg;
    next_option_t *next[3];
} library;

static int started; /* this task's options, and not at their end */

static void find_library(void)
{
    static const char *const names[] = {"getopt", "getopt_long", "getopt_long_only"};
    library.optind = dlsym(RTLD_NEXT, "optind");
    library.opterr = dlsym(RTLD_NEXT, "opterr");
    library.optopt = dlsym(RTLD_NEXT, "optopt");
    library.optarg = dlsym(RTLD_NEXT, "optarg");
    for (int i = 0; i < 3; i++) {
        void *found = dlsym(RTLD_NEXT, names[i]);
        memcpy(&library.next[i], &found, sizeof(found));
    }
}

static int next_option(int which, int argc, char *const *argv, const char *letters,
                       const struct option *words, int *index)
{
    if (library.optind == NULL) {
        find_library();
    }
    if (started && *library.optind != optind && optind != 1 && optind != 0) {
        fprintf(stderr, "bamboo: getopt: another task read its options meanwhile\n");
        abort();
    }
    *library.optind = started ? optind : optind == 1 ? 0 : optind; /* 0: forgets all */
    *library.opterr = opterr;
    int result = library.next[which](argc, argv, letters, words, index);
    started = result != -1;
    optind = *library.optind;
    optopt = *library.optopt;
    optarg = *library.optarg;
    return result;
}

int getopt(int argc, char *const *argv, const char *letters)
{
    return next_option(0, argc, argv, letters, NULL, NULL);
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *words,
                int *index)
{
    return next_option(1, argc, argv, letters, words, index);
}

int getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *words,
                     int *index)
{
    return next_option(2, argc, argv, letters, words, index);
}
