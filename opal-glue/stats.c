#include "stats.h"

#include <stddef.h>
#include <time.h>

#include "jit/lock.h"

static const struct {
    const char *name;
    const char *description;
} counters[] = {
#define DT_COUNTER(name, unit, description) {#name, description},
#include "stats.def"
#undef DT_COUNTER
};

static const struct {
    const char *name;
    const char *text;
} declines[] = {
    {"NONE", "none"},
#define DT_DECLINE(name, description) {#name, description},
#include "decline.def"
#undef DT_DECLINE
};

/* Under DAME_LOCK_STATS. */
static dt_stats_t *threads; /* of living threads */
static dt_stats_t gone;     /* sum over threads that ended */
static dame_limit_t first_limit;

/* ---- Threads -------------------------------------------------------------------------------- */

void dt_stats_add_thread(dt_stats_t *stats)
{
    stats->next = threads;
    threads = stats;
}

/* A thread's counts move to the sum. */
static void add_to_gone(const dt_stats_t *stats)
{
    for (int i = 0; i < DT_COUNTERS; i++) {
        dt_stats_add(&gone.count[i], atomic_load_explicit(&stats->count[i], memory_order_relaxed));
    }
    for (int i = 0; i < DT_DECLINES; i++) {
        dt_stats_add(&gone.declined[i],
                     atomic_load_explicit(&stats->declined[i], memory_order_relaxed));
    }
}

void dt_stats_remove_thread(dt_stats_t *stats)
{
    for (dt_stats_t **at = &threads; NULL != *at; at = &(*at)->next) {
        if (*at == stats) {
            *at = stats->next;
            break;
        }
    }
    add_to_gone(stats);
}

void dt_stats_keep_thread(dt_stats_t *own)
{
    dt_stats_t *kept = NULL;
    while (NULL != threads) {
        dt_stats_t *stats = threads;
        threads = stats->next;
        if (stats == own) {
            kept = stats;
        } else {
            add_to_gone(stats);
        }
    }
    threads = kept;
    if (NULL != kept) {
        kept->next = NULL;
    }
}

/* ---- Sums and texts ------------------------------------------------------------------------- */

static int64_t counter_at(const dt_stats_t *stats, size_t offset)
{
    const _Atomic int64_t *counter = (const _Atomic int64_t *) ((const char *) stats + offset);
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Sum of the counter that stands `offset` bytes into every thread's counts. */
static int64_t sum(size_t offset)
{
    dame_lock(DAME_LOCK_STATS);
    int64_t total = counter_at(&gone, offset);
    for (const dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
        total += counter_at(stats, offset);
    }
    dame_unlock(DAME_LOCK_STATS);
    return total;
}

int64_t dt_stats_total(dt_counter_t counter)
{
    return sum(offsetof(dt_stats_t, count) + counter * sizeof(_Atomic int64_t));
}

int64_t dt_stats_declined(dt_decline_t reason)
{
    return sum(offsetof(dt_stats_t, declined) + reason * sizeof(_Atomic int64_t));
}

void dt_stats_tell_limit(const dame_limit_t *limit)
{
    dame_lock(DAME_LOCK_STATS);
    if (NULL == first_limit.what) {
        first_limit = *limit;
    }
    dame_unlock(DAME_LOCK_STATS);
}

dame_limit_t dt_stats_limit(void)
{
    dame_lock(DAME_LOCK_STATS);
    const dame_limit_t limit = first_limit;
    dame_unlock(DAME_LOCK_STATS);
    return limit;
}

const char *dt_counter_name(dt_counter_t counter)
{
    return counters[counter].name;
}

const char *dt_counter_description(dt_counter_t counter)
{
    return counters[counter].description;
}

const char *dt_decline_name(dt_decline_t reason)
{
    return declines[reason].name;
}

const char *dt_decline_text(dt_decline_t reason)
{
    return declines[reason].text;
}

int64_t dt_now(void)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}
