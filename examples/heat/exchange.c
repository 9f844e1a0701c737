/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

/* Columns are not contiguous, so they are packed. */
static void pack_column(const Grid *g, int column, double *buffer)
{
    for (int j = 1; j <= g->ny; j++)
        buffer[j - 1] = g->now[j * (g->nx + 2) + column];
}

static void unpack_column(Grid *g, int column, const double *buffer)
{
    for (int j = 1; j <= g->ny; j++)
        g->now[j * (g->nx + 2) + column] = buffer[j - 1];
}

void grid_exchange(Grid *g)
{
    const int row = g->nx + 2;
    MPI_Request requests[4];

    MPI_Irecv(g->recvbuf[0], g->ny, MPI_DOUBLE, g->west, 0, g->comm, &requests[0]);
    MPI_Irecv(g->recvbuf[1], g->ny, MPI_DOUBLE, g->east, 1, g->comm, &requests[1]);
    pack_column(g, 1, g->sendbuf[0]);
    pack_column(g, g->nx, g->sendbuf[1]);
    MPI_Isend(g->sendbuf[0], g->ny, MPI_DOUBLE, g->west, 1, g->comm, &requests[2]);
    MPI_Isend(g->sendbuf[1], g->ny, MPI_DOUBLE, g->east, 0, g->comm, &requests[3]);

    MPI_Sendrecv(&g->now[row + 1], g->nx, MPI_DOUBLE, g->south, 2, &g->now[(g->ny + 1) * row + 1],
                 g->nx, MPI_DOUBLE, g->north, 2, g->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&g->now[g->ny * row + 1], g->nx, MPI_DOUBLE, g->north, 3, &g->now[1], g->nx,
                 MPI_DOUBLE, g->south, 3, g->comm, MPI_STATUS_IGNORE);

    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (g->west != MPI_PROC_NULL)
        unpack_column(g, 0, g->recvbuf[0]);
    if (g->east != MPI_PROC_NULL)
        unpack_column(g, g->nx + 1, g->recvbuf[1]);
}
