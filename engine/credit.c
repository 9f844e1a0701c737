/* SPDX-License-Identifier: BSD-3-Clause */
#include "credit.h"

enum {
    LEAST = 4,    /* fewer uses are not worth a credit */
    PATIENCE = 8, /* misses before one makes room for another: more in turn than there are credits
                     would only replace each other */
    CROWD = 4     /* evictions for each credit before the thread gets more credits */
};

/* Same layout and tally, ignoring revocations. */
static bool is_of(uint64_t epoch, const dame_use_t *use)
{
    return (epoch ^ dame_use_epoch(use)) << (64 - DAME_EPOCH_NUMBER_BITS) == 0;
}

static int32_t settle_credit(dame_thread_t *thread, dame_credit_t *credit, dame_work_t work,
                             bool samples)
{
    const int32_t uses = dame_counts_settle(&thread->cells, credit, work);
    thread->until_sample -= samples ? uses : 0;
    return uses;
}

int32_t dame_credit_end(dame_thread_t *thread, const dame_use_t *use, dame_work_t work,
                        bool samples)
{
    if (thread->cells.credits == NULL) {
        return 0;
    }
    dame_credit_t *credit = dame_credit_of(thread, use);
    int32_t uses = 0;
    if (work == DAME_WORK_COPY) {
        if (is_of(credit->epoch, use)) {
            (void) settle_credit(thread, credit, DAME_WORK_COPY, samples);
        }
        return 0;
    }
    const dame_dir_t dir = (dame_dir_t) work;
    if (is_of(credit->before, use)) {
        uses = credit->unreported[dir];
        credit->unreported[dir] = 0;
    }
    if (is_of(credit->epoch, use) && !dame_credit_may(credit, use, dir)) {
        uses += settle_credit(thread, credit, work, samples);
    }
    return uses;
}

void dame_credit_end_all(dame_thread_t *thread)
{
    for (uint32_t i = 0; i < dame_cells_credits(&thread->cells); i++) {
        for (int work = 0; work < DAME_WORKS; work++) {
            _Atomic uint64_t *uses = &thread->cells.credits[i].uses[work];
            const uint64_t all = atomic_load_explicit(uses, memory_order_relaxed);
            if ((uint32_t) all != 0) {
                atomic_store_explicit(uses, ((all >> 32) - (uint32_t) all) << 32,
                                      memory_order_relaxed);
            }
        }
    }
}

/*
 * Returns whether more datatypes are used in turn than the thread has credits. Then old
 * datatypes evict newer ones and the reverse. Where datatypes come and go, only new ones evict
 * old ones.
 */
static bool is_crowded(dame_cells_t *cells, const dame_credit_t *credit, uint64_t epoch)
{
    enum { OLDER = 4 }; /* weight of an eviction by an older datatype */
    const int up = 64 - DAME_EPOCH_NUMBER_BITS;
    cells->crowded += epoch << up < credit->epoch << up ? OLDER : cells->crowded > 0 ? -1 : 0;
    return cells->crowded > (int32_t) (CROWD * dame_cells_credits(cells));
}

/* The datatype's credit, for which another's may be evicted; NULL: not yet. */
static dame_credit_t *credit_for(dame_thread_t *thread, const dame_use_t *use, bool samples)
{
    dame_credit_t *credit = dame_credit_of(thread, use);
    const uint64_t epoch = dame_use_epoch(use);
    if (credit->epoch == epoch) {
        return credit;
    }
    if (credit->epoch != 0 && !is_of(credit->epoch, use)) {
        if (is_crowded(&thread->cells, credit, epoch)) {
            thread->cells.crowded = 0;
            dame_cells_grow(&thread->cells);
            return NULL; /* the next use finds its place */
        }
        if (++credit->misses < PATIENCE) {
            return NULL;
        }
    }
    for (int work = 0; work < DAME_WORKS; work++) {
        const int32_t uses = settle_credit(thread, credit, (dame_work_t) work, samples);
        if (work != DAME_WORK_COPY) {
            credit->unreported[work] = uses;
        }
    }
    credit->before = credit->epoch;
    credit->epoch = epoch;
    credit->misses = 0;
    atomic_store_explicit(&credit->amounts, use->amounts, memory_order_relaxed);
    return credit;
}

void dame_credit_grant(dame_thread_t *thread, const dame_use_t *use, dame_work_t work,
                       dame_tier_t tier, int32_t most, bool samples)
{
    const int32_t uses = samples && thread->until_sample < most ? thread->until_sample : most;
    if (!thread->cells.listed || uses < LEAST) {
        return;
    }
    dame_credit_t *credit = credit_for(thread, use, samples);
    if (credit == NULL || dame_credit_has_left(credit, use, work)) {
        return;
    }
    (void) settle_credit(thread, credit, work, samples);
    if (work != DAME_WORK_COPY) {
        credit->codes[work] =
            atomic_load_explicit(&use->layout->program->codes[work], memory_order_relaxed);
    }
    atomic_store_explicit(&credit->tier[work], tier, memory_order_relaxed);
    atomic_store_explicit(&credit->uses[work], (uint64_t) uses << 32 | (uint32_t) uses,
                          memory_order_relaxed);
}
