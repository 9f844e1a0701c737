/* dame draw: a picture of the memory that a program moves. */
#define _GNU_SOURCE /* asprintf */
#include "commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "drawing.h"
#include "files.h"
#include "picture.h"

typedef struct arguments {
    drawing_t drawing; /* title NULL: the file's name */
    const char *out;   /* a file, or with `several` a directory */
    int several;
} arguments_t;

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

/* The picture's file: -o, or in that directory the title with .svg. NULL: memory is out. */
static char *output_of(const arguments_t *arguments, const char *title)
{
    char *path;
    if (!arguments->several) {
        return strdup(arguments->out);
    }
    return asprintf(&path, "%s/%s.svg", arguments->out, title) < 0 ? NULL : path;
}

static int draw_layout(const arguments_t *arguments, const char *path, const tool_layout_t *layout)
{
    drawing_t drawing = arguments->drawing;
    char *title = title_of(path), *out = title != NULL ? output_of(arguments, title) : NULL;
    char *svg;
    size_t length;
    int code;
    if (out == NULL) {
        code = tool_status_error("the title", DAME_ERR_NOMEM);
    } else {
        drawing.title = drawing.title != NULL ? drawing.title : title;
        code = drawing_svg(&drawing, layout, &svg, &length);
        if (code == TOOL_OK) {
            code = tool_write(out, svg, length);
            free(svg);
        }
    }
    free(out);
    free(title);
    return code;
}

static int draw(void *context, const char *path)
{
    tool_layout_t layout;
    int code = tool_layout_load(path, &layout);
    if (code == TOOL_OK) {
        code = draw_layout(context, path, &layout);
        tool_layout_free(&layout);
    }
    return code;
}

static int set_option(arguments_t *arguments, int option)
{
    drawing_t *drawing = &arguments->drawing;
    switch (option) {
    case 'o':
        arguments->out = optarg;
        return TOOL_OK;
    case 't':
        drawing->title = optarg;
        return TOOL_OK;
    case 'n':
        return tool_number("--count", optarg, 0, INT64_MAX, &drawing->count);
    case 'w':
        return tool_number("--width", optarg, PICTURE_MIN_WIDTH, DRAWING_WIDTH, &drawing->width);
    case 'c':
        return tool_number("--cell", optarg, 1, INT64_C(1) << 48, &drawing->cell);
    case 'C':
        return tool_number("--columns", optarg, 1, DRAWING_COLUMNS, &drawing->columns);
    default:
        return TOOL_USAGE;
    }
}

static int is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
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
    arguments_t arguments = {.out = "-", .drawing = {.count = 1, .width = 960}};
    for (int option; (option = tool_option(argc, argv, ":o:", longs)) != -1;) {
        int code = set_option(&arguments, option);
        if (code != TOOL_OK) {
            return code;
        }
    }
    arguments.several = argc - optind > 1 || (argc > optind && is_directory(argv[optind]));
    if (arguments.several && !is_directory(arguments.out)) {
        return tool_error(TOOL_USAGE, "draw: --output must be a directory for several files");
    }
    return files_each(argc, argv, FILES_OPTIMISED, FILES_NONE, draw, &arguments);
}

const tool_command_t tool_draw = {
    .name = "draw",
    .arguments = "[-o FILE.svg] [--count N] [--cell BYTES] [--columns N]\n"
                 "                 [--width PIXELS] [--title TEXT] FILE...",
    .what = "draws the memory that is moved as an SVG picture",
    .help = "  -o, --output FILE  where the picture goes, standard output if not given; of\n"
            "                     several files a directory, each with its name and .svg\n"
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
