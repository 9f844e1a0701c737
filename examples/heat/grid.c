/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (!memory) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

void grid_create(Grid *g, int nx, int ny)
{
    int size, dims[2] = {0, 0}, periods[2] = {0, 0};

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &g->comm);
    MPI_Cart_shift(g->comm, 0, 1, &g->south, &g->north);
    MPI_Cart_shift(g->comm, 1, 1, &g->west, &g->east);
    g->nx = nx;
    g->ny = ny;
    g->now = allocate((nx + 2) * (ny + 2) * sizeof *g->now);
    g->next = allocate((nx + 2) * (ny + 2) * sizeof *g->next);
    for (int side = 0; side < 2; side++) {
        g->sendbuf[side] = allocate(ny * sizeof(double));
        g->recvbuf[side] = allocate(ny * sizeof(double));
    }
}

void grid_free(Grid *g)
{
    for (int side = 0; side < 2; side++) {
        free(g->sendbuf[side]);
        free(g->recvbuf[side]);
    }
    free(g->now);
    free(g->next);
    MPI_Comm_free(&g->comm);
}
