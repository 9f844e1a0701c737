/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts along a heap: rank i receives from (i - 1) / 2, sends to 2 i + 1 and 2 i + 2, and
 * computes with the block: motif B4.
 *
 *     tree COUNT ROUNDS WORK
 *
 * COUNT: doubles in a block; WORK: how often each is used. Rank 0 prints milliseconds a round and
 * a checksum of what all ranks computed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bamboo/bench/motifs/either.h"

struct tree_state {
    int argc, exit_status;
    char **argv;
    int rank, size, count, rounds, round, work, child;
    double *block, start, longest;
    uint64_t check, all;
};

/* Whole numbers below 2^53: the same in any order. */
static uint64_t compute(const struct tree_state *f)
{
    uint64_t sum = 0;
    for (int again = 0; again < f->work; again++) {
        for (int i = 0; i < f->count; i++) {
            sum = sum * 31 + (uint64_t) f->block[i] + (uint64_t) f->rank;
        }
    }
    return sum;
}

static int tree(int argc, char **argv)
{
    struct tree_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->count = f->argc == 4 ? atoi(f->argv[1]) : 0;
    f->rounds = f->argc == 4 ? atoi(f->argv[2]) : 0;
    f->work = f->argc == 4 ? atoi(f->argv[3]) : -1;
    if (f->count < 1 || f->rounds < 1 || f->work < 0) {
        if (f->rank == 0) {
            fprintf(
                stderr,
                "tree: arguments: COUNT ROUNDS WORK, COUNT and ROUNDS 1 or more, WORK 0 or more\n");
        }
        f->exit_status = 2;
        return f->exit_status;
    }
    f->block = calloc((size_t) f->count, sizeof(double));
    for (f->round = -1; f->round < f->rounds; f->round++) {
        if (f->round == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            f->start = MPI_Wtime();
        }
        if (f->rank > 0) {
            MPI_Recv(f->block, f->count, MPI_DOUBLE, (f->rank - 1) / 2, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        } else {
            for (int i = 0; i < f->count; i++) {
                f->block[i] = (i * 17 + f->round + 1) % 1009;
            }
        }
        for (f->child = 2 * f->rank + 1; f->child <= 2 * f->rank + 2 && f->child < f->size;
             f->child++) {
            MPI_Send(f->block, f->count, MPI_DOUBLE, f->child, 0, MPI_COMM_WORLD);
        }
        f->check += compute(f);
    }
    f->start = MPI_Wtime() - f->start;
    MPI_Reduce(&f->start, &f->longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&f->check, &f->all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (f->rank == 0) {
        printf("%.6f %016llx\n", 1e3 * f->longest / f->rounds, (unsigned long long) f->all);
    }
    free(f->block);
    return f->exit_status;
}

PROGRAM(tree)
