/* Values and pointers that conditions and loops decide: what the source contradicts is refused. */
#include <mpi.h>
#include <stdlib.h>

#define W MPI_COMM_WORLD

void periodic(double *buf, const double *u, int n, int peer)
{
    for (int i = 0; i < n; i++) {
        int j = i - 1;
        if (j < 0)
            j += n;
        buf[i] = u[j];
    }
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 58 */
}

void clamped(double *buf, const double *u, int n, int last, int peer)
{
    for (int i = 0; i < n; i++) {
        int j = i;
        if (j > last)
            j = last;
        buf[i] = u[j];
    }
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 58 */
}

void compared_unsigned(double *buf, const double *u, size_t n, size_t m, int peer)
{
    int o;
    if (n < m)
        o = 0;
    else
        o = 100;
    for (int i = 0; i < 10; i++)
        buf[i] = u[o + 2 * i];
    o = 7;
    MPI_Send(buf, 10, MPI_DOUBLE, peer, 0, W); /* refused 60 */
}

void one_of_two(double *a, double *b, double *buf, int n, int flag, int peer)
{
    double *p = flag ? a : b;
    for (int i = 0; i < n; i++)
        buf[i] = a[2 * i];
    p[0] = 5;
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 51 */
}

void one_of_two_by_if(double *a, double *b, double *buf, int n, int flag, int peer)
{
    double *p;
    if (flag)
        p = a;
    else
        p = b;
    for (int i = 0; i < n; i++)
        buf[i] = p[2 * i];
    a[0] = 5;
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 51 */
}

void moved_in_a_loop(double *u, double *buf, int n, const int *more, int peer)
{
    double *p = u;
    while (*more) {
        p += *more;
        more++;
    }
    for (int i = 0; i < n; i++)
        buf[i] = u[2 * i];
    *p = 6;
    MPI_Send(buf, n, MPI_DOUBLE, peer, 0, W); /* refused 51 */
}

void allocated_or_given(double *u, double *p, int n, int big, int peer)
{
    if (big)
        p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = u[2 * i];
    MPI_Send(p, n, MPI_DOUBLE, peer, 0, W); /* decided 1 7 */
}

/* nothing is read for a neighbour that is not there */
void of_neighbour(double *buf, const double *u, const int *at, int n, int to)
{
    if (to >= 0)
        for (int i = 0; i < n; i++)
            buf[i] = u[2 * i + at[to]];
    MPI_Send(buf, n, MPI_DOUBLE, to, 0, W); /* refused 59 */
}

void not_the_root(double *buf, double *mine, const double *u, int n, int size, int rank)
{
    if (rank == 1)
        for (int p = 0; p < size; p++)
            for (int i = 0; i < n; i++)
                buf[p * n + i] = u[2 * (p * n + i)];
    MPI_Scatter(buf, n, MPI_DOUBLE, mine, n, MPI_DOUBLE, 0, W); /* refused 59 */
}

void neighbours(double *mine, double *all, double *u, int n, MPI_Comm cart)
{
    MPI_Neighbor_allgather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, cart); /* none */
    for (int i = 0; i < n; i++)
        u[2 * i] = all[i];
}

void to_communicators(double *a, int n, int k, MPI_Comm *all)
{
    for (int i = 0; i < k; i++)
        MPI_Send(&a[i * n], n, MPI_DOUBLE, 0, 0, all[i]); /* none */
}

void broadcast_between(double *a, int n, int k, int peer)
{
    for (int i = 0; i < k; i++) {
        MPI_Bcast(a, n * k, MPI_DOUBLE, 0, W);
        MPI_Send(&a[i * n], n, MPI_DOUBLE, peer, 0, W); /* none */
    }
}
