/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of messages and bytes. Every thread counts its messages for itself, without locks or
 * atomic read-modify-write; readers add up. A thread's counts survive it. What happens seldom is
 * counted in one place, atomically.
 *
 * Messages of the layouts that a thread has credit for are counted in its dame_credit_t (credit.h),
 * in two words each. dame_counts_settle() moves them to the thread's counters and to their amounts;
 * until then, a sum adds them, and starts again if a thread has settled meanwhile.
 */
#ifndef DAME_COUNTS_H
#define DAME_COUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jit/jit.h"
#include "base/heap.h"
#include "types.h"

/* Uses and bytes of some datatypes, by work and tier. */
typedef struct dame_amount {
    _Atomic int64_t uses;
    _Atomic int64_t bytes;
} dame_amount_t;

typedef struct dame_amounts {
    dame_amount_t of[DAME_WORKS][DAME_TIERS];
} dame_amounts_t;

/* Messages of one layout and tally, of one thread, by dame_work_t. Aligned so that an index becomes
 * a shift. */
typedef struct dame_credit {
    uint64_t epoch;                    /* dame_use_epoch() when uses were granted; 0: unused */
    void *codes[2];                    /* [dame_dir_t]; of its program, when uses were granted */
    _Atomic uint64_t uses[DAME_WORKS]; /* granted, and in the lower half those not used up */
    _Atomic int64_t bytes[DAME_WORKS]; /* of the granted uses that are used up */
    _Atomic int32_t tier[DAME_WORKS];  /* dame_tier_t: what runs since they were granted */
    _Atomic(dame_amounts_t *) amounts; /* NULL: not counted */
    int32_t misses;                    /* uses of layouts that found this one here */
    int32_t unreported[2]; /* [dame_dir_t]; uses of the credit's previous layout, not yet reported
                          to promotion */
    uint64_t before;       /* its epoch */
} __attribute__((aligned(128))) dame_credit_t;

_Static_assert(sizeof(dame_credit_t) == 128, "each thread has many of them");

/* How many a thread has. Layouts are numbered in sequence, so those in use share none of these
 * before there are more; then the thread gets four times as many (credit.c). Powers of 2. */
enum { DAME_FIRST_CREDITS = 64, DAME_MOST_CREDITS = 1024 };

/* One thread's counts. */
typedef struct dame_cells {
    _Atomic int64_t count[DAME_ALL_COUNTERS];
    struct dame_cells *next;   /* the next living thread's, not owned; under DAME_LOCK_THREADS */
    bool listed;               /* among the living threads */
    _Atomic uint32_t settling; /* odd while counts move from credits, and another each time */
    uint32_t credit_mask;      /* number of credits - 1 */
    int32_t crowded;           /* credit.c's: are there too few? */
    dame_credit_t *credits;    /* first, or more in `memory`; NULL: never enlisted. They are
                                  replaced under DAME_LOCK_THREADS */
    void *memory;              /* owned, of dame_heap_zalloc() */
    dame_credit_t first[DAME_FIRST_CREDITS];
} dame_cells_t;

/* Those of an engine. Zero: nothing was counted. */
typedef struct dame_counts {
    dame_cells_t *threads;                     /* of living threads, under DAME_LOCK_THREADS */
    _Atomic int64_t others[DAME_ALL_COUNTERS]; /* of threads that ended, and of dame_count() */
} dame_counts_t;

/* Only the owning thread adds, so a plain sum is enough. */
static inline void dame_cells_add(_Atomic int64_t *counter, int64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* For what happens seldom. Any thread. */
static inline void dame_count(dame_counts_t *counts, dame_counter_t counter, int64_t n)
{
    atomic_fetch_add_explicit(&counts->others[counter], n, memory_order_relaxed);
}

static inline void dame_amounts_add(dame_amounts_t *amounts, dame_work_t work, dame_tier_t tier,
                                    int64_t uses, int64_t bytes)
{
    dame_amount_t *amount = &amounts->of[work][tier];
    atomic_fetch_add_explicit(&amount->uses, uses, memory_order_relaxed);
    atomic_fetch_add_explicit(&amount->bytes, bytes, memory_order_relaxed);
}

/* Moves the counts to the thread's counters and the amounts, and ends the credit. Of the calling
 * thread. Returns the uses. */
int32_t dame_counts_settle(dame_cells_t *cells, dame_credit_t *credit, dame_work_t work);

/* The same for all of every thread's, of which none moves data. Then no amounts are referred to. */
void dame_counts_settle_all(dame_counts_t *counts);

/* What all threads have counted by now: of `amounts`; with `next`, of all amounts that are kept, of
 * which `amounts` is then the first. */
void dame_counts_of(dame_counts_t *counts, const dame_amounts_t *amounts,
                    const dame_amounts_t *(*next)(const dame_amounts_t *amounts),
                    int64_t uses[DAME_WORKS][DAME_TIERS], int64_t bytes[DAME_WORKS][DAME_TIERS]);

/* The same of a counter, one of the engine's or a caller's. */
int64_t dame_counts_total(dame_counts_t *counts, dame_counter_t counter);

/* Aligns `memory` up to a dame_credit_t; callers allocate one more than they need. */
static inline void *dame_credit_aligned(void *memory)
{
    const uintptr_t over = (uintptr_t) memory % sizeof(dame_credit_t);
    return (char *) memory + (over == 0 ? 0 : sizeof(dame_credit_t) - over);
}

/* How many credits it has. */
static inline uint32_t dame_cells_credits(const dame_cells_t *cells)
{
    return cells->credits == NULL ? 0 : cells->credit_mask + 1;
}

/* Zeroed cells get their first credits. No-op for others. */
void dame_cells_prepare(dame_cells_t *cells);

/* Gives the calling thread four times as many credits, with what its own hold. No-op when it has
 * most, memory is out, or another thread is reading. */
void dame_cells_grow(dame_cells_t *cells);

/*
 * For thread.c, with DAME_LOCK_THREADS held: a thread's counts are added up from now on; the thread
 * ends, and its counts stay; the process is the child of a fork(), in which only the thread of
 * `own` (NULL: one that was not added) lives.
 */
void dame_counts_add_thread(dame_counts_t *counts, dame_cells_t *cells);
void dame_counts_remove_thread(dame_counts_t *counts, dame_cells_t *cells);
void dame_counts_keep_thread(dame_counts_t *counts, dame_cells_t *own);

/* Name and description of the engine's own counters. Static storage. */
const char *dame_counts_name(dame_counter_t counter);
const char *dame_counts_description(dame_counter_t counter);

/* Facts about compiled programs, of a jit's statistics. Names have static storage. */
int64_t dame_code_stat(const dame_jit_stats_t *stats, dame_code_stat_t stat);
const char *dame_code_stat_name(dame_code_stat_t stat);
const char *dame_code_stat_description(dame_code_stat_t stat);
bool dame_code_stat_is_level(dame_code_stat_t stat); /* a present number; else it counts up */

/* Nanoseconds on a clock that only runs forward. */
int64_t dame_ns_now(void);

#endif
