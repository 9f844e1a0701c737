/*
 * The picture of a message as SVG: no scripts, no fonts of its own, no outside references; an own
 * background. The same message gives the same bytes.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

#include "grid.h"
#include "plan.h"

typedef struct picture {
    const char *name; /* title; any bytes */
    int64_t width;    /* pixels, at least PICTURE_MIN_WIDTH */
    const pieces_t *pieces;
    const survey_t *survey;
    const plan_t *plan;
} picture_t;

enum { PICTURE_MIN_WIDTH = 480 };

/* Writes the picture. TOOL_SYSTEM after a message when memory is out; errors of `out` are the
 * caller's to look for. */
int picture_write(const picture_t *picture, FILE *out);

#endif
