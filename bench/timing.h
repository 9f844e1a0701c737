/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of operations that take turns. */
#ifndef TIMING_H
#define TIMING_H

#include "layouts.h"

struct job; /* what to operate on: the program's own */

struct timing {
    const char *kind;
    void (*run)(const struct job *job);
};

/* Seconds that each operation runs before it is sampled, so that measured promotion is over; 0. */
extern double timing_warming;

/* Called before each sample, which then is of one operation; not timed. NULL if absent. */
extern void (*timing_prepare)(const struct job *job);

/* All of them do the same as the first, to and from the layout's send side: else the job ends with
 * a message. */
void timing_check_pack(struct layout *layout, unsigned char *packed, const struct timing *timings,
                       int n, const struct job *job);
void timing_check_unpack(struct layout *layout, unsigned char *packed, const struct timing *timings,
                         int n, const struct job *job);

/*
 * In each turn (lib/turns.h), prints a line for each sample of each timing: "LAYOUT WHAT KIND
 * NANOSECONDS", for one operation. A sample repeats the operation until it takes 200 us, without
 * timing_prepare.
 */
void timing_print(const char *layout, const char *what, const struct timing *timings, int n,
                  const struct job *job);

#endif
