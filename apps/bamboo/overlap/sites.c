/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of calls; the clock and the memory of all that is measured. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "overlap.h"

site_t overlap_sites[SITES] = {
    [CLASS_START] = {"MPI calls", 0, CLASS_START},
    [CLASS_WAIT] = {"MPI calls", 0, CLASS_WAIT},
    [CLASS_COLLECTIVE] = {"MPI collectives", 0, CLASS_COLLECTIVE},
    [CLASS_OTHER] = {"other MPI calls", 0, CLASS_OTHER},
};
unsigned overlap_nsites = CLASSES;
clockid_t overlap_clock = CLOCK_MONOTONIC;

enum { SLOTS = 4 * SITES };

static uint16_t slots[SLOTS]; /* numbers of sites by the hash of their places; 0: empty */

void *overlap_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

unsigned overlap_site(const call_t *call, overlap_class_t class)
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
