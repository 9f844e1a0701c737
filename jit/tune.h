/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Priors: the fastest choices on a CPU of each make. DAME-X's first variant (x/variant.h) follows
 * them. Private to jit/ and the tests.
 */
#ifndef DAME_TUNE_H
#define DAME_TUNE_H

#include "dame/cpu.h"
#include "dame/program.h"

typedef struct dame_tune {
    const char *measured_on; /* the machine that the values come from */
    int move_bytes;    /* widest registers that copy whole blocks, on CPUs that also have AVX-512
                          VBMI */
    int gathers_pairs; /* packed vectors of several blocks come from two of user memory */
    int scatter_bytes; /* widest registers that unpack several blocks at once */
    int prefetches[2]; /* [dame_dir_t]; loops over short blocks fetch lines ahead */
} dame_tune_t;

/* Static storage. */
const dame_tune_t *dame_tune_of(dame_make_t make);

#endif
