/* The paper's Fig. 2: 2-D Jacobi. A send block packs and sends four sides, a receive block receives
 * and unpacks them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 12, STEPS = 20 };

static double u[N + 2][N + 2], v[N + 2][N + 2];

static void start(int x, int y)
{
    for (int i = 0; i < N + 2; i++)
        for (int j = 0; j < N + 2; j++)
            u[i][j] = v[i][j] = (x * 31 + y * 17 + i * 7 + j * 3) % 23;
}

static void update(void)
{
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            u[i][j] = v[i][j];
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, near[4];
    double out[4][N], in[4][N], sum = 0;
    MPI_Request requests[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    const int x = rank / dims[1], y = rank % dims[1];
    near[0] = x > 0 ? rank - dims[1] : MPI_PROC_NULL;
    near[1] = x < dims[0] - 1 ? rank + dims[1] : MPI_PROC_NULL;
    near[2] = y > 0 ? rank - 1 : MPI_PROC_NULL;
    near[3] = y < dims[1] - 1 ? rank + 1 : MPI_PROC_NULL;
    start(x, y);
#pragma bamboo dimension 2
    for (int step = 0; step < STEPS; step++) {
#pragma bamboo olap layout NN X layout NN Y
        {
#pragma bamboo send
            {
                for (int j = 0; j < N; j++)
                    out[0][j] = u[1][j + 1];
                MPI_Isend(out[0], N, MPI_DOUBLE, near[0], 0, MPI_COMM_WORLD, &requests[0]);
                for (int j = 0; j < N; j++)
                    out[1][j] = u[N][j + 1];
                MPI_Isend(out[1], N, MPI_DOUBLE, near[1], 1, MPI_COMM_WORLD, &requests[1]);
                for (int i = 0; i < N; i++)
                    out[2][i] = u[i + 1][1];
                MPI_Isend(out[2], N, MPI_DOUBLE, near[2], 2, MPI_COMM_WORLD, &requests[2]);
                for (int i = 0; i < N; i++)
                    out[3][i] = u[i + 1][N];
                MPI_Isend(out[3], N, MPI_DOUBLE, near[3], 3, MPI_COMM_WORLD, &requests[3]);
            }
#pragma bamboo receive
            {
                MPI_Recv(in[1], N, MPI_DOUBLE, near[1], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int j = 0; near[1] != MPI_PROC_NULL && j < N; j++)
                    u[N + 1][j + 1] = in[1][j];
                MPI_Recv(in[0], N, MPI_DOUBLE, near[0], 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int j = 0; near[0] != MPI_PROC_NULL && j < N; j++)
                    u[0][j + 1] = in[0][j];
                MPI_Recv(in[3], N, MPI_DOUBLE, near[3], 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 0; near[3] != MPI_PROC_NULL && i < N; i++)
                    u[i + 1][N + 1] = in[3][i];
                MPI_Recv(in[2], N, MPI_DOUBLE, near[2], 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 0; near[2] != MPI_PROC_NULL && i < N; i++)
                    u[i + 1][0] = in[2][i];
            }
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            update();
        }
    }
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            sum += u[i][j] * (i + 2 * j);
    printf("jacobi2d: rank %d of %d: %.17g\n", rank, size, sum);
    MPI_Finalize();
    return 0;
}
