/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which bytes a message has, by Open MPI's own description of its datatype: the referee where two
 * engines differ (verify_native.c). It walks the description as the constructors left it (`desc`),
 * block by block, and shares no code with either engine. Slow.
 */
#ifndef DT_REFEREE_H
#define DT_REFEREE_H

#include <stddef.h>

struct opal_convertor_t;

/* Packed bytes [position, position + length) of the convertor's message, which has them: from user
 * memory to `packed`, and back. */
void dt_referee_pack(const struct opal_convertor_t *convertor, size_t position, char *packed,
                     size_t length);
void dt_referee_unpack(const struct opal_convertor_t *convertor, size_t position,
                       const char *packed, size_t length);

#endif
