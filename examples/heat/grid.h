/* SPDX-License-Identifier: BSD-3-Clause */
/* A plate, cut into tiles: each process has nx * ny cells and a ring of ghost cells around them. */
#ifndef GRID_H
#define GRID_H

#include <mpi.h>

typedef struct Grid {
    int nx, ny;                      /* without ghost cells */
    double *now, *next;              /* (ny + 2) rows of nx + 2 */
    int west, east, south, north;    /* neighbours, or MPI_PROC_NULL */
    double *sendbuf[2], *recvbuf[2]; /* columns for west and east */
    MPI_Comm comm;
} Grid;

void grid_create(Grid *g, int nx, int ny);
void grid_free(Grid *g);
void grid_exchange(Grid *g);

#endif
