/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of a message as SVG, and its contents. SVG has no scripts, no fonts of its own, no
 * outside references, and an own background. The same message gives the same bytes.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

#include "grid.h"
#include "plan.h"

typedef struct picture {
    const char *name; /* title; any bytes */
    const pieces_t *pieces;
    const survey_t *survey;
    const plan_t *plan;
} picture_t;

/* The lines 0 and 1 of facts: blocks and bytes; elements, extent and bounds. */
enum { PICTURE_FACTS = 400 /* room for a line */ };
void picture_facts(const picture_t *picture, int line, char text[PICTURE_FACTS]);

/* The memory, with rows folded; no rows where no data moves. TOOL_SYSTEM after a message. The
 * caller frees with grid_fini(). */
int picture_overview(const picture_t *picture, grid_t *grid);

/* Writes the picture as SVG. TOOL_SYSTEM after a message when memory is out; errors of `out` are
 * the caller's to look for. */
int picture_write(const picture_t *picture, FILE *out);

#endif
