/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile knows (profile.h). */
#ifndef DAME_PROFILE_TYPES_H
#define DAME_PROFILE_TYPES_H

#include <stddef.h>
#include <stdint.h>

enum {
    DAME_PROFILE_WORD = 32,     /* bytes of a word with its '\0': letters, digits and :+._<=- */
    DAME_PROFILE_NAME = 80,     /* of a code's name: DAME_CANDIDATE_NAME (jit/jit.h) */
    DAME_PROFILE_RECORDS = 4096 /* most records */
};

/* What a value is of. */
typedef struct dame_profile_key {
    char kind[DAME_PROFILE_WORD];      /* dame_profile_kind(), or "compile" */
    char candidate[DAME_PROFILE_NAME]; /* "interp", or a code: "x:plain"; for "compile": "x" */
    int32_t dir;                       /* dame_dir_t */
    int32_t size_class;                /* dame_profile_class(); 0 for "compile" */
} dame_profile_key_t;

typedef struct dame_profile_value {
    int64_t mean;    /* clock ticks (measure/clock.h) for 1 MiB of packed bytes; for "compile":
                        nanoseconds. 0 to 2^40 */
    int64_t samples; /* measurements that it is the mean of, 1 to 4096: older ones count less and
                        less then */
} dame_profile_value_t;

#endif
