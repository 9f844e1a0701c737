/* SPDX-License-Identifier: BSD-3-Clause */
#include "contents.h"

#include "opal-glue/abi/openmpi.h"

_Static_assert(sizeof(ptrdiff_t) == sizeof(int64_t), "displacements are 64-bit");

/* NAMED, Fortran's F90_... and what later standards add are not here. */
static const struct {
    int32_t combiner;
    const char *name;
    const char *params;
} constructors[] = {
    {MPI_COMBINER_DUP, "dup", ""},
    {MPI_COMBINER_CONTIGUOUS, "contiguous", "n"},
    {MPI_COMBINER_VECTOR, "vector", "nii"},
    {MPI_COMBINER_HVECTOR, "hvector", "nia"},
    {MPI_COMBINER_INDEXED, "indexed", "nII"},
    {MPI_COMBINER_HINDEXED, "hindexed", "nIA"},
    {MPI_COMBINER_INDEXED_BLOCK, "indexed_block", "niI"},
    {MPI_COMBINER_HINDEXED_BLOCK, "hindexed_block", "niA"},
    {MPI_COMBINER_STRUCT, "struct", "n"},
    {MPI_COMBINER_SUBARRAY, "subarray", "nIIIo"},
    {MPI_COMBINER_DARRAY, "darray", "iinIDGIo"},
    {MPI_COMBINER_RESIZED, "resized", "aa"},
};

enum { CONSTRUCTORS = sizeof(constructors) / sizeof(constructors[0]) };

static int number_of(int32_t combiner)
{
    int i = 0;
    while (i < CONSTRUCTORS && combiner != constructors[i].combiner) {
        i++;
    }
    return i;
}

/* Returns whether the datatype says how it was made. Then its combiner and the lengths of its
 * lists. */
static bool read_envelope(const ompi_datatype_t *datatype, dt_contents_t *contents)
{
    return &ompi_datatype_t_class == datatype->super.super.obj_class && datatype->args != NULL &&
           dt_openmpi_get_args(datatype, 0, &contents->n_ints, NULL, &contents->n_aints, NULL,
                               &contents->n_types, NULL, &contents->combiner);
}

int64_t dt_contents_items(const struct opal_datatype_t *datatype)
{
    dt_contents_t contents = {.name = NULL};
    return read_envelope((const ompi_datatype_t *) datatype, &contents)
               ? (int64_t) contents.n_ints + contents.n_aints + contents.n_types
               : 0;
}

bool dt_contents_read(dame_tree_t *tree, const struct opal_datatype_t *opal_datatype,
                      dt_contents_t *contents, dt_decline_t *declined)
{
    const ompi_datatype_t *datatype = (const ompi_datatype_t *) opal_datatype;
    const int number =
        read_envelope(datatype, contents) ? number_of(contents->combiner) : CONSTRUCTORS;
    if (number == CONSTRUCTORS) {
        return false;
    }
    contents->name = constructors[number].name;
    contents->params = constructors[number].params;
    /* 64-bit words serve all three lists */
    contents->ints = (int *) dame_tree_array(tree, ((int64_t) contents->n_ints + 1) / 2);
    contents->aints = dame_tree_array(tree, contents->n_aints);
    contents->types = (ompi_datatype_t **) dame_tree_array(tree, contents->n_types);
    if (contents->ints == NULL || contents->aints == NULL || contents->types == NULL) {
        *declined = DT_DECLINE_MEMORY;
        return false;
    }
    return dt_openmpi_get_args(datatype, 1, &contents->n_ints, contents->ints, &contents->n_aints,
                               (ptrdiff_t *) contents->aints, &contents->n_types, contents->types,
                               &contents->combiner);
}

const struct opal_datatype_t *dt_contents_of_one(const struct opal_datatype_t *opal_datatype)
{
    const ompi_datatype_t *datatype = (const ompi_datatype_t *) opal_datatype;
    dt_contents_t call = {.name = NULL};
    int count = 0;
    ompi_datatype_t *old = NULL;
    const bool is_one = read_envelope(datatype, &call) &&
                        call.combiner == MPI_COMBINER_CONTIGUOUS && call.n_ints == 1 &&
                        call.n_types == 1 &&
                        dt_openmpi_get_args(datatype, 1, &call.n_ints, &count, &call.n_aints, NULL,
                                            &call.n_types, &old, &call.combiner) &&
                        count == 1;
    return is_one ? &old->super : NULL;
}

const char *dt_contents_name(const struct opal_datatype_t *datatype)
{
    /* Predefined datatypes of MPI say that they are of OPAL's class, as those of OPAL are. */
    return &ompi_datatype_t_class == datatype->super.obj_class ||
                   (datatype->flags & OMPI_DATATYPE_FLAG_PREDEFINED)
               ? ((const ompi_datatype_t *) datatype)->name
               : "";
}
