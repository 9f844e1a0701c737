/*
 * Counters of what DAME does. Every thread counts for itself, without locks or atomic
 * read-modify-write; readers add up. A thread's counts survive it.
 */
#ifndef DT_STATS_H
#define DT_STATS_H

#include <stdatomic.h>
#include <stdint.h>

#include "dame/status.h"

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
    struct dt_stats *next; /* list of all threads' */
    int listed;
} dt_stats_t; /* see thread.h */

/* Only the owning thread adds, so a plain sum is enough. */
static inline void dt_stats_add(_Atomic int64_t *counter, int64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Sums over all threads, living and gone. */
int64_t dt_stats_total(dt_counter_t counter);
int64_t dt_stats_declined(dt_decline_t reason);

/* Keeps the first limit that a datatype exceeded, for the report. Any thread. */
void dt_stats_tell_limit(const dame_limit_t *limit);
/* That limit, all zero if there was none. */
dame_limit_t dt_stats_limit(void);

/* Static texts from the tables. */
const char *dt_counter_name(dt_counter_t counter);
const char *dt_counter_description(dt_counter_t counter);
const char *dt_decline_text(dt_decline_t reason);

/* Before the first count. There is no end: threads may end after Open MPI has. */
void dt_stats_start(void);

/* Nanoseconds on a clock that only runs forward. */
int64_t dt_now(void);

#endif
