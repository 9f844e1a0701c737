#include "field.h"
#include <stdlib.h>

int exchanges = 0;
const char *const title = "files";
static int made;

static double raised(double value, int power)
{
    double result = 1;

    while (power-- > 0)
        result *= value;
    return result;
}

field_t *field_new(int n, MPI_Comm comm)
{
    field_t *field = malloc(sizeof *field);

    field->n = n;
    MPI_Comm_dup(comm, &field->comm);
    MPI_Comm_rank(field->comm, &field->rank);
    MPI_Comm_size(field->comm, &field->size);
    field->values = calloc((size_t) n + 2, sizeof *field->values);
    for (int i = 0; i < n; i++)
        field->values[i + 1] = (field->rank + i + made) * scale[i % 2];
    made++;
    return field;
}

double field_sum(const field_t *field, int power)
{
    double mine = 0, all;

    for (int i = 0; i < field->n + 2; i++)
        mine += raised(field->values[i], power);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, field->comm);
    return all;
}

void field_delete(field_t *field)
{
    MPI_Comm_free(&field->comm);
    free(field->values);
    free(field);
}
