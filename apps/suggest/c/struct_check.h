/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/struct_check.h: the datatypes that a source makes of a struct, against the struct.
 */
#ifndef SUGGEST_C_STRUCT_CHECK_H
#define SUGGEST_C_STRUCT_CHECK_H

#include "struct.h"

#include <stdio.h>

/* Writes a line for each datatype that is that of the struct or cannot be read, and one for each
 * difference. Returns how many datatypes differ; if none could be compared, how many there are. */
size_t struct_check(FILE *out, c_unit_t *unit, const layout_t *layout);

#endif
