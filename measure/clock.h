/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A clock for short intervals: the time stamp counter of the CPU where it runs at one rate at all
 * times, else the system's monotonic clock in nanoseconds.
 *
 * Its unit is the tick. On x86-64 a tick is a cycle at the CPU's nominal frequency, whatever the
 * frequency is at the moment. Ticks of two threads may differ by what their CPUs' counters differ,
 * which the system keeps below a microsecond. All functions may be called by any thread, at any
 * time.
 */
#ifndef DAME_CLOCK_H
#define DAME_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/machine.h"

typedef enum dame_clock_source {
    DAME_CLOCK_UNKNOWN, /* before the first use */
    DAME_CLOCK_COUNTER, /* of the CPU */
    DAME_CLOCK_SYSTEM   /* clock_gettime() */
} dame_clock_source_t;

/* Private to dame_clock_now(): a dame_clock_source_t, which is set once. */
extern _Atomic int dame_clock_source;

/* For dame_clock_now(): chooses the source if none was chosen, and reads it. */
int64_t dame_clock_slow(void);

/*
 * Ticks since some time in the past, read after all earlier instructions are done, so that an
 * interval covers exactly the instructions between its two ends. A CPU's counter costs about 10 ns.
 */
static inline int64_t dame_clock_now(void)
{
    const int source = atomic_load_explicit(&dame_clock_source, memory_order_relaxed);
    return __builtin_expect(source == DAME_CLOCK_COUNTER, 1) ? dame_machine_counter()
                                                             : dame_clock_slow();
}

/* "tsc", "cntvct" or "clock_gettime". */
const char *dame_clock_name(void);

/* Ticks in a second, > 0. Where the CPU does not say, it is measured against the system's clock
 * since the clock's first use, for at least 100 microseconds, to better than 0.1 %. Where one of
 * the two went back meanwhile, as a virtual machine's may, it is not known, and 10^9. */
int64_t dame_clock_hz(void);

/* The same, but always measured, even if the CPU states it. Only where its counter is the
 * source. */
int64_t dame_clock_measured_hz(void);

#endif
