/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ends HOW WHEN: rank 1 ends in this way while both ranks move data (now), before the first message
 * (early), or while rank 0 is in MPI_Finalize (late). Nothing is checked here: the script compares
 * with the same job without DAME.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

enum { USAGE = 2, CODE = 7, LATE_US = 600000 };

static void end(const char *how)
{
    if (strcmp(how, "killed") == 0) {
        raise(SIGKILL);
    } else if (strcmp(how, "crashes") == 0) {
        signal(SIGSEGV, SIG_DFL); /* Open MPI's handler prints a page */
        raise(SIGSEGV);
    } else if (strcmp(how, "terminated") == 0) {
        raise(SIGTERM);
    } else if (strcmp(how, "aborts") == 0) {
        signal(SIGABRT, SIG_DFL);
        abort();
    } else if (strcmp(how, "mpi-abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, CODE);
    } else if (strcmp(how, "exits") == 0) {
        exit(CODE);
    } else if (strcmp(how, "exits-0") == 0) {
        exit(0);
    } else if (strcmp(how, "_exits") == 0) {
        _exit(CODE);
    } else if (strcmp(how, "quick") == 0) {
        quick_exit(CODE);
    } else if (strcmp(how, "returns") != 0) {
        fprintf(stderr, "ends: '%s' is not a way to end\n", how);
        MPI_Abort(MPI_COMM_WORLD, USAGE);
    }
}

int ends_main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *when = argc > 2 ? argv[2] : "now";
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    if (strcmp(when, "early") != 0) {
        traffic_start(&(traffic_options_t){.threads = 2});
        traffic_wait(my_rank * 500L);
    }
    if (strcmp(when, "late") == 0) {
        traffic_stop();
        if (my_rank == 0) {
            MPI_Finalize(); /* waits for rank 1 */
            return 0;
        }
        usleep(LATE_US);
    }
    if (my_rank == 1) {
        end(how);
        return CODE;
    }
    traffic_wait(1L << 40); /* until rank 1's end is also this rank's */
    return 0;
}
