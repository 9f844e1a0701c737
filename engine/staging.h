/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ways to move a fragment: directly, or without waiting for each cache line.
 *
 * A transport through shared memory uses the same fragments again and again, so a fragment's lines
 * are in the cache of the process at the other end. A direct store waits until its core owns the
 * line: 12 ns between two cores of a Zen 5, whatever packs. The other way packs into a warm buffer
 * of the thread and then writes whole lines, which CPUs can do without reading them first. For
 * unpacking, it requests all lines before it reads the first.
 *
 * Which way is faster depends on the machine and on which cache has the lines, hardly on the
 * datatype: for memory that no other core uses (TCP, messages to the process itself) it is the
 * direct one. So now and then a trial moves one half of a fragment by each way, and the faster one
 * is used until the next trial. Fragments of one direction, size and region of memory share what is
 * learnt.
 */
#ifndef DAME_STAGING_H
#define DAME_STAGING_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/cursor.h"

enum {
    DAME_STAGING_LEAST = 1024,   /* bytes of a fragment; for shorter ones asking costs too much */
    DAME_STAGING_LINE = 64,      /* bytes */
    DAME_STAGING_BUFFER = 32768, /* bytes that are packed before they are written */
    DAME_STAGING_REGIONS = 16,
    DAME_STAGING_SIZES = 3
};

/* What trials have shown. Zero at first: the direct way, and a trial is due. */
typedef struct dame_staging_place {
    float gain;    /* mean of (direct - other) / (direct + other), of times for a byte; > 0: the
                      other way is faster */
    int32_t until; /* fragments before the next trial */
    uint32_t trials;
} dame_staging_place_t;

/* A thread's, which no other thread uses. Zero at first. */
typedef struct dame_staging {
    dame_staging_place_t places[2][DAME_STAGING_SIZES][DAME_STAGING_REGIONS]; /* by dame_dir_t */
    int64_t piece; /* bytes of the buffer to use, for tests; 0: all */
    char buffer[DAME_STAGING_BUFFER + DAME_STAGING_LINE] __attribute__((aligned(64)));
} dame_staging_t;

/* As dame_cursor_pack() and dame_cursor_unpack(), of any length, by the faster way. */
int64_t dame_staging_pack(dame_staging_t *staging, dame_cursor_t *cursor, char *packed,
                          int64_t length);
int64_t dame_staging_unpack(dame_staging_t *staging, dame_cursor_t *cursor, const char *packed,
                            int64_t length);

/* Counts a whole message. True: the direct way is faster and no trial is due; the caller packs it.
 * False: it calls dame_staging_pack(). */
bool dame_staging_is_direct(dame_staging_t *staging, const char *packed, int64_t length);

/* For another engine that packs `length` bytes: the buffer from which dame_staging_write() then
 * copies them. Or `packed`: the direct way is faster, the buffer too small, or a trial is due. */
char *dame_staging_room(dame_staging_t *staging, char *packed, int64_t length);

/* Copies as memcpy() does, whole lines without reading what is there, if the CPU can. Fastest if
 * both addresses have the same offset within a line. */
void dame_staging_write(char *to, const char *from, int64_t length);

#endif
