/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random types of a given signature. Whatever the signature and the limits, the type comes out with
 * exactly that signature, so two calls give two types that may talk to each other.
 */
#ifndef TEST_RANDOM_TYPE_H
#define TEST_RANDOM_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/type.h"
#include "rng.h"

#define SIGNATURE_MAX 6

/* The pattern of basic sizes, repeated. */
typedef struct signature {
    int npattern;
    int64_t pattern[SIGNATURE_MAX];
    int64_t reps; /* may be 0 */
} signature_t;

typedef struct type_limits {
    int levels;         /* constructors on a path */
    int64_t max_bytes;  /* packed size */
    int64_t max_span;   /* bytes between the first and the last byte of data */
    int64_t max_blocks; /* entries of a list of displacements */
    bool overlap;       /* allow stride 0, repeated displacements and too small extents */
    bool state_bounds;  /* leave no bounds of a struct to the markers rule */
} type_limits_t;

int64_t signature_bytes(const signature_t *signature);

/* A signature of at most limits->max_bytes. */
signature_t random_signature(rng_t *rng, const type_limits_t *limits);

/*
 * A type of `signature`. limits->max_span must be at least the signature's bytes. On failure, which
 * is always a fault of the library because every argument is legal, *what names the constructor.
 */
dame_status_t random_type(rng_t *rng, const type_limits_t *limits, const signature_t *signature,
                          dame_tree_t *tree, const dame_type_t **out, const char **what);

#endif
