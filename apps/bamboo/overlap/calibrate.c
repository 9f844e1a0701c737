/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "shared/mpi/real.h"

enum { TURNS = 51, MESSAGES = 20, LENGTH = 1 << 16, CALLS = 3 };

static char from[LENGTH], to[LENGTH];

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(int64_t times[TURNS])
{
    qsort(times, TURNS, sizeof(times[0]), compare_times);
    int64_t middle = times[TURNS / 2];
    return (double) middle;
}

/* Messages of this process to itself: CALLS calls each, of the library's functions or of MPI's. */
static int64_t exchange(bool measured)
{
    MPI_Comm self = real_self();
    MPI_Datatype byte = real_byte();
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int64_t begin = overlap_now();
    for (int m = 0; m < MESSAGES; m++) {
        if (measured) {
            MPI_Irecv(to, 8, byte, 0, 0, self, &requests[0]);
            MPI_Isend(from, 8, byte, 0, 0, self, &requests[1]);
            MPI_Waitall(2, requests, statuses);
        } else {
            REAL(MPI_Irecv)(to, 8, byte, 0, 0, self, &requests[0]);
            REAL(MPI_Isend)(from, 8, byte, 0, 0, self, &requests[1]);
            REAL(MPI_Waitall)(2, requests, statuses);
        }
    }
    return overlap_now() - begin;
}

void calibrate(overlap_rank_t *rank)
{
    int64_t plain[TURNS], measured[TURNS], copies[TURNS], clocks[TURNS];
    for (int t = 0; t < TURNS; t++) {
        plain[t] = exchange(false);
        measured[t] = exchange(true);
        int64_t begin = overlap_now();
        clocks[t] = overlap_now() - begin;
        begin = overlap_now();
        memcpy(to, from, LENGTH);
        __asm__ volatile("" : : "r"(to) : "memory");
        copies[t] = overlap_now() - begin;
    }
    double without = median(plain), with = median(measured);
    rank->message_ns = without / MESSAGES;
    rank->cost_ns = with > without ? (with - without) / (MESSAGES * CALLS) : 0;
    rank->clock_ns = median(clocks);
    rank->clock_ns = rank->clock_ns < rank->cost_ns ? rank->clock_ns : rank->cost_ns;
    rank->byte_ns = median(copies) / LENGTH;
}
