/* Collective calls, files and MPI_Sendrecv_replace: what process R of any number has received is in the file OUTPUT.R, the
 * same without and with a patch. With OUTPUT "break", the number of processes is not what a loop goes over. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD

enum { NB = 3, MOST = 8, N = NB * MOST };

static double a[N * N], b[N * N], got[N * N], out[N * N], in[N * N];

/* the block of each process, transposed on arrival */
static void transpose(int nb, int size)
{
    int k = 0, n = nb * size;

    for (int p = 0; p < size; p++)
        for (int i = 0; i < nb; i++)
            for (int j = 0; j < nb; j++)
                out[k++] = a[i * n + p * nb + j];
    MPI_Alltoall(out, nb * nb, MPI_DOUBLE, in, nb * nb, MPI_DOUBLE, W); /* decided 5 7 10 decided 5 7 9 10 */
    k = 0;
    for (int p = 0; p < size; p++)
        for (int i = 0; i < nb; i++)
            for (int j = 0; j < nb; j++)
                b[j * n + p * nb + i] = in[k++];
}

/* one loop over all columns: nb of them for each process */
static void columns(int rows, int nb, int size)
{
    for (int j = 0; j < nb * size; j++)
        for (int i = 0; i < rows; i++)
            out[j * rows + i] = a[i * N + j];
    MPI_Alltoall(out, rows * nb, MPI_DOUBLE, got, rows * nb, MPI_DOUBLE, W); /* decided 5 7 10 */
}

/* two loops, one buffer */
static void two_loops(int n, int size)
{
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            out[p * 2 * n + i] = a[p * N + 2 * i];
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            out[p * 2 * n + n + i] = a[p * N + 3 * i + 1];
    MPI_Alltoall(out, 2 * n, MPI_DOUBLE, got, 2 * n, MPI_DOUBLE, W); /* decided 5 7 10 */
}

static void gather_column(int n, int m)
{
    double mine[N];

    for (int i = 0; i < n; i++)
        mine[i] = a[i * m];
    MPI_Gather(mine, n, MPI_DOUBLE, got, n, MPI_DOUBLE, 0, W); /* decided */
}

static void gather_columns(int n, int m, int size)
{
    MPI_Request request;

    MPI_Iallgather(a, n, MPI_DOUBLE, in, n, MPI_DOUBLE, W, &request); /* decided 5 7 9 10 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            b[i * m + p] = in[p * n + i];
}

static void scatter(int n, int m, int size, int rank)
{
    double *all = NULL;

    if (rank == 0) {
        all = malloc(n * size * sizeof *all);
        for (int p = 0; p < size; p++)
            for (int i = 0; i < n; i++)
                all[p * n + i] = a[p + i * m];
    }
    MPI_Scatter(all, n, MPI_DOUBLE, got, n, MPI_DOUBLE, 0, W); /* decided 5 10 13 */
    free(all);
}

static void swap_columns(int n, int m, int left, int right)
{
    double column[N];

    for (int i = 0; i < n; i++)
        column[i] = a[i * m + 1];
    MPI_Sendrecv_replace(column, n, MPI_DOUBLE, left, 0, right, 0, W, MPI_STATUS_IGNORE); /* decided decided 9 */
    for (int i = 0; i < n; i++)
        a[i * m + m - 1] = column[i];
}

static void same_column(int n, int m, int left, int right)
{
    double column[N];

    for (int i = 0; i < n; i++)
        column[i] = a[i * m + 1];
    MPI_Sendrecv_replace(column, n, MPI_DOUBLE, left, 0, right, 0, W, MPI_STATUS_IGNORE); /* decided decided */
    for (int i = 0; i < n; i++)
        a[i * m + 1] = column[i];
}

static void file(MPI_File f, int n, int m)
{
    double column[N];

    for (int i = 0; i < n; i++)
        column[i] = a[i * m + 1];
    MPI_File_write_all(f, column, n, MPI_DOUBLE, MPI_STATUS_IGNORE); /* decided */
}

/* ---- no datatype for all ---- */

static void uneven_distances(int n, int size)
{
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            out[p * n + i] = a[p * p + 2 * i];
    MPI_Alltoall(out, n, MPI_DOUBLE, got, n, MPI_DOUBLE, W); /* refused 66 */
}

static void two_distances(int n, int size)
{
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++) {
            out[p * 2 * n + i] = a[p * N + i];
            out[p * 2 * n + n + i] = a[p * 2 + 5 * i];
        }
    MPI_Alltoall(out, 2 * n, MPI_DOUBLE, got, 2 * n, MPI_DOUBLE, W); /* refused 66 */
}

static void triangle(int n, int size)
{
    for (int p = 0; p < size; p++)
        for (int i = 0; i < p; i++)
            out[p * n + i] = a[p * N + 2 * i];
    MPI_Alltoall(out, n, MPI_DOUBLE, got, n, MPI_DOUBLE, W); /* refused 66 */
}

static void own_counts(const int *counts, const int *at, int size)
{
    for (int p = 0; p < size; p++)
        for (int i = 0; i < counts[p]; i++)
            out[at[p] + i] = a[2 * (at[p] + i)];
    MPI_Alltoallv(out, counts, at, MPI_DOUBLE, got, counts, at, MPI_DOUBLE, W); /* refused 66 */
}

static void show(FILE *to, const char *name)
{
    for (int i = 0; i < N * N; i++) {
        if (got[i] != 0 || b[i] != 0)
            fprintf(to, "%s: %d %g %g\n", name, i, got[i], b[i]);
        got[i] = b[i] = 0;
    }
}

int main(int argc, char **argv)
{
    int rank, size, counts[MOST], at[MOST];
    MPI_File f;
    FILE *to;
    char path[100];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    for (int i = 0; i < N * N; i++)
        a[i] = i + 0.25 + 1000 * rank;
    for (int p = 0; p < MOST; p++) {
        counts[p] = 1 + (p + rank) % 2;
        at[p] = 2 * p;
    }
    if (strcmp(argv[1], "break") == 0) { /* the last process gets what the buffer had */
        columns(5, NB, size - 1);
        MPI_Finalize();
        return 0;
    }
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    to = fopen(path, "w");
    transpose(NB, size);
    show(to, "transpose");
    columns(5, NB, size);
    show(to, "columns");
    two_loops(4, size);
    show(to, "two_loops");
    gather_column(N, N);
    show(to, "gather_column");
    gather_columns(7, N, size);
    show(to, "gather_columns");
    scatter(6, N, size, rank);
    show(to, "scatter");
    swap_columns(N, N, (rank + size - 1) % size, (rank + 1) % size);
    same_column(N, N, (rank + size - 1) % size, (rank + 1) % size);
    memcpy(got, a, sizeof got);
    show(to, "replaced");
    MPI_File_open(W, "collectives.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_view(f, (MPI_Offset) rank * N * 8, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    file(f, N, N);
    MPI_File_seek(f, 0, MPI_SEEK_SET);
    MPI_File_read_all(f, got, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    show(to, "file");
    MPI_File_close(&f);
    uneven_distances(3, size);
    two_distances(3, size);
    triangle(3, size);
    own_counts(counts, at, size);
    show(to, "others");
    fclose(to);
    MPI_Finalize();
    return 0;
}
