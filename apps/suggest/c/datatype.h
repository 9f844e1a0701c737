/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/datatype.h: MPI's basic datatypes in C, by the names and handles of the source. */
#ifndef SUGGEST_C_DATATYPE_H
#define SUGGEST_C_DATATYPE_H

#include "tree.h"

struct c_datatype {
    const char *mpi; /* MPI_DOUBLE */
    const char *c;   /* the canonical type of an element; NULL: bytes of anything */
    int64_t size;    /* bytes */
    int64_t mpich;   /* its handle in MPICH */
};

/* The datatype that an argument names, or NULL: it is derived, or not known. */
const struct c_datatype *c_find_datatype(struct c_unit *unit, const struct c_node *argument);

/* The datatype of elements of that C type, or NULL. */
const struct c_datatype *c_datatype_of(const struct c_type *type);

/* Does the datatype name elements of that C type, or of an array of them? */
bool c_datatype_fits(const struct c_datatype *datatype, const struct c_type *type);

/* The datatype of that name, or NULL. */
const struct c_datatype *c_named_datatype(const char *mpi);

/* Do they name the same bytes, of integers of one size and sign, or of one type of real numbers?
 * Bytes of anything are not the same as other datatypes. */
bool c_same_datatype(const struct c_datatype *a, const struct c_datatype *b);

/* What an array, of any number of dimensions, consists of. */
const struct c_type *c_element_of(const struct c_type *type);

#endif
