/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "panel.h"
#include "cli/text.h"
#include "cli/tool.h"

enum {
    WIDTH = 960, /* pixels */
    MARGIN = 16,
    LINE = 17, /* of text */
    DETAIL_ROWS = 8,
    DETAIL_COLUMNS = 2 * SURVEY_LINE,
    LEGEND_ITEM = 20,     /* height of one */
    LEGEND_TEXT = 12,     /* font size */
    LINE_CHARACTER = 67,  /* tenths of a pixel that a character takes, on average, in a line */
    TITLE_CHARACTER = 142 /* a capital in the title */
};

/* ---- the two grids ---- */

static int make_overview(const picture_t *picture, grid_t *grid)
{
    const plan_t *plan = picture->plan;
    int64_t row_bytes = plan->cell * plan->columns, rows = 0;
    for (int i = 0; i < plan->segments; i++) {
        rows += plan->segment[i].length / row_bytes;
    }
    int code = grid_init(grid, plan->cell, plan->columns, rows);
    if (code != TOOL_OK) {
        return code;
    }
    int64_t row = 0, behind = 0;
    for (int i = 0; i < plan->segments; i++) {
        int64_t address = plan->segment[i].address;
        int64_t end = address + plan->segment[i].length;
        for (; address < end; address += row_bytes, row++) {
            grid->row[row].address = address;
            grid->row[row].skipped = row > 0 ? address - behind : 0;
            behind = address + row_bytes;
        }
    }
    code = grid_fill(grid, picture->pieces, picture->survey);
    grid_fold(grid);
    return code;
}

/* The rows in which the first pieces start. */
typedef struct starts {
    int64_t rows;
    int64_t address[DETAIL_ROWS];
} starts_t;

static void note_start(void *context, const piece_t *piece)
{
    starts_t *starts = context;
    int64_t over = piece->address % DETAIL_COLUMNS;
    int64_t row = piece->address - (over < 0 ? over + DETAIL_COLUMNS : over);
    for (int64_t i = 0; i < starts->rows; i++) {
        if (starts->address[i] == row) {
            return;
        }
    }
    if (starts->rows < DETAIL_ROWS) {
        starts->address[starts->rows++] = row;
    }
}

static int compare_addresses(const void *a, const void *b)
{
    int64_t left = *(const int64_t *) a, right = *(const int64_t *) b;
    return (left > right) - (left < right);
}

static int make_detail(const picture_t *picture, grid_t *grid)
{
    starts_t starts = {0};
    int code = pieces_walk(picture->pieces, note_start, &starts);
    if (code == TOOL_OK) {
        code = grid_init(grid, 1, DETAIL_COLUMNS, starts.rows);
    }
    if (code != TOOL_OK) {
        return code;
    }
    qsort(starts.address, (size_t) starts.rows, sizeof(*starts.address), compare_addresses);
    for (int64_t i = 0; i < starts.rows; i++) {
        grid->row[i].address = starts.address[i];
    }
    return grid_fill(grid, picture->pieces, picture->survey);
}

/* ---- words ---- */

/* "12 blocks of 4 bytes", "30 blocks of 8 to 64 bytes" */
static void describe_blocks(char *buffer, size_t size, const picture_t *picture)
{
    const survey_t *survey = picture->survey;
    char n[TEXT_NUMBER], min[TEXT_NUMBER], max[TEXT_NUMBER];
    text_number(n, survey->pieces.n);
    text_number(min, survey->pieces.min);
    text_number(max, survey->pieces.max);
    const char *blocks = text_plural(survey->pieces.n, "block", "blocks");
    if (survey->pieces.min == survey->pieces.max) {
        snprintf(buffer, size, "%s %s of %s %s", n, blocks, min,
                 text_plural(survey->pieces.min, "byte", "bytes"));
    } else {
        snprintf(buffer, size, "%s %s of %s to %s bytes", n, blocks, min, max);
    }
}

/* Writes a line, or as many as it takes. Returns the y of what comes next. */
static int64_t write_line(FILE *out, int64_t y, const char *line)
{
    int64_t room = (WIDTH - 2 * MARGIN) * 10 / LINE_CHARACTER;
    do {
        size_t length = text_fit(line, room);
        fprintf(out,
                "<text x=\"%d\" y=\"%" PRId64 "\" font-size=\"12.5\" fill=\"" PANEL_INK
                "\">%.*s</text>\n",
                MARGIN, y, (int) length, line);
        y += LINE;
        line += length;
        line += strspn(line, " ");
    } while (*line != '\0');
    return y;
}

void picture_facts(const picture_t *picture, int line, char text[PICTURE_FACTS])
{
    const pieces_t *pieces = picture->pieces;
    const tool_bounds_t *bounds = &pieces->datatype->bounds;
    char blocks[160], a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER],
        e[TEXT_NUMBER];
    if (line == 0) {
        describe_blocks(blocks, sizeof(blocks), picture);
        snprintf(text, PICTURE_FACTS, "%s: %s bytes of data in a span of %s bytes", blocks,
                 text_number(a, pieces->total), text_number(b, pieces->high - pieces->low));
        return;
    }
    snprintf(text, PICTURE_FACTS, "%s %s of size %s, extent %s, true bounds [%s, %s)",
             text_number(a, pieces->count), text_plural(pieces->count, "element", "elements"),
             text_number(b, bounds->size), text_number(c, bounds->extent),
             text_number(d, bounds->true_lb), text_number(e, bounds->true_ub));
}

/* The lines under the title. Returns the y of what comes next. */
static int64_t write_facts(const picture_t *picture, FILE *out, int64_t y)
{
    char line[PICTURE_FACTS];
    for (int i = 0; i < 2; i++) {
        picture_facts(picture, i, line);
        y = write_line(out, y, line);
    }
    return y;
}

/* ---- the legend ---- */

typedef struct legend {
    FILE *out;
    int64_t x, y, right;
} legend_t;

/* Room for a picture of `width` pixels and a text; a new line where it does not fit. Writes the
 * text. Returns the x of the picture. */
static int64_t legend_item(legend_t *legend, int64_t width, const char *text)
{
    int64_t whole = width + 8 + 63 * (int64_t) strlen(text) / 10;
    if (legend->x > MARGIN && legend->x + whole > legend->right) {
        legend->x = MARGIN;
        legend->y += LEGEND_ITEM;
    }
    int64_t x = legend->x;
    fprintf(legend->out,
            "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\" font-size=\"%d\" fill=\"" PANEL_INK
            "\">%s</text>\n",
            x + width + 6, legend->y + 11, LEGEND_TEXT, text);
    legend->x += whole + 16;
    return x;
}

static void legend_box(legend_t *legend, int64_t x, int64_t width, int64_t height, const char *fill)
{
    fprintf(legend->out,
            "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%" PRId64
            "\" fill=\"%s\"/>\n",
            x, legend->y + 14 - height, width, height, fill);
}

static void legend_orders(legend_t *legend, const picture_t *picture)
{
    int64_t n = picture->pieces->walks;
    if (n == 1) {
        int64_t x = legend_item(legend, 14, "the block");
        legend_box(legend, x, 14, 14, "#4a0284");
        return;
    }
    int64_t steps = n < GRID_ORDERS ? n : GRID_ORDERS;
    int64_t width = steps <= 8 ? 14 : 6;
    int64_t x = legend_item(legend, steps * width, "blocks in packed order, first to last");
    for (int64_t i = 0; i < steps; i++) {
        char fill[8];
        snprintf(fill, sizeof(fill), "#%s", panel_colour(i * (GRID_ORDERS - 1) / (steps - 1)));
        legend_box(legend, x + i * width, width, 14, fill);
    }
}

static void legend_cell(legend_t *legend, const plan_t *plan)
{
    char text[200], number[TEXT_NUMBER], period[TEXT_NUMBER];
    int64_t bytes = plan->cell * plan->columns;
    snprintf(text, sizeof(text), "one cell: %s %s%s", text_number(number, plan->cell),
             text_plural(plan->cell, "byte", "bytes"),
             plan->cell == SURVEY_LINE   ? " (a cache line)"
             : plan->cell == SURVEY_PAGE ? " (a page)"
                                         : "");
    int64_t x = legend_item(legend, 14, text);
    legend_box(legend, x, 14, 14, PANEL_EMPTY);
    int used = snprintf(text, sizeof(text), "one row: %s bytes", text_number(number, bytes));
    if (plan->period != 0 && used > 0) {
        snprintf(text + used, sizeof(text) - (size_t) used,
                 bytes == plan->period ? " (the stride of the data)"
                                       : " (%" PRId64 " strides of %s bytes)",
                 bytes / plan->period, text_number(period, plan->period));
    }
    legend_item(legend, 0, text);
}

/* Returns the y below. */
static int64_t write_legend(const picture_t *picture, const grid_t *overview, int64_t y, FILE *out)
{
    legend_t legend = {.out = out, .x = MARGIN, .y = y, .right = WIDTH - MARGIN};
    int64_t x;
    legend_cell(&legend, picture->plan);
    legend_orders(&legend, picture);
    if (panel_has_parts(overview)) {
        x = legend_item(&legend, 30, "filled, a little at least, as far as its bytes are data");
        for (int i = 0; i < 2; i++) {
            legend_box(&legend, x + 16 * i, 14, 14, PANEL_EMPTY);
            legend_box(&legend, x + 16 * i, 14, i == 0 ? 4 : 10, "#05709a");
        }
    }
    if (panel_has_twice(overview)) {
        x = legend_item(&legend, 14, "sent more than once");
        legend_box(&legend, x, 14, 14, "#05709a");
        legend_box(&legend, x, 14, 14, "url(#dame-twice)");
    }
    return legend.y + LEGEND_ITEM;
}

/* ---- all of it ---- */

/* What does not fit is left out; <title> has all of it. */
static void write_title(const picture_t *picture, FILE *out)
{
    int64_t room = (WIDTH - 2 * MARGIN) * 10 / TITLE_CHARACTER;
    size_t length = text_fit(picture->name, room);
    if (picture->name[length] == '\0') {
        text_xml(picture->name, out);
        return;
    }
    char *start = strndup(picture->name, text_fit(picture->name, room - 1));
    if (start != NULL) {
        text_xml(start, out);
        free(start);
    }
    fputs("\342\200\246", out);
}

static void write_start(const picture_t *picture, int64_t width, int64_t height, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64
            "\" viewBox=\"0 0 %" PRId64 " %" PRId64
            "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>",
            width, height, width, height);
    text_xml(picture->name, out);
    fputs(
        "</title>\n<defs><pattern id=\"dame-twice\" width=\"10\" height=\"10\" "
        "patternUnits=\"userSpaceOnUse\"><path stroke=\"" PANEL_PAPER
        "\" stroke-width=\"4\" d=\"M-2 2L2 -2M-2 12L12 -2M8 12L12 8\"/><path stroke=\"" PANEL_TWICE
        "\" stroke-width=\"2\" d=\"M-2 2L2 -2M-2 12L12 -2M8 12L12 8\"/></pattern></defs>\n",
        out);
    fprintf(out,
            "<rect x=\"0.5\" y=\"0.5\" width=\"%" PRId64 "\" height=\"%" PRId64
            "\" rx=\"6\" fill=\"" PANEL_PAPER "\" stroke=\"#ced4da\"/>\n"
            "<text x=\"%d\" y=\"32\" font-size=\"18\" font-weight=\"bold\" fill=\"" PANEL_INK "\">",
            width - 1, height - 1, MARGIN);
    write_title(picture, out);
    fputs("</text>\n", out);
}

/* Below the title. Returns the height of the picture. */
static int64_t write_body(const picture_t *picture, const grid_t *overview, const grid_t *detail,
                          FILE *out)
{
    panel_t panel;
    int64_t room = WIDTH - 2 * MARGIN;
    int64_t y = write_facts(picture, out, 52) + 2;
    if (overview->rows > 0) {
        panel_place(&panel, overview, picture->pieces, MARGIN, y, room);
        panel_write(&panel, out);
        y += panel_height(&panel) + 14;
        y = write_legend(picture, overview, y, out);
    }
    if (detail->rows > 0) {
        y = write_line(
            out, y + 20,
            "Magnified: where the first blocks of the stream start. One cell: 1 byte; one "
            "row: 2 cache lines.");
        panel_place(&panel, detail, picture->pieces, MARGIN, y - 6, room);
        panel_write(&panel, out);
        y += panel_height(&panel) + 4;
    }
    return y + MARGIN - 4;
}

static int write_grids(const picture_t *picture, const grid_t *overview, const grid_t *detail,
                       FILE *out)
{
    char *body;
    size_t length;
    FILE *memory = open_memstream(&body, &length);
    if (memory == NULL) {
        return tool_error(TOOL_SYSTEM, "no memory for the picture");
    }
    int64_t height = write_body(picture, overview, detail, memory);
    int failed = ferror(memory);
    if (fclose(memory) != 0 || failed) {
        free(body);
        return tool_error(TOOL_SYSTEM, "no memory for the picture");
    }
    write_start(picture, WIDTH, height, out);
    fwrite(body, 1, length, out);
    fputs("</svg>\n", out);
    free(body);
    return TOOL_OK;
}

int picture_overview(const picture_t *picture, grid_t *grid)
{
    *grid = (grid_t){0};
    return picture->pieces->walks > 0 ? make_overview(picture, grid) : TOOL_OK;
}

int picture_write(const picture_t *picture, FILE *out)
{
    grid_t overview, detail = {0};
    int code = picture_overview(picture, &overview);
    if (code == TOOL_OK && overview.rows > 0 && overview.cell > 1) {
        code = make_detail(picture, &detail);
    }
    if (code == TOOL_OK) {
        code = write_grids(picture, &overview, &detail, out);
    }
    grid_fini(&overview);
    grid_fini(&detail);
    return code;
}
