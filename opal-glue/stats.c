#include "stats.h"

#include <sched.h>
#include <stddef.h>
#include <time.h>

#include "jit/lock.h"
#include "tally.h"

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

/* ---- Messages of recent layouts ------------------------------------------------------------- */

_Static_assert(DT_COUNT_messages_packed + DT_UNPACK == DT_COUNT_messages_unpacked &&
                   DT_COUNT_messages_packed + DT_COPY == DT_COUNT_messages_copied &&
                   DT_COUNT_fragments_packed + DT_UNPACK == DT_COUNT_fragments_unpacked &&
                   DT_COUNT_bytes_packed + DT_UNPACK == DT_COUNT_bytes_unpacked &&
                   DT_COUNT_bytes_packed + DT_COPY == DT_COUNT_bytes_copied,
               "counters are indexed by work");

static int32_t unsettled_uses(const dt_recent_t *recent, int work)
{
    const uint64_t uses = atomic_load_explicit(&recent->uses[work], memory_order_relaxed);
    return (int32_t) (uses >> 32) - (int32_t) (uint32_t) uses;
}

static dt_tier_t tier_of(const dt_recent_t *recent, int work)
{
    return (dt_tier_t) atomic_load_explicit(&recent->tier[work], memory_order_relaxed);
}

static int64_t unsettled_bytes(const dt_recent_t *recent, int work)
{
    return atomic_load_explicit(&recent->bytes[work], memory_order_relaxed);
}

int32_t dt_stats_settle(dt_stats_t *stats, dt_recent_t *recent, dt_work_t work)
{
    const int32_t uses = unsettled_uses(recent, work);
    const int64_t bytes = unsettled_bytes(recent, work);
    dt_tally_t *tally = atomic_load_explicit(&recent->tally, memory_order_relaxed);
    if (0 == uses) {
        atomic_store_explicit(&recent->uses[work], 0, memory_order_relaxed);
        return 0;
    }
    const uint32_t settling = atomic_load_explicit(&stats->settling, memory_order_relaxed);
    atomic_store_explicit(&stats->settling, settling + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&recent->uses[work], 0, memory_order_relaxed);
    atomic_store_explicit(&recent->bytes[work], 0, memory_order_relaxed);
    dt_stats_add(&stats->count[DT_COUNT_messages_packed + work], uses);
    dt_stats_add(&stats->count[DT_COUNT_bytes_packed + work], bytes);
    if (DT_COPY != work) {
        dt_stats_add(&stats->count[DT_COUNT_fragments_packed + work], uses);
    }
    if (NULL != tally) {
        dt_tally_add(tally, work, tier_of(recent, work), uses, bytes);
    }
    atomic_store_explicit(&stats->settling, settling + 2, memory_order_release);
    return uses;
}

static void settle_thread(dt_stats_t *stats)
{
    for (int i = 0; i < DT_RECENTS; i++) {
        for (int work = 0; work < DT_WORKS; work++) {
            (void) dt_stats_settle(stats, &stats->recent[i], (dt_work_t) work);
        }
    }
}

void dt_stats_settle_all(void)
{
    dame_lock(DAME_LOCK_STATS);
    for (dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
        settle_thread(stats);
    }
    dame_unlock(DAME_LOCK_STATS);
}

/* ---- Reading while threads settle ----------------------------------------------------------- */

/* What is read may have been half moved. After some attempts the thread that settles has lost its
 * CPU; after many it is stopped, and what it has half moved is accepted. */
typedef struct attempt {
    uint64_t settled; /* sum over the threads */
    bool is_torn;     /* one of them was at it */
    int number;
} attempt_t;

static attempt_t begin_attempt(int number)
{
    attempt_t attempt = {.number = number};
    for (const dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
        const uint32_t settling = atomic_load_explicit(&stats->settling, memory_order_acquire);
        attempt.settled += settling;
        attempt.is_torn |= 0 != settling % 2;
    }
    return attempt;
}

static bool must_read_again(const attempt_t *attempt)
{
    enum { SPINS = 100, ATTEMPTS = 10000 };
    uint64_t settled = 0;
    atomic_thread_fence(memory_order_acquire);
    for (const dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
        settled += atomic_load_explicit(&stats->settling, memory_order_relaxed);
    }
    const bool again =
        (attempt->is_torn || settled != attempt->settled) && attempt->number < ATTEMPTS;
    if (again && attempt->number > SPINS) {
        (void) sched_yield();
    }
    return again;
}

static void read_tally(const dt_tally_t *tally, int64_t uses[DT_WORKS][DT_TIERS],
                       int64_t bytes[DT_WORKS][DT_TIERS])
{
    for (int i = 0; i < DT_WORKS * DT_TIERS; i++) {
        const dt_moved_t *moved = &tally->moved[i / DT_TIERS][i % DT_TIERS];
        uses[i / DT_TIERS][i % DT_TIERS] = atomic_load_explicit(&moved->uses, memory_order_relaxed);
        bytes[i / DT_TIERS][i % DT_TIERS] =
            atomic_load_explicit(&moved->bytes, memory_order_relaxed);
    }
    for (const dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
        for (int i = 0; i < DT_RECENTS * DT_WORKS; i++) {
            const dt_recent_t *recent = &stats->recent[i / DT_WORKS];
            const int work = i % DT_WORKS;
            if (tally == atomic_load_explicit(&recent->tally, memory_order_relaxed)) {
                uses[work][tier_of(recent, work)] += unsettled_uses(recent, work);
                bytes[work][tier_of(recent, work)] += unsettled_bytes(recent, work);
            }
        }
    }
}

void dt_stats_of_tally(const dt_tally_t *tally, int64_t uses[DT_WORKS][DT_TIERS],
                       int64_t bytes[DT_WORKS][DT_TIERS])
{
    attempt_t attempt = {.number = 0};
    dame_lock(DAME_LOCK_STATS);
    do {
        attempt = begin_attempt(attempt.number + 1);
        read_tally(tally, uses, bytes);
    } while (must_read_again(&attempt));
    dame_unlock(DAME_LOCK_STATS);
}

/* Of a counter that is also counted there. */
static int64_t unsettled(const dt_stats_t *stats, dt_counter_t counter)
{
    int64_t total = 0;
    for (int work = 0; work < DT_WORKS; work++) {
        const bool messages =
            counter == DT_COUNT_messages_packed + (dt_counter_t) work ||
            (counter == DT_COUNT_fragments_packed + (dt_counter_t) work && DT_COPY != work);
        const bool bytes = counter == DT_COUNT_bytes_packed + (dt_counter_t) work;
        for (int i = 0; (messages || bytes) && i < DT_RECENTS; i++) {
            total += messages ? unsettled_uses(&stats->recent[i], work)
                              : unsettled_bytes(&stats->recent[i], work);
        }
    }
    return total;
}

/* ---- Threads -------------------------------------------------------------------------------- */

void dt_stats_add_thread(dt_stats_t *stats)
{
    stats->next = threads;
    stats->listed = true;
    threads = stats;
}

/* A thread's counts move to the sum. */
static void add_to_gone(dt_stats_t *stats)
{
    settle_thread(stats);
    stats->listed = false;
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

int64_t dt_stats_total(dt_counter_t counter)
{
    int64_t total;
    attempt_t attempt = {.number = 0};
    dame_lock(DAME_LOCK_STATS);
    do {
        attempt = begin_attempt(attempt.number + 1);
        total = atomic_load_explicit(&gone.count[counter], memory_order_relaxed);
        for (const dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
            total += atomic_load_explicit(&stats->count[counter], memory_order_relaxed) +
                     unsettled(stats, counter);
        }
    } while (must_read_again(&attempt));
    dame_unlock(DAME_LOCK_STATS);
    return total;
}

int64_t dt_stats_declined(dt_decline_t reason)
{
    dame_lock(DAME_LOCK_STATS);
    int64_t total = atomic_load_explicit(&gone.declined[reason], memory_order_relaxed);
    for (const dt_stats_t *stats = threads; NULL != stats; stats = stats->next) {
        total += atomic_load_explicit(&stats->declined[reason], memory_order_relaxed);
    }
    dame_unlock(DAME_LOCK_STATS);
    return total;
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
