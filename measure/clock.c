/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include <time.h>

_Atomic int dame_clock_source = DAME_CLOCK_UNKNOWN;

enum { SECOND = 1000000000, LONG_ENOUGH = 100000 /* ns */ };

static const double MOST_HZ = 1e12;

/* Both clocks when the source was chosen. */
static _Atomic int64_t first_ticks;
static _Atomic int64_t first_ns;

static int64_t system_ns(void)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * SECOND + now.tv_nsec;
}

typedef struct moment {
    int64_t ns, ticks;
} moment_t;

/* Both clocks at one time. The system may run something else between two readings, for many times
 * the measured interval. So of a few pairs, take the one with the closest readings. */
static moment_t read_both(void)
{
    enum { PAIRS = 5 };
    moment_t closest = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < PAIRS; i++) {
        const int64_t before = dame_machine_counter(), ns = system_ns();
        const uint64_t between = (uint64_t) (dame_machine_counter() - before);
        if (between < least) {
            least = between;
            closest = (moment_t){.ns = ns, .ticks = before + (int64_t) (between / 2)};
        }
    }
    return closest;
}

/* Several threads may do this at once: all choose alike, and any pair of times will do that one
 * thread has stored before the source. */
static int source(void)
{
    int chosen = atomic_load_explicit(&dame_clock_source, memory_order_acquire);
    if (chosen == DAME_CLOCK_UNKNOWN) {
        chosen = dame_machine_counter_is_steady() ? DAME_CLOCK_COUNTER : DAME_CLOCK_SYSTEM;
        const moment_t now = read_both();
        int64_t none = 0;
        if (atomic_compare_exchange_strong(&first_ns, &none, now.ns)) {
            atomic_store(&first_ticks, now.ticks);
            atomic_store_explicit(&dame_clock_source, chosen, memory_order_release);
        }
    }
    return chosen;
}

int64_t dame_clock_slow(void)
{
    return source() == DAME_CLOCK_COUNTER ? dame_machine_counter() : system_ns();
}

const char *dame_clock_name(void)
{
    return source() == DAME_CLOCK_COUNTER ? DAME_MACHINE_COUNTER : "clock_gettime";
}

int64_t dame_clock_measured_hz(void)
{
    (void) source();
    while (atomic_load_explicit(&dame_clock_source, memory_order_acquire) == DAME_CLOCK_UNKNOWN) {
    } /* another thread is between its two stores */
    moment_t now;
    int64_t ns;
    do {
        now = read_both();
        ns = now.ns - atomic_load(&first_ns);
    } while (ns >= 0 && ns < LONG_ENOUGH);
    const int64_t ticks = now.ticks - atomic_load(&first_ticks);
    const double hz = (double) ticks / (double) ns * SECOND;
    return ns > 0 && hz >= 1 && hz < MOST_HZ ? (int64_t) hz : SECOND;
}

int64_t dame_clock_hz(void)
{
    static _Atomic int64_t known;
    if (source() == DAME_CLOCK_SYSTEM) {
        return SECOND;
    }
    int64_t hz = atomic_load_explicit(&known, memory_order_relaxed);
    if (hz == 0) {
        hz = dame_machine_counter_hz();
        hz = hz > 0 ? hz : dame_clock_measured_hz();
        atomic_store_explicit(&known, hz, memory_order_relaxed);
    }
    return hz;
}
