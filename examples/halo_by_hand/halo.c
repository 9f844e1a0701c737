/*
 * A small application that packs by hand, as many do: heat on a grid, rows of processes, particles
 * that drift through it, and a list of probes. apps/suggest/doc/suggest.md takes it from these loops to
 * datatypes.
 *
 *     mpicc -O3 -o halo halo.c && mpirun -np 2 ./halo [STEPS [SIZE]]
 *
 * Process r holds the cells of a slab in y; neighbours are r - 1 and r + 1, around in a ring.
 * Prints a checksum of all processes, which does not depend on how the data is sent, and the time
 * of a step's messages.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS = 5, PROBES = 64, MOST = 4096 };

typedef struct particle {
    double position[3];
    double velocity[3];
    double weight;
    int cell, species;
} particle_t;

/* cells[z][y][x][field], with a layer of ghost cells at both ends of y */
typedef struct grid {
    int nx, ny, nz;
    double *cells;
} grid_t;

static int me, all, below, above;

static double *at(const grid_t *grid, int x, int y, int z)
{
    return grid->cells + FIELDS * ((size_t) x + (size_t) grid->nx * (y + (grid->ny + 2) * z));
}

/* ---- messages ---- */

/* The first and the last own layer in y go to the neighbours' ghost layers. */
static void exchange_faces(double *cells, int nx, int ny, int nz, double *out, double *in)
{
    const int row = FIELDS * nx;
    MPI_Request request;
    int n;

    MPI_Irecv(in, nz * row, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &request);
    n = 0;
    for (int z = 0; z < nz; z++)
        for (int i = 0; i < row; i++)
            out[n++] = cells[(z * (ny + 2) + 1) * row + i];
    MPI_Send(out, n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    n = 0;
    for (int z = 0; z < nz; z++)
        for (int i = 0; i < row; i++)
            cells[(z * (ny + 2) + ny + 1) * row + i] = in[n++];

    MPI_Irecv(in, nz * row, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &request);
    n = 0;
    for (int z = 0; z < nz; z++)
        for (int i = 0; i < row; i++)
            out[n++] = cells[(z * (ny + 2) + ny) * row + i];
    MPI_Send(out, n, MPI_DOUBLE, above, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    n = 0;
    for (int z = 0; z < nz; z++)
        for (int i = 0; i < row; i++)
            cells[z * (ny + 2) * row + i] = in[n++];
}

/* One field of the plane x = 0, which a neighbour adds up. */
static double exchange_plane(const double *cells, int nx, int ny, int nz, double *out, double *in)
{
    MPI_Request request;
    double sum = 0;
    int n = 0;

    MPI_Irecv(in, ny * nz, MPI_DOUBLE, above, 3, MPI_COMM_WORLD, &request);
    for (int z = 0; z < nz; z++)
        for (int y = 1; y <= ny; y++)
            out[n++] = cells[FIELDS * nx * (z * (ny + 2) + y)];
    MPI_Send(out, n, MPI_DOUBLE, below, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ny * nz; i++)
        sum += in[i];
    return sum;
}

/* Positions and velocities of the first n particles: six of their nine members. */
static void exchange_particles(const particle_t *mine, particle_t *theirs, int n, double *out,
                               double *in)
{
    MPI_Request request;
    int k = 0;

    MPI_Irecv(in, 6 * n, MPI_DOUBLE, below, 4, MPI_COMM_WORLD, &request);
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++)
            out[k++] = mine[i].position[d];
        for (int d = 0; d < 3; d++)
            out[k++] = mine[i].velocity[d];
    }
    MPI_Send(out, k, MPI_DOUBLE, above, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++) {
            theirs[i].position[d] = in[6 * i + d];
            theirs[i].velocity[d] = in[6 * i + 3 + d];
        }
    }
}

/* The cells of a list of places, which stays the same from step to step. */
static void exchange_probes(const double *cells, const int *places, double *out, double *theirs)
{
    MPI_Request request;

    MPI_Irecv(theirs, PROBES, MPI_DOUBLE, above, 5, MPI_COMM_WORLD, &request);
    for (int i = 0; i < PROBES; i++)
        out[i] = cells[places[i]];
    MPI_Send(out, PROBES, MPI_DOUBLE, below, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- the rest ---- */

static void compute(grid_t *grid)
{
    for (int z = 0; z < grid->nz; z++)
        for (int y = 1; y <= grid->ny; y++)
            for (int x = 0; x < grid->nx; x++) {
                double *c = at(grid, x, y, z);
                const double *a = at(grid, x, y - 1, z), *b = at(grid, x, y + 1, z);
                for (int f = 0; f < FIELDS; f++)
                    c[f] = 0.5 * c[f] + 0.25 * (a[f] + b[f]);
            }
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (memory == NULL) {
        fprintf(stderr, "halo: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static double checksum(const grid_t *grid, const particle_t *theirs, int n)
{
    const size_t cells = (size_t) FIELDS * (size_t) (grid->nx * (grid->ny + 2) * grid->nz);
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += grid->cells[i] * (double) (1 + i % 17);
    for (int i = 0; i < n; i++)
        sum += theirs[i].position[0] + 2 * theirs[i].velocity[2];
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    below = (me + all - 1) % all;
    above = (me + 1) % all;

    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int size = argc > 2 ? atoi(argv[2]) : 32;
    const int n = 4 * size;
    if (steps < 1 || size < 4 || n > MOST) {
        fprintf(stderr, "Usage: halo [STEPS [SIZE]], STEPS from 1, SIZE from 4 to %d\n", MOST / 4);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    grid_t grid = {size, size, size, NULL};
    const int row = FIELDS * size;
    grid.cells = allocate((size_t) (size * (size + 2) * row), sizeof(double));
    double *out = allocate((size_t) (size * row), sizeof(double));
    double *in = allocate((size_t) (size * row), sizeof(double));
    particle_t *mine = allocate((size_t) n, sizeof(*mine)),
               *theirs = allocate((size_t) n, sizeof(*theirs));
    double probes[PROBES] = {0};
    int places[PROBES];
    for (int i = 0; i < size * (size + 2) * row; i++)
        grid.cells[i] = (double) ((i * 7 + me * 13) % 101);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            mine[i].position[d] = i + 0.1 * d + me;
            mine[i].velocity[d] = i - 0.2 * d - me - 0.5;
        }
    for (int i = 0; i < PROBES; i++)
        places[i] = (i * i * 31 + 5 * i) % (size * row);

    double time = 0, sum = 0;
    for (int step = 0; step < steps; step++) {
        const double start = MPI_Wtime();
        exchange_faces(grid.cells, grid.nx, grid.ny, grid.nz, out, in);
        sum += exchange_plane(grid.cells, grid.nx, grid.ny, grid.nz, out, in);
        exchange_particles(mine, theirs, n, out, in);
        exchange_probes(grid.cells, places, out, probes);
        time += MPI_Wtime() - start;
        for (int i = 0; i < PROBES; i++)
            sum += probes[i];
        for (int i = 0; i < n; i++)
            mine[i].position[0] += 0.01 * theirs[i].velocity[0];
        compute(&grid);
    }
    double total = sum + checksum(&grid, theirs, n), totals = 0, slowest = 0;
    MPI_Reduce(&total, &totals, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("checksum %.17g\n%.3f us a step for messages\n", totals, 1e6 * slowest / steps);
    free(grid.cells);
    free(out);
    free(in);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
