/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture as characters for a terminal: the memory without the magnified parts. */
#include "picture_plain.h"

#include <inttypes.h>
#include <string.h>

#include "panel.h"
#include "cli/text.h"
#include "cli/tool.h"

/* These distinguish blocks while there are enough. */
static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static int has_letters(const picture_t *picture, const grid_t *grid)
{
    return grid->cell == 1 && picture->pieces->walks < (int64_t) sizeof(letters);
}

/* The lowest bar is an eighth of a cell: one byte of a thousand would look like a hundred. */
static const char trace[] = ":";

static int is_trace(const grid_t *grid, const grid_cell_t *cell)
{
    return cell->first >= 0 && cell->bytes < grid->cell / (2 * GRID_SHARES);
}

static void write_cell(const picture_t *picture, const grid_t *grid, const grid_cell_t *cell,
                       FILE *out)
{
    static const char *const bars[GRID_SHARES + 1] = {".",
                                                      "\342\226\201",
                                                      "\342\226\202",
                                                      "\342\226\203",
                                                      "\342\226\204",
                                                      "\342\226\205",
                                                      "\342\226\206",
                                                      "\342\226\207",
                                                      "\342\226\210"};
    if (cell->twice) {
        fputc('#', out);
    } else if (cell->first >= 0 && has_letters(picture, grid)) {
        fputc(letters[cell->piece], out);
    } else {
        fputs(is_trace(grid, cell) ? trace : bars[grid_share(grid, cell)], out);
    }
}

static void write_text(const picture_t *picture, const grid_t *grid, FILE *out)
{
    char text[PICTURE_FACTS], number[TEXT_NUMBER];
    const int labels = panel_label_length(grid);
    fprintf(out, "%s\n", picture->name);
    for (int i = 0; i < 2; i++) {
        picture_facts(picture, i, text);
        fprintf(out, "%s\n", text);
    }
    fputc('\n', out);
    for (int64_t row = 0; row < grid->rows; row++) {
        if (grid->row[row].skipped > 0) {
            grid_break_text(grid, row, text, sizeof(text));
            fprintf(out, "%*s  ... %s\n", labels, "", text);
        }
        panel_label(number, grid, grid->row[row].address);
        fprintf(out, "%*s  ", labels, number);
        for (int64_t column = 0; column < grid->columns; column++) {
            write_cell(picture, grid, grid_cell_at(grid, row, column), out);
        }
        fputc('\n', out);
    }
    if (grid->rows > 0) {
        fprintf(out, "\none character: %s %s; one row: %s bytes\n", text_number(number, grid->cell),
                text_plural(grid->cell, "byte", "bytes"),
                text_number(text, grid->cell * grid->columns));
        fprintf(out, "%s; . no data%s\n",
                has_letters(picture, grid)
                    ? "blocks in packed order: 0 1 2 ..."
                    : "filled as far as its bytes are data; a : less than a sixteenth",
                panel_has_twice(grid) ? "; # sent more than once" : "");
    }
}

int picture_write_text(const picture_t *picture, FILE *out)
{
    grid_t grid;
    const int code = picture_overview(picture, &grid);
    if (code == TOOL_OK) {
        write_text(picture, &grid, out);
    }
    grid_fini(&grid);
    return code;
}
