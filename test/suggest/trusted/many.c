/* Loops that send piece by piece. */
#include <mpi.h>

#define W MPI_COMM_WORLD

static double grid[100][100];

void rows(double *a, int nx, int ny, int up, MPI_Request *r)
{
    for (int j = 1; j < ny; j++)
        MPI_Send(&a[j * nx], 1, MPI_DOUBLE, up, j, W); /* many */
    for (int j = 0; j < ny; j += 2)
        MPI_Irecv(&a[j * nx + nx - 2], 2, MPI_DOUBLE, up, j, W, &r[j]); /* many */
    MPI_Waitall(ny / 2, r, MPI_STATUSES_IGNORE);
}

void backwards(double *a, int nx, int ny, int up)
{
    for (int j = ny; j > 0; j--)
        MPI_Send(a + j * nx, nx, MPI_DOUBLE, up, j, W); /* many */
}

void both(int n, int left, int right)
{
    for (int j = 0; j < n; j++) {
        MPI_Send(&grid[j][1], 1, MPI_DOUBLE, left, 0, W); /* many */
        MPI_Recv(&grid[j][99], 1, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE); /* many */
    }
}

void halves(int n, int left, int right)
{
    for (int j = 0; j < n; j++)
        MPI_Sendrecv(&grid[j][1], 1, MPI_DOUBLE, left, 0, &grid[j][0], 1, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE); /* many many */
}

/* a row that was received is sent in the next iteration */
void passed_on(int n, int left, int right)
{
    for (int j = 0; j < n; j++) {
        MPI_Send(&grid[j][1], 1, MPI_DOUBLE, left, 0, W);
        MPI_Recv(&grid[j + 1][1], 1, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
    }
}

void to_each(double *a, int n, int size)
{
    for (int p = 1; p < size; p++)
        MPI_Send(&a[p * n], n, MPI_DOUBLE, p, 0, W);
}

void from_any(double *a, int n, int size)
{
    for (int p = 1; p < size; p++)
        MPI_Recv(&a[p * n], n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, W, MPI_STATUS_IGNORE);
}

void to_list(double *a, int n, const int *peers)
{
    for (int p = 0; p < n; p++)
        MPI_Send(&a[p * n], n, MPI_DOUBLE, peers[p], 0, W);
}

void computed_before(double *a, int n, int peer)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            a[i * n + k] = i + k;
        MPI_Send(&a[i * n], n, MPI_DOUBLE, peer, 0, W);
    }
}

void used_behind(double *a, double *sum, int n, int peer)
{
    for (int i = 0; i < n; i++) {
        MPI_Recv(&a[i * n], n, MPI_DOUBLE, peer, 0, W, MPI_STATUS_IGNORE);
        *sum += a[i * n];
    }
}

void some(double *a, int n, int peer, const int *wanted)
{
    for (int i = 0; i < n; i++)
        if (wanted[i])
            MPI_Send(&a[i * n], n, MPI_DOUBLE, peer, 0, W);
}

void growing(double *a, int n, int peer)
{
    for (int i = 0; i < n; i++)
        MPI_Send(&a[i * n], i, MPI_DOUBLE, peer, 0, W);
}

void uneven(double *a, int n, int peer)
{
    for (int i = 0; i < n; i++)
        MPI_Send(&a[i * i], 1, MPI_DOUBLE, peer, 0, W);
}

void until(double *a, int n, int peer)
{
    for (int i = 0; i < n; i++) {
        MPI_Send(&a[i * n], n, MPI_DOUBLE, peer, 0, W);
        if (a[i] < 0)
            break;
    }
}

void same(double *a, int n, int peer)
{
    for (int i = 0; i < n; i++)
        MPI_Send(a, n, MPI_DOUBLE, peer, 0, W);
}
