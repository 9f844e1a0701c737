/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include <string.h>

enum {
    MEMORY = 64 << 20, /* of all layouts */
    LAYOUTS = 4096
};

static layout_t *first, **last = &first;
static int nlayouts;
static char *memory;
static size_t used;

static void *take(size_t bytes)
{
    if (memory == NULL && (memory = record_map(MEMORY)) == NULL) {
        return NULL;
    }
    bytes = (bytes + 15) & ~(size_t) 15;
    if (bytes > MEMORY - used) {
        return NULL;
    }
    void *taken = memory + used;
    used += bytes;
    return taken;
}

layout_t *layouts_first(void)
{
    return first;
}

static run_kind_t kind_of(record_origin_t origin)
{
    if (record_address(origin) != 0) {
        return RUN_COPIED;
    }
    return origin == RECORD_UNSEEN ? RUN_UNSEEN
           : (origin >> 16) == 1   ? RUN_RECEIVED
           : (origin >> 16) == 2   ? RUN_READ
                                   : RUN_COMPUTED;
}

/* Encodes origins as runs, one block after the other; counts all, writes those that fit. */
typedef struct encoder {
    run_t *runs;
    int64_t room, n;
    run_t open; /* count 0: none */
    uint64_t hash;
    layout_bases_t *bases;
    allocation_t within[LAYOUT_ALLOCATIONS]; /* of the bases */
    int last;                                /* index of the last block's */
} encoder_t;

static void mix(encoder_t *encoder, uint64_t value)
{
    encoder->hash = (encoder->hash ^ value) * 0x9e3779b97f4a7c15u;
    encoder->hash ^= encoder->hash >> 29;
}

static void put_run(encoder_t *encoder)
{
    run_t *open = &encoder->open;
    if (open->count == 0) {
        return;
    }
    mix(encoder, (uint64_t) open->kind << 32 | (uint32_t) open->allocation);
    mix(encoder, (uint64_t) open->address);
    mix(encoder, (uint64_t) open->length);
    mix(encoder, (uint64_t) open->step);
    mix(encoder, (uint64_t) open->count);
    if (encoder->n < encoder->room) {
        encoder->runs[encoder->n] = *open;
    }
    encoder->n++;
    open->count = 0;
}

static bool lies_in(const allocation_t *allocation, uintptr_t address)
{
    return address >= allocation->low && address < allocation->high;
}

/* The index of the allocation that an address lies in. */
static int allocation_index(encoder_t *encoder, uintptr_t address)
{
    layout_bases_t *bases = encoder->bases;
    if (encoder->last < bases->n && lies_in(&encoder->within[encoder->last], address)) {
        return encoder->last;
    }
    allocation_t found = allocation_of(address);
    int i = 0;
    while (i < bases->n && encoder->within[i].low != found.low) {
        i++;
    }
    if (i == LAYOUT_ALLOCATIONS) {
        i--;
    } else if (i == bases->n) {
        encoder->within[i] = found;
        bases->base[bases->n++] = address;
    }
    return encoder->last = i;
}

static void add_run(encoder_t *encoder, run_kind_t kind, uintptr_t address, int64_t length)
{
    run_t *open = &encoder->open;
    run_t next = {.kind = kind, .length = length, .count = 1};
    if (kind == RUN_COPIED) {
        next.allocation = allocation_index(encoder, address);
        next.address = (int64_t) (address - encoder->bases->base[next.allocation]);
    }
    if (open->count > 0 && open->kind == kind && kind == RUN_COPIED &&
        open->allocation == next.allocation && open->length == length) {
        int64_t step = next.address - open->address;
        if (open->count == 1) {
            open->step = step;
            open->count = 2;
            return;
        }
        if (step == open->step * open->count) {
            open->count++;
            return;
        }
    }
    put_run(encoder);
    *open = next;
}

static void encode(encoder_t *encoder, const record_origin_t *origins, int64_t bytes)
{
    encoder->bases->n = 0;
    for (int64_t i = 0; i < bytes;) {
        run_kind_t kind = kind_of(origins[i]);
        uintptr_t address = record_address(origins[i]);
        int64_t n = 1;
        while (i + n < bytes && kind_of(origins[i + n]) == kind &&
               (kind != RUN_COPIED || record_address(origins[i + n]) == address + (uint64_t) n)) {
            n++;
        }
        add_run(encoder, kind, address, n);
        i += n;
    }
    put_run(encoder);
}

static void count_sites(layout_t *layout, const record_origin_t *origins)
{
    for (int64_t i = 0; i < layout->bytes; i++) {
        unsigned site = record_site(origins[i]);
        int s = 0;
        if (site == 0) {
            continue;
        }
        while (s < layout->nsites && layout->sites[s].site != site) {
            s++;
        }
        if (s == layout->nsites) {
            if (s == LAYOUT_SITES) {
                continue;
            }
            layout->nsites++;
            layout->sites[s].site = site;
        }
        *(record_address(origins[i]) != 0 ? &layout->sites[s].copied
                                          : &layout->sites[s].computed) += 1;
    }
}

/* A new layout, with room for as many runs as there is memory. */
static layout_t *make_layout(const record_call_t *call, bool receives,
                             const record_origin_t *origins, const encoder_t *counted)
{
    layout_t *layout = nlayouts < LAYOUTS ? take(sizeof(*layout)) : NULL;
    if (layout == NULL) {
        atomic_fetch_add(&record_lost[LOST_LAYOUTS], 1);
        return NULL;
    }
    run_t *runs = take((size_t) counted->n * sizeof(*runs));
    encoder_t encoder = {
        .runs = runs, .room = runs == NULL ? 0 : counted->n, .bases = counted->bases};
    encode(&encoder, origins, call->bytes);
    layout->hash = counted->hash;
    layout->receives = receives;
    layout->function = call->function;
    layout->pc = call->pc;
    layout->bytes = call->bytes;
    layout->element = call->element;
    strncpy(layout->type, call->type, sizeof(layout->type) - 1);
    layout->nruns = counted->n;
    layout->runs_listed = encoder.room;
    layout->runs = runs;
    count_sites(layout, origins);
    *last = layout;
    last = &layout->next;
    nlayouts++;
    return layout;
}

layout_t *layout_of(const record_call_t *call, bool receives, const record_origin_t *origins,
                    layout_bases_t *bases)
{
    encoder_t encoder = {.hash = call->pc ^ (uint64_t) receives, .bases = bases};
    encode(&encoder, origins, call->bytes);
    for (layout_t *layout = first; layout != NULL; layout = layout->next) {
        if (layout->hash == encoder.hash && layout->pc == call->pc &&
            layout->receives == receives && layout->bytes == call->bytes) {
            layout->messages++;
            return layout;
        }
    }
    layout_t *layout = make_layout(call, receives, origins, &encoder);
    if (layout != NULL) {
        layout->messages = 1;
    }
    return layout;
}

void layout_walk(const layout_t *layout, const layout_bases_t *bases,
                 void (*fn)(void *data, uintptr_t address, size_t length, int64_t position),
                 void *data)
{
    int64_t position = 0;
    for (int64_t r = 0; r < layout->runs_listed; r++) {
        const run_t *run = &layout->runs[r];
        for (int64_t i = 0; run->kind == RUN_COPIED && i < run->count; i++) {
            fn(data, bases->base[run->allocation] + (uintptr_t) (run->address + i * run->step),
               (size_t) run->length, position + i * run->length);
        }
        position += run->count * run->length;
    }
}
