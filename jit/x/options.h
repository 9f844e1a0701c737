/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of DAME-X as text. Private to jit/x/ and the tests. */
#ifndef DAME_X_OPTIONS_H
#define DAME_X_OPTIONS_H

#include "dame/status.h"
#include "parameters.h"

/* Reads "key=value,key=value"; other keys get their defaults. DAME_ERR_ARGUMENT: an unknown key or
 * a value out of range. */
dame_status_t x_options_parse(const char *text, x_options_t *out);

#endif
