/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages. Sent: where was each byte copied from, is the source still what was copied, is it left
 * alone until the send is complete, is the buffer read afterwards? Received: where is each byte
 * copied to?
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "layout.h"

enum { SENDINGS = 256, BATCH = 512 };

enum { REGION_NONE, REGION_SENT, REGION_RECEIVING };

/* Of a region that is being received. */
typedef struct receiving {
    record_call_t call;
    char type[48];       /* of the call */
    record_origin_t *to; /* where each byte was copied to */
    bool any;
    int64_t twice;
} receiving_t;

typedef struct sending {
    layout_t *layout; /* NULL: free */
    layout_bases_t bases;
} sending_t;

record_region_t record_regions[RECORD_REGIONS];
_Atomic(uintptr_t) record_regions_low = UINTPTR_MAX, record_regions_high;

static record_lock_t lock = ATOMIC_FLAG_INIT;
static receiving_t receivings[RECORD_REGIONS]; /* of the region of that number */
static layout_t *sent[RECORD_REGIONS];
static int next_region;
static sending_t sendings[SENDINGS];

/* ---- regions; the caller holds the lock ---- */

static size_t map_bytes(int64_t bytes)
{
    return (size_t) bytes * sizeof(record_origin_t);
}

static void close_region(int r)
{
    record_region_t *region = &record_regions[r];
    receiving_t *receiving = &receivings[r];
    if (region->kind == REGION_RECEIVING) {
        layout_bases_t bases;
        layout_t *layout =
            receiving->any ? layout_of(&receiving->call, true, receiving->to, &bases) : NULL;
        if (layout != NULL) {
            layout->twice += receiving->twice;
        }
        record_unmap(receiving->to, map_bytes(receiving->call.bytes));
        *receiving = (receiving_t){0};
    }
    region->kind = REGION_NONE;
    region->low = region->high = 0;
}

static void bound_regions(void)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int r = 0; r < RECORD_REGIONS; r++) {
        const record_region_t *region = &record_regions[r];
        if (region->kind != REGION_NONE) {
            low = region->low < low ? region->low : low;
            high = region->high > high ? region->high : high;
        }
    }
    record_regions_low = low;
    record_regions_high = high;
}

static bool touches(const record_region_t *region, uintptr_t address, size_t length)
{
    return address < atomic_load_explicit(&region->high, memory_order_relaxed) &&
           address + length > atomic_load_explicit(&region->low, memory_order_relaxed);
}

static bool close_touched(uintptr_t address, size_t length, int kind)
{
    bool any = false;
    for (int r = 0; r < RECORD_REGIONS; r++) {
        if (touches(&record_regions[r], address, length) &&
            (kind == REGION_NONE || record_regions[r].kind == kind)) {
            close_region(r);
            any = true;
        }
    }
    return any;
}

static int open_region(int kind, uintptr_t address, int64_t bytes)
{
    int r = next_region++ % RECORD_REGIONS;
    if (record_regions[r].kind != REGION_NONE) {
        atomic_fetch_add(&record_lost[LOST_REGIONS], 1);
        close_region(r);
    }
    record_regions[r].kind = kind;
    record_regions[r].low = address;
    record_regions[r].high = address + (uintptr_t) bytes;
    return r;
}

static bool any_touched(uintptr_t address, size_t length)
{
    for (int r = 0; r < RECORD_REGIONS; r++) {
        if (touches(&record_regions[r], address, length)) {
            return true;
        }
    }
    return false;
}

/* ---- what happens to buffers ---- */

void message_loaded(uintptr_t address, size_t length, uintptr_t pc)
{
    if (!any_touched(address, length)) {
        return;
    }
    record_lock(&lock);
    for (int r = 0; r < RECORD_REGIONS; r++) {
        record_region_t *region = &record_regions[r];
        if (!touches(region, address, length)) {
            continue;
        }
        if (region->kind == REGION_SENT && sent[r] != NULL) {
            sent[r]->reads++;
            sent[r]->read_pc = sent[r]->read_pc == 0 ? pc : sent[r]->read_pc;
        }
        for (size_t i = 0; region->kind == REGION_RECEIVING && i < length; i++) {
            uintptr_t at = address + i - region->low;
            if (address + i >= region->low && address + i < region->high &&
                receivings[r].to[at] == RECORD_UNSEEN) {
                receivings[r].to[at] = RECORD_READ;
                receivings[r].any = true;
            }
        }
    }
    record_unlock(&lock);
}

void message_stored(uintptr_t address, size_t length)
{
    if (any_touched(address, length)) {
        record_lock(&lock);
        if (close_touched(address, length, REGION_NONE)) {
            bound_regions();
        }
        record_unlock(&lock);
    }
}

void message_copied(uintptr_t from, uintptr_t to, size_t length, unsigned site)
{
    if (!any_touched(from, length)) {
        return;
    }
    record_lock(&lock);
    for (int r = 0; r < RECORD_REGIONS; r++) {
        record_region_t *region = &record_regions[r];
        for (size_t i = 0; region->kind == REGION_RECEIVING && i < length; i++) {
            if (from + i < region->low || from + i >= region->high) {
                continue;
            }
            record_origin_t *known = &receivings[r].to[from + i - region->low];
            if (record_address(*known) == 0) {
                *known = ((record_origin_t) (to + i) << 16) | site;
                receivings[r].any = true;
            } else if (record_address(*known) != to + i) {
                receivings[r].twice++;
            }
        }
    }
    record_unlock(&lock);
}

static bool fits(const record_call_t *call)
{
    if (call->bytes > RECORD_LONGEST) {
        atomic_fetch_add(&record_lost[LOST_LONG], 1);
    }
    return call->bytes > 0 && call->bytes <= RECORD_LONGEST;
}

/* ---- sending ---- */

/* Counts the bytes of a message that differ from their source now, where that can be read. */
typedef struct comparison {
    const char *message;
    struct iovec here[BATCH];
    int64_t position[BATCH];
    int n;
    size_t bytes;
    char copy[1 << 16];
    int64_t differ;
} comparison_t;

static comparison_t comparison; /* under the lock: too large for a stack */

static void compare_batch(comparison_t *c)
{
    struct iovec to = {c->copy, c->bytes};
    ssize_t got =
        c->n == 0 ? 0 : process_vm_readv(getpid(), &to, 1, c->here, (unsigned long) c->n, 0);
    size_t at = 0;
    for (int i = 0; i < c->n && got > 0; i++) {
        for (size_t j = 0; j < c->here[i].iov_len && at < (size_t) got; j++, at++) {
            c->differ += c->copy[at] != c->message[(size_t) c->position[i] + j];
        }
    }
    c->n = 0;
    c->bytes = 0;
}

static void compare_block(void *data, uintptr_t address, size_t length, int64_t position)
{
    comparison_t *c = data;
    while (length > 0) {
        if (c->n == BATCH || c->bytes == sizeof(c->copy)) {
            compare_batch(c);
        }
        size_t n = sizeof(c->copy) - c->bytes < length ? sizeof(c->copy) - c->bytes : length;
        c->here[c->n] = (struct iovec){(void *) address, n};
        c->position[c->n++] = position;
        c->bytes += n;
        address += n;
        length -= n;
        position += (int64_t) n;
    }
}

static void mark_block(void *data, uintptr_t address, size_t length, int64_t position)
{
    (void) position;
    shadow_in_flight(address, length, data != NULL);
}

static int start_sending(layout_t *layout, const layout_bases_t *bases)
{
    for (int s = 0; s < SENDINGS; s++) {
        if (sendings[s].layout == NULL) {
            sendings[s] = (sending_t){layout, *bases};
            layout_walk(layout, bases, mark_block, &sendings[s]);
            return s;
        }
    }
    return -1;
}

int record_send(const record_call_t *call, bool completes_later)
{
    int sending = -1;
    if (!fits(call)) {
        return -1;
    }
    record_origin_t *origins = record_map(map_bytes(call->bytes));
    if (origins == NULL) {
        atomic_fetch_add(&record_lost[LOST_LAYOUTS], 1);
        return -1;
    }
    shadow_read(call->buffer, (size_t) call->bytes, origins);
    record_lock(&lock);
    layout_bases_t bases;
    layout_t *layout = layout_of(call, false, origins, &bases);
    close_touched(call->buffer, (size_t) call->bytes, REGION_NONE);
    if (layout != NULL) {
        sent[open_region(REGION_SENT, call->buffer, call->bytes)] = layout;
        comparison.message = (const char *) call->buffer;
        comparison.differ = 0;
        layout_walk(layout, &bases, compare_block, &comparison);
        compare_batch(&comparison);
        layout->changed += comparison.differ;
        if (completes_later && bases.n > 0) {
            sending = start_sending(layout, &bases);
        }
    }
    bound_regions();
    record_unlock(&lock);
    record_unmap(origins, map_bytes(call->bytes));
    return sending;
}

void record_done(int sending)
{
    record_lock(&lock);
    sending_t *done = &sendings[sending];
    layout_walk(done->layout, &done->bases, mark_block, NULL);
    done->layout = NULL;
    /* what another message has in flight, too */
    for (int s = 0; s < SENDINGS; s++) {
        if (sendings[s].layout != NULL) {
            layout_walk(sendings[s].layout, &sendings[s].bases, mark_block, &sendings[s]);
        }
    }
    record_unlock(&lock);
}

typedef struct hit {
    uintptr_t low, high;
    bool found;
} hit_t;

static void hit_block(void *data, uintptr_t address, size_t length, int64_t position)
{
    hit_t *hit = data;
    (void) position;
    hit->found |= address < hit->high && address + length > hit->low;
}

void message_late_store(uintptr_t address, size_t length, unsigned site)
{
    record_lock(&lock);
    for (int s = 0; s < SENDINGS; s++) {
        layout_t *layout = sendings[s].layout;
        if (layout != NULL) {
            hit_t hit = {address, address + length, false};
            layout_walk(layout, &sendings[s].bases, hit_block, &hit);
            if (hit.found) {
                layout->late++;
                layout->late_site = layout->late_site == 0 ? site : layout->late_site;
            }
        }
    }
    record_unlock(&lock);
}

/* ---- receiving ---- */

void record_receive(const record_call_t *call)
{
    if (!fits(call)) {
        return;
    }
    record_origin_t *to = record_map(map_bytes(call->bytes));
    record_lock(&lock);
    close_touched(call->buffer, (size_t) call->bytes, REGION_NONE);
    if (to != NULL) {
        int r = open_region(REGION_RECEIVING, call->buffer, call->bytes);
        receivings[r] = (receiving_t){.call = *call, .to = to};
        strncpy(receivings[r].type, call->type, sizeof(receivings[r].type) - 1);
        receivings[r].call.type = receivings[r].type;
    } else {
        atomic_fetch_add(&record_lost[LOST_REGIONS], 1);
    }
    bound_regions();
    record_unlock(&lock);
    shadow_fill(call->buffer, (size_t) call->bytes, RECORD_RECEIVED);
}

void message_close_all(void)
{
    record_lock(&lock);
    for (int r = 0; r < RECORD_REGIONS; r++) {
        close_region(r);
    }
    bound_regions();
    record_unlock(&lock);
}
