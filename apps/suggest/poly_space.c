/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and atoms of a space. */
#include "poly_space.h"

#include <stdlib.h>
#include <string.h>

struct poly_chunk {
    poly_chunk_t *older;
};

enum { CHUNK = 1 << 16, ALIGNED = 16, ATOMS = 1 << 20 };

void poly_fail(poly_space_t *space, poly_error_t error)
{
    if (space->error == POLY_OK) {
        space->error = error;
    }
}

poly_error_t poly_error(const poly_space_t *space)
{
    return space->error;
}

const char *poly_error_text(poly_error_t error)
{
    switch (error) {
    case POLY_OK:
        return "no error";
    case POLY_OVERFLOW:
        return "a number does not fit in 64 bits";
    case POLY_LIMIT:
        return "the expressions are too large";
    default:
        return "out of memory";
    }
}

poly_space_t *poly_space_new(void)
{
    return calloc(1, sizeof(poly_space_t));
}

void poly_space_free(poly_space_t *space)
{
    if (space == NULL) {
        return;
    }
    while (space->chunks != NULL) {
        poly_chunk_t *older = space->chunks->older;
        free(space->chunks);
        space->chunks = older;
    }
    free(space->atoms);
    free(space->table);
    free(space->notes);
    free(space);
}

static void *new_chunk(poly_space_t *space, size_t bytes)
{
    size_t room = bytes > CHUNK / 4 ? bytes : CHUNK;
    if (space->bytes + room > POLY_MEMORY) {
        poly_fail(space, POLY_LIMIT);
        return NULL;
    }
    poly_chunk_t *chunk = calloc(1, ALIGNED + room);
    if (chunk == NULL) {
        poly_fail(space, POLY_NOMEM);
        return NULL;
    }
    space->bytes += room;
    chunk->older = space->chunks;
    space->chunks = chunk;
    char *memory = (char *) chunk + ALIGNED;
    if (room == CHUNK) {
        space->next = memory + bytes;
        space->end = memory + room;
    }
    return memory;
}

void *poly_alloc(poly_space_t *space, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > POLY_MEMORY) {
        poly_fail(space, POLY_LIMIT);
        return NULL;
    }
    bytes = (bytes + !bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (bytes <= (size_t) (space->end - space->next)) {
        void *memory = space->next;
        space->next += bytes;
        return memory;
    }
    return new_chunk(space, bytes);
}

const char *poly_text(poly_space_t *space, const char *text, size_t length)
{
    char *copy = length <= POLY_TEXT ? poly_alloc(space, length + 1, 1) : NULL;
    if (copy == NULL) {
        poly_fail(space, POLY_LIMIT);
        return "";
    }
    memcpy(copy, text, length);
    return copy;
}

/* ---- atoms ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static bool same_atom(const poly_atom_entry_t *a, const poly_atom_entry_t *b, size_t length)
{
    if (a->hash != b->hash || a->kind != b->kind || a->nsubscripts != b->nsubscripts ||
        strncmp(a->text, b->text, length) != 0 || a->text[length] != '\0') {
        return false;
    }
    for (int i = 0; i < a->nsubscripts; i++) {
        if (!poly_equal(a->subscripts[i], b->subscripts[i])) {
            return false;
        }
    }
    return true;
}

static int *slot_of(poly_space_t *space, const poly_atom_entry_t *wanted, size_t length)
{
    for (uint64_t at = wanted->hash;; at++) {
        int *slot = &space->table[at & (uint64_t) (space->slots - 1)];
        if (*slot == 0 || same_atom(&space->atoms[*slot - 1], wanted, length)) {
            return slot;
        }
    }
}

/* Room for one atom more. */
static bool grow(poly_space_t *space)
{
    if (space->natoms < space->room) {
        return true;
    }
    if (space->room >= ATOMS) {
        poly_fail(space, POLY_LIMIT);
        return false;
    }
    int room = space->room > 0 ? 2 * space->room : 64;
    poly_atom_entry_t *atoms = realloc(space->atoms, (size_t) room * sizeof(*atoms));
    if (atoms != NULL) {
        space->atoms = atoms;
    }
    int *table = calloc((size_t) room * 2, sizeof(*table));
    if (atoms == NULL || table == NULL) {
        free(table);
        poly_fail(space, POLY_NOMEM);
        return false;
    }
    free(space->table);
    space->table = table;
    space->slots = 2 * room;
    space->room = room;
    for (int i = 0; i < space->natoms; i++) {
        uint64_t at = space->atoms[i].hash;
        while (table[at & (uint64_t) (space->slots - 1)] != 0) {
            at++;
        }
        table[at & (uint64_t) (space->slots - 1)] = i + 1;
    }
    return true;
}

static poly_atom_t intern(poly_space_t *space, poly_atom_entry_t wanted, size_t length, bool fresh)
{
    if (!grow(space)) {
        return space->natoms > 0 ? 0 : POLY_NO_ATOM;
    }
    wanted.hash = mix(wanted.kind, fresh ? (uint64_t) space->natoms : 0);
    for (size_t i = 0; i < length; i++) {
        wanted.hash = mix(wanted.hash, (unsigned char) wanted.text[i]);
    }
    for (int i = 0; i < wanted.nsubscripts; i++) {
        wanted.hash = mix(wanted.hash, poly_hash(wanted.subscripts[i]));
    }
    int *slot = slot_of(space, &wanted, length);
    while (fresh && *slot != 0) { /* equal hash and text: another one all the same */
        wanted.hash++;
        slot = slot_of(space, &wanted, length);
    }
    if (*slot == 0) {
        wanted.text = poly_text(space, wanted.text, length);
        if (wanted.nsubscripts > 0) {
            const poly_t **copy =
                poly_alloc(space, (size_t) wanted.nsubscripts, sizeof(*wanted.subscripts));
            if (copy == NULL) {
                wanted.nsubscripts = 0;
            }
            for (int i = 0; i < wanted.nsubscripts; i++) {
                copy[i] = wanted.subscripts[i];
            }
            wanted.subscripts = copy;
        }
        space->atoms[space->natoms] = wanted;
        *slot = ++space->natoms;
    }
    return *slot - 1;
}

poly_atom_t poly_name(poly_space_t *space, const char *text, size_t length)
{
    return intern(space, (poly_atom_entry_t){.kind = POLY_NAME, .text = text}, length, false);
}

poly_atom_t poly_opaque(poly_space_t *space, const char *text, size_t length)
{
    return intern(space, (poly_atom_entry_t){.kind = POLY_OPAQUE, .text = text}, length, false);
}

poly_atom_t poly_loop(poly_space_t *space, const char *text, size_t length)
{
    return intern(space, (poly_atom_entry_t){.kind = POLY_LOOP, .text = text}, length, true);
}

static int depth_of(const poly_space_t *space, int count, const poly_t *const *subscripts)
{
    int depth = 0;
    for (int i = 0; i < count; i++) {
        for (int t = 0; t < subscripts[i]->count; t++) {
            for (int j = 0; j < subscripts[i]->terms[t].degree; j++) {
                int inner = space->atoms[subscripts[i]->terms[t].atoms[j]].depth;
                depth = inner > depth ? inner : depth;
            }
        }
    }
    return depth + 1;
}

poly_atom_t poly_entry(poly_space_t *space, const char *text, size_t length, int count,
                       const poly_t *const *subscripts)
{
    int depth = count >= 1 && count <= POLY_SUBSCRIPTS ? depth_of(space, count, subscripts) : 0;
    if (depth < 1 || depth > POLY_ENTRIES) {
        poly_fail(space, POLY_LIMIT);
        count = depth = 0;
    }
    return intern(space,
                  (poly_atom_entry_t){.kind = POLY_ENTRY,
                                      .text = text,
                                      .nsubscripts = count,
                                      .subscripts = subscripts,
                                      .depth = depth},
                  length, false);
}

int poly_atoms(const poly_space_t *space)
{
    return space->natoms;
}

poly_kind_t poly_kind(const poly_space_t *space, poly_atom_t atom)
{
    return space->atoms[atom].kind;
}

const char *poly_atom_text(const poly_space_t *space, poly_atom_t atom)
{
    return space->atoms[atom].text;
}

const poly_t *const *poly_subscripts(const poly_space_t *space, poly_atom_t atom, int *count)
{
    *count = space->atoms[atom].nsubscripts;
    return space->atoms[atom].subscripts;
}
