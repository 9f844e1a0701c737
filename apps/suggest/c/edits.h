/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/edits.h: edits of a text, and the unified diff that makes them. */
#ifndef SUGGEST_C_EDITS_H
#define SUGGEST_C_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct edit {
    size_t begin, end; /* bytes that are replaced */
    char *text;
    long order; /* of insertions at one place */
} edit_t;

typedef struct edits {
    edit_t *edit;
    size_t n;
} edits_t;

/* Copies TEXT. Returns false, without an edit, when it overlaps another one. */
bool edits_add(edits_t *edits, size_t begin, size_t end, const char *text);
/* The same, before earlier insertions there. */
bool edits_add_first(edits_t *edits, size_t begin, size_t end, const char *text);
/* Forgets the edits from number N on. */
void edits_cut(edits_t *edits, size_t n);
/* The edited text; the caller frees. */
char *edits_apply(edits_t *edits, const char *text, size_t size);
/* Prints a unified diff, by diff(1), of a file and its edited text; nothing when equal. false after
 * a message on stderr. */
bool edits_diff(FILE *out, const char *path, const char *edited);

#endif
