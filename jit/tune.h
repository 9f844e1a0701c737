/*
 * What is fastest on which make of CPU: the values behind options that are "auto". Only tune.c asks
 * what the CPU is. Private to jit/ and the tests.
 */
#ifndef DAME_TUNE_H
#define DAME_TUNE_H

#include "dame/program.h"

typedef enum dame_make { DAME_MAKE_OTHER, DAME_MAKE_AMD, DAME_MAKE_INTEL, DAME_MAKES } dame_make_t;

typedef struct dame_tune {
    const char *measured_on; /* the machine that the values come from */
    int move_bytes; /* widest registers that copy whole blocks, where AVX-512 VBMI is there, too */
    int scatter_bytes;            /* widest registers that unpack several blocks at once */
    int64_t prefetch_distance[2]; /* [dame_dir_t]; see dame_jit_options_t */
} dame_tune_t;

/* Static storage. */
const dame_tune_t *dame_tune_of(dame_make_t make);

/* The CPU that this process runs on. */
dame_make_t dame_make_here(void);

#endif
