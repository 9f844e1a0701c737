/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The example of doc/tuning.md: a time step of many codes. Four ranks, two by two, have a part each
 * of a plane of cells with two layers of ghost cells, and particles. In each step they exchange the
 * layers with their four neighbours, in x as columns and in y as rows, and the particles that left.
 *
 * Usage: mpirun -np 4 example [STEPS [CELLS]]
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 2, PARTICLES = 20000, LEAVING = 400 };

typedef struct particle {
    double position[3];
    double velocity[3];
    double charge; /* fixed: not sent */
    int id;
    char kind;
} particle_t;

static int east, west, north, south;
static int side; /* cells in a row, with ghosts */
static double *cells;

/* `width` by `height` cells; the corner is given with the address. */
static MPI_Datatype block_of_cells(int width, int height, const char *name)
{
    MPI_Datatype type;
    MPI_Type_vector(height, width, side, MPI_DOUBLE, &type);
    MPI_Type_set_name(type, (char *) name);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype particle_type(void)
{
    int lengths[] = {6, 1, 1};
    MPI_Aint places[] = {offsetof(particle_t, position), offsetof(particle_t, id),
                         offsetof(particle_t, kind)};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
    MPI_Datatype fields, type;
    MPI_Type_create_struct(3, lengths, places, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(particle_t), &type);
    MPI_Type_free(&fields);
    return type;
}

static double *cell(int x, int y)
{
    return cells + (size_t) y * (size_t) side + x;
}

static void exchange_cells(MPI_Datatype columns, MPI_Datatype rows)
{
    const int inner = side - 2 * LAYERS;
    MPI_Sendrecv(cell(inner, LAYERS), 1, columns, east, 0, cell(0, LAYERS), 1, columns, west, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(LAYERS, LAYERS), 1, columns, west, 1, cell(inner + LAYERS, LAYERS), 1,
                 columns, east, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(LAYERS, inner), 1, rows, north, 2, cell(LAYERS, 0), 1, rows, south, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(LAYERS, LAYERS), 1, rows, south, 3, cell(LAYERS, inner + LAYERS), 1, rows,
                 north, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Others leave in each step, so their datatype is made and freed in each. The newcomers take their
 * places. */
static void exchange_particles(particle_t *particles, MPI_Datatype particle, int step)
{
    int places[LEAVING];
    MPI_Datatype leaving;
    for (int i = 0; i < LEAVING; i++) {
        places[i] = (i * (PARTICLES / LEAVING) + 7 * step * (i + 1) % (PARTICLES / LEAVING));
    }
    MPI_Type_create_indexed_block(LEAVING, 1, places, particle, &leaving);
    MPI_Type_set_name(leaving, "leaving particles");
    MPI_Type_commit(&leaving);
    MPI_Sendrecv_replace(particles, 1, leaving, east, 4, west, 4, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Type_free(&leaving);
}

int main(int argc, char **argv)
{
    MPI_Comm plane;
    int ranks, rank, dims[] = {2, 2}, periods[] = {1, 1};
    const int steps = argc > 1 ? atoi(argv[1]) : 2000;
    side = (argc > 2 ? atoi(argv[2]) : 512) + 2 * LAYERS;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cells = calloc((size_t) side * (size_t) side, sizeof(*cells));
    particle_t *particles = calloc(PARTICLES, sizeof(*particles));
    if (ranks != 4 || steps < 1 || side <= 2 * LAYERS || cells == NULL || particles == NULL) {
        fprintf(stderr, "example: needs four ranks, a number of steps, and one of cells\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane);
    MPI_Cart_shift(plane, 0, 1, &west, &east);
    MPI_Cart_shift(plane, 1, 1, &south, &north);
    MPI_Comm_rank(plane, &rank);
    MPI_Datatype columns = block_of_cells(LAYERS, side - 2 * LAYERS, "halo columns");
    MPI_Datatype rows = block_of_cells(side - 2 * LAYERS, LAYERS, "halo rows");
    MPI_Datatype particle = particle_type();
    const double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        exchange_cells(columns, rows);
        exchange_particles(particles, particle, step);
    }
    if (rank == 0) {
        printf("%d steps, %.1f us each\n", steps, 1e6 * (MPI_Wtime() - start) / steps);
    }
    MPI_Type_free(&particle);
    MPI_Type_free(&rows);
    MPI_Type_free(&columns);
    MPI_Comm_free(&plane);
    free(particles);
    free(cells);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
