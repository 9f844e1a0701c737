/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of every byte that was stored: a cache of pages, so that memory is bounded. A page
 * of the application has eight times its size here. Where a set of pages is full, the one that was
 * stored to longest ago is forgotten: a message is packed shortly before it is sent.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record.h"

enum { PAGE = 4096, WAYS = 8 };

typedef struct set {
    record_lock_t lock;
    uint32_t clock;
    uint32_t used[WAYS]; /* clock of the last store */
    uintptr_t page[WAYS];
} set_t;

static set_t *sets;
static size_t nsets; /* a power of 2 */
static record_origin_t *origins;

_Atomic int64_t record_lost[LOST_KINDS];

void record_lock(record_lock_t *lock)
{
    for (int tries = 0; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); tries++) {
        if (tries > 100) {
            sched_yield();
        }
    }
}

void *record_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void record_unmap(void *memory, size_t bytes)
{
    if (memory != NULL) {
        syscall(SYS_munmap, memory, bytes); /* not ours, in libc.c */
    }
}

bool shadow_open(size_t bytes)
{
    size_t of_set = WAYS * PAGE * sizeof(record_origin_t);
    size_t n = 1;
    while (2 * n * of_set <= bytes) {
        n *= 2;
    }
    origins = record_map(n * of_set);
    set_t *memory = record_map(n * sizeof(set_t));
    if (origins == NULL || memory == NULL) {
        return false;
    }
    nsets = n;
    sets = memory;
    return true;
}

/* The origins of a page, whose set is locked; NULL: not known, and not `make`. */
static record_origin_t *find_origins(set_t *set, uintptr_t page, bool make)
{
    record_origin_t *first = origins + (size_t) (set - sets) * WAYS * PAGE;
    int oldest = 0;
    for (int i = 0; i < WAYS; i++) {
        if (set->page[i] == page) {
            set->used[i] = make ? ++set->clock : set->used[i];
            return first + (size_t) i * PAGE;
        }
        if (set->page[i] == 0 ? set->page[oldest] != 0
                              : set->page[oldest] != 0 &&
                                    set->clock - set->used[i] > set->clock - set->used[oldest]) {
            oldest = i;
        }
    }
    if (!make) {
        return NULL;
    }
    if (set->page[oldest] != 0) {
        atomic_fetch_add_explicit(&record_lost[LOST_PAGES], 1, memory_order_relaxed);
        memset(first + (size_t) oldest * PAGE, 0, PAGE * sizeof(*first));
    }
    set->page[oldest] = page;
    set->used[oldest] = ++set->clock;
    return first + (size_t) oldest * PAGE;
}

typedef struct walk {
    uintptr_t at;
    size_t left;
    set_t *set;
    size_t here; /* bytes on this page */
} walk_t;

/* Over no byte where there is no memory for what is known. */
static walk_t walk_over(uintptr_t at, size_t length)
{
    return (walk_t){.at = at, .left = sets == NULL ? 0 : length};
}

/* The next page's origins, with its set locked until step(). NULL at the end or where unknown. */
static record_origin_t *enter(walk_t *walk, bool make)
{
    uintptr_t page = walk->at / PAGE;
    walk->here = PAGE - walk->at % PAGE < walk->left ? PAGE - walk->at % PAGE : walk->left;
    walk->set = &sets[page & (nsets - 1)];
    record_lock(&walk->set->lock);
    record_origin_t *found = find_origins(walk->set, page, make);
    return found == NULL ? NULL : found + walk->at % PAGE;
}

static void step(walk_t *walk)
{
    record_unlock(&walk->set->lock);
    walk->at += walk->here;
    walk->left -= walk->here;
}

bool shadow_store(uintptr_t to, size_t length, uintptr_t from, unsigned site)
{
    record_origin_t before = 0;
    record_origin_t origin = ((record_origin_t) from << 16) | site;
    record_origin_t one = from == 0 ? 0 : (record_origin_t) 1 << 16;
    for (walk_t walk = walk_over(to, length); walk.left > 0; step(&walk)) {
        record_origin_t *at = enter(&walk, true);
        for (size_t i = 0; i < walk.here; i++) {
            before |= at[i];
            at[i] = origin;
            origin += one;
        }
    }
    return (before & RECORD_IN_FLIGHT) != 0;
}

void shadow_fill(uintptr_t to, size_t length, record_origin_t origin)
{
    for (walk_t walk = walk_over(to, length); walk.left > 0; step(&walk)) {
        record_origin_t *at = enter(&walk, true);
        for (size_t i = 0; i < walk.here; i++) {
            at[i] = origin;
        }
    }
}

void shadow_forget(uintptr_t to, size_t length)
{
    for (walk_t walk = walk_over(to, length); walk.left > 0; step(&walk)) {
        record_origin_t *at = enter(&walk, false);
        if (at != NULL) {
            memset(at, 0, walk.here * sizeof(*at));
        }
    }
}

void shadow_read(uintptr_t from, size_t length, record_origin_t *out)
{
    for (size_t i = 0; sets == NULL && i < length; i++) {
        out[i] = RECORD_UNSEEN;
    }
    for (walk_t walk = walk_over(from, length); walk.left > 0; step(&walk)) {
        const record_origin_t *at = enter(&walk, false);
        for (size_t i = 0; i < walk.here; i++) {
            *out++ = at == NULL ? RECORD_UNSEEN : at[i] & ~RECORD_IN_FLIGHT;
        }
    }
}

void shadow_in_flight(uintptr_t at, size_t length, bool in_flight)
{
    for (walk_t walk = walk_over(at, length); walk.left > 0; step(&walk)) {
        record_origin_t *found = enter(&walk, in_flight);
        for (size_t i = 0; found != NULL && i < walk.here; i++) {
            found[i] = in_flight ? found[i] | RECORD_IN_FLIGHT : found[i] & ~RECORD_IN_FLIGHT;
        }
    }
}
