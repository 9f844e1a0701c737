/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes for self_test_engine.c, made in Open MPI and, without it, as lists of pieces. */
#ifndef DT_SELF_TEST_TYPES_H
#define DT_SELF_TEST_TYPES_H

#include <stddef.h>

#include "abi.h"

enum { DT_SELF_TEST_PIECES = 256 };

/* What an element consists of, in packed order. */
typedef struct dt_self_test_type {
    const char *name;
    opal_datatype_t *native; /* committed */
    int n;
    struct {
        ptrdiff_t disp;
        size_t size;
    } pieces[DT_SELF_TEST_PIECES];
    size_t size;
    ptrdiff_t true_lb;
    ptrdiff_t true_ub;
    size_t count;    /* elements of a message */
    bool contiguous; /* an element is one block */
    bool no_gaps;    /* and so are several */
} dt_self_test_type_t;

enum { DT_SELF_TEST_TYPES = 13 };

/* False: Open MPI made none. End with dt_self_test_type_free(), which knows a failed one. */
bool dt_self_test_type_new(dt_self_test_type_t *type, int which);
void dt_self_test_type_free(dt_self_test_type_t *type);

#endif
