/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective operation, repeated: libbamboo makes them of messages between two ranks, which one
 * rank's can overlap with another's work; what does that cost beside the library's own?
 *
 *     collectives OPERATION BYTES REPEATS
 *
 * OPERATION: bcast, allreduce, allgather, alltoall or reduce_scatter; BYTES: of one rank's part, a
 * multiple of 8. Rank 0 prints milliseconds an operation and a checksum of what all ranks have. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/motifs/either.h"

struct run {
    int rank, size, count; /* numbers of a part */
    int64_t *from, *to;    /* size parts each */
};

static void bcast(const struct run *r)
{
    memcpy(r->to, r->from, (size_t) r->count * sizeof(*r->to));
    MPI_Bcast(r->to, r->count, MPI_INT64_T, 0, MPI_COMM_WORLD);
}

static void allreduce(const struct run *r)
{
    MPI_Allreduce(r->from, r->to, r->count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(const struct run *r)
{
    MPI_Allgather(r->from, r->count, MPI_INT64_T, r->to, r->count, MPI_INT64_T, MPI_COMM_WORLD);
}

static void alltoall(const struct run *r)
{
    MPI_Alltoall(r->from, r->count, MPI_INT64_T, r->to, r->count, MPI_INT64_T, MPI_COMM_WORLD);
}

static void reduce_scatter(const struct run *r)
{
    MPI_Reduce_scatter_block(r->from, r->to, r->count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*operate)(const struct run *r);
} operations[] = {{"bcast", bcast},
                  {"allreduce", allreduce},
                  {"allgather", allgather},
                  {"alltoall", alltoall},
                  {"reduce_scatter", reduce_scatter}};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static int64_t sum_of(const struct run *r)
{
    int64_t sum = 0;
    for (int i = 0; i < r->count * r->size; i++) {
        sum += r->to[i] * (i + 1) * (r->rank + 1);
    }
    return sum;
}

static int collectives(int argc, char **argv)
{
    struct run r;
    int which = 0;
    double elapsed = 0, longest;
    int64_t sum, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.size);
    while (argc == 4 && which < OPERATIONS && strcmp(argv[1], operations[which].name) != 0) {
        which++;
    }
    if (argc != 4 || which == OPERATIONS || atoi(argv[2]) < 8 || atoi(argv[3]) < 1) {
        fprintf(stderr, "collectives: arguments: OPERATION BYTES REPEATS\n");
        return 2;
    }
    const int repeats = atoi(argv[3]);
    r.count = atoi(argv[2]) / (int) sizeof(*r.to);
    const size_t numbers = (size_t) r.count * (size_t) r.size;
    r.from = calloc(numbers, sizeof(*r.from));
    r.to = calloc(numbers, sizeof(*r.to));
    for (size_t i = 0; i < numbers; i++) {
        r.from[i] = (int64_t) i * 7919 + r.rank * 104729;
    }
    for (int repeat = -1; repeat < repeats; repeat++) { /* one to warm up */
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        operations[which].operate(&r);
        elapsed += repeat < 0 ? 0 : MPI_Wtime() - start;
    }
    sum = sum_of(&r);
    MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (r.rank == 0) {
        printf("%.6f %016llx\n", 1e3 * longest / repeats, (unsigned long long) all);
    }
    free(r.from);
    free(r.to);
    return 0;
}

PROGRAM(collectives)
