/* dame draw: a picture of the memory that a program moves. */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "picture.h"
#include "text.h"

enum {
    MAX_SVG = 480 * 1024, /* bytes */
    MAX_CELLS = 20480,
    MAX_SAMPLED = MAX_CELLS / 2, /* so that several samples fall into a cell */
    MAX_COLUMNS = 256,
    MAX_WIDTH = 4096 /* pixels */
};

/* Addresses that are drawn; larger than any of user memory, and far enough from overflow. */
#define FAR (INT64_C(1) << 61)

typedef struct drawing {
    const char *out;
    const char *title;
    int64_t count, width, cell, columns;
} drawing_t;

/* What is drawn. */
typedef struct scene {
    const facts_t *facts;
    pieces_t pieces;
    survey_t survey;
} scene_t;

/* The picture with at most `cells` cells, in memory. */
static int draw_once(const drawing_t *drawing, const scene_t *scene, int64_t cells, char **svg,
                     size_t *length)
{
    plan_t plan = {0};
    picture_t picture = {.name = drawing->title,
                         .width = drawing->width,
                         .pieces = &scene->pieces,
                         .survey = &scene->survey,
                         .plan = &plan};
    if (scene->pieces.walks > 0) {
        int code = plan_make(&plan, &scene->pieces, &scene->survey, scene->facts, drawing->cell,
                             drawing->columns, cells);
        if (code != TOOL_OK) {
            return code;
        }
    }
    FILE *memory = open_memstream(svg, length);
    if (memory == NULL) {
        return tool_error(TOOL_SYSTEM, "no memory for the picture");
    }
    int code = picture_write(&picture, memory);
    int failed = ferror(memory);
    if ((fclose(memory) != 0 || failed) && code == TOOL_OK) {
        code = tool_error(TOOL_SYSTEM, "no memory for the picture");
    }
    if (code != TOOL_OK) {
        free(*svg);
    }
    return code;
}

static int draw_scene(const drawing_t *drawing, const scene_t *scene)
{
    char *svg;
    size_t length;
    int64_t most = scene->pieces.sampled ? MAX_SAMPLED : MAX_CELLS;
    int code = draw_once(drawing, scene, most, &svg, &length);
    for (int64_t cells = most / 2; code == TOOL_OK && length > MAX_SVG; cells /= 2) {
        free(svg);
        code = draw_once(drawing, scene, cells, &svg, &length);
    }
    if (code == TOOL_OK) {
        code = tool_write(drawing->out, svg, length);
        free(svg);
    }
    return code;
}

static int draw(const drawing_t *drawing, const tool_layout_t *layout)
{
    scene_t scene = {.facts = &layout->facts};
    pieces_t *pieces = &scene.pieces;
    int code = pieces_init(pieces, &layout->datatype, drawing->count);
    if (code != TOOL_OK) {
        return code;
    }
    if (pieces->low < -FAR || pieces->high > FAR) {
        return tool_error(TOOL_WRONG,
                          "addresses from %" PRId64 " to %" PRId64
                          " are too far away to be drawn; up to 2^61 is allowed",
                          pieces->low, pieces->high);
    }
    code = survey_init(&scene.survey, pieces);
    if (code == TOOL_OK) {
        code = draw_scene(drawing, &scene);
        survey_fini(&scene.survey);
    }
    return code;
}

/* The file's name without directories and without ".dame". */
static char *title_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = strcmp(path, "-") == 0 ? "program" : slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".dame") == 0) {
        length -= 5;
    }
    return strndup(name, length);
}

static int set_option(drawing_t *drawing, int option)
{
    switch (option) {
    case 'o':
        drawing->out = optarg;
        return TOOL_OK;
    case 't':
        drawing->title = optarg;
        return TOOL_OK;
    case 'n':
        return tool_number("--count", optarg, 0, INT64_MAX, &drawing->count);
    case 'w':
        return tool_number("--width", optarg, PICTURE_MIN_WIDTH, MAX_WIDTH, &drawing->width);
    case 'c':
        return tool_number("--cell", optarg, 1, INT64_C(1) << 48, &drawing->cell);
    case 'C':
        return tool_number("--columns", optarg, 1, MAX_COLUMNS, &drawing->columns);
    default:
        return TOOL_USAGE;
    }
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"title", required_argument, NULL, 't'},
                                          {"count", required_argument, NULL, 'n'},
                                          {"width", required_argument, NULL, 'w'},
                                          {"cell", required_argument, NULL, 'c'},
                                          {"columns", required_argument, NULL, 'C'},
                                          {0}};
    drawing_t drawing = {.out = "-", .count = 1, .width = 960};
    for (int option; (option = tool_option(argc, argv, ":o:", longs)) != -1;) {
        int code = set_option(&drawing, option);
        if (code != TOOL_OK) {
            return code;
        }
    }
    int code = tool_operands(argc, argv, 1, 1);
    tool_layout_t layout;
    if (code == TOOL_OK) {
        code = tool_layout_load(argv[optind], &layout);
    }
    if (code != TOOL_OK) {
        return code;
    }
    char *title = title_of(argv[optind]);
    if (title == NULL) {
        code = tool_status_error("the title", DAME_ERR_NOMEM);
    } else {
        drawing.title = drawing.title != NULL ? drawing.title : title;
        code = draw(&drawing, &layout);
    }
    free(title);
    tool_layout_free(&layout);
    return code;
}

const tool_command_t tool_draw = {
    .name = "draw",
    .arguments = "[-o FILE.svg] [--count N] [--cell BYTES] [--columns N]\n"
                 "                 [--width PIXELS] [--title TEXT] FILE",
    .what = "draws the memory that is moved as an SVG picture",
    .help = "  -o, --output FILE  where the picture goes, standard output if not given\n"
            "  --count N          elements, 1 if not given\n"
            "  --cell BYTES       what a cell stands for; if not given, as little as fits\n"
            "  --columns N        cells in a row; if not given, so that the data lines up\n"
            "  --width PIXELS     of the picture, 960 if not given\n"
            "  --title TEXT       the heading; if not given, the name of FILE\n"
            "\n"
            "Rows of cells are memory, lowest address first. Blocks are coloured by their\n"
            "order in the packed stream; empty cells are gaps; data that is sent more than\n"
            "once is hatched. Where a cell stands for many bytes it is filled as far as they\n"
            "are data. Long empty ranges are left out and said. The file stays below 500 KB.\n",
    .run = run,
};
