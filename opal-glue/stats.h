/*
 * Counters of what DAME does, which glue.h lists and sums up. Every thread counts for itself,
 * without locks or atomic read-modify-write; readers add up. A thread's counts survive it.
 *
 * Messages of the layouts that a thread uses are counted in its dt_recent_t (recent.h), in
 * two words each. dt_stats_settle() moves them to the counters and to the tally; until
 * then, whoever sums up adds them, and begins anew when a thread has settled meanwhile.
 */
#ifndef DT_STATS_H
#define DT_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "glue.h"

struct dt_tally;

/* Messages of one layout and tally, of one thread, by dt_work_t. Aligned so that an index becomes a
 * shift. */
typedef struct dt_recent {
    uint64_t ticket;                  /* of the entry, when uses were granted; 0: unused */
    void *codes[2];                   /* [dame_dir_t]; of its program, when uses were granted */
    _Atomic uint64_t uses[DT_WORKS];  /* granted, and in the lower half those left of them */
    _Atomic int64_t bytes[DT_WORKS];  /* of the granted uses that are not left */
    _Atomic int32_t tier[DT_WORKS];   /* dt_tier_t: what runs since they were granted */
    _Atomic(struct dt_tally *) tally; /* NULL: none is kept */
    int32_t misses;                   /* uses of layouts that found this one here */
    int32_t untold[2]; /* [dame_dir_t]; uses of the layout that was here before, which
                          the policy of promotion has not heard of */
    uint64_t before;   /* its ticket */
} __attribute__((aligned(128))) dt_recent_t;

_Static_assert(sizeof(dt_recent_t) == 128, "each thread has DT_RECENTS of them");

/* Layouts are numbered in sequence, so those in use share none of these before there are more. */
enum { DT_RECENTS = 64 };

/* One thread's counts. */
typedef struct dt_stats {
    _Atomic int64_t count[DT_COUNTERS];
    _Atomic int64_t declined[DT_DECLINES];
    struct dt_stats *next;     /* the next living thread's, not owned; under DAME_LOCK_STATS */
    bool listed;               /* among the living threads */
    _Atomic uint32_t settling; /* odd while counts move from `recent`, and another each time */
    dt_recent_t recent[DT_RECENTS];
} dt_stats_t;

/* Only the owning thread adds, so a plain sum is enough. */
static inline void dt_stats_add(_Atomic int64_t *counter, int64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Moves what was counted to the thread's counters and the tally, and ends the grant. Of the calling
 * thread. Returns the uses. */
int32_t dt_stats_settle(dt_stats_t *stats, dt_recent_t *recent, dt_work_t work);

/* The same for all of every thread's, of which none moves data. Then no tally is referred to. */
void dt_stats_settle_all(void);

/* What was counted of a tally's datatypes by now, by all threads. */
void dt_stats_of_tally(const struct dt_tally *tally, int64_t uses[DT_WORKS][DT_TIERS],
                       int64_t bytes[DT_WORKS][DT_TIERS]);

/*
 * For thread.c, with DAME_LOCK_STATS held: a thread's counts are added up from now on; the thread
 * ends, and its counts stay; the process is the child of a fork(), in which only the thread of
 * `own` (NULL: one that was not added) lives.
 */
void dt_stats_add_thread(dt_stats_t *stats);
void dt_stats_remove_thread(dt_stats_t *stats);
void dt_stats_keep_thread(dt_stats_t *own);

/* Keeps the first limit that a datatype exceeded, for the report. Any thread. */
void dt_stats_tell_limit(const dame_limit_t *limit);

/* Nanoseconds on a clock that only runs forward. */
int64_t dt_now(void);

#endif
