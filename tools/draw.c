/* SPDX-License-Identifier: BSD-3-Clause */
/* dame draw: a picture of the memory that a program moves. */
#define _GNU_SOURCE /* asprintf */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "drawing.h"
#include "cli/files.h"

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
            code = tool_write(out, picture, length);
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

/* Is there a format of that name? */
static int set_format(arguments_t *arguments, const char *name)
{
    if (strcmp(name, "svg") != 0 && strcmp(name, "txt") != 0) {
        return 0;
    }
    arguments->suffix = name;
    arguments->drawing.format = strcmp(name, "txt") == 0 ? DRAWING_TEXT : DRAWING_SVG;
    return 1;
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
                   : tool_error(TOOL_USAGE,
                                "draw: --format: '%s' is not a format; allowed: svg, txt", optarg);
    case 't':
        drawing->title = optarg;
        return TOOL_OK;
    case 'n':
        return tool_number("--count", optarg, 0, INT64_MAX, &drawing->count);
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
    return set_format(arguments, dot + 1) ? TOOL_OK
                                          : tool_error(TOOL_USAGE,
                                                       "draw: --output: '%s' ends with .%s; "
                                                       "allowed: .svg, .txt, or any with --format",
                                                       arguments->out, dot + 1);
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"title", required_argument, NULL, 't'},
                                          {"count", required_argument, NULL, 'n'},
                                          {0}};
    arguments_t arguments = {.out = "-", .drawing = {.count = 1}};
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
    if (arguments.several && !is_directory(arguments.out)) {
        return tool_error(TOOL_USAGE, "draw: --output must be a directory for several files");
    }
    return files_each(argc, argv, FILES_OPTIMISED, FILES_NONE, draw, &arguments);
}

const tool_command_t tool_draw = {
    .name = "draw",
    .arguments = "[-o FILE] [--format svg|txt] [--count N] [--title TEXT] FILE...",
    .what = "draws the memory that is moved: SVG or text",
    .help = "  -o, --output FILE  where the picture goes, standard output if not given; of\n"
            "                     several files a directory, each with its name\n"
            "  --format FORMAT    svg, or txt for terminals; if not given, what FILE ends\n"
            "                     with, or svg\n"
            "  --count N          elements, 1 if not given\n"
            "  --title TEXT       the heading; if not given, the datatype's name, or FILE's\n"
            "\n"
            "Rows of cells are memory, lowest address first. Blocks are coloured by their\n"
            "order in the packed stream; empty cells are gaps; data that is sent more than\n"
            "once is hatched. A cell of many bytes is filled as far as they are\n"
            "data. Long empty ranges, and rows like those above, are left out and said.\n"
            "The file stays below 500 KB.\n",
    .run = run,
};
