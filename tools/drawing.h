/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of layouts, in memory. */
#ifndef DRAWING_H
#define DRAWING_H

#include "layout.h"

typedef enum drawing_format { DRAWING_SVG, DRAWING_TEXT } drawing_format_t;

typedef struct drawing {
    drawing_format_t format;
    const char *title;
    int64_t count; /* elements */
} drawing_t;

/* The layout as at most 480 KiB of that format, which the caller frees. TOOL_WRONG or TOOL_SYSTEM
 * after a message. */
int drawing_make(const drawing_t *drawing, const tool_layout_t *layout, char **picture,
                 size_t *length);

#endif
