#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NEXT(r) (((r) + 1) % size)
static int counter = 3;
static const double weights[3] = {1, 2, 3};
int total;

static int pass(int token, int from, int to)
{
    int got = -1;
    MPI_Request request;
    MPI_Isend(&token, 1, MPI_INT, to, 7, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    counter++;
    return got;
}

/* Recursion. */
int depth(int n)
{
    if (n == 0)
        return 0;
    int below = depth(n - 1);
    return below + pass(1, MPI_PROC_NULL, MPI_PROC_NULL) + 2;
}

int main(int argc, char **argv)
{
    int rank, size, values[4] = {1, 2, 3};
    char name[] = "ring";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0, token = rank; i < size; i++) {
        token = pass(token, (rank + size - 1) % size, NEXT(rank));
        total += token * (int) weights[i % 3];
        if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) {
            return 1;
        }
    }
    switch (rank % 2) {
    case 0:
        values[3] = depth(3);
        break;
    default: {
        int k = depth(rank);
        values[3] = k;
    }
    }
    for (int r = 0; r < size; r++) {
        int sum;
        MPI_Allreduce(&total, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (r == rank)
            printf("%s: rank %d of %d: total %d, sum %d, counter %d, value %d, %s\n", name, rank,
                   size, total, sum, counter, values[3], __func__);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
