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

enum made_about { MADE_ABOUT_NOTHING, MADE_ABOUT_STRUCT, MADE_ABOUT_OTHER };

struct made_block {
    int64_t length, displacement;
    const struct made *type;
};

/* A datatype. */
struct made {
    const struct c_datatype *basic;
    const char *unknown; /* what of it is not known; NULL: all is */
    struct made_block *blocks;
    size_t n;
    int64_t extent;
    bool is_resized;
    bool is_absolute;      /* displacements from MPI_BOTTOM to one object */
    enum made_about about; /* the struct that numbers are computed from */
};

/* A call of MPI_Type_create_struct, or of MPI_Type_contiguous with a count made of the struct. */
struct made_call {
    const struct c_node *call;
    const struct c_symbol *variable; /* of the handle, or NULL */
    const struct made *type;
    const struct made *resized; /* of it, or NULL */
    bool differs;               /* it made different datatypes */
    struct made_call *next;
};

/* All calls, in the order of the text. CANONICAL is the struct's type as the tree names it. */
struct made_call *made_find(struct c_unit *unit, const char *canonical);

#endif
