/*
 * Counters of what DAME does. Every thread counts for itself, without locks or atomic
 * read-modify-write; readers add up. A thread's counts survive it.
 */
#ifndef DT_STATS_H
#define DT_STATS_H

#include <stdatomic.h>
#include <stdint.h>

typedef enum dt_counter {
#define DT_COUNTER(name, unit, description) DT_COUNT_##name,
#include "stats.def"
#undef DT_COUNTER
    DT_COUNTERS
} dt_counter_t;

typedef enum dt_decline {
    DT_DECLINE_NONE,
#define DT_DECLINE(name, description) DT_DECLINE_##name,
#include "decline.def"
#undef DT_DECLINE
    DT_DECLINES
} dt_decline_t;

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
 * ends, and its counts stay; the process is the child of a fork(), in which only the thread of `own`
 * (NULL: one that was not added) lives.
 */
void dt_stats_add_thread(dt_stats_t *stats);
void dt_stats_remove_thread(dt_stats_t *stats);
void dt_stats_keep_thread(dt_stats_t *own);

/* Sums over all threads, living and gone. */
int64_t dt_stats_total(dt_counter_t counter);
int64_t dt_stats_declined(dt_decline_t reason);

/* Static texts from the tables. */
const char *dt_counter_name(dt_counter_t counter);
const char *dt_counter_description(dt_counter_t counter);
const char *dt_decline_text(dt_decline_t reason);

/* Nanoseconds on a clock that only runs forward. */
int64_t dt_now(void);

#endif
