/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where memory was allocated: a treap of ranges that do not overlap, ordered by address; the hash
 * of its start is a node's priority. An allocation is known until another takes its place, not
 * until it is freed: bytes that were copied from it may be sent later.
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>

#include "record.h"

enum { NODES = 1 << 20 };

typedef struct node {
    allocation_t range;
    uint32_t left, right; /* 0: none */
} node_t;

static node_t nodes[NODES];
static uint32_t root, used, spare; /* spare: a list, by `left` */
static record_lock_t lock = ATOMIC_FLAG_INIT;
static _Atomic bool forked; /* another thread may have held the lock */

static uint64_t priority(uint32_t node)
{
    uint64_t hash = nodes[node].range.low * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Those that begin before an address, and the others. */
static void split(uint32_t tree, uintptr_t at, uint32_t *before, uint32_t *others)
{
    while (tree != 0) {
        node_t *node = &nodes[tree];
        if (node->range.low < at) {
            *before = tree;
            tree = *(before = &node->right);
        } else {
            *others = tree;
            tree = *(others = &node->left);
        }
    }
    *before = *others = 0;
}

/* All of `low` begin before all of `high`. */
static void merge(uint32_t low, uint32_t high, uint32_t *out)
{
    while (low != 0 && high != 0) {
        if (priority(low) > priority(high)) {
            *out = low;
            low = *(out = &nodes[low].right);
        } else {
            *out = high;
            high = *(out = &nodes[high].left);
        }
    }
    *out = low != 0 ? low : high;
}

static void release(uint32_t tree)
{
    if (tree != 0) {
        release(nodes[tree].left);
        release(nodes[tree].right);
        nodes[tree].left = spare;
        spare = tree;
    }
}

/* The last that begins at or before an address; 0: none. */
static uint32_t find_allocation(uintptr_t address)
{
    uint32_t found = 0;
    for (uint32_t node = root; node != 0;) {
        if (nodes[node].range.low <= address) {
            found = node;
            node = nodes[node].right;
        } else {
            node = nodes[node].left;
        }
    }
    return found;
}

static uint32_t make_allocation(allocation_t range)
{
    uint32_t node = spare;
    if (node != 0) {
        spare = nodes[node].left;
    } else if (used < NODES - 1) {
        node = ++used;
    } else {
        atomic_fetch_add(&record_lost[LOST_ALLOCATIONS], 1);
        return 0;
    }
    nodes[node] = (node_t){.range = range};
    return node;
}

static void replace(allocation_t range)
{
    uint32_t before, within, behind;
    uint32_t cut = find_allocation(range.low);
    split(root, range.low, &before, &behind);
    split(behind, range.high, &within, &behind);
    if (cut != 0 && nodes[cut].range.high > range.low) {
        nodes[cut].range.high = range.low;
    }
    release(within);
    merge(before, make_allocation(range), &before);
    merge(before, behind, &root);
}

void allocation_add(uintptr_t address, size_t length)
{
    if (address == 0 || length == 0 || atomic_load_explicit(&forked, memory_order_relaxed)) {
        return;
    }
    record_lock(&lock);
    const allocation_t *known = &nodes[find_allocation(address)].range;
    if (known->low != address || known->high != address + length) {
        replace((allocation_t){address, address + length});
    }
    record_unlock(&lock);
}

allocation_t allocation_of(uintptr_t address)
{
    record_lock(&lock);
    allocation_t found = nodes[find_allocation(address)].range;
    record_unlock(&lock);
    return address < found.high ? found : (allocation_t){0, 0};
}

static void in_child(void)
{
    atomic_store(&forked, true);
}

/* The static memory of a program or library is one allocation. */
static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    (void) size;
    (void) data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
            low = start < low ? start : low;
            high = end > high ? end : high;
        }
    }
    allocation_add(low, low < high ? high - low : 0);
    return 0;
}

__attribute__((constructor)) static void add_modules(void)
{
    pthread_atfork(NULL, NULL, in_child);
    dl_iterate_phdr(add_module, NULL);
}
