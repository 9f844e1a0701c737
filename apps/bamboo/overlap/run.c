/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's run, from MPI_Init to MPI_Finalize. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/mpi/real.h"
#include "calibrate.h"
#include "messages.h"
#include "overlap.h"
#include "steps.h"

static overlap_rank_t rank;
static pid_t process; /* a child of fork() writes nothing */
static int64_t cpu_begin;

static int64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

void overlap_start(void)
{
    MPI_Comm parent;
    const char *clock = getenv("DAME_OVERLAP_CLOCK");
    if (getenv("DAME_OVERLAP") == NULL || rank.size > 0) {
        return;
    }
    if (!real_is_ours(rank.library, sizeof(rank.library))) {
        overlap_write_refusal(rank.library);
        return;
    }
    REAL(MPI_Comm_get_parent)(&parent);
    if (parent != real_comm_null() || !steps_open() || !messages_open()) {
        return; /* another job's processes have the same ranks */
    }
    REAL(MPI_Comm_rank)(real_world(), &rank.rank);
    REAL(MPI_Comm_size)(real_world(), &rank.size);
    process = getpid();
    if (rank.rank == 0 && dlsym(RTLD_DEFAULT, "bamboo_run_image") != NULL) {
        fprintf(stderr,
                "dame overlap: the ranks of this program are tasks (bamboocc); what follows "
                "is about its processes\n");
    }
    if (clock != NULL && strcmp(clock, "cpu") == 0) {
        overlap_clock = CLOCK_PROCESS_CPUTIME_ID;
    }
    overlap_write_begin(&rank);
    cpu_begin = cpu_now();
    call_start(&rank);
}

void overlap_finish(bool finalized)
{
    if (!call_stop()) {
        return;
    }
    rank.cpu = cpu_now() - cpu_begin;
    rank.finalized = finalized;
    steps_finish();
    overlap_write(&rank);
    if (finalized) {
        steps_calibrate();
        calibrate(&rank); /* enters calls, which is why it comes last */
    }
    overlap_write_end(&rank);
    call_leave();
}

/* A program that never reaches MPI_Finalize. */
__attribute__((destructor)) static void at_exit(void)
{
    if (process == getpid()) {
        overlap_finish(false);
    }
}
