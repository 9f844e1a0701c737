/* SPDX-License-Identifier: BSD-3-Clause */
/* Optimising a program, with a message when that fails. */
#include "cli/program.h"
#include "cli/tool.h"

int tool_optimised(const char *thing, const dame_program_t *program, const dame_options_t *options,
                   dame_program_t **out)
{
    dame_limit_t limit;
    char text[128];
    dame_options_t limited = options != NULL ? *options : *dame_options_default();
    limited.limit = &limit;
    dame_status_t status = dame_program_optimise(program, &limited, out);
    if (status == DAME_ERR_LIMIT) {
        return tool_error(TOOL_WRONG, "%s: %s", thing, dame_limit_text(&limit, text, sizeof(text)));
    }
    return status == DAME_OK ? TOOL_OK : tool_status_error(thing, status);
}
