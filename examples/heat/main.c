/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a plate with one hot edge: an application that packs its columns by hand, for
 * apps/suggest/doc/suggest.md. */
#include "grid.h"

#include <stdio.h>

enum { NX = 64, NY = 48, STEPS = 200 };

static void step(Grid *g)
{
    const int row = g->nx + 2;
    double *last = g->now;

    for (int j = 1; j <= g->ny; j++)
        for (int i = 1; i <= g->nx; i++)
            g->next[j * row + i] = 0.25 * (g->now[j * row + i - 1] + g->now[j * row + i + 1] +
                                           g->now[(j - 1) * row + i] + g->now[(j + 1) * row + i]);
    for (int j = 0; j <= g->ny + 1; j++) { /* the edges of the plate stay */
        g->next[j * row] = g->now[j * row];
        g->next[j * row + row - 1] = g->now[j * row + row - 1];
    }
    for (int i = 0; i < row; i++) {
        g->next[i] = g->now[i];
        g->next[(g->ny + 1) * row + i] = g->now[(g->ny + 1) * row + i];
    }
    g->now = g->next;
    g->next = last;
}

int main(int argc, char **argv)
{
    double sum = 0, all;
    int rank;
    Grid g;

    MPI_Init(&argc, &argv);
    grid_create(&g, NX, NY);
    MPI_Comm_rank(g.comm, &rank);
    for (int j = 0; g.west == MPI_PROC_NULL && j < NY + 2; j++)
        g.now[j * (NX + 2)] = 100;
    for (int t = 0; t < STEPS; t++) {
        grid_exchange(&g);
        step(&g);
    }
    for (int j = 1; j <= NY; j++)
        for (int i = 1; i <= NX; i++)
            sum += g.now[j * (NX + 2) + i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, g.comm);
    if (rank == 0)
        printf("heat after %d steps: %.6f\n", STEPS, all);
    grid_free(&g);
    MPI_Finalize();
    return 0;
}
