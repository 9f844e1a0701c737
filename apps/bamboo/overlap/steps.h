/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps: the part of a run in which the rank makes the same calls again and again.
 *
 * The last EVENTS calls are kept. Once that many have come, and at the end, the anchor of the steps
 * is looked for among them: a site such that, between two of its calls (of calls that follow each
 * other, as in a loop over neighbours, the last), at least 8 of 10 times the same sites are called
 * (how often and in which order is free, so that loops inside may vary). Of
 * several anchors that cover about as many calls, the one called most often is taken, hence the
 * innermost loop of at least five iterations. When EVENTS calls pass without the anchor, another is
 * looked for. The steps that took longest together are those of the run.
 *
 * Steps that take much longer than most (a process was descheduled, a file written) are counted,
 * but left out of the sums: these are to say what a step is like.
 */
#ifndef OVERLAP_STEPS_H
#define OVERLAP_STEPS_H

#include "overlap.h"

enum { EVENTS = 1 << 15, BUCKETS = 64 * 8, LONG = 4 };

typedef struct event {
    int64_t begin, end;
    int64_t gap;   /* before it, outside MPI */
    int64_t tests; /* before it, in MPI_Test and its relatives */
    traffic_t traffic;
    uint32_t site;
} event_t;

/* The calls of a site. */
typedef struct stats {
    int64_t count, ns, gap, tests;
    traffic_t traffic;
} stats_t;

/* Between two collectives: what lies there can be overlapped. In the place of the second's site. */
typedef struct stretch {
    int64_t gap, starts, waits;
} stretch_t;

/* The whole run, or its steps. */
typedef struct part {
    unsigned anchor;
    bool runs; /* a step ends with the last of several calls of the anchor */
    int64_t steps, begin, end, max;
    int64_t extra, extra_ns; /* steps that took over LONG times the median: of those, only this */
    int64_t longest;         /* that a step may take; 0: not known yet */
    stats_t *stats;          /* SITES of them */
    stretch_t *stretches;
    uint32_t buckets[BUCKETS]; /* steps by their time: 8 buckets between powers of two */
    stretch_t open;            /* since the last collective */
} part_t;

extern part_t steps_whole;

/* The steps of the run, after steps_finish(); NULL: none was found. */
const part_t *steps_longest(void);

/* false: memory was out, and nothing is to be added. */
bool steps_open(void);
void steps_add(const event_t *event);
void steps_finish(void);

/* Behind steps_finish(): makes calls that are added cost what they cost in a step. */
void steps_calibrate(void);

/* Of the steps' times, to 1/16. */
int64_t steps_median(const part_t *part);

#endif
