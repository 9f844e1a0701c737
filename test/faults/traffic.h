/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two ranks do while something happens to their processes: threads of rank 0 and rank 1 send
 * each other data of datatypes that come and go, pack and unpack it, and compare every byte, the
 * gaps' too. A program for mpirun -np 2, with MPI_THREAD_MULTIPLE.
 */
#ifndef TEST_FAULTS_TRAFFIC_H
#define TEST_FAULTS_TRAFFIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "test/mpi/mpi_check.h"

enum { TRAFFIC_THREADS = 8 };

typedef struct traffic_options {
    int threads;
    bool pack_only;         /* nothing is sent */
    size_t stack;           /* of each thread, with an inaccessible page below; 0: the usual one */
    void (*in_thread)(int); /* called first in each thread; may be NULL */
} traffic_options_t;

/* Collective. Threads begin; one after another makes datatypes, uses and frees them. */
void traffic_start(const traffic_options_t *options);

/* Until both ranks have called it; then a verdict for each thread. */
void traffic_stop(void);

/* Of this rank, so far. */
long traffic_rounds(void);

/* Waits for `rounds` more rounds. */
void traffic_wait(long rounds);

pthread_t traffic_thread(int i);
pid_t traffic_tid(int i); /* 0: it has not begun */

/* Layouts of several kinds; the same for the same number. The caller frees. */
layout_t *traffic_layout(unsigned number);

#endif
