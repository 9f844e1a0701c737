/* A program that has MPI from a shared object, which it loads with RTLD_LOCAL as interpreters do.
 * With -DLOADER: that program; else: the object. */
#ifdef LOADER
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *object = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*run)(void) = object == NULL ? NULL : (void (*)(void)) dlsym(object, "run");
    if (run == NULL) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: loader OBJECT");
        return 1;
    }
    run();
    return 0;
}
#else
#include <mpi.h>
#include <stdio.h>

void run(void)
{
    int rank, sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 50; step++) {
        int to = rank + step, from = 0;
        MPI_Sendrecv(&to, 1, MPI_INT, 1 - rank, 1, &from, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sum += from;
    }
    printf("%d %d\n", rank, sum);
    MPI_Finalize();
}
#endif
