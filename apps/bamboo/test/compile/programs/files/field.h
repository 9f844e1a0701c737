/* What the three files of one program share. */
#ifndef FIELD_H
#define FIELD_H
#include <mpi.h>

typedef struct field {
    int n, rank, size;
    double *values;
    MPI_Comm comm;
} field_t;

extern int exchanges; /* written */
extern const char *const title;
extern double scale[2];

field_t *field_new(int n, MPI_Comm comm);
void field_exchange(field_t *field);
double field_sum(const field_t *, int power);
void field_delete(field_t *field);

static inline int field_left(const field_t *field)
{
    return (field->rank + field->size - 1) % field->size;
}
#endif
