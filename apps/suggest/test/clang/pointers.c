/* Calls through pointers of as many arguments as calls of MPI have, prototypes without parameters, old definitions. */
#include <mpi.h>
#include <stdlib.h>

struct ops {
    void (*fill)(int, int, int, int, int, int, int);
    int (*pack)(const void *, int, MPI_Datatype, void *, int, int *, MPI_Comm);
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*one[7])();
};
static int later();
int old(a, b)
int a;
double b;
{
    return a + (int) b;
}
static int later(int x)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return x;
}
void run(struct ops *o, double *a, int n)
{
    double *buffer = malloc(n * sizeof *buffer);
    int at = 0, i;

    o->fill(1, 2, 3, 4, 5, 6, 7);
    (*o->fill)(1, 2, 3, 4, 5, 6, 7);
    for (i = 0; i < n; i++) {
        buffer[i] = a[3 * i];
    }
    o->pack(a, n, MPI_DOUBLE, buffer, 8 * n, &at, MPI_COMM_WORLD);
    MPI_Pack(a, n, MPI_DOUBLE, buffer, 8 * n, &at, MPI_COMM_WORLD);
    o->send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    o->one[3](later(n), old(1, 2.0));
    free(buffer);
}
int main(int argc, char **argv)
{
    struct ops o = {0};

    MPI_Init(&argc, &argv);
    if (argc > 1) {
        run(&o, 0, 0);
    }
    return MPI_Finalize();
}
