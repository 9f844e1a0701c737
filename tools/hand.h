/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop nest that a program without datatypes would have. */
#ifndef HAND_H
#define HAND_H

#include <stdint.h>

#include "dame/type.h"

/*
 * Copies a type's elements one by one between user memory, with byte 0 at `memory`, and the packed
 * stream: loops around loops, as in source code, with the innermost compiled for the size of the
 * element.
 */
void hand_pack(const dame_type_t *type, const char *memory, char *packed);
void hand_unpack(const dame_type_t *type, char *memory, const char *packed);

#endif
