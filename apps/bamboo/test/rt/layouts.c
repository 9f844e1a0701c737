/* Where ranks are: every rank of a 2-D grid exchanges a message with both neighbours along one
 * dimension, and does nothing else, so that --stats 1 tells how many stayed in a process.
 *
 *     layouts DIMENSION [NN | OneNeighborBackward | MinHeap]
 *
 * Rank 0 prints the number of pairs of ranks that bamboo_edges() foresees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lay_out(int argc, char **argv);
#define BEFORE_START(argc, argv) lay_out(argc, argv)
#include "bamboo/bench/motifs/either.h"

static void lay_out(int argc, char **argv)
{
    const char *name = argc > 2 ? argv[2] : "";
    bamboo_geometry(2);
    if (strcmp(name, "NN") == 0) {
        bamboo_layout(BAMBOO_NEAREST_NEIGHBOUR, atoi(argv[1]));
    } else if (strcmp(name, "OneNeighborBackward") == 0) {
        bamboo_layout(BAMBOO_ONE_NEIGHBOUR_BACKWARD, atoi(argv[1]));
    } else if (strcmp(name, "MinHeap") == 0) {
        bamboo_layout(BAMBOO_MIN_HEAP, atoi(argv[1]));
    }
}

struct layouts_state {
    int argc, exit_status;
    char **argv;
    int rank, size, dimension, in[2];
    MPI_Request requests[4];
};

static int layouts(int argc, char **argv)
{
    struct layouts_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->dimension = atoi(f->argv[1]);
    {
        int dims[2] = {0, 0}, near[2];
        MPI_Dims_create(f->size, 2, dims);
        int at[2] = {f->rank / dims[1], f->rank % dims[1]}, stride = f->dimension ? 1 : dims[1];
        near[0] = at[f->dimension] > 0 ? f->rank - stride : MPI_PROC_NULL;
        near[1] = at[f->dimension] < dims[f->dimension] - 1 ? f->rank + stride : MPI_PROC_NULL;
        for (int i = 0; i < 2; i++) {
            MPI_Irecv(&f->in[i], 1, MPI_INT, near[i], 0, MPI_COMM_WORLD, &f->requests[i]);
            MPI_Isend(&f->rank, 1, MPI_INT, near[i], 0, MPI_COMM_WORLD, &f->requests[2 + i]);
        }
    }
    MPI_Waitall(4, f->requests, MPI_STATUSES_IGNORE);
    if (f->rank == 0) {
        printf("%ld edges\n", bamboo_edges());
    }
    return f->exit_status;
}

PROGRAM(layouts)
