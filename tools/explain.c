/* SPDX-License-Identifier: BSD-3-Clause */
/* dame explain: what a program does to memory, in plain sentences or as JSON. */
#include "cli/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/files.h"
#include "layout.h"
#include "sentences.h"

/* ---- JSON ---- */

static void print_spread(const char *name, const spread_t *spread)
{
    printf("  \"%s\": {\"number\": %" PRId64 ", \"min\": %" PRId64 ", \"median\": %" PRId64
           ", \"max\": %" PRId64 "},\n",
           name, spread->n, spread->min, spread->median, spread->max);
}

static void print_units(const char *name, const units_t *units, const survey_t *survey,
                        const char *comma)
{
    double bytes = (double) units->touched * (double) units->size;
    printf("  \"%s\": {\"size\": %" PRId64 ", \"touched\": %" PRId64 ", \"visits\": %" PRId64
           ", \"used\": %.6f}%s\n",
           name, units->size, units->touched, units->visits,
           bytes > 0 ? (double) survey->distinct / bytes : 0, comma);
}

static void print_form(const char *name, const form_t *form, const char *comma)
{
    printf("  \"%s\": {\"primitives\": %" PRId32 ", \"depth\": %" PRId32 ", \"memory\": %zu}%s\n",
           name, form->primitives, form->depth, form->memory, comma);
}

static void print_json(const char *path, const pieces_t *pieces, const survey_t *survey,
                       const facts_t *facts)
{
    const tool_bounds_t *bounds = &pieces->datatype->bounds;
    printf("{\n  \"file\": ");
    tool_json_string(stdout, path);
    printf(",\n  \"count\": %" PRId64 ", \"size\": %" PRId64 ", \"extent\": %" PRId64
           ", \"true_lb\": %" PRId64 ", \"true_ub\": %" PRId64 ",\n  \"bytes\": %" PRId64
           ", \"low\": %" PRId64 ", \"high\": %" PRId64 ",\n",
           pieces->count, bounds->size, bounds->extent, bounds->true_lb, bounds->true_ub,
           pieces->total, pieces->low, pieces->high);
    printf("  \"distinct_bytes\": %" PRId64 ", \"regions\": %" PRId64 ",\n", survey->distinct,
           survey->regions);
    print_spread("pieces", &survey->pieces);
    print_spread("gaps", &survey->gaps);
    printf("  \"steps\": {\"number\": %" PRId64 ", \"forward\": %" PRId64 ", \"median\": %" PRId64
           ",\n    \"common\": [",
           survey->steps, survey->forward, survey->median_step);
    for (int64_t i = 0; i < survey->ordinary; i++) {
        printf("%s{\"bytes\": %" PRId64 ", \"number\": %" PRId64 "}", i > 0 ? ", " : "",
               survey->common[i].bytes, survey->common[i].times);
    }
    printf("]},\n");
    print_units("lines", &survey->lines, survey, ",");
    print_units("pages", &survey->pages, survey, ",");
    printf("  \"wide_column\": %" PRId64 ",\n", facts->wide_column);
    print_form("program", &facts->program, ",");
    print_form("optimised", &facts->optimised, "");
    printf("}\n");
}

/* ---- the command ---- */

typedef struct arguments {
    int64_t count;
    int json;
} arguments_t;

static int explain_message(const arguments_t *arguments, const char *path,
                           const tool_datatype_t *datatype, const facts_t *facts)
{
    pieces_t pieces;
    survey_t survey;
    int code = pieces_init(&pieces, datatype, arguments->count);
    if (code == TOOL_OK) {
        code = survey_init(&survey, &pieces);
    }
    if (code == TOOL_OK) {
        if (arguments->json) {
            print_json(tool_input_name(path), &pieces, &survey, facts);
        } else {
            code = sentences_write(&pieces, &survey, facts, stdout);
        }
        survey_fini(&survey);
    }
    return code;
}

static int explain(void *context, const char *path)
{
    const arguments_t *arguments = context;
    tool_layout_t layout;
    int code = tool_layout_load(path, &layout);
    if (code == TOOL_OK) {
        code = explain_message(arguments, path, &layout.datatype, &layout.facts);
        tool_layout_free(&layout);
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"count", required_argument, NULL, 'n'}, {"json", no_argument, NULL, 'j'}, {0}};
    arguments_t arguments = {.count = 1};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        int code = option == 'n'   ? tool_number("--count", optarg, 0, INT64_MAX, &arguments.count)
                   : option == 'j' ? TOOL_OK
                                   : TOOL_USAGE;
        if (code != TOOL_OK) {
            return code;
        }
        arguments.json |= option == 'j';
    }
    return files_each(argc, argv, FILES_OPTIMISED, arguments.json ? FILES_JSON : FILES_LINE,
                      explain, &arguments);
}

const tool_command_t tool_explain = {
    .name = "explain",
    .arguments = "[--count N] [--json] FILE...",
    .what = "says in sentences which bytes move and how memory is used",
    .help = "  --count N  elements, 1 if not given\n"
            "  --json     numbers instead of sentences\n"
            "\n"
            "A piece is a contiguous run of memory, as long as can be; 16 M are allowed.\n"
            "Addresses are bytes from the buffer's; cache lines and pages are counted as if\n"
            "the buffer started at one.\n",
    .run = run,
};
