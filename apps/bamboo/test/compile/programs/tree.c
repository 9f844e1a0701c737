/* The paper's Fig. 7: broadcast in a binary tree. The two sends depend on the receive and are in
 * its block. */
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 100, ROUNDS = 5 };

int main(int argc, char **argv)
{
    int rank, size, round, data[COUNT] = {0}, ready = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma bamboo dimension 1
    for (round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            for (int i = 0; i < COUNT; i++)
                data[i] = i * (round + 1);
#pragma bamboo olap layout MinHeap X
        {
#pragma bamboo receive
            {
                if (rank > 0)
                    MPI_Recv(data, COUNT, MPI_INT, (rank - 1) / 2, round, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                if (2 * rank + 1 < size)
                    MPI_Send(data, COUNT, MPI_INT, 2 * rank + 1, round, MPI_COMM_WORLD);
                if (2 * rank + 2 < size)
                    MPI_Send(data, COUNT, MPI_INT, 2 * rank + 2, round, MPI_COMM_WORLD);
            }
#pragma bamboo receive
            {
                /* The children's answers. */
                for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++) {
                    int more;
                    MPI_Recv(&more, 1, MPI_INT, child, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    ready += more;
                }
                ready += data[rank] + 1;
                if (rank > 0)
                    MPI_Send(&ready, 1, MPI_INT, (rank - 1) / 2, round, MPI_COMM_WORLD);
            }
        }
        printf("tree: rank %d, round %d: %d, %d\n", rank, round, data[COUNT - 1], ready);
    }
    MPI_Finalize();
    return 0;
}
