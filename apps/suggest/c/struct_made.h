/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/struct_made.h: the datatypes that functions make with MPI_Type_create_struct.
 *
 * Each function of the unit runs with the values that it shows: constants, offsetof, sizeof, and
 * addresses of objects of which nothing but differences is known. Both ways of a condition are
 * followed, and so are loops with constant trips. A value that may have changed is not known; so a
 * value that is known is certain. */
#ifndef SUGGEST_C_STRUCT_MADE_H
#define SUGGEST_C_STRUCT_MADE_H

#include "datatype.h"

typedef enum made_about { MADE_ABOUT_NOTHING, MADE_ABOUT_STRUCT, MADE_ABOUT_OTHER } made_about_t;

typedef struct made_block {
    int64_t length, displacement;
    const struct made *type;
} made_block_t;

/* A datatype. */
typedef struct made {
    const c_datatype_t *basic;
    const char *unknown; /* what of it is not known; NULL: all is */
    made_block_t *blocks;
    size_t n;
    int64_t extent;
    bool is_resized;
    bool is_absolute;   /* displacements from MPI_BOTTOM to one object */
    made_about_t about; /* the struct that numbers are computed from */
} made_t;

/* A call of MPI_Type_create_struct, or of MPI_Type_contiguous with a count made of the struct. */
typedef struct made_call {
    const c_node_t *call;
    const c_symbol_t *variable; /* of the handle, or NULL */
    const made_t *type;
    const made_t *resized; /* of it, or NULL */
    bool differs;          /* it made different datatypes */
    struct made_call *next;
} made_call_t;

/* All calls, in the order of the text. CANONICAL is the struct's type as the tree names it. */
made_call_t *made_find(c_unit_t *unit, const char *canonical);

#endif
