/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's basic datatypes: how people write them, and what libdame calls them. */
#ifndef BASIC_H
#define BASIC_H

#include <stddef.h>
#include <stdint.h>

typedef struct basic {
    const char *mpi;  /* "MPI_DOUBLE" */
    const char *kind; /* libdame's name: "double" */
    int64_t size;     /* 0: that of the kind */
    int64_t align;    /* what C requires for it, in bytes */
    const char *pair; /* the kind of the value of MPI_DOUBLE_INT and its like, then followed by an
                         int; otherwise NULL */
    int64_t index_at; /* a pair's displacement of the int */
    int64_t extent;   /* bytes from one to the next */
} basic_t;

/* A name such as MPI_DOUBLE, double, "unsigned int", int32_t or float64; case does not matter. NULL
 * if unknown. */
const basic_t *basic_named(const char *name, size_t length);

/* One of `size` bytes, of integers or bytes, for programs that do not say more. */
const basic_t *basic_of_bytes(int64_t size);

#endif
