/* SPDX-License-Identifier: BSD-3-Clause */
/* Cannon's matrix product, also in 2.5 dimensions (E. Solomonik, J. Demmel): motif B3. Rank (x, y,
 * z) of Q * Q * C ranks is (z * Q + x) * Q + y. Layer z multiplies the Q / C shifts from z * Q / C
 * on, and the layers' results are added.
 *
 *     cannon [VARIANT] N Q C REPEATS
 *
 * N: rows and columns; Q must divide N, and C must divide Q. VARIANT: blocking (shift, then
 * multiply: the default), hand (multiplies while the next blocks travel, in other memory), nocomm
 * (no messages: the bound). Elements are small whole numbers, so all sums are exact. Rank 0 prints
 * milliseconds a product and a checksum of the result.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With one layer, blocks of the grid of ranks are on a node: most shifts stay inside. */
#define BEFORE_START(argc, argv)                                                                   \
    if (argc > 2 && strcmp(argv[argc - 2], "1") == 0) {                                            \
        bamboo_geometry(2);                                                                        \
        bamboo_layout(BAMBOO_ONE_NEIGHBOUR_BACKWARD, 0);                                           \
        bamboo_layout(BAMBOO_ONE_NEIGHBOUR_BACKWARD, 1);                                           \
    }
#include "bamboo/bench/motifs/either.h"

enum { BLOCKING, HAND, NOCOMM, VARIANTS };
static const char *const names[VARIANTS] = {"blocking", "hand", "nocomm"};

struct cannon_state {
    int argc, exit_status;
    char **argv;
    int variant, rank, size, n, q, c, m, repeats, repeat, step, steps;
    int x, y, z, left, right, up, down;
    MPI_Comm depth;
    MPI_Request requests[4];
    double *a, *b, *sum, *result, *next_a, *next_b, start, elapsed, longest;
    uint64_t check, all;
};

static const char *set_up(struct cannon_state *f)
{
    int argument = 1, argc = f->argc;
    char **argv = f->argv;
    for (int i = 0; i < VARIANTS && argc > 1; i++) {
        if (strcmp(argv[1], names[i]) == 0) {
            f->variant = i;
            argument = 2;
        }
    }
    if (argc - argument != 4) {
        return "arguments: [blocking|hand|nocomm] N Q C REPEATS";
    }
    f->n = atoi(argv[argument]);
    f->q = atoi(argv[argument + 1]);
    f->c = atoi(argv[argument + 2]);
    f->repeats = atoi(argv[argument + 3]);
    if (f->q < 1 || f->c < 1 || f->q * f->q * f->c != f->size) {
        return "Q * Q * C must be the number of ranks";
    }
    if (f->n < 1 || f->n % f->q != 0 || f->q % f->c != 0 || f->repeats < 1) {
        return "Q must divide N, C must divide Q, and REPEATS be 1 or more";
    }
    f->m = f->n / f->q;
    f->steps = f->q / f->c;
    f->x = f->rank / f->q % f->q;
    f->y = f->rank % f->q;
    f->z = f->rank / f->q / f->q;
    return NULL;
}

static int rank_at(const struct cannon_state *f, int x, int y)
{
    return (f->z * f->q + (x + f->q) % f->q) * f->q + (y + f->q) % f->q;
}

/* A is shifted to the left and B up; rank (x, y) begins with A(x, x + y + z steps) and B(x + y + z
 * steps, y). */
static void fill(struct cannon_state *f)
{
    int skew = (f->x + f->y + f->z * f->steps) % f->q;
    f->left = rank_at(f, f->x, f->y - 1);
    f->right = rank_at(f, f->x, f->y + 1);
    f->up = rank_at(f, f->x - 1, f->y);
    f->down = rank_at(f, f->x + 1, f->y);
    for (int i = 0; i < f->m; i++) {
        for (int j = 0; j < f->m; j++) {
            f->a[i * f->m + j] = ((f->x * f->m + i) * 3 + skew * f->m + j) % 7;
            f->b[i * f->m + j] = ((skew * f->m + i) * 5 + f->y * f->m + j) % 5;
        }
    }
    memset(f->sum, 0, (size_t) f->m * f->m * sizeof(double));
}

/* Blocks that stay in the first cache. */
static void multiply(const struct cannon_state *f)
{
    enum { BLOCK = 48 };
    const int m = f->m;
    for (int k0 = 0; k0 < m; k0 += BLOCK) {
        int k1 = k0 + BLOCK < m ? k0 + BLOCK : m;
        for (int i = 0; i < m; i++) {
            double *restrict c = f->sum + (long) i * m;
            for (int k = k0; k < k1; k++) {
                const double a = f->a[(long) i * m + k], *restrict b = f->b + (long) k * m;
                for (int j = 0; j < m; j++) {
                    c[j] += a * b[j];
                }
            }
        }
    }
}

static void shift(struct cannon_state *f)
{
    int count = f->m * f->m;
    MPI_Irecv(f->next_a, count, MPI_DOUBLE, f->right, 0, MPI_COMM_WORLD, &f->requests[0]);
    MPI_Irecv(f->next_b, count, MPI_DOUBLE, f->down, 1, MPI_COMM_WORLD, &f->requests[1]);
    MPI_Isend(f->a, count, MPI_DOUBLE, f->left, 0, MPI_COMM_WORLD, &f->requests[2]);
    MPI_Isend(f->b, count, MPI_DOUBLE, f->up, 1, MPI_COMM_WORLD, &f->requests[3]);
}

static void swap(double **one, double **other)
{
    double *kept = *one;
    *one = *other;
    *other = kept;
}

static double *block(const struct cannon_state *f)
{
    return calloc((size_t) f->m * (size_t) f->m, sizeof(double));
}

static int cannon(int argc, char **argv)
{
    struct cannon_state state = {.argc = argc, .argv = argv}, *f = &state;
    const char *wrong;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    wrong = set_up(f);
    if (wrong != NULL) {
        if (f->rank == 0) {
            fprintf(stderr, "cannon: %s\n", wrong);
        }
        f->exit_status = 2;
        return f->exit_status;
    }
    f->a = block(f);
    f->b = block(f);
    f->sum = block(f);
    f->result = block(f);
    f->next_a = block(f);
    f->next_b = block(f);
    MPI_Comm_split(MPI_COMM_WORLD, f->x * f->q + f->y, f->z, &f->depth);
    for (f->repeat = -1; f->repeat < f->repeats; f->repeat++) { /* one to warm up */
        fill(f);
        MPI_Barrier(MPI_COMM_WORLD);
        f->start = MPI_Wtime();
        for (f->step = 0; f->step < f->steps; f->step++) {
            if (f->variant == HAND && f->step < f->steps - 1) {
                shift(f);
            }
            multiply(f);
            if (f->variant == NOCOMM || f->step == f->steps - 1) {
                continue;
            }
            if (f->variant == BLOCKING) {
                shift(f);
            }
            MPI_Waitall(4, f->requests, MPI_STATUSES_IGNORE);
            swap(&f->a, &f->next_a);
            swap(&f->b, &f->next_b);
        }
        if (f->c > 1 && f->variant != NOCOMM) {
            MPI_Reduce(f->sum, f->result, f->m * f->m, MPI_DOUBLE, MPI_SUM, 0, f->depth);
        } else {
            swap(&f->sum, &f->result);
        }
        f->elapsed += f->repeat < 0 ? 0 : MPI_Wtime() - f->start;
    }
    MPI_Reduce(&f->elapsed, &f->longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; i < f->m && f->z == 0; i++) {
        for (int j = 0; j < f->m; j++) {
            f->check +=
                (uint64_t) f->result[i * f->m + j] *
                ((uint64_t) (f->x * f->m + i) * 1000003 + (uint64_t) (f->y * f->m + j) * 7919 + 1);
        }
    }
    MPI_Reduce(&f->check, &f->all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (f->rank == 0) {
        printf("%.6f %016llx\n", 1e3 * f->longest / f->repeats, (unsigned long long) f->all);
    }
    MPI_Comm_free(&f->depth);
    free(f->a);
    free(f->b);
    free(f->sum);
    free(f->result);
    free(f->next_a);
    free(f->next_b);
    return f->exit_status;
}

PROGRAM(cannon)
