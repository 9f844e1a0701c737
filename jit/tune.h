/*
 * What is fastest on which make of CPU: the values behind options that are "auto". Private to jit/
 * and the tests.
 */
#ifndef DAME_TUNE_H
#define DAME_TUNE_H

#include "dame/cpu.h"
#include "dame/program.h"

typedef struct dame_tune {
    const char *measured_on; /* the machine that the values come from */
    int move_bytes; /* widest registers that copy whole blocks, where AVX-512 VBMI is there, too */
    int scatter_bytes;            /* widest registers that unpack several blocks at once */
    int64_t prefetch_distance[2]; /* [dame_dir_t]; see dame_jit_options_t */
} dame_tune_t;

/* Static storage. */
const dame_tune_t *dame_tune_of(dame_make_t make);

#endif
