/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/patch.h: edits of a file, and the unified diff that makes them. */
#ifndef SUGGEST_C_PATCH_H
#define SUGGEST_C_PATCH_H

#include "site.h"

struct patch;

enum patch_mode { PATCH_NONE, PATCH_TYPES, PATCH_CHECK };

struct patch *patch_new(struct c_unit *unit);
void patch_free(struct patch *patch);

/* Adds the edits for the decided sites of a function, or says why not. */
void patch_function(struct patch *patch, enum patch_mode mode, struct run *run, struct site *sites,
                    size_t n);

/* The diff, with three lines of context; nothing without edits. false after a message on stderr. */
bool patch_print(struct patch *patch, FILE *out);

#endif
