/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose assumptions hold in a run, and do not. evidence_other.c is not seen by `dame suggest`. */
#include <mpi.h>

enum { N = 12 };
double grid[N][N];
double shared[N];
double look(void);
void touch(void);

double kept[N];
static double held(double *data, int n, int count)
{
    for (int i = 0; i < n; i++)
        kept[i] = data[i * N + 3];
    MPI_Send(kept, count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* held */
    return 0;
}

static double read_elsewhere(void)
{
    for (int i = 0; i < N; i++)
        shared[i] = grid[i][2];
    MPI_Send(shared, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* read */
    return look();
}

static double changed_elsewhere(void)
{
    double buffer[N];
    for (int i = 0; i < N; i++)
        buffer[i] = grid[i][1];
    touch();
    MPI_Send(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* changed */
    return 0;
}

static double chosen(void)
{
    double buffer[N];
    int n = 0;
    for (int i = 0; i < N; i++)
        if (grid[i][0] > 20)
            buffer[n++] = grid[i][4];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* chosen */
    return 0;
}

int main(int argc, char **argv)
{
    double in[N], sum = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N * N; i++)
        grid[i / N][i % N] = i * 1.25 + 1;
    if (rank == 0)
        sum = held(&grid[0][0], N, argc > 9 ? 1 : N) + read_elsewhere() + changed_elsewhere() + chosen();
    for (int i = 0; rank == 1 && i < 4; i++) {
        MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += in[i];
    }
    MPI_Finalize();
    return sum < 0;
}
