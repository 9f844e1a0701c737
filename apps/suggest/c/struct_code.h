/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/struct_code.h: the C code that makes the datatype of a struct. */
#ifndef SUGGEST_C_STRUCT_CODE_H
#define SUGGEST_C_STRUCT_CODE_H

#include "struct.h"

#include <stdio.h>

/* Writes a function that compiles as C and as C++, without the members that cannot be sent; nothing
 * if none can. */
void struct_code(FILE *out, c_memory_t *memory, const layout_t *layout);

/* Names the members that cannot be sent, and what else the code needs to compile. Returns how many
 * cannot be sent. */
size_t struct_complain(FILE *out, c_memory_t *memory, const layout_t *layout);

#endif
