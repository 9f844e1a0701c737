/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory as rows of cells, and what of a message lies in each cell.
 */
#ifndef GRID_H
#define GRID_H

#include "survey.h"

/* A row of cells. Rows are sorted by address and do not overlap. */
typedef struct grid_row {
    int64_t address; /* of its first byte */
    int64_t skipped; /* bytes between the end of the row before and this one that are not drawn */
    int64_t alike;   /* of these, this number of rows would look like the one before, except for
                        colours; 0: they are empty */
} grid_row_t;

typedef struct grid_cell {
    int64_t first; /* place in the stream, in [0, GRID_ORDERS), of the piece that touches it first;
                      -1: no data */
    int64_t piece; /* index of that piece */
    int64_t bytes; /* different ones that are data, at most the size of a cell */
    int twice;     /* is a byte of it sent more than once? */
} grid_cell_t;

enum { GRID_ORDERS = 32 };

typedef struct grid {
    int64_t cell;    /* bytes of one */
    int64_t columns; /* cells in a row */
    int64_t rows;
    grid_row_t *row;
    grid_cell_t *cells; /* rows * columns */
} grid_t;

/* An empty grid with room for rows, all 0; the caller sets their addresses. TOOL_SYSTEM after a
 * message when memory is out. The caller frees with grid_fini(). */
int grid_init(grid_t *grid, int64_t cell, int64_t columns, int64_t rows);
void grid_fini(grid_t *grid);

/* Puts the message into the cells. */
int grid_fill(grid_t *grid, const pieces_t *pieces, const survey_t *survey);

/* Of long runs of rows that look alike, in a grid of many rows, the first and the last stay. */
void grid_fold(grid_t *grid);

/* What a row with `skipped` says of it: "999,984 bytes (977 KiB) skipped". */
void grid_break_text(const grid_t *grid, int64_t row, char *text, size_t room);

/* Eighths of a cell that are data, rounded, but not to 0 or 8 unless exact. */
int64_t grid_share(const grid_t *grid, const grid_cell_t *cell);
enum { GRID_SHARES = 8 };

static inline const grid_cell_t *grid_cell_at(const grid_t *grid, int64_t row, int64_t column)
{
    return &grid->cells[row * grid->columns + column];
}

/* Rows of paper above a row, where a break is as high as `break_rows`. */
int64_t grid_slot(const grid_t *grid, int64_t row, int64_t break_rows);

/* The row that `address` is in, or -1. */
int64_t grid_find(const grid_t *grid, int64_t address);

#endif
