/* SPDX-License-Identifier: BSD-3-Clause */
#include "datatype.h"

#include <stdlib.h>

int tool_library_error(const char *thing, dame_status_t status)
{
    return tool_error(status == DAME_ERR_NOMEM ? TOOL_SYSTEM : TOOL_WRONG, "%s: %s", thing,
                      dame_error_reason(NULL, NULL));
}

static dame_context_t *context;

static void free_context(void)
{
    dame_context_free(context);
}

dame_context_t *tool_context(void)
{
    const dame_context_options_t options = {.size = sizeof(options), .threshold = -1};
    if (context == NULL) {
        const dame_status_t status = dame_context_new(&options, &context);
        if (status != DAME_OK) {
            tool_library_error("libdame", status);
            return NULL;
        }
        atexit(free_context);
    }
    return context;
}

int tool_datatype_take(const char *thing, dame_datatype_t *type, tool_datatype_t *out)
{
    int64_t lb, true_extent;
    const dame_status_t status = dame_datatype_commit(type);
    if (status != DAME_OK) {
        dame_datatype_free(type);
        return tool_library_error(thing, status);
    }
    tool_bounds_t *bounds = &out->bounds; /* these four cannot fail */
    (void) dame_datatype_size(type, &bounds->size);
    (void) dame_datatype_extent(type, &lb, &bounds->extent);
    (void) dame_datatype_true_extent(type, &bounds->true_lb, &true_extent);
    bounds->true_ub = bounds->true_lb + true_extent;
    out->type = type;
    return TOOL_OK;
}

int tool_datatype_parse(const char *path, const char *text, size_t length, tool_datatype_t *out)
{
    dame_datatype_t *type;
    dame_context_t *with = tool_context();
    if (with == NULL) {
        return TOOL_SYSTEM;
    }
    const dame_status_t status = dame_datatype_parse(with, text, length, NULL, &type);
    if (status != DAME_OK) {
        int64_t line, column;
        const char *reason = dame_error_reason(&line, &column);
        return tool_text_error(status == DAME_ERR_NOMEM ? TOOL_SYSTEM : TOOL_WRONG, path, line,
                               column, reason);
    }
    return tool_datatype_take(tool_input_name(path), type, out);
}

int tool_datatype_load(const char *path, tool_datatype_t *out)
{
    char *text;
    size_t length;
    int code = tool_read_text(path, &text, &length);
    if (code == TOOL_OK) {
        code = tool_datatype_parse(path, text, length, out);
        free(text);
    }
    return code;
}

void tool_datatype_free(tool_datatype_t *datatype)
{
    dame_datatype_free(datatype->type);
    datatype->type = NULL;
}
