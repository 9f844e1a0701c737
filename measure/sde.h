/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters as PAPI's software-defined events (PAPI 7, libsde), which tools read with PAPI beside
 * hardware events: "sde:::DAME::messages_packed".
 *
 * Only for programs that have PAPI: nothing is loaded where it is not, and nothing is needed to
 * build this.
 */
#ifndef DAME_SDE_H
#define DAME_SDE_H

#include <stdint.h>

typedef struct dame_sde_counter {
    const char *name;                  /* static storage, as the description */
    const char *description;           /* a sentence */
    int is_level;                      /* a present number; otherwise it counts up */
    long long (*read)(void *argument); /* any thread calls it, as long as the process lives */
    void *argument;
} dame_sde_counter_t;

/* Offers a library's counters, once a process. Returns how many libsde has taken: 0 in a program
 * without PAPI. PAPI looks for libsde when it is initialised: after this call, or the program must
 * have it. */
int32_t dame_sde_offer(const char *library, const dame_sde_counter_t *counters, int32_t n);

#endif
