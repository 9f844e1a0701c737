/* Blocks that --reorder leaves in their order: both use `edge`. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, edge[2] = {0}, more = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma bamboo dimension 1
#pragma bamboo olap
    {
#pragma bamboo receive
        {
            if (rank > 0)
                MPI_Recv(edge, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
#pragma bamboo send
        {
            if (rank + 1 < size)
                MPI_Send(&edge[more - 1], 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Send(edge, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    printf("dependent: %d %d\n", rank, edge[0]);
    MPI_Finalize();
    return 0;
}
