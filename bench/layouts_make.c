/* SPDX-License-Identifier: BSD-3-Clause */
/* What all layouts share: memory, patterns, comparison. */
#include "layouts_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lib/turns.h"

enum {
    PAGE = 4096,
    CACHE_LINE = 64,
    USER_OFF_LINE = 8,
    PACKED_OFF_LINE = 40,
    NEVER_WRITTEN = 0xA5
};

/* A list of what a layout allocated. */
struct layout_memory {
    struct layout_memory *next;
    void *block;
};

/* ---- memory ---- */

static void *not_null(void *block, size_t size)
{
    if (block == NULL) {
        fprintf(stderr, "layouts: cannot allocate %zu bytes\n", size);
        MPI_Abort(MPI_COMM_WORLD, 1);
        abort();
    }
    return block;
}

static void *allocate(size_t size)
{
    return not_null(aligned_alloc(PAGE, (size / PAGE + 1) * PAGE), size);
}

static void *keep(struct layout *layout, void *block, size_t size)
{
    struct layout_memory *entry = allocate(sizeof(*entry));

    entry->block = memset(block, 0, size);
    entry->next = layout->memory;
    layout->memory = entry;
    return block;
}

void *layout_keep(struct layout *layout, size_t size)
{
    return keep(layout, allocate(size), size);
}

/* For the bytes of messages. */
static unsigned char *keep_bytes(struct layout *layout, size_t size)
{
    return keep(layout, not_null(turns_memory(size), size), size);
}

void *layout_array(struct layout *layout, int side, size_t size)
{
    struct layout_side *s = &layout->side[side];
    const size_t stagger = (size_t) CACHE_LINE * (5 * (size_t) s->arrays + 3 * (size_t) side + 1) +
                           (layout->place == LAYOUT_OFF_LINE ? USER_OFF_LINE : 0);

    s->array[s->arrays].bytes = keep_bytes(layout, size + stagger) + stagger;
    s->array[s->arrays].size = size;
    return s->array[s->arrays++].bytes;
}

void *layout_buffer(size_t size)
{
    void *buffer = allocate(size);

    memset(buffer, 0, size);
    return buffer;
}

unsigned char *layout_packed(struct layout *layout, size_t size)
{
    const size_t shift = layout->place == LAYOUT_OFF_LINE ? PACKED_OFF_LINE : 0;

    return keep_bytes(layout, size + shift) + shift;
}

/* ---- for the families ---- */

void layout_hand(struct layout *layout, int side, const void *plan, size_t size,
                 void (*pack)(const void *, void *), void (*unpack)(const void *, const void *))
{
    struct layout_side *s = &layout->side[side];

    s->plan = memcpy(layout_keep(layout, size), plan, size);
    s->pack = pack;
    s->unpack = unpack;
}

/* Xorshift, 32 bits (Marsaglia 2003). */
uint32_t layout_random(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

int *layout_shuffled(struct layout *layout, int n, uint32_t seed)
{
    int *list = layout_keep(layout, (size_t) n * sizeof(int));
    uint32_t state = seed;

    for (int i = 0; i < n; i++) {
        list[i] = i;
    }
    for (int i = 0; i < n; i++) {
        const int j = (int) (layout_random(&state) % (uint32_t) n);
        const int swapped = list[i];
        list[i] = list[j];
        list[j] = swapped;
    }
    return list;
}

void layout_use_absolute(struct layout *layout, int side)
{
#ifdef MPICH_VERSION
    layout->side[side].base = layout->side[side].array[0].bytes;
#else
    layout->side[side].base = MPI_BOTTOM;
#endif
}

MPI_Aint layout_displacement(const struct layout_side *side, const void *location)
{
    MPI_Aint address, base = 0;

    MPI_Get_address(location, &address);
    if (side->base != MPI_BOTTOM) {
        MPI_Get_address(side->base, &base);
    }
    return MPI_Aint_diff(address, base);
}

void layout_replace(MPI_Datatype *type, MPI_Datatype made)
{
    MPI_Type_free(type);
    *type = made;
}

/* ---- life of a layout ---- */

struct layout *layout_create(const struct layout_spec *spec, enum layout_place place)
{
    struct layout *layout = allocate(sizeof(*layout));

    memset(layout, 0, sizeof(*layout));
    layout->spec = spec;
    layout->place = place;
    for (int side = 0; side < 2; side++) {
        layout->side[side].count = 1;
    }
    spec->setup(layout);
    for (int side = 0; side < 2; side++) {
        spec->make_type(layout, side, &layout->side[side].type);
    }
    return layout;
}

void layout_free(struct layout *layout)
{
    for (int side = 0; side < 2; side++) {
        MPI_Type_free(&layout->side[side].type);
    }
    for (struct layout_memory *entry = layout->memory; entry != NULL;) {
        struct layout_memory *next = entry->next;
        turns_free(entry->block);
        free(entry);
        entry = next;
    }
    free(layout);
}

/* ---- contents ---- */

void layout_fill_bytes(void *buffer, size_t size, uint32_t seed)
{
    unsigned char *bytes = buffer;
    uint32_t state = seed * 2654435761u + 1; /* any odd multiplier: never 0 for small seeds */

    if (state == 0) {
        state = 1;
    }
    for (size_t i = 0; i < size; i += sizeof(state)) {
        layout_random(&state);
        memcpy(bytes + i, &state, size - i < sizeof(state) ? size - i : sizeof(state));
    }
}

void layout_fill(struct layout_side *side, uint32_t seed)
{
    for (int a = 0; a < side->arrays; a++) {
        layout_fill_bytes(side->array[a].bytes, side->array[a].size,
                          seed * LAYOUT_MAX_ARRAYS + (uint32_t) a);
    }
}

void layout_clear(struct layout_side *side)
{
    for (int a = 0; a < side->arrays; a++) {
        memset(side->array[a].bytes, NEVER_WRITTEN, side->array[a].size);
    }
}

unsigned char *layout_snapshot(const struct layout_side *side)
{
    size_t total = 0;
    unsigned char *snapshot, *to;

    for (int a = 0; a < side->arrays; a++) {
        total += side->array[a].size;
    }
    to = snapshot = allocate(total);
    for (int a = 0; a < side->arrays; a++) {
        memcpy(to, side->array[a].bytes, side->array[a].size);
        to += side->array[a].size;
    }
    return snapshot;
}

int layout_differs(const struct layout_side *side, const unsigned char *snapshot, size_t *offset)
{
    for (int a = 0; a < side->arrays; a++) {
        const unsigned char *bytes = side->array[a].bytes;
        const size_t size = side->array[a].size;
        if (memcmp(bytes, snapshot, size) != 0) {
            for (*offset = 0; bytes[*offset] == snapshot[*offset];) {
                ++*offset;
            }
            return a;
        }
        snapshot += size;
    }
    return -1;
}
