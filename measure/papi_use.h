/* SPDX-License-Identifier: BSD-3-Clause */
/* A use of which hardware events are counted. */
#ifndef DAME_PAPI_USE_H
#define DAME_PAPI_USE_H

enum { DAME_COUNTERS = 8 }; /* most events that are counted at once */

/* A use in progress; private to counters.c and papi.c. */
typedef struct dame_papi_use {
    int sets[DAME_COUNTERS]; /* PAPI's event sets */
    int cancel_state;
} dame_papi_use_t;

#endif
