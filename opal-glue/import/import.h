/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI datatypes to dame programs.
 */
#ifndef DT_IMPORT_H
#define DT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "dame/dame.h"
#include "opal-glue/types.h"

struct opal_datatype_t;

/*
 * Builds the program of a datatype, or gives NULL and the reason. Counts and times itself. The
 * caller frees with dame_program_free(). Reads the datatype only. `tree` is empty memory to work
 * in, and is left empty.
 */
dame_program_t *dt_import(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                          dt_decline_t *declined);

/* The layout in words, as dame_words_of_layout() has them, or why the datatype would be declined.
 * Builds a program for that; otherwise as dt_import(). Returns the bytes of an element. */
int64_t dt_import_words(dame_tree_t *tree, const struct opal_datatype_t *datatype, char *words,
                        size_t room);

/* How programs are built from now on, and whether the verifier looks at them. */
void dt_import_start(const dame_options_t *options, bool verify);

#endif
