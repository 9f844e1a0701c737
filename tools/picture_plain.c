/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture as characters for a terminal, and as TikZ for LaTeX: the memory without the magnified
 * parts. */
#include "picture_plain.h"

#include <inttypes.h>
#include <string.h>

#include "panel.h"
#include "cli/text.h"
#include "cli/tool.h"

/* ---- characters ---- */

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

/* ---- TikZ ---- */

/* What LaTeX takes for more than a character. */
static void write_latex(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (strchr("#$%&_{}", *text) != NULL) {
            fprintf(out, "\\%c", *text);
        } else if (strchr("\\^~", *text) != NULL) {
            fprintf(out, "\\char%d{}", *text);
        } else {
            fputc(*text, out);
        }
    }
}

/* At `y`, in rows of paper. Runs of cells that look alike are one rectangle. */
static void write_tikz_row(const grid_t *grid, int64_t row, int64_t y, FILE *out)
{
    fprintf(out, "\\fill[dame-] (0,%" PRId64 ") rectangle (%" PRId64 ",%" PRId64 ");\n", y,
            grid->columns, y + 1);
    for (int64_t column = 0, end; column < grid->columns; column = end) {
        const grid_cell_t *cell = grid_cell_at(grid, row, column);
        const int64_t share = grid_share(grid, cell);
        for (end = column + 1;
             end < grid->columns && grid_cell_at(grid, row, end)->first == cell->first &&
             grid_cell_at(grid, row, end)->twice == cell->twice &&
             grid_share(grid, grid_cell_at(grid, row, end)) == share;
             end++) {
        }
        if (share > 0) {
            fprintf(out,
                    "\\fill[dame-%" PRId64 "] (%" PRId64 ",%g) rectangle (%" PRId64 ",%" PRId64
                    ");\n",
                    cell->first, column, (double) y + 1 - (double) share / GRID_SHARES, end, y + 1);
        }
        if (cell->twice) {
            fprintf(out,
                    "\\draw[dame-twice] (%" PRId64 ",%" PRId64 ") rectangle (%" PRId64 ",%" PRId64
                    ");\n",
                    column, y, end, y + 1);
        }
    }
}

static void write_tikz(const picture_t *picture, const grid_t *grid, FILE *out)
{
    char text[PICTURE_FACTS], number[TEXT_NUMBER];
    fputs("% Made by dame draw. In the preamble: \\usepackage{tikz}\n", out);
    fprintf(out, "\\definecolor{dame-}{HTML}{%s}\n", PANEL_EMPTY + 1);
    fprintf(out, "\\definecolor{dame-twice}{HTML}{%s}\n", PANEL_TWICE + 1);
    for (int64_t i = 0; i < GRID_ORDERS; i++) {
        fprintf(out, "\\definecolor{dame-%" PRId64 "}{HTML}{%s}\n", i, panel_colour(i));
    }
    fprintf(out, "\\begin{tikzpicture}[x=%.4gpt, y=-%.4gpt, font=\\scriptsize]\n",
            grid->columns > 0 ? 360.0 / (double) grid->columns : 1.0,
            grid->columns > 0 && grid->columns < 40 ? 9.0 : 6.0);
    fputs("\\node[anchor=south west, align=left] at (0,0) {\\textbf{", out);
    write_latex(picture->name, out);
    for (int i = 0; i < 2; i++) {
        picture_facts(picture, i, text);
        fputs(i == 0 ? "}\\\\ " : "\\\\ ", out);
        write_latex(text, out);
    }
    fputs("};\n", out);
    int since = 1; /* rows without a label, of low ones */
    for (int64_t row = 0; row < grid->rows; row++) {
        const int64_t y = grid_slot(grid, row, 2);
        if (grid->row[row].skipped > 0) {
            grid_break_text(grid, row, text, sizeof(text));
            fprintf(out, "\\node[anchor=west] at (0,%" PRId64 ") {\\ldots\\ %s};\n", y - 1, text);
        }
        write_tikz_row(grid, row, y, out);
        if (grid->columns < 40 || since > 0 || grid->row[row].skipped > 0) {
            panel_label(number, grid, grid->row[row].address);
            fprintf(out, "\\node[anchor=east] at (0,%" PRId64 ".5) {%s};\n", y, number);
            since = 0;
        } else {
            since = 1;
        }
    }
    fputs("\\end{tikzpicture}\n", out);
}

/* ---- both ---- */

static int write_overview(const picture_t *picture, FILE *out,
                          void (*write)(const picture_t *, const grid_t *, FILE *))
{
    grid_t grid;
    const int code = picture_overview(picture, &grid);
    if (code == TOOL_OK) {
        write(picture, &grid, out);
    }
    grid_fini(&grid);
    return code;
}

int picture_write_text(const picture_t *picture, FILE *out)
{
    return write_overview(picture, out, write_text);
}

int picture_write_tikz(const picture_t *picture, FILE *out)
{
    return write_overview(picture, out, write_tikz);
}
