/* 2-D Jacobi, annotated for bamboocc. Without it, the program is an ordinary MPI program:
 *
 *     mpicc -O3 bamboo_jacobi.c -o jacobi      && mpirun -np 8 ./jacobi 2048 200
 *     bamboocc -O3 bamboo_jacobi.c -o jacobi_t && mpirun -np 2 ./jacobi_t --vf 4 2048 200
 *
 * Both run eight ranks and print the same sum. The grid has N x N cells, N a multiple of both sides
 * of the grid of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WEST, EAST, NORTH, SOUTH };

static double *at(double *u, int columns, int i, int j)
{
    return u + (long) i * (columns + 2) + j;
}

static void compute(double *restrict to, double *restrict from, int rows, int columns)
{
    for (int i = 1; i <= rows; i++) {
        const double *above = at(from, columns, i - 1, 0), *row = at(from, columns, i, 0),
                     *below = at(from, columns, i + 1, 0);
        double *out = at(to, columns, i, 0);
        for (int j = 1; j <= columns; j++) {
            out[j] = 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]);
        }
    }
}

/* Whole numbers, so that the order of adding does not matter. */
static double sum_of(double *u, int rows, int columns)
{
    double sum = 0;
    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= columns; j++) {
            sum += (long) (*at(u, columns, i, j) * 1000);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, near[4];
    MPI_Datatype row, column;
    MPI_Request requests[4];
    double mine, sum, start, *swap;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    int n = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 100;
    int rows = n / dims[0], columns = n / dims[1], i = rank / dims[1], j = rank % dims[1];
    if (rows < 1 || columns < 1 || rows * dims[0] != n || columns * dims[1] != n || steps < 0) {
        fprintf(stderr, "N must be a multiple of %d and %d, and STEPS 0 or more\n", dims[0],
                dims[1]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    near[WEST] = j > 0 ? rank - 1 : MPI_PROC_NULL;
    near[EAST] = j < dims[1] - 1 ? rank + 1 : MPI_PROC_NULL;
    near[NORTH] = i > 0 ? rank - dims[1] : MPI_PROC_NULL;
    near[SOUTH] = i < dims[0] - 1 ? rank + dims[1] : MPI_PROC_NULL;
    MPI_Type_contiguous(columns, MPI_DOUBLE, &row);
    MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);

    double *u = calloc((size_t) (rows + 2) * (columns + 2), sizeof(double));
    double *v = calloc((size_t) (rows + 2) * (columns + 2), sizeof(double));
    for (int a = 1; a <= rows; a++) {
        for (int b = 1; b <= columns; b++) {
            *at(u, columns, a, b) = ((i * rows + a) * 7 + (j * columns + b) * 13) % 101;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
#pragma bamboo dimension 2
    for (int step = 0; step < steps; step++) {
#pragma bamboo olap layout NN X layout NN Y
        {
#pragma bamboo send
            {
                MPI_Isend(at(u, columns, 1, 1), 1, column, near[WEST], 0, MPI_COMM_WORLD,
                          &requests[0]);
                MPI_Isend(at(u, columns, 1, columns), 1, column, near[EAST], 1, MPI_COMM_WORLD,
                          &requests[1]);
                MPI_Isend(at(u, columns, 1, 1), 1, row, near[NORTH], 2, MPI_COMM_WORLD,
                          &requests[2]);
                MPI_Isend(at(u, columns, rows, 1), 1, row, near[SOUTH], 3, MPI_COMM_WORLD,
                          &requests[3]);
            }
#pragma bamboo receive
            {
                MPI_Recv(at(u, columns, 1, columns + 1), 1, column, near[EAST], 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(at(u, columns, 1, 0), 1, column, near[WEST], 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(at(u, columns, rows + 1, 1), 1, row, near[SOUTH], 2, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Recv(at(u, columns, 0, 1), 1, row, near[NORTH], 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            compute(v, u, rows, columns);
            swap = u;
            u = v;
            v = swap;
        }
    }
    start = MPI_Wtime() - start;
    mine = sum_of(u, rows, columns);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks: sum %.0f\n", size, sum);
        fprintf(stderr, "%.3f ms a step\n", 1e3 * start / (steps > 0 ? steps : 1));
    }
    free(u);
    free(v);
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
