/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines of places in code, by addr2line(1). */
#ifndef PLACES_H
#define PLACES_H

#include <stddef.h>
#include <stdint.h>

enum { PLACES_MODULES = 256 };

/* A place, and its known source line. */
typedef struct place {
    int module;
    uint64_t offset;
    char *file; /* NULL: unknown, or not asked yet */
    int64_t line;
    char *function; /* NULL: unknown */
} place_t;

/* Zeroed when it is new. The caller sets the modules' paths, which places_free() frees. */
typedef struct places {
    char *modules[PLACES_MODULES];
    place_t *asked;
    size_t nasked;
} places_t;

/* Asks for a place. TOOL_USAGE if such a module cannot exist; TOOL_SYSTEM after a message that
 * starts with `path`. */
int places_ask(places_t *places, const char *path, int module, uint64_t offset);

/* Finds the answers to all that was asked. */
void places_answer(places_t *places);

/* A place that was asked for, after places_answer(); NULL. */
const place_t *places_find(const places_t *places, int module, uint64_t offset);

/* "MODULE+0xOFFSET", which the caller frees; NULL: memory is out. */
char *places_offset_text(const places_t *places, int module, uint64_t offset);

void places_free(places_t *places);

#endif
