/* Macros that name variables of the functions that use them; conditionals; statements in macros. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N          8
#define ROW(i)     ((i) *width)
#define CELL(i, j) grid[ROW((i) -first) + (j)]
#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type kept = (a);                                                                           \
        (a) = (b);                                                                                 \
        (b) = kept;                                                                                \
    } while (0)
#define EACH(i)   for (int i = 0; i < N; i++)
#define LEFT      MPI_PROC_NULL
#define WORLD     MPI_COMM_WORLD
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define STEP()    (++steps)

static int steps, width = N;

static double plain(const double *grid, int first)
{
    double sum = 0;

    STEP();
    EACH(i) EACH(j) sum += CELL(i + first, j);
    return sum;
}

#ifdef NEVER
static int broken(int x {
    return MPI_Alltoall; }
#elif N > 4 /* a comment                                                                           \
               of two lines */
static int chosen(int x)
{
    return x + 1;
}
#else
#error "not chosen"
#endif

int main(int argc, char **argv)
{
    int rank, size, first = 1, i;
    double *grid = malloc(N * N * sizeof *grid), *other = malloc(N * N * sizeof *other), sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    EACH(k) EACH(j) CELL(k + first, j) = k * j + rank;
    for (i = 0; i < 3; i++) {
        int next = (rank + 1) % size, last = (rank + size - 1) % size;

        STEP();
        CELL(first, i) += i;
        MPI_Sendrecv(&CELL(first, 0), width, MPI_DOUBLE, next, 0, &other[ROW(1)], N, MPI_DOUBLE,
                     last,
#ifdef NEVER
                     1,
#else
                     MAX(0, 0),
#endif
                     WORLD, MPI_STATUS_IGNORE);
        EACH(j) other[j] = CELL(first + 1, j);
        for (int j = 2 * N; j < N * N; j++)
            other[j] = grid[j];
        SWAP(double *, grid, other);
        MPI_Send(grid, 1, MPI_DOUBLE, LEFT, 0, WORLD);
        assert(i >= 0 && grid != NULL);
#if defined NEVER
        i = broken;
#endif
    }
    sum = plain(grid, first) + chosen(steps);
    printf("macros: rank %d: %.17g, %d steps, line %d\n", rank, sum, steps, __LINE__);
    free(grid);
    free(other);
    MPI_Finalize();
    return 0;
}
