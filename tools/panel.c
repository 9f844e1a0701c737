/* SPDX-License-Identifier: BSD-3-Clause */
#include "panel.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

enum {
    MAX_CELL = 24,       /* pixels */
    FEW_PIXELS = 5,      /* cells less wide have no lines between them */
    LABEL_HEIGHT = 12,   /* pixels */
    LABEL_WIDTH = 6,     /* of a character */
    BREAK_HEIGHT = 20,   /* pixels */
    LEAST_BAR = 1,       /* pixels of one */
    MANY_NUMBERS = 1000, /* more numbers are not written */
    MANY_EDGES = 4000,   /* more edges of blocks are not drawn */
    FEW_ROWS = 16,       /* are drawn higher */
    MANY_ROWS = 64,      /* are drawn lower */
    SPARSE_COLUMNS = 40  /* pixels between offsets of columns */
};

/* From dark to light in equal steps of OKLCH lightness, 0.34 to 0.88, hue 300 to 95 degrees, with
 * the largest chroma up to 0.19 that sRGB has. (OKLab: B. Ottosson, 2020.) */
static const char colours[GRID_ORDERS][7] = {
    "4a0284", "470a93", "421a9d", "3b27a6", "3133ae", "213eb5", "014ab7", "0358a6",
    "0161a0", "02699c", "05709a", "04779a", "027e9a", "098599", "018c9a", "029299",
    "0c9998", "06a097", "0da794", "09ae90", "0db58a", "06bd80", "03c570", "3bca60",
    "61cd52", "7ecf43", "97d132", "afd21b", "c4d309", "d8d404", "ebd403", "fdd506"};

const char *panel_colour(int64_t order)
{
    return colours[order];
}

/* ---- placing ---- */

/* Do addresses look like those of memory, not like displacements? Those are easier to tell apart in
 * hexadecimal. */
static int is_absolute(const grid_t *grid)
{
    return grid->row[0].address >= 1 << 20 && grid->row[grid->rows - 1].address >= INT64_C(1) << 32;
}

void panel_label(char *buffer, const grid_t *grid, int64_t address)
{
    if (is_absolute(grid)) {
        snprintf(buffer, TEXT_NUMBER, "0x%" PRIx64, (uint64_t) address);
    } else {
        text_number(buffer, address);
    }
}

int panel_label_length(const grid_t *grid)
{
    size_t longest = 0;
    for (int64_t i = 0; i < grid->rows; i++) {
        char buffer[TEXT_NUMBER];
        panel_label(buffer, grid, grid->row[i].address);
        longest = strlen(buffer) > longest ? strlen(buffer) : longest;
    }
    return (int) longest;
}

void panel_place(panel_t *panel, const grid_t *grid, const pieces_t *pieces, int64_t x, int64_t y,
                 int64_t room)
{
    int64_t labels = LABEL_WIDTH * panel_label_length(grid) + 10;
    int64_t width = (room - labels - 2) / grid->columns;
    width = width < 2 ? 2 : width > MAX_CELL ? MAX_CELL : width;
    int64_t least = grid->rows <= FEW_ROWS ? 14 : grid->rows <= MANY_ROWS ? 10 : 7;
    int64_t height = width < least ? least : width > MAX_CELL - 4 ? MAX_CELL - 4 : width;
    *panel = (panel_t){.grid = grid,
                       .pieces = pieces,
                       .x = x + labels,
                       .y = y + PANEL_HEADER,
                       .width = width,
                       .height = height,
                       .break_rows = (BREAK_HEIGHT + height - 1) / height,
                       .label_every = (LABEL_HEIGHT + height - 1) / height};
}

static int64_t slot(const panel_t *panel, int64_t row)
{
    return grid_slot(panel->grid, row, panel->break_rows);
}

int64_t panel_height(const panel_t *panel)
{
    return PANEL_HEADER + (slot(panel, panel->grid->rows - 1) + 1) * panel->height;
}

static int64_t right_of(const panel_t *panel)
{
    return panel->x + panel->grid->columns * panel->width;
}

int panel_has_parts(const grid_t *grid)
{
    int found = 0;
    for (int64_t i = 0; i < grid->rows * grid->columns; i++) {
        found |= grid->cells[i].first >= 0 && grid->cells[i].bytes < grid->cell;
    }
    return found;
}

int panel_has_twice(const grid_t *grid)
{
    int found = 0;
    for (int64_t i = 0; i < grid->rows * grid->columns; i++) {
        found |= grid->cells[i].twice;
    }
    return found;
}

/* What walks of the pieces are given. */
typedef struct drawing {
    const panel_t *panel;
    FILE *out;
    int64_t written; /* numbers or edges */
} drawing_t;

/* ---- the cells ---- */

/* Which cells a path is for. */
typedef struct choice {
    int64_t order;
    int64_t share;
} choice_t;

static int is_chosen(const panel_t *panel, const grid_cell_t *cell, const choice_t *choice)
{
    return cell->first == choice->order && grid_share(panel->grid, cell) == choice->share;
}

/* The chosen cells as strokes, one for each run of them; one unit is one cell. */
static void write_runs(const panel_t *panel, const choice_t *choice, FILE *out)
{
    int64_t columns = panel->grid->columns;
    int open = 0;
    for (int64_t row = 0; row < panel->grid->rows; row++) {
        for (int64_t column = 0, end; column < columns; column = end + 1) {
            for (end = column;
                 end < columns && is_chosen(panel, grid_cell_at(panel->grid, row, end), choice);
                 end++) {
            }
            if (end > column) {
                if (!open) {
                    fprintf(out, "<path stroke=\"#%s\" d=\"", colours[choice->order]);
                }
                fprintf(out, "M%" PRId64 " %" PRId64 "h%" PRId64, column, slot(panel, row),
                        end - column);
                open = 1;
            }
        }
    }
    if (open) {
        fputs("\"/>\n", out);
    }
}

static void write_cells(const panel_t *panel, FILE *out)
{
    for (int64_t part = 1; part <= GRID_SHARES; part++) {
        double width = (double) part / GRID_SHARES;
        if (width * (double) panel->height < LEAST_BAR) {
            width = (double) LEAST_BAR / (double) panel->height;
        }
        fprintf(out,
                "<g transform=\"matrix(%" PRId64 " 0 0 %" PRId64 " %" PRId64
                " %g)\" stroke-width=\"%g\">\n",
                panel->width, panel->height, panel->x,
                (double) panel->y + (double) panel->height * (1 - width / 2), width);
        for (int64_t order = 0; order < GRID_ORDERS; order++) {
            choice_t choice = {order, part};
            write_runs(panel, &choice, out);
        }
        fputs("</g>\n", out);
    }
}

/* Rectangles of all rows between two breaks. */
static void write_background(const panel_t *panel, FILE *out)
{
    const grid_t *grid = panel->grid;
    fputs("<path fill=\"" PANEL_EMPTY "\" d=\"", out);
    for (int64_t row = 0, next; row < grid->rows; row = next) {
        for (next = row + 1; next < grid->rows && grid->row[next].skipped == 0; next++) {
        }
        int64_t width = grid->columns * panel->width;
        fprintf(out, "M%" PRId64 " %" PRId64 "h%" PRId64 "v%" PRId64 "h-%" PRId64 "z", panel->x,
                panel->y + slot(panel, row) * panel->height, width, (next - row) * panel->height,
                width);
    }
    fputs("\"/>\n", out);
}

/* The lines between cells take the first pixel of a cell, so that the bars of shares, which stand
 * at its bottom, stay whole. Between bytes they are faint: what counts are the ends of blocks. */
static void write_lines(const panel_t *panel, FILE *out)
{
    const grid_t *grid = panel->grid;
    int64_t slots = slot(panel, grid->rows - 1) + 1;
    fputs("<path stroke=\"" PANEL_PAPER "\" d=\"M0 0", out);
    for (int64_t i = 1; i < slots; i++) {
        fprintf(out, "M%" PRId64 " %" PRId64 ".5h%" PRId64, panel->x, panel->y + i * panel->height,
                grid->columns * panel->width);
    }
    fprintf(out, "\"/>\n<path stroke=\"" PANEL_PAPER "\"%s d=\"M0 0",
            grid->cell == 1 ? " stroke-opacity=\"0.45\"" : "");
    for (int64_t i = 1; panel->width >= FEW_PIXELS && i < grid->columns; i++) {
        fprintf(out, "M%" PRId64 ".5 %" PRId64 "v%" PRId64, panel->x + i * panel->width, panel->y,
                slots * panel->height);
    }
    fputs("\"/>\n", out);
}

static void write_edge(drawing_t *drawing, int64_t address)
{
    const panel_t *panel = drawing->panel;
    int64_t row = grid_find(panel->grid, address);
    if (row >= 0 && address > panel->grid->row[row].address && drawing->written < MANY_EDGES) {
        fprintf(drawing->out, "M%" PRId64 " %" PRId64 "v%" PRId64,
                panel->x + (address - panel->grid->row[row].address) * panel->width,
                panel->y + slot(panel, row) * panel->height, panel->height);
        drawing->written++;
    }
}

static void write_piece_edges(void *context, const piece_t *piece)
{
    write_edge(context, piece->address);
    write_edge(context, piece->address + piece->length);
}

/* Where blocks start and end, in cells that are bytes. */
static void write_edges(const panel_t *panel, FILE *out)
{
    if (panel->grid->cell == 1 && panel->width >= FEW_PIXELS) {
        drawing_t drawing = {.panel = panel, .out = out};
        fputs("<path stroke=\"" PANEL_PAPER "\" stroke-width=\"2\" d=\"M0 0", out);
        pieces_walk(panel->pieces, write_piece_edges, &drawing);
        fputs("\"/>\n", out);
    }
}

static void write_twice(const panel_t *panel, FILE *out)
{
    if (!panel_has_twice(panel->grid)) {
        return;
    }
    int64_t columns = panel->grid->columns;
    fputs("<path fill=\"url(#dame-twice)\" d=\"", out);
    for (int64_t row = 0; row < panel->grid->rows; row++) {
        for (int64_t column = 0, end; column < columns; column = end + 1) {
            for (end = column; end < columns && grid_cell_at(panel->grid, row, end)->twice; end++) {
            }
            if (end > column) {
                int64_t width = (end - column) * panel->width;
                fprintf(out, "M%" PRId64 " %" PRId64 "h%" PRId64 "v%" PRId64 "h-%" PRId64 "z",
                        panel->x + column * panel->width,
                        panel->y + slot(panel, row) * panel->height, width, panel->height, width);
            }
        }
    }
    fputs("\"/>\n", out);
}

/* ---- numbers in the cells ---- */

/* The first cells in a row that a piece is the first to touch: their number, and where they are. */
static int64_t own_cells(const panel_t *panel, const piece_t *piece, int64_t *row, int64_t *column)
{
    const grid_t *grid = panel->grid;
    int64_t most = grid->columns * 2, length = piece->length < most ? piece->length : most, n = 0;
    for (int64_t i = 0; i < length; i++) {
        int64_t at = grid_find(grid, piece->address + i);
        int64_t offset = at < 0 ? 0 : piece->address + i - grid->row[at].address;
        int own = at >= 0 && grid_cell_at(panel->grid, at, offset)->piece == piece->index;
        if (n > 0 && (!own || at != *row)) {
            break;
        }
        if (own && n++ == 0) {
            *row = at;
            *column = offset;
        }
    }
    return n;
}

static void write_number(void *context, const piece_t *piece)
{
    drawing_t *drawing = context;
    const panel_t *panel = drawing->panel;
    int64_t row = 0, column = 0, room;
    if (drawing->written == MANY_NUMBERS ||
        (room = own_cells(panel, piece, &row, &column) * panel->width) == 0) {
        return;
    }
    int64_t size = panel->height < 14 ? panel->height - 1 : panel->height < 18 ? 10 : 12;
    char digits[TEXT_NUMBER];
    int n = snprintf(digits, sizeof(digits), "%" PRId64, piece->index);
    if (n * size * 5 / 8 + 1 > room) {
        return;
    }
    drawing->written++;
    fprintf(drawing->out,
            "<text x=\"%g\" y=\"%" PRId64 "\" font-size=\"%" PRId64 "\" fill=\"%s\">%s</text>\n",
            (double) (panel->x + column * panel->width) +
                (double) room / (room < panel->grid->columns * panel->width ? 2 : 4),
            panel->y + slot(panel, row) * panel->height + (panel->height + size * 3 / 4) / 2, size,
            grid_cell_at(panel->grid, row, column)->first < GRID_ORDERS * 5 / 8 ? PANEL_PAPER
                                                                                : PANEL_INK,
            digits);
}

/* Blocks of data are numbered where cells are bytes and there is room. */
static void write_numbers(const panel_t *panel, FILE *out)
{
    if (panel->grid->cell == 1) {
        drawing_t drawing = {.panel = panel, .out = out};
        fputs("<g text-anchor=\"middle\" font-family=\"monospace\">\n", out);
        pieces_walk(panel->pieces, write_number, &drawing);
        fputs("</g>\n", out);
    }
}

/* ---- labels and marks ---- */

static void write_break(const panel_t *panel, int64_t row, FILE *out)
{
    char text[128];
    grid_break_text(panel->grid, row, text, sizeof(text));
    int64_t bottom = panel->y + slot(panel, row) * panel->height;
    int64_t top = bottom - panel->break_rows * panel->height;
    int64_t right = right_of(panel);
    fprintf(out,
            "<path fill=\"" PANEL_PAPER "\" d=\"M%" PRId64 " %" PRId64 "H%" PRId64 "V%" PRId64
            "H%" PRId64 "z\"/>\n<path stroke=\"" PANEL_LINES
            "\" stroke-dasharray=\"2 3\" d=\"M%" PRId64 " %" PRId64 "H%" PRId64 "M%" PRId64
            " %" PRId64 "H%" PRId64 "\"/>\n",
            panel->x - 1, top, right + 1, bottom, panel->x - 1, panel->x, top + 1, right, panel->x,
            bottom - 1, right);
    fprintf(out,
            "<text x=\"%" PRId64 "\" y=\"%" PRId64
            "\" font-size=\"11\" font-style=\"italic\" fill=\"" PANEL_FAINT
            "\">\342\200\246 %s</text>\n",
            panel->x + 6, (top + bottom) / 2 + 4, text);
}

static void write_labels(const panel_t *panel, FILE *out)
{
    const grid_t *grid = panel->grid;
    fputs("<g text-anchor=\"end\" font-family=\"monospace\" font-size=\"10\" fill=\"" PANEL_FAINT
          "\">\n",
          out);
    int64_t since = panel->label_every;
    for (int64_t row = 0; row < grid->rows; row++, since++) {
        if (since >= panel->label_every || grid->row[row].skipped > 0) {
            char text[TEXT_NUMBER];
            panel_label(text, grid, grid->row[row].address);
            fprintf(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\">%s</text>\n", panel->x - 6,
                    panel->y + slot(panel, row) * panel->height + panel->height / 2 + 4, text);
            since = 0;
        }
    }
    fputs("</g>\n", out);
}

/* Offsets within a row above the columns, as many as there is room for. */
static void write_header(const panel_t *panel, FILE *out)
{
    const grid_t *grid = panel->grid;
    char text[TEXT_NUMBER];
    text_number(text, grid->columns * grid->cell);
    int64_t room = LABEL_WIDTH * (int64_t) strlen(text) + 14, step = 1;
    room = room < SPARSE_COLUMNS ? SPARSE_COLUMNS : room;
    while (step * panel->width < room) {
        step *= 2;
    }
    fputs("<g font-family=\"monospace\" font-size=\"10\" fill=\"" PANEL_FAINT "\">\n", out);
    for (int64_t column = 0; column < grid->columns; column += step) {
        if (column > 0 && (grid->columns - column) * panel->width < room - 8) {
            break;
        }
        text_number(text, column * grid->cell);
        fprintf(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\">+%s</text>\n",
                panel->x + column * panel->width, panel->y - 4, text);
    }
    fputs("</g>\n", out);
}

void panel_write(const panel_t *panel, FILE *out)
{
    fputs("<g shape-rendering=\"crispEdges\">\n", out);
    write_background(panel, out);
    write_cells(panel, out);
    write_lines(panel, out);
    write_edges(panel, out);
    fputs("</g>\n", out);
    write_twice(panel, out);
    write_numbers(panel, out);
    for (int64_t row = 0; row < panel->grid->rows; row++) {
        if (panel->grid->row[row].skipped > 0) {
            write_break(panel, row, out);
        }
    }
    write_labels(panel, out);
    write_header(panel, out);
}
