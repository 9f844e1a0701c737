/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_test NAME ARGUMENT...: runs one of the MPI tests. Without arguments it prints their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

enum { USAGE = 2 };

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} tests[] = {
    {"broken", broken_main},       {"cancel", cancel_main},
    {"compiled", compiled_main},   {"llvm", llvm_main},
    {"convertor", convertor_main}, {"edge", edge_main},
    {"forks", forks_main},         {"frags", frags_main},
    {"fresh", fresh_main},         {"heap", heap_main},
    {"idle", idle_main},           {"late", late_main},
    {"late_dso", late_dso_main},   {"lifetime", lifetime_main},
    {"matching", matching_main},   {"mpit", mpit_main},
    {"devices", devices_main},     {"native", native_main},
    {"onesided", onesided_main},   {"p2p", p2p_main},
    {"pack", pack_main},           {"report", report_main},
    {"slots", slots_main},         {"threads", threads_main},
    {"typemaps", typemaps_main},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (argc < 2) {
            puts(tests[i].name);
        } else if (strcmp(argv[1], tests[i].name) == 0) {
            return tests[i].run(argc - 1, argv + 1);
        }
    }
    if (argc < 2) {
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "mpi_test: no test is called '%s'; without arguments it prints the names\n",
            argv[1]);
    return USAGE;
}
