/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture_plain.h"

enum {
    MAX_BYTES = 480 * 1024, /* bytes */
    MAX_CELLS = 20480,
    MAX_CHARACTERS = 4096, /* of text */
    TEXT_COLUMNS = 64
};

/* Addresses that are drawn; larger than any of user memory, and far enough from overflow. */
#define FAR (INT64_C(1) << 61)

/* The drawing. */
typedef struct scene {
    const facts_t *facts;
    pieces_t pieces;
    survey_t survey;
} scene_t;

/* The picture with at most `cells` cells, in memory. */
static int draw_once(const drawing_t *drawing, const scene_t *scene, int64_t cells, char **bytes,
                     size_t *length)
{
    plan_t plan = {0};
    picture_t picture = {
        .name = drawing->title, .pieces = &scene->pieces, .survey = &scene->survey, .plan = &plan};
    if (scene->pieces.walks > 0) {
        int code = plan_make(&plan, &scene->pieces, &scene->survey, scene->facts, 0, cells);
        if (code == TOOL_OK && drawing->format == DRAWING_TEXT && plan.columns > TEXT_COLUMNS) {
            code =
                plan_make(&plan, &scene->pieces, &scene->survey, scene->facts, TEXT_COLUMNS, cells);
        }
        if (code != TOOL_OK) {
            return code;
        }
    }
    FILE *memory = open_memstream(bytes, length);
    if (memory == NULL) {
        return tool_error(TOOL_SYSTEM, "no memory for the picture");
    }
    int code = drawing->format == DRAWING_TEXT ? picture_write_text(&picture, memory)
                                               : picture_write(&picture, memory);
    int failed = ferror(memory);
    if ((fclose(memory) != 0 || failed) && code == TOOL_OK) {
        code = tool_error(TOOL_SYSTEM, "no memory for the picture");
    }
    if (code != TOOL_OK) {
        free(*bytes);
    }
    return code;
}

static int draw_scene(const drawing_t *drawing, const scene_t *scene, char **bytes, size_t *length)
{
    const int64_t most = drawing->format == DRAWING_TEXT ? MAX_CHARACTERS : MAX_CELLS;
    int code = draw_once(drawing, scene, most, bytes, length);
    for (int64_t cells = most / 2; code == TOOL_OK && *length > MAX_BYTES; cells /= 2) {
        free(*bytes);
        code = draw_once(drawing, scene, cells, bytes, length);
    }
    return code;
}

int drawing_make(const drawing_t *drawing, const tool_layout_t *layout, char **bytes,
                 size_t *length)
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
        code = draw_scene(drawing, &scene, bytes, length);
        survey_fini(&scene.survey);
    }
    return code;
}
