/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A grid as SVG: rows of cells with what lies in them, addresses beside the rows.
 */
#ifndef PANEL_H
#define PANEL_H

#include <stdio.h>

#include "grid.h"

typedef struct panel {
    const grid_t *grid;
    const pieces_t *pieces;
    int64_t x, y;          /* of the first cell, pixels */
    int64_t width, height; /* of a cell, pixels */
    int64_t break_rows;    /* rows of cells that a break is as high as */
    int64_t label_every;   /* rows between address labels */
} panel_t;

enum { PANEL_HEADER = 16 }; /* pixels above the first row, for the offsets of the columns */

/* Colours of the picture. */
#define PANEL_PAPER "#ffffff"
#define PANEL_EMPTY "#e9ecef"
#define PANEL_INK   "#212529"
#define PANEL_FAINT "#5c636a"
#define PANEL_TWICE "#e8003c"
#define PANEL_LINES "#8d959d"

/* "#rrggbb" without the "#", for orders 0 to GRID_ORDERS - 1; static storage. */
const char *panel_colour(int64_t order);

/*
 * Sets where the grid stands and how large its cells are: its left edge at `x`, its top at `y`, at
 * most `room` pixels wide, labels included.
 */
void panel_place(panel_t *panel, const grid_t *grid, const pieces_t *pieces, int64_t x, int64_t y,
                 int64_t room);

/* Pixels from the header's top to the last row's end. */
int64_t panel_height(const panel_t *panel);

void panel_write(const panel_t *panel, FILE *out);

/* An address beside a row, in `buffer` of TEXT_NUMBER bytes. */
void panel_label(char *buffer, const grid_t *grid, int64_t address);

/* Characters of the longest one. */
int panel_label_length(const grid_t *grid);

/* What panel_write() has drawn; for the legend. */
int panel_has_parts(const grid_t *grid); /* cells that are data in part */
int panel_has_twice(const grid_t *grid);

#endif
