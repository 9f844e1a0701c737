/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the mini-applications; operations.c also uses its memory. Each application solves its
 * problem twice in each turn (lib/turns.h), sending its data as derived datatypes and packed by
 * hand, compares the solutions with known results, and prints for each way
 *
 *   result APPLICATION_SIZE types|hand SECONDS OF_IT_COMMUNICATION right|WRONG
 *
 * of a step, the lower quartile of the slowest rank. Needs no DAME and no Open MPI.
 */
#ifndef APP_H
#define APP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lib/turns.h"
#include "options.h"

enum { APP_STEPS = 1024 }; /* timed; later ones are not */

/* A step goes from the end of one communication to the end of the next. */
typedef struct app_times {
    double begun, ended; /* the last communication */
    double step[APP_STEPS], communication[APP_STEPS];
    int steps;
} app_times_t;

static inline void app_begin(app_times_t *times)
{
    MPI_Barrier(MPI_COMM_WORLD);
    times->steps = 0;
    times->ended = bench_now();
}

static inline void app_begins_to_send(app_times_t *times)
{
    times->begun = bench_now();
}

static inline void app_has_sent(app_times_t *times)
{
    const double before = times->ended;
    times->ended = bench_now();
    if (times->steps < APP_STEPS) {
        times->step[times->steps] = times->ended - before;
        times->communication[times->steps++] = times->ended - times->begun;
    }
}

static inline void app_print(const char *name, long size, bool by_hand, app_times_t *times,
                             bool right)
{
    double mine[2] = {bench_undisturbed(times->step, times->steps),
                      bench_undisturbed(times->communication, times->steps)};
    double all[2];
    int rank, good = right, all_good;
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("result %s_%ld %s %.9f %.9f %s\n", name, size, by_hand ? "hand" : "types", all[0],
               all[1], all_good ? "right" : "WRONG");
    }
}

/* Zeros, for messages; their pages are mapped before anything is timed. turns_free() it. Ends the
 * job when memory is out. */
static inline void *app_memory(size_t bytes)
{
    void *memory = turns_memory(bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memset(memory, 0, bytes);
}

/* Messages of contiguous bytes between all ranks: the first ones of a job set up connections, and
 * neither way of sending shall pay for them. */
static inline void app_introduce(void)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t bytes = 64; bytes <= 1 << 20; bytes *= 16) {
        char *out = app_memory(bytes * (size_t) ranks), *in = app_memory(bytes * (size_t) ranks);
        for (int times = 0; times < 10; times++) {
            MPI_Alltoall(out, (int) bytes, MPI_BYTE, in, (int) bytes, MPI_BYTE, MPI_COMM_WORLD);
        }
        turns_free(out);
        turns_free(in);
    }
}

#endif
