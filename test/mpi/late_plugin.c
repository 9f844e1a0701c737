/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded by late_dso.c after MPI_Init: a library that sends derived datatypes of its own. It knows
   nothing of the test's other files. */
#include <mpi.h>
#include <string.h>

int late_run(int rank, int *bad);

enum { ROWS = 500, COLUMNS = 20, COLUMN = 3, PEER_TAG = 11 };

static int matrix[ROWS][COLUMNS];

static void fill(int rank)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            matrix[i][j] = rank * 1000000 + i * COLUMNS + j;
        }
    }
}

/* A column is sent by one rank and received by the other; the rest of the matrix stays. */
static int send_column(int rank, MPI_Datatype column)
{
    int bad = 0;

    fill(rank);
    if (rank == 0) {
        MPI_Send(&matrix[0][COLUMN], 1, column, 1, PEER_TAG, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&matrix[0][COLUMN], 1, column, 0, PEER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            int from = j == COLUMN && rank == 1 ? 0 : rank;
            bad += matrix[i][j] != from * 1000000 + i * COLUMNS + j;
        }
    }
    return bad;
}

static int pack_column(int rank, MPI_Datatype column)
{
    static int packed[ROWS];
    int at = 0, bad = 0;

    fill(rank);
    MPI_Pack(&matrix[0][COLUMN], 1, column, packed, sizeof(packed), &at, MPI_COMM_WORLD);
    for (int i = 0; i < ROWS; i++) {
        bad += packed[i] != rank * 1000000 + i * COLUMNS + COLUMN;
    }
    return bad + (at != (int) sizeof(packed));
}

/* Returns the number of checks; *bad: of wrong values. */
int late_run(int rank, int *bad)
{
    MPI_Datatype column;

    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
    MPI_Type_commit(&column);
    *bad = send_column(rank, column) + pack_column(rank, column);
    MPI_Type_free(&column);
    return ROWS * COLUMNS + ROWS + 1;
}
