/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dame_papi.so, the only object that needs PAPI, gives to counters.c. Private to measure/.
 */
#ifndef DAME_PAPI_H
#define DAME_PAPI_H

#include <stddef.h>
#include <stdint.h>

#include "papi_use.h"

#define DAME_PAPI_VERSION 1

typedef struct dame_papi {
    int32_t version; /* DAME_PAPI_VERSION: what follows is as declared here */

    /*
     * Initialises PAPI, or joins an application that has. Takes the first events of names[0 ...
     * n-1] that can be counted, all at the same time, to the front of the array and returns how
     * many. `why`, which has `room` > 0 bytes, says what the matter with the others is; "" when all
     * can be counted. Once, before the other functions.
     */
    int32_t (*open)(const char **names, int32_t n, char *why, size_t room);

    /* Counts what the calling thread does from now on: sets use->sets. 0, or PAPI's error number;
     * then nothing is counted and end() is not called. Any thread. */
    int (*begin)(dame_papi_use_t *use);

    /* Ends that; counts[event]: the counts since then. 0, or PAPI's error number. */
    int (*end)(dame_papi_use_t *use, int64_t *counts);

    const char *(*error_text)(int error); /* static storage */
} dame_papi_t;

/* The one function that dame_papi.so exports. */
const dame_papi_t *dame_papi(void);

#endif
