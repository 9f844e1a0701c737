/* SPDX-License-Identifier: BSD-3-Clause */
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "tool.h"

int tool_load(const char *path, dame_program_t **out)
{
    char *text;
    size_t length;
    dame_text_error_t error = {.line = 0};
    const int code = tool_read_text(path, &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    const dame_status_t status = dame_program_parse(text, length, out, &error);
    free(text);
    return status == DAME_OK ? TOOL_OK
           : status == DAME_ERR_NOMEM
               ? tool_status_error(tool_input_name(path), status)
               : tool_text_error(TOOL_WRONG, path, error.line, error.column, error.message);
}

int tool_passes(const char *name, const char *text, dame_passes_t *passes)
{
    dame_passes_t found;
    const char *bad;
    int length;
    if (dame_passes_parse(text, &found, &bad, &length) == DAME_OK) {
        *passes |= found;
        return TOOL_OK;
    }
    char allowed[512] = "";
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof(allowed) - used, "%s, ", dame_pass_name(pass));
    }
    return tool_error(TOOL_USAGE, "%s: '%.*s' is not a pass; allowed: %sor all or none alone", name,
                      length, bad, allowed);
}

int tool_program_span(const dame_program_t *program, int64_t count, int64_t *low, int64_t *high,
                      int64_t *total)
{
    const tool_bounds_t bounds = {.size = program->size,
                                  .extent = program->extent,
                                  .true_lb = program->true_lb,
                                  .true_ub = program->true_ub};
    return tool_span(&bounds, count, low, high, total);
}
