/* SPDX-License-Identifier: BSD-3-Clause */
/* What may differ between two compilations of one level. Private to jit/x/ and the tests. */
#ifndef DAME_X_PARAMETERS_H
#define DAME_X_PARAMETERS_H

#include <stdint.h>

#include "dame/program.h"

/* As in dame_jit_options_t (jit/jit.h). */
typedef struct x_options {
    int64_t vector_bits;
    int64_t unroll_bytes;
    int64_t straight_bytes;
    int64_t memcpy_bytes;
    int64_t prefetch_distance;
    int64_t list_entries;
    int64_t variant;       /* the number of the only one, -1: what suits the program */
    int64_t most_unrolled; /* iterations; by the variant alone */
} x_options_t;

enum { X_UNROLL_BYTES = 192 }; /* the default, which variants differ from */

/*
 * Walks gain from prefetching that touch at least this many cache lines, more than the first cache
 * has. When packing, so may shorter ones, since their loads wait for stores at the same offset in a
 * page: a load that was prefetched waits less.
 */
enum { X_MANY_LINES = 1 << 11, X_FEW_LINES = 96 };

static inline int64_t x_least_lines(dame_dir_t dir)
{
    return dir == DAME_PACK ? X_FEW_LINES : X_MANY_LINES;
}

/* Blocks of at least this many bytes that do not begin on a line have aligned stores. */
enum { X_ALIGNED_LEAST = 256 };

#endif
