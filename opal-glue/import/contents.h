/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constructor call that made a datatype (MPI-4.0 section 5.1.13), as Open MPI keeps it in its
 * args record: what MPI_Type_get_envelope and MPI_Type_get_contents give, without their reference
 * counting.
 */
#ifndef DT_CONTENTS_H
#define DT_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/type.h"
#include "opal-glue/types.h"

struct opal_datatype_t;
struct ompi_datatype_t;

typedef struct dt_contents {
    int32_t combiner; /* MPI_COMBINER_... */
    const char *name; /* of the constructor, without MPI_Type_ and create_; static storage */
    /*
     * The constructor's arguments in the order of its C binding, one letter each, without the old
     * type: n an int that is also the length of the lists after it, i an int, a an address, I and A
     * lists of these, D a list of distributions, G a list of their arguments, o an order of
     * dimensions. STRUCT's are its count alone. Static storage.
     */
    const char *params;
    int32_t n_ints, n_aints, n_types;
    int *ints;
    int64_t *aints; /* Open MPI's ptrdiff_t */
    struct ompi_datatype_t **types;
} dt_contents_t;

/*
 * Reads the call into memory of the tree; the old types are borrowed from the datatype. False: it
 * is absent or not one we know, or memory is out; *declined is changed only then.
 */
bool dt_contents_read(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                      dt_contents_t *contents, dt_decline_t *declined);

/* How many numbers and datatypes its constructor was called with; 0: it does not say. */
int64_t dt_contents_items(const struct opal_datatype_t *datatype);

/* The old type of MPI_Type_contiguous(1, ..), borrowed from the datatype; NULL: another call made
 * it. */
const struct opal_datatype_t *dt_contents_of_one(const struct opal_datatype_t *datatype);

/* The datatype's name: the user's, or Open MPI's own for predefined datatypes and for copies ("Dup
 * " and the original's name). "" without one. Borrowed from the datatype. */
const char *dt_contents_name(const struct opal_datatype_t *datatype);

#endif
