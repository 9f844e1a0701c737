/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/patch.h: edits of a file, and the unified diff that makes them. */
#ifndef SUGGEST_C_PATCH_H
#define SUGGEST_C_PATCH_H

#include "site.h"

typedef struct patch patch_t;

typedef enum patch_mode { PATCH_NONE, PATCH_TYPES, PATCH_CHECK } patch_mode_t;

patch_t *patch_new(c_unit_t *unit);
void patch_free(patch_t *patch);

/* Adds the edits for the decided sites of a function, or says why not. */
void patch_function(patch_t *patch, patch_mode_t mode, run_t *run, site_t *sites, size_t n);

/* The diff, with three lines of context; nothing without edits. false after a message on stderr. */
bool patch_print(patch_t *patch, FILE *out);

#endif
