/* Calls that wait wherever C has expressions, and what tasks have for themselves: variables with
 * initialisers of any kind, of threads, of headers; functions that run before main. */
#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != MPI_SUCCESS)                                                                 \
            exit(9);                                                                               \
    } while (0)
#define SYNC()  MPI_Barrier(MPI_COMM_WORLD)
#define SHOW(x) show(#x, x)

static MPI_Comm everyone = MPI_COMM_WORLD, none = MPI_COMM_NULL;
static int counter, *where = &counter, started;
static __thread int of_thread = 3;
int (*const receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = NULL;
static int rank, size;
void old();
int before();

__attribute__((constructor)) static void begin(void)
{
    started = 40;
}

static void show(const char *name, long value)
{
    printf("rank %d: %s is %ld\n", rank, name, value);
}

/* The value of the left neighbour. */
static int get(int x)
{
    int got = -1;
    CHECK(MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT,
                       (rank + size - 1) % size, 1, everyone, MPI_STATUS_IGNORE));
    return got;
}

static int (*table[])(int) = {get};

static int sum(int n, ...)
{
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n-- > 0) {
        total += get(va_arg(list, int));
    }
    va_end(list);
    return total;
}

static double row_sum(int n, double rows[n][n])
{
    double result = 0;
    MPI_Allreduce(&rows[n - 1][0], &result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return result;
}

static int compare(const void *a, const void *b)
{
    SYNC();
    return *(const int *) a - *(const int *) b;
}

void old(x) int x;
{
    counter += get(x);
}

static void gone(int *x)
{
    *where += get(*x);
}

int main(int argc, char **argv, char **environment)
{
    int a = 1, b = 0, list[] = {3, 1, 2};
    jmp_buf back;
    CHECK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(everyone, &rank);
    MPI_Comm_size(everyone, &size);
    a = b || get(rank);
    SHOW(a);
    a = b ? get(1) : get(rank) + get(rank * 10);
    SHOW(a);
    for (a = get(0); a < get(3); a += get(1)) {
        b += get(rank);
    }
    SHOW(b);
    b = 0;
    do {
        b++;
    } while (get(b) < 4);
    SHOW(b);
    a = ({
        int x = get(rank);
        x * 2;
    });
    SHOW(a);
    SHOW(table[0](rank));
    SHOW(sum(3, rank, 2, 3));
    double rows[size][size];
    memset(rows, 0, sizeof(rows));
    rows[size - 1][0] = rank;
    SHOW((long) row_sum(size, rows));
    qsort(list, 3, sizeof(int), compare);
    SHOW(list[0] * 100 + list[1] * 10 + list[2]);
    struct {
        int x, y;
    } *pair = (void *) &(struct { int x, y; }){rank, get(7)};
    SYNC();
    SHOW(pair->x + pair->y);
    old(rank);
    {
        int cleaned __attribute__((cleanup(gone))) = rank;
        SYNC();
    }
    SHOW(*where);
    if (setjmp(back) == 0) {
        SYNC();
        longjmp(back, 1);
    }
    of_thread += rank;
    SYNC();
    SHOW(of_thread);
    SHOW(started + rank);
    SHOW(none == MPI_COMM_NULL && receive == NULL && environment[0] != NULL);
    MPI_Finalize();
    return 0;
}
