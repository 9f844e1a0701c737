/* The paper's Fig. 5: Cannon's algorithm. Irecv, Send, Waitall, swap, multiply. For a square number
 * of ranks; others are idle. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 8

static void multiply(const double *a, const double *b, double *c)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                c[i * SIDE + j] += a[i * SIDE + k] * b[k * SIDE + j];
}

static void swap(double **one, double **other)
{
    double *kept = *one;

    *one = *other;
    *other = kept;
}

int main(int argc, char *argv[])
{
    double *a, *b, *c, *next_a, *next_b, trace = 0;
    int rank, size, side = 1;
    MPI_Comm grid;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while ((side + 1) * (side + 1) <= size)
        side++;
    MPI_Comm_split(MPI_COMM_WORLD, rank < side * side, rank, &grid);
    if (rank < side * side) {
        int x = rank / side, y = rank % side;
        int left = x * side + (y + side - 1) % side, right = x * side + (y + 1) % side;
        int up = (x + side - 1) % side * side + y, down = (x + 1) % side * side + y;

        a = malloc(SIDE * SIDE * sizeof *a);
        b = malloc(SIDE * SIDE * sizeof *b);
        c = calloc(SIDE * SIDE, sizeof *c);
        next_a = malloc(SIDE * SIDE * sizeof *a);
        next_b = malloc(SIDE * SIDE * sizeof *b);
        for (int i = 0; i < SIDE * SIDE; i++) {
            a[i] = (i * 7 + rank * 3) % 11;
            b[i] = (i * 5 + rank * 2) % 13;
        }
#pragma bamboo dimension 2
        for (int step = 0; step < side; step++) {
#pragma bamboo olap layout OneNeighborBackward X Y
            {
#pragma bamboo receive
                {
                    MPI_Irecv(next_a, SIDE * SIDE, MPI_DOUBLE, right, 0, grid, &requests[0]);
                    MPI_Irecv(next_b, SIDE * SIDE, MPI_DOUBLE, down, 1, grid, &requests[1]);
                }
#pragma bamboo send
                {
                    MPI_Send(a, SIDE * SIDE, MPI_DOUBLE, left, 0, grid);
                    MPI_Send(b, SIDE * SIDE, MPI_DOUBLE, up, 1, grid);
                }
                multiply(a, b, c);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                swap(&a, &next_a);
                swap(&b, &next_b);
            }
        }
        for (int i = 0; i < SIDE; i++)
            trace += c[i * SIDE + i] + c[i];
        printf("cannon: rank %d of %d: %.17g\n", rank, side * side, trace);
        free(a);
        free(b);
        free(c);
        free(next_a);
        free(next_b);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
