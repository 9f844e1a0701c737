/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of layouts, in memory. */
#ifndef DRAWING_H
#define DRAWING_H

#include "layout.h"

enum {
    DRAWING_COLUMNS = 256,
    DRAWING_TEXT_COLUMNS = 64, /* unless there shall be more */
    DRAWING_WIDTH = 4096       /* pixels */
};

typedef enum drawing_format { DRAWING_SVG, DRAWING_TEXT, DRAWING_TIKZ } drawing_format_t;

/* How; 0: as fits. */
typedef struct drawing {
    drawing_format_t format;
    const char *title;
    int64_t count; /* elements */
    int64_t width; /* pixels */
    int64_t cell;  /* bytes */
    int64_t columns;
} drawing_t;

/* The layout as at most 480 KiB of that format, which the caller frees. TOOL_WRONG or TOOL_SYSTEM
 * after a message. */
int drawing_make(const drawing_t *drawing, const tool_layout_t *layout, char **picture,
                 size_t *length);

#endif
