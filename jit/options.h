/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to jit/. */
#ifndef DAME_JIT_OPTIONS_H
#define DAME_JIT_OPTIONS_H

#include "jit_types.h"

/* Returns whether every option is in the range that jit.h gives. */
int dame_jit_options_valid(const dame_jit_options_t *options);

enum { DAME_X_OPTIONS = 500 }; /* bytes */

/* Writes those that are DAME-X's as it reads them, and returns them. */
const char *dame_jit_options_text(const dame_jit_options_t *options, char text[DAME_X_OPTIONS]);

#endif
