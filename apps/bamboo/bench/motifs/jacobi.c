/* SPDX-License-Identifier: BSD-3-Clause */
/* 7-point Jacobi on a 3-D grid, or with NZ 1 on a 2-D one, which is periodic in the first
 * dimension: motifs B1 and B5. Faces are sent with datatypes, from the array to the array. Rank (x,
 * y, z) is (x * PY + y) * PZ + z, or reversed (z * PY + y) * PX + x.
 *
 *     jacobi [VARIANT] [reversed] NX NY NZ PX PY PZ STEPS
 *
 * NX to NZ: cells of the whole grid; PX to PZ: ranks in each dimension. VARIANT: blocking (all
 * faces, then all cells: the default), hand (starts the messages, computes cells that need none,
 * waits, computes the rest; for cuts in the first dimension), nocomm (messages without data: the
 * bound). Rank 0 prints milliseconds a step and a checksum of all cells, which is the same however
 * the grid is cut. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bamboo/bench/motifs/either.h"

enum { BLOCKING, HAND, NOCOMM, VARIANTS };
static const char *const names[VARIANTS] = {"blocking", "hand", "nocomm"};

struct jacobi_state {
    int argc, exit_status;
    char **argv;
    int variant, reversed, rank, size, steps, step;
    int cells[3], ranks[3], n[3], at[3]; /* of the grid, ranks, cells of mine, my place */
    int neighbour[3][2];
    MPI_Datatype face[3];
    MPI_Request requests[12];
    int count;
    double *old, *new, start, longest;
    uint64_t sum, all;
};

static long index_of(const struct jacobi_state *f, int x, int y, int z)
{
    return ((long) x * (f->n[1] + 2) + y) * (f->n[2] + 2) + z;
}

static long bytes_of(const struct jacobi_state *f)
{
    return (long) (f->n[0] + 2) * (f->n[1] + 2) * (f->n[2] + 2) * (long) sizeof(double);
}

/* Returns NULL, or an error. */
static const char *set_up(struct jacobi_state *f)
{
    int argument = 1, argc = f->argc;
    char **argv = f->argv;
    f->variant = BLOCKING;
    for (int i = 0; i < VARIANTS && argc > 1; i++) {
        if (strcmp(argv[1], names[i]) == 0) {
            f->variant = i;
            argument = 2;
        }
    }
    if (argc > argument && strcmp(argv[argument], "reversed") == 0) {
        f->reversed = 1;
        argument++;
    }
    if (argc - argument != 7) {
        return "arguments: [blocking|hand|nocomm] [reversed] NX NY NZ PX PY PZ STEPS";
    }
    int rank = f->rank;
    for (int i = 0; i < 3; i++) {
        const int d = f->reversed ? i : 2 - i; /* the dimension in which the next rank is */
        f->cells[d] = atoi(argv[argument + d]);
        f->ranks[d] = atoi(argv[argument + 3 + d]);
        if (f->ranks[d] < 1 || f->cells[d] < f->ranks[d] || f->cells[d] % f->ranks[d] != 0) {
            return "each number of cells must be a multiple of the number of ranks in that "
                   "dimension";
        }
        f->n[d] = f->cells[d] / f->ranks[d];
        f->at[d] = rank % f->ranks[d];
        rank /= f->ranks[d];
    }
    f->steps = atoi(argv[argument + 6]);
    if (f->ranks[0] * f->ranks[1] * f->ranks[2] != f->size) {
        return "PX * PY * PZ must be the number of ranks";
    }
    if (f->variant == HAND && f->ranks[1] * f->ranks[2] != 1) {
        return "by hand, PY and PZ must be 1: only the first and the last plane wait for messages";
    }
    return f->steps < 1 ? "STEPS must be 1 or more" : NULL;
}

static int rank_of(const struct jacobi_state *f, const int *at)
{
    return f->reversed ? (at[2] * f->ranks[1] + at[1]) * f->ranks[0] + at[0]
                       : (at[0] * f->ranks[1] + at[1]) * f->ranks[2] + at[2];
}

static void make_faces(struct jacobi_state *f)
{
    int whole[3] = {f->n[0] + 2, f->n[1] + 2, f->n[2] + 2}, zero[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++) {
        int part[3] = {f->n[0], f->n[1], f->n[2]};
        part[d] = 1;
        MPI_Type_create_subarray(3, whole, part, zero, MPI_ORDER_C, MPI_DOUBLE, &f->face[d]);
        MPI_Type_commit(&f->face[d]);
        for (int side = 0; side < 2; side++) {
            int at[3] = {f->at[0], f->at[1], f->at[2]};
            at[d] += side == 0 ? -1 : 1;
            int inside = at[d] >= 0 && at[d] < f->ranks[d];
            at[d] = (at[d] + f->ranks[d]) % f->ranks[d];
            f->neighbour[d][side] = inside || d == 0 ? rank_of(f, at) : MPI_PROC_NULL;
        }
    }
}

/* Depends on the place in the whole grid only. */
static void fill(struct jacobi_state *f)
{
    for (int x = 1; x <= f->n[0]; x++) {
        for (int y = 1; y <= f->n[1]; y++) {
            for (int z = 1; z <= f->n[2]; z++) {
                int gx = f->at[0] * f->n[0] + x, gy = f->at[1] * f->n[1] + y,
                    gz = f->at[2] * f->n[2] + z;
                f->old[index_of(f, x, y, z)] = (gx * 7 + gy * 31 + gz * 101) % 257;
            }
        }
    }
}

/* Cells low to high - 1 in the first dimension. */
static void compute(const struct jacobi_state *f, int low, int high)
{
    const long row = f->n[2] + 2, plane = row * (f->n[1] + 2);
    for (int x = low; x < high; x++) {
        for (int y = 1; y <= f->n[1]; y++) {
            const double *restrict u = f->old + index_of(f, x, y, 0);
            double *restrict v = f->new + index_of(f, x, y, 0);
            for (int z = 1; z <= f->n[2]; z++) {
                v[z] =
                    (u[z - plane] + u[z + plane] + u[z - row] + u[z + row] + u[z - 1] + u[z + 1]) *
                    (1.0 / 6.0);
            }
        }
    }
}

/* The first cell that is sent (from the edge inside) or received (the halo). */
static double *face(const struct jacobi_state *f, int dimension, int side, int halo)
{
    int at[3] = {1, 1, 1};
    at[dimension] = side == 0 ? (halo ? 0 : 1) : f->n[dimension] + (halo ? 1 : 0);
    return f->old + index_of(f, at[0], at[1], at[2]);
}

static void exchange(struct jacobi_state *f)
{
    const int faces = f->variant == NOCOMM ? 0 : 1;
    f->count = 0;
    for (int d = 0; d < 3; d++) {
        for (int side = 0; side < 2; side++) {
            if (f->neighbour[d][side] == MPI_PROC_NULL) {
                continue;
            }
            MPI_Irecv(face(f, d, side, 1), faces, f->face[d], f->neighbour[d][side],
                      2 * d + 1 - side, MPI_COMM_WORLD, &f->requests[f->count++]);
        }
    }
    for (int d = 0; d < 3; d++) {
        for (int side = 0; side < 2; side++) {
            if (f->neighbour[d][side] == MPI_PROC_NULL) {
                continue;
            }
            MPI_Isend(face(f, d, side, 0), faces, f->face[d], f->neighbour[d][side], 2 * d + side,
                      MPI_COMM_WORLD, &f->requests[f->count++]);
        }
    }
}

static uint64_t sum_of(const struct jacobi_state *f)
{
    uint64_t sum = 0, bits;
    for (int x = 1; x <= f->n[0]; x++) {
        for (int y = 1; y <= f->n[1]; y++) {
            for (int z = 1; z <= f->n[2]; z++) {
                memcpy(&bits, &f->old[index_of(f, x, y, z)], sizeof(bits));
                sum += bits * 0x9e3779b97f4a7c15u;
            }
        }
    }
    return sum;
}

static int jacobi(int argc, char **argv)
{
    struct jacobi_state state = {.argc = argc, .argv = argv}, *f = &state;
    const char *wrong;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    wrong = set_up(f);
    if (wrong != NULL) {
        if (f->rank == 0) {
            fprintf(stderr, "jacobi: %s\n", wrong);
        }
        f->exit_status = 2;
        return f->exit_status;
    }
    make_faces(f);
    f->old = calloc(1, (size_t) bytes_of(f));
    f->new = calloc(1, (size_t) bytes_of(f));
    fill(f);
    for (f->step = -2; f->step < f->steps; f->step++) { /* two to warm up */
        if (f->step == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            f->start = MPI_Wtime();
        }
        exchange(f);
        if (f->variant == HAND) {
            compute(f, 2, f->n[0]);
        }
        MPI_Waitall(f->count, f->requests, MPI_STATUSES_IGNORE);
        if (f->variant == HAND) {
            compute(f, 1, 2);
            compute(f, f->n[0], f->n[0] + 1);
        } else {
            compute(f, 1, f->n[0] + 1);
        }
        double *swap = f->old;
        f->old = f->new;
        f->new = swap;
    }
    f->start = MPI_Wtime() - f->start;
    MPI_Reduce(&f->start, &f->longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    f->sum = sum_of(f);
    MPI_Reduce(&f->sum, &f->all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (f->rank == 0) {
        printf("%.6f %016llx\n", 1e3 * f->longest / f->steps, (unsigned long long) f->all);
    }
    for (int d = 0; d < 3; d++) {
        MPI_Type_free(&f->face[d]);
    }
    free(f->old);
    free(f->new);
    return f->exit_status;
}

PROGRAM(jacobi)
