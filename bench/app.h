/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the mini-applications; operations.c also uses its memory. Each application solves its
 * problem twice, sending its data as derived datatypes and packed by hand, in turns, compares the
 * solutions with known results, and prints for each way
 *
 *   result APPLICATION_SIZE types|hand SECONDS OF_IT_COMMUNICATION FIRST_TEN_STEPS right|WRONG
 *
 * with the times of the slowest rank; those of the first ten steps are communication. Needs no DAME
 * and no Open MPI.
 */
#ifndef APP_H
#define APP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

typedef struct app_times {
    double start; /* of the communication that goes on */
    double spent; /* in communication */
    double first; /* of it, in the first ten steps */
    int steps;    /* begun */
} app_times_t;

static inline void app_begins_to_send(app_times_t *times)
{
    times->start = bench_now();
}

static inline void app_has_sent(app_times_t *times)
{
    times->spent += bench_now() - times->start;
    if (times->steps <= 10) {
        times->first = times->spent;
    }
}

/* `seconds` for all of it. */
static inline void app_print(const char *name, long size, bool by_hand, double seconds,
                             const app_times_t *times, bool right)
{
    double mine[3] = {seconds, times->spent, times->first}, all[3];
    int rank, good = right, all_good;
    MPI_Reduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        printf("result %s_%ld %s %.6f %.6f %.6f %s\n", name, size, by_hand ? "hand" : "types",
               all[0], all[1], all[2], all_good ? "right" : "WRONG");
        fflush(stdout);
    }
}

/* Zeros; their pages are mapped before anything is timed. Ends the job when memory is out. */
static inline void *app_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (NULL == memory) {
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
        free(out);
        free(in);
    }
}

#endif
