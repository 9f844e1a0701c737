/* SPDX-License-Identifier: BSD-3-Clause */
/* What a space holds. Private to poly*.c. */
#ifndef SUGGEST_POLY_SPACE_H
#define SUGGEST_POLY_SPACE_H

#include "poly.h"

typedef struct poly_chunk poly_chunk_t;

typedef struct poly_atom_entry {
    poly_kind_t kind;
    const char *text;
    int nsubscripts;
    const poly_t *const *subscripts;
    int depth; /* of entries in subscripts; 0: no entry */
    uint64_t hash;
} poly_atom_entry_t;

struct poly_space {
    poly_error_t error;
    poly_chunk_t *chunks; /* newest first */
    char *next, *end;     /* free part of the newest */
    size_t bytes;
    poly_atom_entry_t *atoms;
    int natoms, room;
    int *table; /* of atoms by hash, open addressing; 0: free, else atom + 1 */
    int slots;  /* of the table, a power of 2 */
    const poly_t **notes;
    int nnotes, notes_room;
};

/* Sets the sticky error unless there is one. */
void poly_fail(poly_space_t *space, poly_error_t error);

/* A term's order among others: < 0 when it comes before. */
int poly_compare_terms(const poly_term_t *a, const poly_term_t *b);

/* The greatest monomial, with the number's sign of the leading term, that divides all terms. */
const poly_t *poly_content(poly_space_t *space, const poly_t *a);

#endif
