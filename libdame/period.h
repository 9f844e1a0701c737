/* SPDX-License-Identifier: BSD-3-Clause */
/* What a type signature is kept as (signature.h). Private to this room. */
#ifndef LIBDAME_PERIOD_H
#define LIBDAME_PERIOD_H

#include <stdatomic.h>
#include <stdint.h>

enum { DAME_MOST_RUNS = 1024 };

typedef struct dame_basic dame_basic_t;

/* `count` equal basic elements. The kind belongs to a basic datatype, which the owner keeps alive.
 */
typedef struct dame_run {
    const dame_basic_t *basic;
    int64_t count;
} dame_run_t;

typedef struct dame_period {
    atomic_int references;
    int32_t nruns;    /* at least 1; neighbours differ */
    int64_t elements; /* basic elements in all runs */
    dame_run_t runs[];
} dame_period_t;

typedef struct dame_signature {
    int64_t elements;      /* basic elements */
    dame_period_t *period; /* NULL: no elements, or no period that is kept */
    int64_t repeats;       /* of the period */
} dame_signature_t;

#endif
