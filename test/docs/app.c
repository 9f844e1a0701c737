/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader's own program: two ranks exchange a column of a matrix, once as a datatype and once packed by hand. */
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 100, COLUMNS = 3, MESSAGES = 1000 };

static double from[ROWS][COLUMNS], to[ROWS][COLUMNS], out[ROWS], in[ROWS];

int main(int argc, char **argv)
{
    double sum = 0;
    int rank, ranks;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_set_name(column, "column");
    MPI_Type_commit(&column);
    for (int i = 0; i < ROWS; i++) {
        from[i][0] = i;
    }
    for (int m = 0; m < MESSAGES; m++) {
        MPI_Sendrecv(from, 1, column, right, 0, to, 1, column, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < ROWS; i++) {
        out[i] = to[i][0];
    }
    MPI_Sendrecv(out, ROWS, MPI_DOUBLE, right, 1, in, ROWS, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS; i++) {
        to[i][1] = in[i];
        sum += to[i][0] + to[i][1];
    }
    printf("sum %g\n", sum);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
