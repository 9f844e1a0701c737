/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of runs: for promotion, which asks for the time of single messages, and for reports,
 * which take the times of some fragments.
 *
 * A time costs two readings of the clock, so fragments that take less are sampled less often: each
 * thread spends about a hundredth of its time on it.
 */
#ifndef DAME_TIMING_H
#define DAME_TIMING_H

#include "hints.h"
#include "measure/measured.h"
#include "tally.h"
#include "thread.h"

/* The part of an engine. */
typedef struct dame_timing {
    bool on;                /* samples are taken */
    int64_t clock_cost;     /* nanoseconds that every time includes */
    _Atomic int64_t moving; /* estimate of the nanoseconds that moving has taken, of all threads */
    void (*hear)(int64_t now); /* the caller's, who is notified of times that were read; may be
                                  NULL. Changes while no data moves */
} dame_timing_t;

/* Before the first message. */
void dame_timing_start(dame_timing_t *timing, bool on);

/* Returns whether the thread takes the time of this fragment. */
static inline bool dame_timing_is_due(const dame_timing_t *timing, dame_thread_t *thread)
{
    return __builtin_expect(timing->on, 0) && --thread->until_sample <= 0;
}

/* A message begins. Of a tally's first uses of each tier, the second one is timed, and the next
 * three times that they have doubled: so rare or late uses also get a time.
 */
static inline void dame_timing_ask(dame_thread_t *thread, const dame_tally_t *tally,
                                   dame_work_t work, dame_tier_t tier)
{
    enum { ASKED = 4 };
    const uint32_t count =
        atomic_load_explicit(&tally->times->moved[work][tier].samples.count, memory_order_relaxed);
    const int64_t uses =
        atomic_load_explicit(&tally->amounts.of[work][tier].uses, memory_order_relaxed);
    if (count < ASKED && uses >> (count + 1) > 0 && thread->until_sample > 1) {
        thread->interval -= thread->until_sample - 1;
        thread->until_sample = 1;
    }
}

/* It begins. The clock is read twice, since the first reading finds it cold, and most of that would
 * count. The end is to be read, by dame_ns_now(), before anything else is done. */
static inline int64_t dame_timing_begin(void)
{
    (void) dame_ns_now();
    return dame_ns_now();
}

/* It has been moved: `work` on `bytes`, from `start` until `now`, a reading of the clock included.
 */
void dame_timing_took(dame_timing_t *timing, dame_thread_t *thread, dame_tally_t *tally,
                      dame_work_t work, dame_tier_t tier, int64_t start, int64_t now,
                      int64_t bytes);

/* A time without the reading of the clock. */
static inline int64_t dame_timing_net(const dame_timing_t *timing, int64_t time)
{
    return time > timing->clock_cost ? time - timing->clock_cost : 0;
}

/* ---- For promotion -------------------------------------------------------------------------- */

/* A message, or its first fragment, that dame_promote_begin() wants the time of. */
typedef struct dame_trial {
    dame_measured_t *measured;
    uint32_t runs;
    int64_t start;
} dame_trial_t;

static inline dame_trial_t dame_trial_begin(dame_measured_t *measured)
{
    const uint32_t runs = atomic_load_explicit(&measured->runs, memory_order_relaxed);
    return (dame_trial_t){measured, runs, dame_measured_now()};
}

/*
 * It has been moved, by the native engine or not, at once. Does the trial count, of `count`
 * elements at `base`? Then *ticks is its time so far.
 */
bool dame_trial_counts(const dame_trial_t *trial, const dame_layout_t *layout, bool native,
                       size_t count, const void *base, int64_t *ticks);

/* It counts: a whole message has been moved `repeats` more times after that (0: it was not).
 * `bytes` and `packed` are those of the first fragment. */
void dame_trial_end(const dame_trial_t *trial, int64_t ticks, int repeats, size_t bytes, bool whole,
                    const void *packed);

#endif
