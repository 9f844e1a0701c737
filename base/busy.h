/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells whether the machine was busy while something was measured. A thread that others keep
 * from running waits for a CPU, and Linux counts that (sched-stats). Needs libc only.
 */
#ifndef DAME_BUSY_H
#define DAME_BUSY_H

#include <stddef.h>

/* The share of the time in which a thread wanted a CPU. If it waited for longer, times are not
 * certain. */
#define DAME_BUSY 0.05

/* Seconds that a thread has had a CPU, and wanted one in vain; both 0: not known. */
typedef struct dame_waited {
    double ran, waited;
} dame_waited_t;

/* Returns the calling thread's waits since its start. */
dame_waited_t dame_waited_now(void);

/* What came since `before`, which may be another thread's that had less. */
dame_waited_t dame_waited_since(dame_waited_t before);

/* The part of its time that a thread waited for a CPU, 0 to 1; -1: not known. */
double dame_busy(dame_waited_t waited);

/* Where that is more than DAME_BUSY: one line about it, with the load; else "". Returns `text`. */
const char *dame_busy_text(char *text, size_t room, double busy);

#endif
