/* Loops with a shape that no polynomial describes. */
#include <mpi.h>
#include <string.h>

#define W MPI_COMM_WORLD
enum { N = 16, CELLS = 3 };

static double a[N][N], sp[CELLS][N][N][5];
static double *rows[N];
static int cell_coord[CELLS], cell_size[CELLS], ncells, n, list[N], mask[N];

/* a triangle */
static void triangle(int peer)
{
    double b[N * N];
    int p = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            b[p++] = a[i][j];
    MPI_Send(b, n * (n + 1) / 2, MPI_DOUBLE, peer, 1, W); /* refused any */
}

/* what a condition on data selects */
static void selected(int peer)
{
    double b[N];
    int p = 0;
    for (int i = 0; i < n; i++)
        if (mask[i] > 1)
            b[p++] = a[i][0];
    MPI_Send(b, p, MPI_DOUBLE, peer, 1, W); /* refused any */
}

/* rows behind pointers */
static void row_pointers(int peer)
{
    double b[N * N];
    int p = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[p++] = rows[i][j];
    MPI_Send(b, p, MPI_DOUBLE, peer, 1, W); /* refused any */
}

static void row_copies(int peer)
{
    double b[N * N];
    for (int i = 0; i < n; i++)
        memcpy(b + i * n, rows[i], n * sizeof(double));
    MPI_Send(b, n * n, MPI_DOUBLE, peer, 1, W); /* refused any */
}

/* S7: SP, cells that are not the last, each of its own size */
static void s7(int peer)
{
    double b[CELLS * N * N * 5];
    int c, m, k, j, p = 0;
    for (c = 0; c < ncells; c++)
        for (m = 0; m < 5; m++)
            if (cell_coord[c] != ncells)
                for (k = 0; k < cell_size[c]; k++)
                    for (j = 0; j < cell_size[c]; j++)
                        b[p++] = sp[c][k][j][m];
    MPI_Send(b, p, MPI_DOUBLE, peer, 1, W); /* refused any */
}

/* packed backwards, in an order that a list gives */
static void permuted(int peer)
{
    double b[N];
    for (int i = 0; i < n; i++)
        b[list[i]] = a[i][3];
    MPI_Send(b, n, MPI_DOUBLE, peer, 1, W); /* refused any */
}

/* more than is sent, and the same twice */
static void too_much(int peer)
{
    double b[N];
    for (int i = 0; i < n; i++)
        b[i] = a[i][4];
    MPI_Send(b, n - 1, MPI_DOUBLE, peer, 1, W); /* refused 6 */
}

static void written_twice(int peer)
{
    double b[N];
    for (int i = 0; i < n; i++)
        b[0] = a[i][5];
    MPI_Send(b, 1, MPI_DOUBLE, peer, 1, W); /* refused any */
}

/* the same again, from memory that has changed */
static void repeated(int peer)
{
    for (int step = 0; step < 3; step++) {
        double b[N * N];
        MPI_Request request;
        int p = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                b[p++] = rows[i][j];
        MPI_Isend(b, p, MPI_DOUBLE, peer, step, W, &request); /* refused any */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        rows[0][0] += 1.0;
        mask[step] = 0;
    }
}
