/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/mpi/real.h"
#include "calibrate.h"
#include "messages.h"
#include "overlap.h"
#include "steps.h"

site_t overlap_sites[SITES] = {
    [CLASS_START] = {"MPI calls", 0, CLASS_START},
    [CLASS_WAIT] = {"MPI calls", 0, CLASS_WAIT},
    [CLASS_COLLECTIVE] = {"MPI collectives", 0, CLASS_COLLECTIVE},
    [CLASS_OTHER] = {"other MPI calls", 0, CLASS_OTHER},
};
unsigned overlap_nsites = CLASSES;
clockid_t overlap_clock = CLOCK_MONOTONIC;

enum { SLOTS = 4 * SITES };

static _Thread_local bool mine __attribute__((tls_model("initial-exec")));
static _Atomic bool running;
static _Atomic int64_t other_threads;
static uint16_t slots[SLOTS]; /* numbers of sites by the hash of their places; 0: empty */
static overlap_rank_t rank;
static pid_t process; /* a child of fork() writes nothing */
static int64_t last_end, cpu_begin;
static int64_t tests_since, tests_gap; /* since the last call that was no test */

void *overlap_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- sites ---- */

static unsigned site_of(const call_t *call, overlap_class_t class)
{
    uint64_t hash = (call->pc ^ (uintptr_t) call->function << 20 ^ class) * 0x9e3779b97f4a7c15;
    unsigned slot = (unsigned) (hash >> 40) % SLOTS;
    for (; slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        const site_t *site = &overlap_sites[slots[slot]];
        if (site->pc == call->pc && site->function == call->function && site->class == class) {
            return slots[slot];
        }
    }
    if (overlap_nsites == SITES) {
        return class;
    }
    overlap_sites[overlap_nsites] = (site_t){call->function, call->pc, class};
    slots[slot] = (uint16_t) overlap_nsites;
    return overlap_nsites++;
}

/* ---- calls ---- */

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
    rank.gaps += gap;
    return gap;
}

unsigned call_enter(const call_t *call, overlap_class_t class, traffic_t traffic)
{
    event_t event = {.begin = call->begin, .end = call->end, .traffic = traffic};
    event.site = site_of(call, class);
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
    rank.tests++;
    rank.tests_ns += ns;
    tests_since += ns;
}

/* ---- begin and end ---- */

static int64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

void overlap_start(void)
{
    MPI_Comm parent;
    const char *clock = getenv("DAME_OVERLAP_CLOCK");
    if (getenv("DAME_OVERLAP") == NULL || rank.size > 0) {
        return;
    }
    if (!real_is_ours(rank.library, sizeof(rank.library))) {
        overlap_write_refusal(rank.library);
        return;
    }
    REAL(MPI_Comm_get_parent)(&parent);
    if (parent != real_comm_null() || !steps_open() || !messages_open()) {
        return; /* another job's processes have the same ranks */
    }
    REAL(MPI_Comm_rank)(real_world(), &rank.rank);
    REAL(MPI_Comm_size)(real_world(), &rank.size);
    process = getpid();
    if (clock != NULL && strcmp(clock, "cpu") == 0) {
        overlap_clock = CLOCK_PROCESS_CPUTIME_ID;
    }
    overlap_write_begin(&rank);
    mine = true;
    atomic_store(&running, true);
    cpu_begin = cpu_now();
    rank.begin = last_end = overlap_now();
}

void overlap_finish(bool finalized)
{
    if (!mine || !atomic_exchange(&running, false)) {
        return;
    }
    rank.end = overlap_now();
    rank.gaps += rank.end - last_end;
    rank.cpu = cpu_now() - cpu_begin;
    rank.finalized = finalized;
    rank.other_threads = other_threads;
    steps_finish();
    overlap_write(&rank);
    if (finalized) {
        steps_calibrate();
        calibrate(&rank); /* enters calls, which is why it comes last */
    }
    overlap_write_end(&rank);
    mine = false;
}

/* A program that never reaches MPI_Finalize. */
__attribute__((destructor)) static void at_exit(void)
{
    if (process == getpid()) {
        overlap_finish(false);
    }
}
