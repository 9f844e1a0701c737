/* SPDX-License-Identifier: BSD-3-Clause */
/* One source for two programs: resumable functions for the runtime, or, with -DPLAIN, ordinary
 * functions that call MPI. Calls of MPI have MPI's names in both. */
#ifndef BENCH_MOTIFS_EITHER_H
#define BENCH_MOTIFS_EITHER_H

#ifdef PLAIN
#include <mpi.h>
#include <stdlib.h>

#define BAMBOO_DONE 0
typedef int bamboo_state_t;
struct bamboo_frame {
    struct bamboo_frame *callee;
};
struct bamboo_main_frame {
    struct bamboo_frame head;
    int argc;
    char **argv;
    int result;
};
#define BEGIN(frame)          (void) (frame)
#define AWAIT(frame, call)    ((void) (call))
#define CALL(frame, function) ((void) function((frame)->callee))
#define END                   return BAMBOO_DONE
#define PUSH(bytes)           calloc(1, bytes)
#define POP(frame)            free(frame)
#define PROGRAM(name, type, function)                                                              \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static type f;                                                                             \
        MPI_Init(&argc, &argv);                                                                    \
        f.main.argc = argc;                                                                        \
        f.main.argv = argv;                                                                        \
        function(&f.main.head);                                                                    \
        MPI_Finalize();                                                                            \
        return f.main.result;                                                                      \
    }
#else
#include "apps/bamboo/rt/bamboo_mpi.h"

/* Before the include, a program may define what main() calls first. */
#ifndef BEFORE_START
#define BEFORE_START(argc, argv)
#endif

#define BEGIN(frame)          BAMBOO_BEGIN(frame)
#define AWAIT(frame, call)    BAMBOO_AWAIT(frame, call)
#define CALL(frame, function) BAMBOO_CALL(frame, function)
#define END                   BAMBOO_END
#define PUSH(bytes)           bamboo_push(bytes)
#define POP(frame)            bamboo_pop(frame)
#define PROGRAM(name, type, function)                                                              \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        BEFORE_START(argc, argv);                                                                  \
        static const bamboo_program_t program = {name, sizeof(type), function, 0};                 \
        return bamboo_run(argc, argv, &program);                                                   \
    }
#endif

#endif
