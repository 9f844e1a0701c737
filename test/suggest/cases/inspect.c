/* Loops with a shape that no polynomial describes: --patch=inspect records where their data is. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
enum { N = 16, CELLS = 3 };

static double a[N][N], storage[N * N], sp[CELLS][N][N][5];
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

/* more than is sent, and the same twice: as before, from the buffer */
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

#define CASES(SEND, RECV)                                                                         \
    SEND(triangle) SEND(selected) SEND(row_pointers) SEND(row_copies) SEND(s7) SEND(permuted)     \
    SEND(too_much) SEND(written_twice) SEND(repeated)

#include "../harness.h"

static void harness_sizes(int setting)
{
    static const int sizes[3] = {5, 1, 16};

    (void) harness_recv;
    n = sizes[setting];
    ncells = CELLS;
}

static void harness_data(unsigned seed)
{
    harness_fill(a, sizeof a, seed);
    harness_fill(storage, sizeof storage, seed + 1);
    harness_fill(sp, sizeof sp, seed + 2);
    for (int i = 0; i < N; i++) {
        rows[i] = storage + N * ((5 * i + 2) % N);
        mask[i] = (7 * i) % 4;
        list[i] = n - 1 - i;
    }
    for (int i = 0; i < CELLS; i++) {
        cell_coord[i] = i + 2;
        cell_size[i] = 3 + i;
    }
    rows[0][0] = 2.0;
}

static void harness_dump(void)
{
    harness_put("a", a, sizeof a);
    harness_put("storage", storage, sizeof storage);
}
