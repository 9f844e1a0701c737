#include "field.h"

double scale[2] = {1, 0.25};

static void one_way(field_t *field, int from, int to, double *in, const double *out);

void field_exchange(field_t *field)
{
    int right = (field->rank + 1) % field->size;

    one_way(field, field_left(field), right, &field->values[0], &field->values[field->n]);
    one_way(field, right, field_left(field), &field->values[field->n + 1], &field->values[1]);
    for (int i = 1; i <= field->n; i++)
        field->values[i] = (field->values[i - 1] + field->values[i + 1]) * scale[i % 2];
}

static void one_way(field_t *field, int from, int to, double *in, const double *out)
{
    MPI_Sendrecv(out, 1, MPI_DOUBLE, to, 0, in, 1, MPI_DOUBLE, from, 0, field->comm,
                 MPI_STATUS_IGNORE);
    exchanges++;
}
