/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs for the commands that are about the language or about code. Commands about data use
 * datatype.h instead; test/house has the rule.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "dame/dame.h"

/*
 * The program in a file of up to 1 GiB; "-" is standard input. TOOL_WRONG after a message "dame:
 * FILE:LINE:COLUMN: the error", or TOOL_SYSTEM. The caller frees with dame_program_free().
 */
int tool_load(const char *path, dame_program_t **out);

/* dame_program_optimise() that says why it fails; returns the exit code that fits. */
int tool_optimised(const char *thing, const dame_program_t *program, const dame_options_t *options,
                   dame_program_t **out);

/* Adds the passes named in `text` to *passes; see dame_passes_parse(). TOOL_USAGE after a message.
 */
int tool_passes(const char *name, const char *text, dame_passes_t *passes);

/* As tool_span() of datatype.h. */
int tool_program_span(const dame_program_t *program, int64_t count, int64_t *low, int64_t *high,
                      int64_t *total);

#endif
