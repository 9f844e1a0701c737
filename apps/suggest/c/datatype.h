/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/datatype.h: MPI's basic datatypes in C, by the names and handles of the source. */
#ifndef SUGGEST_C_DATATYPE_H
#define SUGGEST_C_DATATYPE_H

#include "tree.h"

typedef struct c_datatype {
    const char *mpi; /* MPI_DOUBLE */
    const char *c;   /* the canonical type of an element; NULL: bytes of anything */
    int64_t size;    /* bytes */
    int64_t mpich;   /* its handle in MPICH */
} c_datatype_t;

/* The datatype that an argument names, or NULL: it is derived, or not known. */
const c_datatype_t *c_find_datatype(c_unit_t *unit, const c_node_t *argument);

/* The datatype of elements of that C type, or NULL. */
const c_datatype_t *c_datatype_of(const c_type_t *type);

/* Does the datatype name elements of that C type, or of an array of them? */
bool c_datatype_fits(const c_datatype_t *datatype, const c_type_t *type);

/* The datatype of that name, or NULL. */
const c_datatype_t *c_named_datatype(const char *mpi);

/* Do they name the same bytes, of integers of one size and sign, or of one type of real numbers?
 * Bytes of anything are not the same as other datatypes. */
bool c_same_datatype(const c_datatype_t *a, const c_datatype_t *b);

/* What an array, of any number of dimensions, consists of. */
const c_type_t *c_element_of(const c_type_t *type);

#endif
