/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/struct.h: the members of a struct, with the basic datatypes of MPI, as the
 * compiler lays them out. */
#ifndef SUGGEST_C_STRUCT_H
#define SUGGEST_C_STRUCT_H

#include "tree.h"

typedef struct layout_place {
    const char *file;
    unsigned line, column;
} layout_place_t;

/* A member that one block of a datatype describes. Members of nested structs are members; an array
 * of structs of several types is one. */
typedef struct layout_member {
    const char *path; /* from the struct: "x", "in.q" */
    layout_place_t place;
    int64_t offset;  /* bytes; -1: libclang does not know it (the second of several base classes) */
    int64_t count;   /* of elements */
    bool is_array;   /* of elements: also a struct of equal members */
    bool is_struct;  /* of equal members, or an array of such structs */
    int64_t size;    /* of an element, bytes */
    const char *mpi; /* MPI_DOUBLE; NULL: nested, or it cannot be sent */
    const char *element;         /* the C type of an element */
    const struct layout *nested; /* the elements, if they are structs of several types */
    const char *why, *advice;    /* it cannot be sent, and what to do; else NULL */
    const char *hidden_in;       /* the class that it is a private member of; else NULL */
} layout_member_t;

typedef struct layout {
    const char *type;      /* as code writes it: "struct particle", "ns::particle" */
    const char *prefix;    /* NULL, or the struct has no name: it is this member of `type` */
    const char *name;      /* for names of functions: "particle" */
    const char *canonical; /* as the types of the tree have it */
    layout_place_t place;
    int64_t size;
    bool is_local; /* declared in a function */
    layout_member_t *members;
    size_t n;
} layout_t;

/* Reads PATH as c_parse() does, and the struct NAME in it or its headers: a tag, a typedef, or of
 * C++ a class, with or without namespaces. Without it *LAYOUT is NULL and *PROBLEM says why, in the
 * unit's memory, with *FOUND: the name means something else. */
c_unit_t *layout_parse(const char *path, const char *const *arguments, int n_arguments,
                       const char *name, const layout_t **layout, const char **problem,
                       bool *found);

#endif
