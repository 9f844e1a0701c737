/*
 * Counters of what DAME does, which glue.h lists and sums up. Every thread counts for itself,
 * without locks or atomic read-modify-write; readers add up. A thread's counts survive it.
 */
#ifndef DT_STATS_H
#define DT_STATS_H

#include <stdatomic.h>
#include <stdint.h>

#include "glue.h"

/* One thread's counts. */
typedef struct dt_stats {
    _Atomic int64_t count[DT_COUNTERS];
    _Atomic int64_t declined[DT_DECLINES];
    struct dt_stats *next; /* the next living thread's, not owned; under DAME_LOCK_STATS */
} dt_stats_t;

/* Only the owning thread adds, so a plain sum is enough. */
static inline void dt_stats_add(_Atomic int64_t *counter, int64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

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
