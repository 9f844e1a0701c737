/* SPDX-License-Identifier: BSD-3-Clause */
#include "staging.h"

#include <stdatomic.h>
#include <string.h>

#include "measure/clock.h"

enum {
    FIRST_TRIALS = 4, /* of the first fragments of a place */
    BETWEEN = 60,     /* fragments between two later ones; they are 61 apart, a prime, and so meet
                         all messages of a pattern */
    MEMORY = 8,       /* trials that the mean remembers */
    REGION_LOG2 = 22  /* bytes of a region */
};

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes before the next line. */
static inline int64_t to_line(const char *at)
{
    return (int64_t) (-(uintptr_t) at & (DAME_STAGING_LINE - 1));
}

/* ---- Ways ----------------------------------------------------------------------------------- */

void dame_staging_write(char *to, const char *from, int64_t length)
{
#ifdef __x86_64__
    const int64_t head = least(to_line(to), length);
    int64_t lines = (length - head) & -(int64_t) DAME_STAGING_LINE;
    const int64_t tail = length - head - lines;
    memcpy(to, from, (size_t) head);
    to += head;
    from += head;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(lines) : : "memory");
    memcpy(to, from, (size_t) tail);
#else
    memcpy(to, from, (size_t) length);
#endif
}

static inline int64_t piece_of(const dame_staging_t *staging)
{
    return staging->piece != 0 ? staging->piece : DAME_STAGING_BUFFER;
}

/* In the buffer, at the same offset within a line. */
static inline char *warm_for(dame_staging_t *staging, const char *packed)
{
    return staging->buffer + ((uintptr_t) packed & (DAME_STAGING_LINE - 1));
}

/* Moves up to `length` bytes. */
typedef int64_t move_t(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                       int64_t length);

static int64_t pack_directly(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                             int64_t length)
{
    (void) staging;
    return dame_cursor_pack(cursor, packed, length);
}

/* Each piece ends where a fragment may end. If none fits the buffer, as in a long block that may
 * not be cut, the rest is packed directly. */
static int64_t pack_staged(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                           int64_t length)
{
    const int64_t piece = piece_of(staging);
    int64_t moved = 0;
    while (moved < length) {
        char *to = packed + moved, *warm = warm_for(staging, to);
        const int64_t left = length - moved, room = least(left, piece);
        const int64_t bytes = dame_cursor_pack(cursor, warm, room);
        if (bytes == 0 && room < left) {
            return moved + dame_cursor_pack(cursor, to, left);
        }
        dame_staging_write(to, warm, bytes);
        moved += bytes;
        if (room == left) {
            break;
        }
    }
    return moved;
}

static int64_t unpack_directly(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                               int64_t length)
{
    (void) staging;
    return dame_cursor_unpack(cursor, packed, length);
}

/* Requests as much as the first cache may hold at a time. */
static int64_t unpack_requested(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                                int64_t length)
{
    const int64_t piece = piece_of(staging);
    int64_t moved = 0, bytes = 1;
    length = least(length, cursor->total - cursor->position);
    while (moved < length && bytes > 0) {
        const int64_t room = least(length - moved, piece);
        for (int64_t i = 0; i < room; i += DAME_STAGING_LINE) {
            __builtin_prefetch(packed + moved + i);
        }
        bytes = dame_cursor_unpack(cursor, packed + moved, room);
        moved += bytes;
    }
    return moved;
}

enum { DIRECT, OTHER, WAYS };

static move_t *const ways[2][WAYS] = {[DAME_PACK] = {pack_directly, pack_staged},
                                      [DAME_UNPACK] = {unpack_directly, unpack_requested}};

/* ---- Which way ------------------------------------------------------------------------------ */

static dame_staging_place_t *place_of_line(dame_staging_t *staging, dame_dir_t dir,
                                           const char *packed, int64_t length)
{
    enum { SHORT = 4096, LONG = 16384 }; /* bytes */
    const uint64_t region = (uint64_t) (uintptr_t) packed >> REGION_LOG2;
    const uint64_t hash = (region * 0x9e3779b97f4a7c15) >> 32;
    const int size = length < SHORT ? 0 : length < LONG ? 1 : 2;
    return &staging->places[dir][size][hash % DAME_STAGING_REGIONS];
}

/* When all stores are done, not only on their way. */
static int64_t staging_now(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    return dame_clock_now();
}

/* Times for a byte. */
static void learn(dame_staging_place_t *place, float direct, float other)
{
    const float seen = direct + other > 0 ? (direct - other) / (direct + other) : 0;
    const uint32_t weight = place->trials + 1 < MEMORY ? place->trials + 1 : MEMORY;
    place->gain += (seen - place->gain) / (float) weight;
}

/* Half of the fragment by each way. Which one is first changes, since it finds the caches in
 * another state. */
static __attribute__((noinline)) int64_t try_both(dame_staging_t *staging,
                                                  dame_staging_place_t *place, dame_dir_t dir,
                                                  dame_cursor_t *cursor, char *packed,
                                                  int64_t length)
{
    const int way = (int) (place->trials & 1);
    const int64_t half =
        least(length, ((length / 2) & -(int64_t) DAME_STAGING_LINE) + to_line(packed));
    const int64_t start = staging_now();
    const int64_t first = ways[dir][way](staging, cursor, packed, half);
    const int64_t middle = staging_now();
    const int64_t second =
        ways[dir][WAYS - 1 - way](staging, cursor, packed + first, length - first);
    const int64_t end = staging_now();
    if (first > 0 && second > 0) {
        const float one = (float) (middle - start) / (float) first;
        const float two = (float) (end - middle) / (float) second;
        learn(place, way == DIRECT ? one : two, way == DIRECT ? two : one);
    }
    place->trials += place->trials < 2 * MEMORY ? 1 : -1; /* odd and even in turn */
    place->until = place->trials < FIRST_TRIALS ? 0 : BETWEEN;
    return first + second;
}

static inline int64_t move_staged(dame_staging_t *staging, dame_dir_t dir, dame_cursor_t *cursor,
                                  char *packed, int64_t length)
{
    dame_staging_place_t *place = place_of_line(staging, dir, packed, length);
    if (cursor->program->has_by_block != 0 && length > piece_of(staging)) {
        return ways[dir][DIRECT](staging, cursor, packed, length); /* pieces have few columns */
    }
    if (--place->until < 0) {
        return try_both(staging, place, dir, cursor, packed, length);
    }
    return ways[dir][place->gain > 0 ? OTHER : DIRECT](staging, cursor, packed, length);
}

int64_t dame_staging_pack(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                          int64_t length)
{
    return move_staged(staging, DAME_PACK, cursor, packed, length);
}

int64_t dame_staging_unpack(dame_staging_t *staging, dame_cursor_t *cursor, const char *packed,
                            int64_t length)
{
    return move_staged(staging, DAME_UNPACK, cursor, (char *) (uintptr_t) packed, length);
}

bool dame_staging_is_direct(dame_staging_t *staging, const char *packed, int64_t length)
{
    dame_staging_place_t *place = place_of_line(staging, DAME_PACK, packed, length);
    if (place->gain > 0 || place->until <= 0) {
        return false;
    }
    place->until--;
    return true;
}

char *dame_staging_room(dame_staging_t *staging, char *packed, int64_t length)
{
    if (length < DAME_STAGING_LEAST || length > DAME_STAGING_BUFFER) {
        return packed;
    }
    dame_staging_place_t *place = place_of_line(staging, DAME_PACK, packed, length);
    place->until -= place->until > 0;
    return place->gain > 0 && place->until > 0 ? warm_for(staging, packed) : packed;
}
