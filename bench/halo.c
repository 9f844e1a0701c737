/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A halo exchange in three dimensions between two ranks.
 *
 *   halo [SIDE]          default 64
 *
 * Each rank owns a cube of SIDE³ doubles with a rim of one ghost cell. The two ranks are the
 * colours of a 3-D checkerboard: all six neighbours of a cube are the other rank's. In every
 * iteration each rank receives six ghost faces and sends its six outermost faces, as MPI subarray
 * types, with MPI_Irecv, MPI_Isend and MPI_Waitall.
 *
 * First some exchanges are checked: every cell of the array, ghost or not, against what loops over
 * the coordinates say. Then, in each turn (lib/turns.h), exchanges are timed, and the last one is
 * checked again. Prints
 *
 *   result halo_SIDE BYTES MICROSECONDS right|WRONG
 *
 * with the bytes that a rank sends and the lower quartile of the times of an exchange. Exit code 1
 * when a byte is wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/lib/turns.h"
#include "layouts.h"
#include "options.h"

enum { FACES = 6, CHECKED = 10, WARMING = 200, TIMED = 200, TIMED_IN_TURN = 50 };
static const double GHOST = -1;

struct cube {
    int rank, n, m; /* n cells a side, m with the rim */
    double *cell;   /* m × m × m, last index fastest */
    MPI_Datatype send[FACES], recv[FACES];
};

/* A number that no other cell, rank or iteration has; exact in a double. */
static double value_of(const struct cube *c, int rank, int iteration, int z, int y, int x)
{
    return (((double) (2 * iteration + rank) * c->m + z) * c->m + y) * c->m + x;
}

static size_t index_of(const struct cube *c, int z, int y, int x)
{
    return ((size_t) z * (size_t) c->m + (size_t) y) * (size_t) c->m + (size_t) x;
}

/* Face 2d is the low face of dimension d, face 2d + 1 the high one. */
static void make_faces(struct cube *c)
{
    const int sizes[3] = {c->m, c->m, c->m};

    for (int f = 0; f < FACES; f++) {
        const bool high = f % 2;
        int subsizes[3] = {c->n, c->n, c->n}, starts[3] = {1, 1, 1};
        subsizes[f / 2] = 1;
        starts[f / 2] = high ? c->n : 1;
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &c->send[f]);
        starts[f / 2] = high ? c->n + 1 : 0;
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &c->recv[f]);
        MPI_Type_commit(&c->send[f]);
        MPI_Type_commit(&c->recv[f]);
    }
}

static void exchange(const struct cube *c)
{
    MPI_Request requests[2 * FACES];

    /* What the peer sends from its high face arrives at our low one. */
    for (int f = 0; f < FACES; f++) {
        MPI_Irecv(c->cell, 1, c->recv[f], 1 - c->rank, f ^ 1, MPI_COMM_WORLD, &requests[f]);
    }
    for (int f = 0; f < FACES; f++) {
        MPI_Isend(c->cell, 1, c->send[f], 1 - c->rank, f, MPI_COMM_WORLD, &requests[FACES + f]);
    }
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

static int rim_dimensions(const struct cube *c, int z, int y, int x)
{
    return (z == 0 || z > c->n) + (y == 0 || y > c->n) + (x == 0 || x > c->n);
}

/* Own values inside, GHOST in the rim. */
static void prepare(const struct cube *c, int iteration)
{
    for (int z = 0; z < c->m; z++) {
        for (int y = 0; y < c->m; y++) {
            for (int x = 0; x < c->m; x++) {
                c->cell[index_of(c, z, y, x)] =
                    rim_dimensions(c, z, y, x) ? GHOST : value_of(c, c->rank, iteration, z, y, x);
            }
        }
    }
}

/* A ghost cell wraps around to the opposite outermost layer of the peer. */
static int wrap(const struct cube *c, int i)
{
    return i == 0 ? c->n : (i > c->n ? 1 : i);
}

static long count_wrong(const struct cube *c, int iteration)
{
    long wrong = 0;

    for (int z = 0; z < c->m; z++) {
        for (int y = 0; y < c->m; y++) {
            for (int x = 0; x < c->m; x++) {
                const int rim = rim_dimensions(c, z, y, x);
                double expected = GHOST; /* edges and corners are not sent */
                if (rim == 0) {
                    expected = value_of(c, c->rank, iteration, z, y, x);
                } else if (rim == 1) {
                    expected =
                        value_of(c, 1 - c->rank, iteration, wrap(c, z), wrap(c, y), wrap(c, x));
                }
                wrong += expected != c->cell[index_of(c, z, y, x)];
            }
        }
    }
    return wrong;
}

static long run_checked(const struct cube *c, int iteration)
{
    prepare(c, iteration);
    exchange(c);
    return count_wrong(c, iteration);
}

/* Seconds of an exchange; leaves one of iteration CHECKED in the array. */
static double run_timed(const struct cube *c, int n)
{
    double seconds[TIMED];

    prepare(c, CHECKED);
    for (int i = 0; i < n; i++) {
        double start;
        MPI_Barrier(MPI_COMM_WORLD);
        start = bench_now();
        exchange(c);
        seconds[i] = bench_now() - start;
    }
    return bench_undisturbed(seconds, n);
}

/* Returns true when all bytes were right on both ranks. */
static bool run(const struct cube *c)
{
    const int n = turns_count() > 1 ? TIMED_IN_TURN : TIMED;
    long wrong = 0, all_wrong = 0;

    for (int i = 0; i < CHECKED; i++) {
        wrong += run_checked(c, i);
    }
    (void) run_timed(c, WARMING);
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        const double seconds = run_timed(c, n);
        wrong += count_wrong(c, CHECKED);
        MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (c->rank == 0) {
            printf("result halo_%d %d %.2f %s\n", c->n, FACES * c->n * c->n * 8, 1e6 * seconds,
                   all_wrong == 0 ? "right" : "WRONG");
        }
        turns_next();
    }
    return all_wrong == 0;
}

int main(int argc, char **argv)
{
    struct cube c = {.n = 64};
    bool good;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1) {
        c.n = atoi(argv[1]);
    }
    if (ranks != 2 || c.n < 1 || c.n > 512) {
        if (c.rank == 0) {
            fprintf(stderr, "halo: needs two ranks and a side from 1 to 512\n");
        }
        MPI_Finalize();
        return 2;
    }
    turns_join(c.rank, ranks);
    c.m = c.n + 2;
    c.cell = layout_buffer(sizeof(double) * (size_t) c.m * (size_t) c.m * (size_t) c.m);
    make_faces(&c);
    good = run(&c);
    turns_leave();

    for (int f = 0; f < FACES; f++) {
        MPI_Type_free(&c.send[f]);
        MPI_Type_free(&c.recv[f]);
    }
    turns_free(c.cell);
    MPI_Finalize();
    return !good;
}
