/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>

#include "overlap.h"
#include "steps.h"

static _Thread_local bool mine __attribute__((tls_model("initial-exec")));
static _Atomic bool running;
static _Atomic int64_t other_threads;
static overlap_rank_t *rank; /* whose calls are counted */
static int64_t last_end;
static int64_t tests_since, tests_gap; /* since the last call that was no test */

bool call_is_measured(void)
{
    if (!mine && atomic_load_explicit(&running, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&other_threads, 1, memory_order_relaxed);
    }
    return mine;
}

/* Time outside MPI before a call. */
static int64_t gap_before(const call_t *call)
{
    int64_t gap = call->begin - last_end;
    last_end = call->end;
    rank->gaps += gap;
    return gap;
}

unsigned call_enter(const call_t *call, overlap_class_t class, traffic_t traffic)
{
    event_t event = {.begin = call->begin, .end = call->end, .traffic = traffic};
    event.site = overlap_site(call, class);
    event.gap = tests_gap + gap_before(call);
    event.tests = tests_since;
    tests_since = tests_gap = 0;
    steps_add(&event);
    return event.site;
}

void call_enter_test(const call_t *call)
{
    int64_t ns = call->end - call->begin;
    tests_gap += gap_before(call);
    rank->tests++;
    rank->tests_ns += ns;
    tests_since += ns;
}

void call_start(overlap_rank_t *counted)
{
    rank = counted;
    mine = true;
    atomic_store(&running, true);
    rank->begin = last_end = overlap_now();
}

bool call_stop(void)
{
    if (!mine || !atomic_exchange(&running, false)) {
        return false;
    }
    rank->end = overlap_now();
    rank->gaps += rank->end - last_end;
    rank->other_threads = other_threads;
    return true;
}

void call_leave(void)
{
    mine = false;
}
