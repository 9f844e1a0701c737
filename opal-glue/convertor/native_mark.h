/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the native engine's description of a datatype has been read (native.h). */
#ifndef DT_NATIVE_MARK_H
#define DT_NATIVE_MARK_H

#include <stddef.h>

union dt_elem_desc;

/* An item of the description, and the packed bytes of one element of the datatype before it. All
 * zero: nothing has been read. */
typedef struct dt_native_mark {
    const union dt_elem_desc *item;
    size_t start;
} dt_native_mark_t;

#endif
