/* exit() in functions of any depth. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void leave(int status)
{
    fflush(stdout);
    exit(status);
}

static int *obtain(size_t n)
{
    int *memory = malloc(n * sizeof *memory);

    if (memory == NULL)
        leave(2);
    return memory;
}

int main(int argc, char **argv)
{
    int rank, *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memory = obtain(10);
    memory[3] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("stop: rank %d: %d\n", rank, memory[3]);
    free(memory);
    MPI_Finalize();
    if (argc > 1 && rank == atoi(argv[1]))
        leave(5);
    exit(0);
}
