#include "field.h"
#include <stdio.h>

static int steps;

static void trace(const char *what)
{
    steps++;
    if (exchanges > 1000)
        puts(what);
}

int main(int argc, char **argv)
{
    field_t *field;
    double sum, cubes;

    MPI_Init(&argc, &argv);
    field = field_new(5, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) {
        trace("step");
        field_exchange(field);
        scale[i % 2] += 0.5;
    }
    sum = field_sum(field, 1);
    cubes = field_sum(field, 3);
    printf("%s: rank %d: %.17g %.17g, %d exchanges, %d steps\n", title, field->rank, sum, cubes,
           exchanges, steps);
    field_delete(field);
    MPI_Finalize();
    return 0;
}
