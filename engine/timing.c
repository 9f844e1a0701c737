/* SPDX-License-Identifier: BSD-3-Clause */
#include "timing.h"

enum {
    SAMPLE_CLOCKS = 7,     /* that cost as much as a sample does */
    SHARE = 100,           /* one part in 100 of the time is spent on reading clocks */
    LONGEST_INTERVAL = 512 /* fragments */
};

void dame_timing_start(dame_timing_t *timing, bool on)
{
    enum { READINGS = 100 };
    timing->on = on;
    if (!on) {
        return;
    }
    timing->clock_cost = INT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        const int64_t start = dame_ns_now();
        const int64_t cost = dame_ns_now() - start;
        timing->clock_cost = cost < timing->clock_cost ? cost : timing->clock_cost;
    }
}

/* A random number of fragments, so that no pattern of messages is always met at the same place. */
static void choose_interval(const dame_timing_t *timing, dame_thread_t *thread, int64_t ns)
{
    int64_t mean = 1 + SAMPLE_CLOCKS * timing->clock_cost * SHARE / (ns + 1);
    mean = mean < LONGEST_INTERVAL ? mean : LONGEST_INTERVAL;
    thread->random = thread->random * 1664525 + 1013904223;
    thread->interval = (int32_t) (1 + (thread->random >> 8) % (uint32_t) (2 * mean - 1));
    thread->until_sample = thread->interval;
}

void dame_timing_took(dame_timing_t *timing, dame_thread_t *thread, dame_tally_t *tally,
                      dame_work_t work, dame_tier_t tier, int64_t start, int64_t now, int64_t bytes)
{
    const int64_t ns = dame_timing_net(timing, now - start);
    const int64_t passed = (int64_t) thread->interval - thread->until_sample; /* since the last */
    atomic_fetch_add_explicit(&timing->moving, ns * passed, memory_order_relaxed);
    if (tally != NULL) {
        dame_moved_add(&tally->times->moved[work][tier], ns, bytes,
                       dame_tally_uses(tally, work) < DAME_FIRST_SAMPLE);
    }
    choose_interval(timing, thread, ns);
    if (timing->hear != NULL) {
        timing->hear(now);
    }
}

bool dame_trial_counts(const dame_trial_t *trial, const dame_layout_t *layout, bool native,
                       size_t count, const void *base, int64_t *ticks)
{
    const int64_t taken = dame_measured_now() - trial->start;
    dame_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    *ticks = taken;
    return native == (dame_measured_is_native(trial->runs) != 0) &&
           (hints == NULL || dame_hints_fit(hints, count, base));
}

void dame_trial_end(const dame_trial_t *trial, int64_t ticks, int repeats, size_t bytes, bool whole,
                    const void *packed)
{
    if (repeats > 0) {
        ticks = (dame_measured_now() - trial->start) / (1 + repeats);
    }
    dame_measured_record(trial->measured, trial->runs, dame_measured_class(bytes, whole, packed),
                         ticks);
}
