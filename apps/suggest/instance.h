/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program at given sizes: numbers for its atoms, for the entries of its index arrays and for its
 * guards.
 */
#ifndef SUGGEST_INSTANCE_H
#define SUGGEST_INSTANCE_H

#include "dame/type.h"
#include "types.h"

typedef struct instance {
    const access_program_t *program;
    int natoms;
    int64_t *values; /* of names, opaque atoms and loops, by atom */
    uint64_t seed;   /* decides entries and guards */
    int64_t low;     /* entries are random numbers from low on ... */
    int64_t span;    /* ... this many; 0: entry i of an array is about 2 * i, ascending */
    bool open;       /* all guards hold */
} instance_t;

/* All values are 0. false: memory is out. */
bool instance_init(instance_t *instance, const access_program_t *program);
void instance_fini(instance_t *instance);

/* The value of a polynomial; false: it does not fit in 64 bits. */
bool instance_value(const instance_t *instance, const poly_t *a, int64_t *value);

/* Does the guard's condition hold? One condition and equal values of its bindings: one answer. */
bool instance_holds(const instance_t *instance, const access_guard_t *guard, bool *holds);

/* A number from a seed, of good quality in all its bits. */
uint64_t instance_random(uint64_t *state);

/*
 * The node as a type of DAME, seen from its origin (types.h). Bases stand far apart, each at a
 * multiple of `apart` bytes. DAME_ERR_RANGE where numbers do not fit, DAME_ERR_LIMIT when there
 * would be more than `most` blocks in lists, DAME_ERR_NOMEM.
 */
dame_status_t instance_type(instance_t *instance, const types_node_t *node, int64_t apart,
                            int64_t most, dame_tree_t *tree, const dame_type_t **out);

#endif
