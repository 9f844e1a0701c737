/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "cli/tool.h"

int grid_init(grid_t *grid, int64_t cell, int64_t columns, int64_t rows)
{
    size_t n = (size_t) rows * (size_t) columns;
    *grid = (grid_t){.cell = cell, .columns = columns, .rows = rows};
    grid->row = calloc((size_t) rows, sizeof(*grid->row));
    grid->cells = malloc(n * sizeof(*grid->cells));
    if (grid->row == NULL || grid->cells == NULL) {
        grid_fini(grid);
        return tool_error(TOOL_SYSTEM, "no memory for %zu cells", n);
    }
    for (size_t i = 0; i < n; i++) {
        grid->cells[i] = (grid_cell_t){.first = -1};
    }
    return TOOL_OK;
}

void grid_fini(grid_t *grid)
{
    free(grid->row);
    free(grid->cells);
    grid->row = NULL;
    grid->cells = NULL;
}

/* The last row that starts at or before `address`, or -1. */
static int64_t row_before(const grid_t *grid, int64_t address)
{
    int64_t low = 0, high = grid->rows;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (grid->row[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

int64_t grid_find(const grid_t *grid, int64_t address)
{
    int64_t row = row_before(grid, address);
    return row >= 0 && address - grid->row[row].address < grid->cell * grid->columns ? row : -1;
}

/* Calls `fn` with each cell that a range of memory touches, and how many bytes of it. */
typedef void (*cell_fn)(grid_cell_t *cell, int64_t bytes, const grid_cell_t *value);

static void each_cell(grid_t *grid, int64_t address, int64_t length, cell_fn fn,
                      const grid_cell_t *value)
{
    int64_t end = address + length, row = row_before(grid, address);
    for (row = row < 0 ? 0 : row; row < grid->rows && grid->row[row].address < end; row++) {
        int64_t start = grid->row[row].address;
        int64_t from = address > start ? address - start : 0;
        int64_t to =
            end - start < grid->cell * grid->columns ? end - start : grid->cell * grid->columns;
        while (from < to) {
            int64_t column = from / grid->cell, behind = (column + 1) * grid->cell;
            behind = behind < to ? behind : to;
            fn(&grid->cells[row * grid->columns + column], behind - from, value);
            from = behind;
        }
    }
}

static void set_first(grid_cell_t *cell, int64_t bytes, const grid_cell_t *value)
{
    (void) bytes;
    if (cell->first < 0) {
        cell->first = value->first;
        cell->piece = value->piece;
    }
}

static void add_bytes(grid_cell_t *cell, int64_t bytes, const grid_cell_t *unused)
{
    (void) unused;
    cell->bytes += bytes;
}

static void set_twice(grid_cell_t *cell, int64_t bytes, const grid_cell_t *unused)
{
    (void) bytes;
    (void) unused;
    cell->twice = 1;
}

typedef struct filling {
    grid_t *grid;
    const pieces_t *pieces;
} filling_t;

/* Place of a piece in the stream, in [0, GRID_ORDERS). */
static int64_t order_of(const pieces_t *pieces, const piece_t *piece)
{
    if (pieces->walks <= 2 * GRID_ORDERS) { /* few: as far apart as can be, whatever their length */
        return pieces->walks == 1 ? 0 : piece->index * (GRID_ORDERS - 1) / (pieces->walks - 1);
    }
    return (int64_t) ((double) piece->position / (double) pieces->total * GRID_ORDERS);
}

static void fill_first(void *context, const piece_t *piece)
{
    filling_t *filling = context;
    grid_cell_t value = {.first = order_of(filling->pieces, piece), .piece = piece->index};
    each_cell(filling->grid, piece->address, piece->length, set_first, &value);
}

static void fill_bytes(void *context, int64_t address, int64_t length)
{
    filling_t *filling = context;
    each_cell(filling->grid, address, length, add_bytes, NULL);
}

static void fill_twice(void *context, int64_t address, int64_t length)
{
    filling_t *filling = context;
    each_cell(filling->grid, address, length, set_twice, NULL);
}

int grid_fill(grid_t *grid, const pieces_t *pieces, const survey_t *survey)
{
    filling_t filling = {.grid = grid, .pieces = pieces};
    int code = pieces_walk(pieces, fill_first, &filling);
    survey_regions(survey, fill_bytes, fill_twice, &filling);
    return code;
}

int64_t grid_share(const grid_t *grid, const grid_cell_t *cell)
{
    if (cell->bytes >= grid->cell || cell->first < 0) {
        return cell->first < 0 ? 0 : GRID_SHARES;
    }
    int64_t rounded = (int64_t) ((double) cell->bytes / (double) grid->cell * GRID_SHARES + 0.5);
    return rounded < 1 ? 1 : rounded > GRID_SHARES - 1 ? GRID_SHARES - 1 : rounded;
}

static int looks_alike(const grid_t *grid, int64_t row, int64_t other)
{
    const grid_cell_t *a = &grid->cells[row * grid->columns];
    const grid_cell_t *b = &grid->cells[other * grid->columns];
    int alike = 1;
    for (int64_t i = 0; i < grid->columns; i++) {
        alike &= grid_share(grid, &a[i]) == grid_share(grid, &b[i]) && a[i].twice == b[i].twice;
    }
    return alike;
}

static void keep_row(grid_t *grid, int64_t from, int64_t *to)
{
    grid->row[*to] = grid->row[from];
    memmove(&grid->cells[*to * grid->columns], &grid->cells[from * grid->columns],
            (size_t) grid->columns * sizeof(*grid->cells));
    (*to)++;
}

void grid_fold(grid_t *grid)
{
    enum { MANY = 24, FIRST = 4, LAST = 2, WORTH = 8 };
    int64_t rows = 0;
    if (grid->rows <= MANY) {
        return;
    }
    for (int64_t row = 0, end; row < grid->rows; row = end) {
        for (end = row + 1;
             end < grid->rows && grid->row[end].skipped == 0 && looks_alike(grid, row, end);
             end++) {
        }
        const int64_t folded = end - row - FIRST - LAST;
        for (int64_t i = row; i < end; i++) {
            if (folded < WORTH || i < row + FIRST || i >= end - LAST) {
                keep_row(grid, i, &rows);
            }
            if (folded >= WORTH && i == end - LAST) {
                grid->row[rows - 1].alike = folded;
                grid->row[rows - 1].skipped = folded * grid->columns * grid->cell;
            }
        }
    }
    grid->rows = rows;
}

void grid_break_text(const grid_t *grid, int64_t row, char *text, size_t room)
{
    char number[TEXT_NUMBER], bytes[TEXT_NUMBER];
    const grid_row_t *behind = &grid->row[row];
    const char *unit = behind->skipped < 10000 ? "" : text_bytes(bytes, behind->skipped);
    int used = 0;
    if (behind->alike > 0) {
        used = snprintf(text, room, "%s rows like these, ", text_number(number, behind->alike));
    }
    snprintf(text + used, room - (size_t) used, "%s bytes%s%s%s skipped",
             text_number(number, behind->skipped), *unit != '\0' ? " (" : "", unit,
             *unit != '\0' ? ")" : "");
}

int64_t grid_slot(const grid_t *grid, int64_t row, int64_t break_rows)
{
    int64_t slots = row;
    for (int64_t i = 0; i <= row; i++) {
        slots += grid->row[i].skipped > 0 ? break_rows : 0;
    }
    return slots;
}
