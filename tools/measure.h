/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the tiers of the engine on one message. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>

#include "dame/dame.h"
#include "cli/native.h"
#include "jit/jit.h"
#include "measure/turns.h"

enum { MEASURE_MEMCPY = -2, MEASURE_NATIVE = -1, MEASURE_TIERS = 4 }; /* in the place of a tier */

typedef struct measure_case {
    int tier;
    dame_dir_t dir;
} measure_case_t;

/* The caller sets the first part; measure_run() the second; measure_free() frees that. */
typedef struct measure {
    const dame_program_t *program;
    int64_t count;            /* elements */
    int64_t low, high, total; /* of tool_span(); total > 0 */
    double seconds;           /* for all; more where messages are large */
    const char *llvm;         /* dame_llvm.so; NULL: without tier l */
    native_t *native;         /* Open MPI's own engine, started, takes turns; NULL */

    dame_jit_t *jits[MEASURE_TIERS]; /* of the tiers that compile */
    dame_program_t *programs[MEASURE_TIERS];
    dame_status_t missing[MEASURE_TIERS]; /* why one is absent, or DAME_OK */
    char *memory;                         /* byte 0 is at `low` */
    char *packed[3];                      /* total bytes each */
    measure_case_t cases[3 + 2 * MEASURE_TIERS];
    int ncases;
    dame_turns_t turns; /* of the cases */
} measure_t;

/* An exit code of tool.h, after a message. Checks that all tiers pack and unpack the same bytes. */
int measure_run(measure_t *measure);

/* Median of packed bytes a second, in 10^9. memcpy has one for both directions. */
double measure_rate(const measure_t *measure, int tier, dame_dir_t dir);

void measure_free(measure_t *measure);

/* Why a tier, or MEASURE_MEMCPY, is missing for this program; NULL: it is there. */
const char *measure_missing(const measure_t *measure, int tier);

/* Also of MEASURE_MEMCPY. */
const char *measure_tier_name(int tier);

#endif
