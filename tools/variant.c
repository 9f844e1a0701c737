/* SPDX-License-Identifier: BSD-3-Clause */
#include "variant.h"

#include <string.h>

#include "jit/jit.h"
#include "cli/tool.h"

int tool_variant(const char *text, const char **variant)
{
    dame_jit_options_t options = *dame_jit_options_default();
    dame_jit_t *jit;
    options.variant = text + 2;
    if (strncmp(text, "x:", 2) != 0 || dame_jit_create(&options, &jit) != DAME_OK) {
        return tool_error(TOOL_USAGE, "--variant: '%s' is not a variant of DAME-X", text);
    }
    dame_jit_destroy(jit);
    *variant = options.variant;
    return TOOL_OK;
}
