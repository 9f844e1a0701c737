/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hostile NAME ARGUMENT...: two ranks move data (traffic.h) while this happens to them. Without
 * arguments it prints the names.
 */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traffic.h"

enum { USAGE = 2 };

/* quiet ROUNDS: nothing; the process is attacked from outside. */
int quiet_main(int argc, char **argv)
{
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    traffic_start(&(traffic_options_t){.threads = 2});
    traffic_wait(argc > 1 ? atol(argv[1]) : 1000);
    traffic_stop();
    return check_finish();
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} troubles[] = {
    {"affinity", affinity_main}, {"cancelled", cancelled_main}, {"children", children_main},
    {"ends", ends_main},         {"quiet", quiet_main},         {"seccomp", seccomp_main},
    {"signals", signals_main},   {"stacks", stacks_main},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++) {
        if (argc < 2) {
            puts(troubles[i].name);
        } else if (strcmp(argv[1], troubles[i].name) == 0) {
            return troubles[i].run(argc - 1, argv + 1);
        }
    }
    if (argc < 2) {
        return EXIT_SUCCESS;
    }
    if (strcmp(argv[1], "child") == 0) { /* what children.c executes */
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "hostile: '%s' is not a name; without arguments it prints them\n", argv[1]);
    return USAGE;
}
