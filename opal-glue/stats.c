#include "stats.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "jit/lock.h"
#include "promote.h"
#include "thread.h"

static const struct {
    const char *name;
    const char *description;
} counters[] = {
#define DT_COUNTER(name, unit, description) {#name, description},
#include "stats.def"
#undef DT_COUNTER
};

static const char *const declines[] = {
    "none",
#define DT_DECLINE(name, description) description,
#include "decline.def"
#undef DT_DECLINE
};

/* Under DAME_LOCK_STATS. */
static dt_stats_t *threads; /* of living threads */
static dt_stats_t gone;     /* sum over threads that ended */
static pthread_key_t key;
static int running;
static dame_limit_t first_limit;

_Thread_local dt_thread_t dt_thread_data;

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

static void thread_ends(void *value)
{
    dt_thread_t *thread = value;
    dt_stats_t *stats = &thread->stats;
    dame_reader_remove(&thread->reader);
    dame_lock(DAME_LOCK_STATS);
    for (dt_stats_t **at = &threads; NULL != *at; at = &(*at)->next) {
        if (*at == stats) {
            *at = stats->next;
            break;
        }
    }
    add_to_gone(stats);
    dame_unlock(DAME_LOCK_STATS);
    thread->ended = 1;
    stats->listed = 0; /* another key's destructor may still use MPI */
}

/* In the child of a fork(), which has no other thread: their counts stay, as when they end. */
static void keep_own(void)
{
    const dt_thread_t *thread = pthread_getspecific(key);
    dt_stats_t *own = NULL;
    while (NULL != threads) {
        dt_stats_t *stats = threads;
        threads = stats->next;
        if (NULL != thread && stats == &thread->stats) {
            own = stats;
        } else {
            add_to_gone(stats);
        }
    }
    threads = own;
    if (NULL != own) {
        own->next = NULL;
    }
}

/* A thread is only counted in when its end will be noticed. */
void dt_thread_enlist(dt_thread_t *thread)
{
    dt_stats_t *stats = &thread->stats;
    stats->listed = 1;
    dame_lock(DAME_LOCK_STATS);
    const bool lists = running && !thread->ended && 0 == pthread_setspecific(key, thread);
    if (lists) {
        stats->next = threads;
        threads = stats;
    }
    dame_unlock(DAME_LOCK_STATS);
    if (lists) {
        dame_reader_add(&thread->reader);
    } else {
        dt_promote_forbid(); /* nobody could wait for this thread to leave machine code */
    }
}

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

const char *dt_decline_text(dt_decline_t reason)
{
    return declines[reason];
}

void dt_stats_start(void)
{
    if (!running) {
        running = 0 == pthread_key_create(&key, thread_ends);
        (void) dame_lock_at_fork(DAME_LOCK_STATS, keep_own);
    }
}

int64_t dt_now(void)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}
