/* SPDX-License-Identifier: BSD-3-Clause */
/* dame draw: a picture of the memory that a program moves. */
#define _GNU_SOURCE /* asprintf */
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "drawing.h"
#include "cli/files.h"
#include "picture.h"

typedef struct arguments {
    drawing_t drawing;  /* title NULL: the datatype's name, or the file's */
    const char *suffix; /* of the format */
    const char *out;    /* a file, or with `several` a directory */
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

/* The picture's file: -o, or in that directory the title and a suffix. NULL: memory is out. */
static char *output_of(const arguments_t *arguments, const char *title)
{
    char *path;
    if (!arguments->several) {
        return strdup(arguments->out);
    }
    return asprintf(&path, "%s/%s.%s", arguments->out, title, arguments->suffix) < 0 ? NULL : path;
}

/* librsvg makes PDF and PNG of SVG. */
static int is_converted(const char *format)
{
    return strcmp(format, "pdf") == 0 || strcmp(format, "png") == 0;
}

static int write_converted(const char *path, const char *format, const char *svg, size_t length)
{
    char name[] = "/tmp/dame-draw-XXXXXX";
    const int file = mkstemp(name);
    if (file < 0 || write(file, svg, length) != (ssize_t) length) {
        const int code = tool_error(TOOL_SYSTEM, "%s: %s", name, strerror(errno));
        if (file >= 0) {
            close(file);
            unlink(name);
        }
        return code;
    }
    close(file);
    const char *const argv[] = {"rsvg-convert", "-f", format, "-o", path, name, NULL};
    int code;
    char *said = command_output(argv, 60, &code);
    unlink(name);
    if (code != 0) {
        code = code == 127 || said == NULL
                   ? tool_error(TOOL_SYSTEM,
                                "draw: %s is made by rsvg-convert, which is not "
                                "here (on Debian: librsvg2-bin)",
                                format)
                   : tool_error(TOOL_SYSTEM, "%s: rsvg-convert: %.*s", path,
                                (int) strcspn(said, "\n"), said);
    }
    free(said);
    return code;
}

static int draw_layout(const arguments_t *arguments, const char *path, const tool_layout_t *layout)
{
    drawing_t drawing = arguments->drawing;
    char *title = title_of(path), *out = title != NULL ? output_of(arguments, title) : NULL;
    char *picture;
    size_t length;
    int code;
    if (out == NULL) {
        code = tool_status_error("the title", DAME_ERR_NOMEM);
    } else {
        drawing.title = drawing.title != NULL  ? drawing.title
                        : layout->name != NULL ? layout->name
                                               : title;
        code = drawing_make(&drawing, layout, &picture, &length);
        if (code == TOOL_OK) {
            code = is_converted(arguments->suffix)
                       ? write_converted(out, arguments->suffix, picture, length)
                       : tool_write(out, picture, length);
            free(picture);
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

static const struct {
    const char *suffix;
    drawing_format_t format; /* of the drawing */
} formats[] = {{"svg", DRAWING_SVG},
               {"pdf", DRAWING_SVG},
               {"png", DRAWING_SVG},
               {"tikz", DRAWING_TIKZ},
               {"txt", DRAWING_TEXT}};

/* Is there a format of that name? */
static int set_format(arguments_t *arguments, const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(name, formats[i].suffix) == 0) {
            arguments->suffix = formats[i].suffix;
            arguments->drawing.format = formats[i].format;
            return 1;
        }
    }
    return 0;
}

static int set_option(arguments_t *arguments, int option)
{
    drawing_t *drawing = &arguments->drawing;
    switch (option) {
    case 'o':
        arguments->out = optarg;
        return TOOL_OK;
    case 'f':
        return set_format(arguments, optarg)
                   ? TOOL_OK
                   : tool_error(
                         TOOL_USAGE,
                         "draw: --format: '%s' is not a format; allowed: svg, pdf, png, tikz, txt",
                         optarg);
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

/* By the ending of the file; svg if it has none, or is not a regular file. */
static int set_format_of(arguments_t *arguments)
{
    const char *slash = strrchr(arguments->out, '/');
    const char *dot = strrchr(slash == NULL ? arguments->out : slash, '.');
    if (arguments->several || dot == NULL || dot[1] == '\0') {
        return set_format(arguments, "svg") ? TOOL_OK : TOOL_USAGE;
    }
    return set_format(arguments, dot + 1)
               ? TOOL_OK
               : tool_error(TOOL_USAGE,
                            "draw: --output: '%s' ends with .%s; allowed: .svg, .pdf, .png, .tikz, "
                            ".txt, or any with --format",
                            arguments->out, dot + 1);
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'},  {"format", required_argument, NULL, 'f'},
        {"title", required_argument, NULL, 't'},   {"count", required_argument, NULL, 'n'},
        {"width", required_argument, NULL, 'w'},   {"cell", required_argument, NULL, 'c'},
        {"columns", required_argument, NULL, 'C'}, {0}};
    arguments_t arguments = {.out = "-", .drawing = {.count = 1, .width = 960}};
    for (int option; (option = tool_option(argc, argv, ":o:", longs)) != -1;) {
        int code = set_option(&arguments, option);
        if (code != TOOL_OK) {
            return code;
        }
    }
    arguments.several = argc - optind > 1 || (argc > optind && is_directory(argv[optind]));
    int code = arguments.suffix == NULL ? set_format_of(&arguments) : TOOL_OK;
    if (code != TOOL_OK) {
        return code;
    }
    if (is_converted(arguments.suffix) && strcmp(arguments.out, "-") == 0) {
        return tool_error(TOOL_USAGE, "draw: %s needs --output, a file or a directory",
                          arguments.suffix);
    }
    if (arguments.several && !is_directory(arguments.out)) {
        return tool_error(TOOL_USAGE, "draw: --output must be a directory for several files");
    }
    return files_each(argc, argv, FILES_OPTIMISED, FILES_NONE, draw, &arguments);
}

const tool_command_t tool_draw = {
    .name = "draw",
    .arguments = "[-o FILE] [--format svg|pdf|png|tikz|txt] [--count N]\n"
                 "                 [--cell BYTES] [--columns N] [--width PIXELS]\n"
                 "                 [--title TEXT] FILE...",
    .what = "draws the memory that is moved: SVG, PDF, PNG, TikZ, text",
    .help = "  -o, --output FILE  where the picture goes, standard output if not given; of\n"
            "                     several files a directory, each with its name\n"
            "  --format FORMAT    svg; pdf or png, by rsvg-convert; tikz, for LaTeX; txt, for\n"
            "                     terminals. If not given, what FILE ends with, or svg\n"
            "  --count N          elements, 1 if not given\n"
            "  --cell BYTES       bytes in a cell; if not given, as little as fits\n"
            "  --columns N        cells in a row; if not given, so that the data lines up\n"
            "  --width PIXELS     of the picture, 960 if not given\n"
            "  --title TEXT       the heading; if not given, the datatype's name, or FILE's\n"
            "\n"
            "Rows of cells are memory, lowest address first. Blocks are coloured by their\n"
            "order in the packed stream; empty cells are gaps; data that is sent more than\n"
            "once is hatched. A cell of many bytes is filled as far as they are\n"
            "data. Long empty ranges, and rows like those above, are left out and said.\n"
            "The file stays below 500 KB.\n",
    .run = run,
};
