/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "header.h"

static int parse(const char *path, const char *text, size_t length, tool_layout_t *layout)
{
    *layout = (tool_layout_t){.facts = {.strides = 0}};
    int code = tool_datatype_parse(path, text, length, &layout->datatype);
    if (code == TOOL_OK) {
        code = facts_find(path, text, length, &layout->facts);
        if (code != TOOL_OK) {
            tool_datatype_free(&layout->datatype);
            return code;
        }
        layout->name = header_string(text, length, "name");
        if (layout->name != NULL && (*layout->name == '\0' || strcmp(layout->name, "none") == 0)) {
            free(layout->name);
            layout->name = NULL;
        }
    }
    return code;
}

int tool_layout_load(const char *path, tool_layout_t *layout)
{
    char *text;
    size_t length;
    int code = tool_read_text(path, &text, &length);
    if (code == TOOL_OK) {
        code = parse(path, text, length, layout);
        free(text);
    }
    return code;
}

void tool_layout_free(tool_layout_t *layout)
{
    free(layout->name);
    tool_datatype_free(&layout->datatype);
}
