/* Counts the arguments of MPI's constructors of datatypes, and changes the one that DAME_MUTANT
 * numbers where that changes the datatype. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long arguments;

static int changed(int matters)
{
    static long mutant = -1;

    if (mutant < 0)
        mutant = getenv("DAME_MUTANT") ? atol(getenv("DAME_MUTANT")) : 0;
    return matters && ++arguments == mutant;
}

static int has_data(MPI_Datatype type)
{
    int size;

    PMPI_Type_size(type, &size);
    return size > 0;
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *new)
{
    int data = has_data(old);
    int c = count + changed(data && length > 0), l = length + changed(data && count > 0);
    MPI_Aint s = stride + 8 * changed(data && count > 1 && length > 0);

    return PMPI_Type_create_hvector(c, l, s, old, new);
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *new)
{
    int data = has_data(old);
    int c = count + changed(data && length > 0), l = length + changed(data && count > 0);
    int s = stride + changed(data && count > 1 && length > 0);

    return PMPI_Type_vector(c, l, s, old, new);
}

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *new)
{
    return PMPI_Type_contiguous(count + changed(has_data(old)), old, new);
}

int MPI_Type_create_hindexed(int count, const int *lengths, const MPI_Aint *places,
                             MPI_Datatype old, MPI_Datatype *new)
{
    int *l = malloc(sizeof *l * (size_t) (count + 1)), i, code;
    MPI_Aint *p = malloc(sizeof *p * (size_t) (count + 1));

    for (i = 0; i < count; i++) {
        l[i] = lengths[i] + changed(has_data(old));
        p[i] = places[i] + 8 * changed(has_data(old) && lengths[i] > 0);
    }
    code = PMPI_Type_create_hindexed(count, l, p, old, new);
    free(l);
    free(p);
    return code;
}

int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *places,
                           const MPI_Datatype *old, MPI_Datatype *new)
{
    MPI_Aint *p = malloc(sizeof *p * (size_t) (count + 1));
    int i, code;

    for (i = 0; i < count; i++)
        p[i] = places[i] + 8 * changed(has_data(old[i]) && lengths[i] > 0);
    code = PMPI_Type_create_struct(count, lengths, p, old, new);
    free(p);
    return code;
}

int MPI_Finalize(void)
{
    printf("arguments: %ld\n", arguments);
    return PMPI_Finalize();
}
