/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/heap.h"
#include "base/lock.h"

/* ---- Messages that threads have credit for -------------------------------------------------- */

_Static_assert(DAME_COUNT_messages_packed + DAME_WORK_UNPACK == DAME_COUNT_messages_unpacked &&
                   DAME_COUNT_messages_packed + DAME_WORK_COPY == DAME_COUNT_messages_copied &&
                   DAME_COUNT_fragments_packed + DAME_WORK_UNPACK ==
                       DAME_COUNT_fragments_unpacked &&
                   DAME_COUNT_bytes_packed + DAME_WORK_UNPACK == DAME_COUNT_bytes_unpacked &&
                   DAME_COUNT_bytes_packed + DAME_WORK_COPY == DAME_COUNT_bytes_copied,
               "counters are indexed by work");

static int32_t unsettled_uses(const dame_credit_t *credit, int work)
{
    const uint64_t uses = atomic_load_explicit(&credit->uses[work], memory_order_relaxed);
    return (int32_t) (uses >> 32) - (int32_t) (uint32_t) uses;
}

static dame_tier_t tier_of(const dame_credit_t *credit, int work)
{
    return (dame_tier_t) atomic_load_explicit(&credit->tier[work], memory_order_relaxed);
}

static int64_t unsettled_bytes(const dame_credit_t *credit, int work)
{
    return atomic_load_explicit(&credit->bytes[work], memory_order_relaxed);
}

int32_t dame_counts_settle(dame_cells_t *cells, dame_credit_t *credit, dame_work_t work)
{
    const int32_t uses = unsettled_uses(credit, work);
    const int64_t bytes = unsettled_bytes(credit, work);
    dame_amounts_t *amounts = atomic_load_explicit(&credit->amounts, memory_order_relaxed);
    if (uses == 0) {
        atomic_store_explicit(&credit->uses[work], 0, memory_order_relaxed);
        return 0;
    }
    const uint32_t settling = atomic_load_explicit(&cells->settling, memory_order_relaxed);
    atomic_store_explicit(&cells->settling, settling + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&credit->uses[work], 0, memory_order_relaxed);
    atomic_store_explicit(&credit->bytes[work], 0, memory_order_relaxed);
    dame_cells_add(&cells->count[DAME_COUNT_messages_packed + work], uses);
    dame_cells_add(&cells->count[DAME_COUNT_bytes_packed + work], bytes);
    if (work != DAME_WORK_COPY) {
        dame_cells_add(&cells->count[DAME_COUNT_fragments_packed + work], uses);
    }
    if (amounts != NULL) {
        dame_amounts_add(amounts, work, tier_of(credit, work), uses, bytes);
    }
    atomic_store_explicit(&cells->settling, settling + 2, memory_order_release);
    return uses;
}

static void settle_thread(dame_cells_t *cells)
{
    for (uint32_t i = 0; i < dame_cells_credits(cells); i++) {
        for (int work = 0; work < DAME_WORKS; work++) {
            (void) dame_counts_settle(cells, &cells->credits[i], (dame_work_t) work);
        }
    }
}

void dame_counts_settle_all(dame_counts_t *counts)
{
    dame_lock(DAME_LOCK_THREADS);
    for (dame_cells_t *cells = counts->threads; cells != NULL; cells = cells->next) {
        settle_thread(cells);
    }
    dame_unlock(DAME_LOCK_THREADS);
}

/* ---- Reading while threads settle ----------------------------------------------------------- */

/* The values read may have been half moved. After some attempts the thread that settles has lost
 * its CPU; after many it is stopped, and its half-moved values are accepted. */
typedef struct attempt {
    uint64_t settled; /* sum over the threads */
    bool is_torn;     /* one of them was at it */
    int number;
} attempt_t;

static attempt_t begin_attempt(const dame_counts_t *counts, int number)
{
    attempt_t attempt = {.number = number};
    for (const dame_cells_t *cells = counts->threads; cells != NULL; cells = cells->next) {
        const uint32_t settling = atomic_load_explicit(&cells->settling, memory_order_acquire);
        attempt.settled += settling;
        attempt.is_torn |= 0 != settling % 2;
    }
    return attempt;
}

static bool must_read_again(const dame_counts_t *counts, const attempt_t *attempt)
{
    enum { SPINS = 100, MOST_READ = 640000 }; /* credits: tens of milliseconds */
    uint64_t settled = 0;
    uint32_t credits = 1;
    atomic_thread_fence(memory_order_acquire);
    for (const dame_cells_t *cells = counts->threads; cells != NULL; cells = cells->next) {
        settled += atomic_load_explicit(&cells->settling, memory_order_relaxed);
        credits += dame_cells_credits(cells);
    }
    const bool again = (attempt->is_torn || settled != attempt->settled) &&
                       (uint32_t) attempt->number < MOST_READ / credits;
    if (again && attempt->number > SPINS) {
        (void) sched_yield();
    }
    return again;
}

static void add_settled(const dame_amounts_t *amounts, int64_t uses[DAME_WORKS][DAME_TIERS],
                        int64_t bytes[DAME_WORKS][DAME_TIERS])
{
    for (int i = 0; i < DAME_WORKS * DAME_TIERS; i++) {
        const dame_amount_t *amount = &amounts->of[i / DAME_TIERS][i % DAME_TIERS];
        uses[i / DAME_TIERS][i % DAME_TIERS] +=
            atomic_load_explicit(&amount->uses, memory_order_relaxed);
        bytes[i / DAME_TIERS][i % DAME_TIERS] +=
            atomic_load_explicit(&amount->bytes, memory_order_relaxed);
    }
}

static void read_amounts(const dame_counts_t *counts, const dame_amounts_t *amounts,
                         const dame_amounts_t *(*next)(const dame_amounts_t *amounts),
                         int64_t uses[DAME_WORKS][DAME_TIERS],
                         int64_t bytes[DAME_WORKS][DAME_TIERS])
{
    memset(uses, 0, DAME_WORKS * sizeof(uses[0]));
    memset(bytes, 0, DAME_WORKS * sizeof(bytes[0]));
    for (const dame_amounts_t *a = amounts; a != NULL; a = next == NULL ? NULL : next(a)) {
        add_settled(a, uses, bytes);
    }
    for (const dame_cells_t *cells = counts->threads; cells != NULL; cells = cells->next) {
        for (uint32_t i = 0; i < dame_cells_credits(cells); i++) {
            const dame_credit_t *credit = &cells->credits[i];
            const dame_amounts_t *its =
                atomic_load_explicit(&credit->amounts, memory_order_relaxed);
            const bool here = next != NULL ? its != NULL : amounts == its;
            for (int work = 0; here && work < DAME_WORKS; work++) {
                uses[work][tier_of(credit, work)] += unsettled_uses(credit, work);
                bytes[work][tier_of(credit, work)] += unsettled_bytes(credit, work);
            }
        }
    }
}

void dame_counts_of(dame_counts_t *counts, const dame_amounts_t *amounts,
                    const dame_amounts_t *(*next)(const dame_amounts_t *amounts),
                    int64_t uses[DAME_WORKS][DAME_TIERS], int64_t bytes[DAME_WORKS][DAME_TIERS])
{
    attempt_t attempt = {.number = 0};
    dame_lock(DAME_LOCK_THREADS);
    do {
        attempt = begin_attempt(counts, attempt.number + 1);
        read_amounts(counts, amounts, next, uses, bytes);
    } while (must_read_again(counts, &attempt));
    dame_unlock(DAME_LOCK_THREADS);
}

/* Returns what credits hold of a counter. */
static int64_t unsettled(const dame_cells_t *cells, dame_counter_t counter)
{
    int64_t total = 0;
    for (int work = 0; work < DAME_WORKS; work++) {
        const bool messages = counter == DAME_COUNT_messages_packed + (dame_counter_t) work ||
                              (counter == DAME_COUNT_fragments_packed + (dame_counter_t) work &&
                               work != DAME_WORK_COPY);
        const bool bytes = counter == DAME_COUNT_bytes_packed + (dame_counter_t) work;
        for (uint32_t i = 0; (messages || bytes) && i < dame_cells_credits(cells); i++) {
            total += messages ? unsettled_uses(&cells->credits[i], work)
                              : unsettled_bytes(&cells->credits[i], work);
        }
    }
    return total;
}

/* ---- How many credits ----------------------------------------------------------------------- */

void dame_cells_prepare(dame_cells_t *cells)
{
    if (cells->credits == NULL) {
        cells->credits = cells->first;
        cells->credit_mask = DAME_FIRST_CREDITS - 1;
    }
}

/* Credits that differ in their places still do among more of them. */
static void move_credits(dame_cells_t *cells, dame_credit_t *to, uint32_t mask)
{
    for (uint32_t i = 0; i < dame_cells_credits(cells); i++) {
        dame_credit_t *credit = &cells->credits[i];
        if (credit->epoch != 0) {
            memcpy(&to[credit->epoch & mask], credit, sizeof(*credit));
        }
    }
    /* Uses not yet reported to promotion are looked for in the place of their own datatype. */
    for (uint32_t i = 0; i < dame_cells_credits(cells); i++) {
        const dame_credit_t *credit = &cells->credits[i];
        dame_credit_t *place = &to[credit->before & mask];
        if (credit->before != 0 && (credit->before & mask) != (credit->epoch & mask) &&
            place->before == 0) {
            place->before = credit->before;
            memcpy(place->unreported, credit->unreported, sizeof(place->unreported));
        }
    }
    memset(cells->first, 0, sizeof(cells->first));
}

void dame_cells_grow(dame_cells_t *cells)
{
    enum { TIMES = 4 };
    const uint32_t credits = TIMES * dame_cells_credits(cells);
    void *before = cells->memory;
    if (credits > DAME_MOST_CREDITS || dame_trylock(DAME_LOCK_THREADS) == 0) {
        return; /* a message waits for us, and another thread may read for long */
    }
    void *memory = dame_heap_zalloc((credits + 1) * sizeof(dame_credit_t));
    if (memory != NULL) {
        dame_credit_t *grown = dame_credit_aligned(memory);
        move_credits(cells, grown, credits - 1);
        cells->memory = memory;
        cells->credits = grown;
        cells->credit_mask = credits - 1;
    }
    dame_unlock(DAME_LOCK_THREADS);
    if (memory != NULL) {
        dame_heap_free(before);
    }
}

/* Its credits are settled. */
static void shrink(dame_cells_t *cells)
{
    if (cells->memory != NULL) {
        dame_heap_free(cells->memory);
        cells->memory = NULL;
        cells->credits = NULL;
        dame_cells_prepare(cells);
    }
}

/* ---- Threads -------------------------------------------------------------------------------- */

void dame_counts_add_thread(dame_counts_t *counts, dame_cells_t *cells)
{
    cells->next = counts->threads;
    cells->listed = true;
    counts->threads = cells;
}

/* A thread's counts move to the others. */
static void add_to_others(dame_counts_t *counts, dame_cells_t *cells)
{
    settle_thread(cells);
    cells->listed = false;
    for (int i = 0; i < DAME_ALL_COUNTERS; i++) {
        const int64_t n = atomic_load_explicit(&cells->count[i], memory_order_relaxed);
        atomic_fetch_add_explicit(&counts->others[i], n, memory_order_relaxed);
    }
}

void dame_counts_remove_thread(dame_counts_t *counts, dame_cells_t *cells)
{
    for (dame_cells_t **at = &counts->threads; *at != NULL; at = &(*at)->next) {
        if (*at == cells) {
            *at = cells->next;
            break;
        }
    }
    add_to_others(counts, cells);
    shrink(cells);
}

void dame_counts_keep_thread(dame_counts_t *counts, dame_cells_t *own)
{
    dame_cells_t *kept = NULL;
    while (counts->threads != NULL) {
        dame_cells_t *cells = counts->threads;
        counts->threads = cells->next;
        if (cells == own) {
            kept = cells;
        } else {
            add_to_others(counts, cells);
        }
    }
    counts->threads = kept;
    if (kept != NULL) {
        kept->next = NULL;
    }
}

/* ---- Sums and texts ------------------------------------------------------------------------- */

int64_t dame_counts_total(dame_counts_t *counts, dame_counter_t counter)
{
    int64_t total;
    attempt_t attempt = {.number = 0};
    dame_lock(DAME_LOCK_THREADS);
    do {
        attempt = begin_attempt(counts, attempt.number + 1);
        total = atomic_load_explicit(&counts->others[counter], memory_order_relaxed);
        for (const dame_cells_t *cells = counts->threads; cells != NULL; cells = cells->next) {
            total += atomic_load_explicit(&cells->count[counter], memory_order_relaxed) +
                     unsettled(cells, counter);
        }
    } while (must_read_again(counts, &attempt));
    dame_unlock(DAME_LOCK_THREADS);
    return total;
}

static const struct {
    const char *name;
    const char *description;
} counters[] = {
#define DAME_COUNTER(name, unit, description) {#name, description},
#include "counters.def"
#undef DAME_COUNTER
};

const char *dame_counts_name(dame_counter_t counter)
{
    return counters[counter].name;
}

const char *dame_counts_description(dame_counter_t counter)
{
    return counters[counter].description;
}

int64_t dame_ns_now(void)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- Compiled programs ---------------------------------------------------------------------- */

int64_t dame_code_stat(const dame_jit_stats_t *stats, dame_code_stat_t stat)
{
    const int64_t values[] = {
#define DAME_CODE_STAT(name, class, description, value) stats->value,
#include "code_stats.def"
#undef DAME_CODE_STAT
    };
    return values[stat];
}

static const struct {
    const char *name;
    const char *description;
    bool is_level;
} code_stats[] = {
#define COUNTER                                         false
#define LEVEL                                           true
#define DAME_CODE_STAT(name, class, description, value) {#name, description, class},
#include "code_stats.def"
#undef DAME_CODE_STAT
#undef COUNTER
#undef LEVEL
};

const char *dame_code_stat_name(dame_code_stat_t stat)
{
    return code_stats[stat].name;
}

const char *dame_code_stat_description(dame_code_stat_t stat)
{
    return code_stats[stat].description;
}

bool dame_code_stat_is_level(dame_code_stat_t stat)
{
    return code_stats[stat].is_level;
}
