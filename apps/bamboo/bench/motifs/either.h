/* SPDX-License-Identifier: BSD-3-Clause */
/* One source for two programs: ranks that are tasks, or, with -DPLAIN, MPI's own. */
#ifndef BENCH_MOTIFS_EITHER_H
#define BENCH_MOTIFS_EITHER_H

#ifdef PLAIN
#include <mpi.h>

#define PROGRAM(function)                                                                          \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        MPI_Init(&argc, &argv);                                                                    \
        int result = function(argc, argv);                                                         \
        MPI_Finalize();                                                                            \
        return result;                                                                             \
    }
#else
#include "bamboo/rt/bamboo_mpi.h"

/* Before the include, a program may define what main() calls first. */
#ifndef BEFORE_START
#define BEFORE_START(argc, argv)
#endif

#define PROGRAM(function)                                                                          \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        BEFORE_START(argc, argv);                                                                  \
        return bamboo_run(argc, argv, function);                                                   \
    }
#endif

#endif
