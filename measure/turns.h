/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alternatives that are timed in turns, so that disturbances of the machine affect all of them
 * alike. For commands and benchmarks, which may repeat a measurement. (A job's own messages, which
 * come once, are policy.h's.) Needs libc only.
 */
#ifndef DAME_TURNS_H
#define DAME_TURNS_H

#include <stdint.h>

#include "base/busy.h"

typedef struct dame_turns {
    /* The caller sets these. */
    int n;                                     /* alternatives, 1 and more */
    void (*prepare)(void *context, int which); /* before its turn, not timed; NULL: nothing */
    void (*run)(void *context, int which, int64_t times); /* so often in a row */
    /* The same of an alternative that times itself: seconds; below 0: it does not, and run() runs
     * it. NULL: none does. */
    double (*run_timed)(void *context, int which, int64_t times);
    void *context;
    double sample;   /* seconds of a sample, which is of one run only if that takes longer */
    double seconds;  /* for all rounds; .. */
    int least, most; /* .. but in this range, 1 <= least <= most */

    /* dame_turns_run() sets these. */
    int rounds;
    double *samples;      /* [n][rounds]: seconds of one run, the fastest first */
    dame_waited_t waited; /* by this thread, for a CPU, and not in run_timed() */
} dame_turns_t;

/*
 * Runs each alternative once to touch its memory, finds out how many runs make a sample, and takes
 * a sample of each in every round. -1: out of memory, and nothing is to be freed; else 0.
 */
int dame_turns_run(dame_turns_t *turns);

/* Seconds of a run: of the fastest round with part 0, the median with 0.5, the slowest with 1. */
double dame_turns_at(const dame_turns_t *turns, int which, double part);

void dame_turns_free(dame_turns_t *turns);

#endif
