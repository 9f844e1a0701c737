/* SPDX-License-Identifier: BSD-3-Clause */
/* What each pass of the optimiser does to a program. */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>

#include "dame/dame.h"

/*
 * Optimises with no pass, then with one pass more at a time, in table order, as far as they are in
 * options->passes; prints what each changes. An exit code of tool.h.
 */
int trace_passes(const dame_program_t *program, const dame_options_t *options, FILE *out);

#endif
