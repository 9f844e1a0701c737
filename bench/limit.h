/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no engine can do better: each cache line of a layout touched once, in the order of
 * addresses, and the packed bytes written (or read) once. The data is not put in order, so this is
 * a limit, not an engine.
 */
#ifndef LIMIT_H
#define LIMIT_H

#include "layouts.h"

typedef struct limit limit_t;

/* Of a side that packs into, and unpacks from, `packed`. NULL: too large for a list of its lines,
 * or out of memory. */
limit_t *limit_new(const struct layout *layout, int side, unsigned char *packed);
void limit_free(limit_t *limit);

/* As long as moving the data takes at least. The second destroys the data. */
void limit_pack(const limit_t *limit);
void limit_unpack(const limit_t *limit);

#endif
