/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A halo exchange in three dimensions between two ranks whose cubes are in the memory of one
 * device, as in bench/halo.c: the six neighbours of a cube are the other rank's.
 *
 *   device_halo [SIDE [TIMES]]      default 256, 50
 *
 * MPI: MPI_Isend and MPI_Irecv of subarrays on the device. By hand: a kernel packs each face into
 * one buffer on the device, one copy takes it to pinned memory, MPI sends the faces from there,
 * and the same back. Both are compared, cell by cell, and then take turns. Prints
 *
 *   result WAY SIDE BYTES MICROSECONDS right|WRONG
 *
 * with the median of an exchange, of the slower rank. Exit code 77 without a device.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_driver.h"

enum { FACES = 6, SIDE = 256, TIMES = 50 };

typedef struct cube {
    int rank, n, m; /* n cells a side, m with the rim */
    size_t cells;
    address_t cell; /* on the device, last index fastest */
    MPI_Datatype send[FACES], recv[FACES];
    int send_start[FACES][3], recv_start[FACES][3], size[FACES][3];
    address_t packed[2]; /* of the faces to send and to receive, on the device */
    char *pinned[2];
    size_t bytes; /* of all faces of a direction */
} cube_t;

static double value_of(const cube_t *c, int rank, int z, int y, int x)
{
    return (((double) rank * c->m + z) * c->m + y) * c->m + x;
}

static size_t index_of(const cube_t *c, int z, int y, int x)
{
    return ((size_t) z * (size_t) c->m + (size_t) y) * (size_t) c->m + (size_t) x;
}

/* Face 2d is the low face of dimension d, face 2d + 1 the high one. */
static void make_faces(cube_t *c)
{
    const int sizes[3] = {c->m, c->m, c->m};
    for (int f = 0; f < FACES; f++) {
        for (int d = 0; d < 3; d++) {
            const int is_across = d == f / 2, is_high = f % 2;
            c->size[f][d] = is_across ? 1 : c->n;
            c->send_start[f][d] = is_across && is_high ? c->n : 1;
            c->recv_start[f][d] = !is_across ? 1 : is_high ? c->n + 1 : 0;
        }
        MPI_Type_create_subarray(3, sizes, c->size[f], c->send_start[f], MPI_ORDER_C, MPI_DOUBLE,
                                 &c->send[f]);
        MPI_Type_create_subarray(3, sizes, c->size[f], c->recv_start[f], MPI_ORDER_C, MPI_DOUBLE,
                                 &c->recv[f]);
        MPI_Type_commit(&c->send[f]);
        MPI_Type_commit(&c->recv[f]);
    }
}

static void make_cube(cube_t *c, int side)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    c->n = side;
    c->m = side + 2;
    c->cells = (size_t) c->m * (size_t) c->m * (size_t) c->m;
    c->bytes = sizeof(double) * FACES * (size_t) side * (size_t) side;
    c->cell = on_device(c->cells * sizeof(double));
    for (int way = 0; way < 2; way++) {
        void *memory;
        c->packed[way] = on_device(c->bytes);
        need(cu.alloc_host(&memory, c->bytes, 0), "pinned memory");
        c->pinned[way] = memory;
    }
    make_faces(c);
}

/* The cube's own cells; the rim is -1. */
static void fill(const cube_t *c)
{
    double *cell = malloc(c->cells * sizeof(*cell));
    for (size_t i = 0; i < c->cells; i++) {
        cell[i] = -1;
    }
    for (int z = 1; z <= c->n; z++) {
        for (int y = 1; y <= c->n; y++) {
            for (int x = 1; x <= c->n; x++) {
                cell[index_of(c, z, y, x)] = value_of(c, c->rank, z, y, x);
            }
        }
    }
    need(cu.put(c->cell, cell, c->cells * sizeof(*cell)), "a cube");
    free(cell);
}

/* What is to be in a cell behind an exchange: the other rank's opposite face has the same f. */
static double wanted(const cube_t *c, int z, int y, int x)
{
    const int at[3] = {z, y, x};
    int from[3] = {z, y, x}, outside = 0;
    for (int d = 0; d < 3; d++) {
        if (at[d] == 0 || c->n + 1 == at[d]) {
            from[d] = at[d] == 0 ? c->n : 1;
            outside++;
        }
    }
    return outside == 0   ? value_of(c, c->rank, z, y, x)
           : outside == 1 ? value_of(c, 1 - c->rank, from[0], from[1], from[2])
                          : -1; /* edges and corners stay */
}

static long wrong_cells(const cube_t *c)
{
    double *cell = malloc(c->cells * sizeof(*cell));
    long wrong = 0;
    need(cu.take(cell, c->cell, c->cells * sizeof(*cell)), "a cube");
    for (int z = 0; z < c->m; z++) {
        for (int y = 0; y < c->m; y++) {
            for (int x = 0; x < c->m; x++) {
                wrong += cell[index_of(c, z, y, x)] != wanted(c, z, y, x);
            }
        }
    }
    free(cell);
    return wrong;
}

/* ---- Two ways ------------------------------------------------------------------------------- */

/* My low face goes to the other's high rim. */
static void by_mpi(const cube_t *c)
{
    MPI_Request requests[2 * FACES];
    void *cell = address_of(c->cell);
    for (int f = 0; f < FACES; f++) {
        MPI_Irecv(cell, 1, c->recv[f], 1 - c->rank, f ^ 1, MPI_COMM_WORLD, &requests[f]);
    }
    for (int f = 0; f < FACES; f++) {
        MPI_Isend(cell, 1, c->send[f], 1 - c->rank, f, MPI_COMM_WORLD, &requests[FACES + f]);
    }
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

static void launch(const cube_t *c, void *kernel, const int start[3], const int size[3],
                   address_t packed)
{
    enum { THREADS = 256 };
    address_t user = c->cell + index_of(c, start[0], start[1], start[2]) * sizeof(double);
    uint64_t row = (uint64_t) c->m * sizeof(double), plane = (uint64_t) c->m * row;
    unsigned width = (unsigned) size[2], rows = (unsigned) size[1];
    unsigned n = width * rows * (unsigned) size[0];
    void *arguments[] = {&user, &packed, &n, &width, &rows, &row, &plane};
    need(cu.launch(kernel, (n + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, arguments,
                   NULL),
         "a kernel by hand");
}

static void by_hand(const cube_t *c)
{
    MPI_Request requests[2 * FACES];
    const size_t face = c->bytes / FACES;
    for (int f = 0; f < FACES; f++) {
        MPI_Irecv(c->pinned[1] + (size_t) f * face, (int) face, MPI_BYTE, 1 - c->rank, f ^ 1,
                  MPI_COMM_WORLD, &requests[f]);
        launch(c, box, c->send_start[f], c->size[f], c->packed[0] + (size_t) f * face);
    }
    need(cu.copy((uintptr_t) c->pinned[0], c->packed[0], c->bytes, NULL), "a copy");
    need(cu.wait(NULL), "waiting");
    for (int f = 0; f < FACES; f++) {
        MPI_Isend(c->pinned[0] + (size_t) f * face, (int) face, MPI_BYTE, 1 - c->rank, f,
                  MPI_COMM_WORLD, &requests[FACES + f]);
    }
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
    need(cu.copy(c->packed[1], (uintptr_t) c->pinned[1], c->bytes, NULL), "a copy");
    for (int f = 0; f < FACES; f++) {
        launch(c, box_back, c->recv_start[f], c->size[f], c->packed[1] + (size_t) f * face);
    }
    need(cu.wait(NULL), "waiting");
}

/* ---- Turns ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*exchange)(const cube_t *c);
} ways[] = {{"MPI", by_mpi}, {"by_hand", by_hand}};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static double one_exchange(const cube_t *c, int way)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    ways[way].exchange(c);
    double took = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return 1e6 * took;
}

int main(int argc, char **argv)
{
    cube_t c;
    int ranks;
    long wrong[WAYS] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    const int side = argc > 1 ? atoi(argv[1]) : SIDE, times = argc > 2 ? atoi(argv[2]) : TIMES;
    if (ranks != 2 || side < 1 || times < 1 || !device_open(c.rank == 0 ? "device_halo: " : NULL)) {
        MPI_Finalize();
        return 77;
    }
    make_cube(&c, side);
    const int last = box != NULL ? WAYS : 1; /* not by hand on the tests' stand-in */
    double *took[WAYS];
    for (int way = 0; way < last; way++) {
        took[way] = calloc((size_t) times, sizeof(double));
        fill(&c);
        (void) one_exchange(&c, way);
        wrong[way] = wrong_cells(&c);
    }
    MPI_Allreduce(MPI_IN_PLACE, wrong, WAYS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < times; i++) {
        for (int way = 0; way < last; way++) {
            took[way][i] = one_exchange(&c, way);
        }
    }
    for (int way = 0; c.rank == 0 && way < last; way++) {
        qsort(took[way], (size_t) times, sizeof(double), ascending);
        printf("result %s %d %zu %.1f %s\n", ways[way].name, side, c.bytes, took[way][times / 2],
               wrong[way] == 0 ? "right" : "WRONG");
    }
    MPI_Finalize();
    return wrong[0] + wrong[1] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
