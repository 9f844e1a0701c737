/* The paper's Table I: receive, send, compute, along a chain. Each rank sends its last results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 10

static void compute(double *out, const double *in, int i)
{
    for (int j = 0; j < COUNT; j++)
        out[j] = out[j] * 0.5 + in[(j + i) % COUNT];
}

int main(int argc, char **argv)
{
    int rank, size, i, n = 6;
    double in[COUNT] = {0}, out[COUNT];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < COUNT; i++)
        out[i] = rank * i;
    if (argc > 1)
        n = atoi(argv[1]);
#pragma bamboo dimension 1
#pragma bamboo olap layout OneNeighborBackward X
    for (i = 1; i <= n; i++) {
#pragma bamboo receive
        {
            if (rank > 0)
                MPI_Recv(in, COUNT, MPI_DOUBLE, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
#pragma bamboo send
        {
            if (rank + 1 < size)
                MPI_Send(out, COUNT, MPI_DOUBLE, rank + 1, i, MPI_COMM_WORLD);
        }
        compute(out, in, i);
    }
    printf("table1: rank %d: %d, %.17g %.17g\n", rank, i, out[0], out[COUNT - 1]);
    MPI_Finalize();
    return 0;
}
