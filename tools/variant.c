/* SPDX-License-Identifier: BSD-3-Clause */
#include "variant.h"

#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* Does it differ from the plain one by one choice? Each has two bits (jit/x/variant.h). */
static int is_simple(int64_t variant)
{
    while (variant > 3 && variant % 4 == 0) {
        variant /= 4;
    }
    return variant < 4;
}

void tool_variant_names(dame_jit_t *jit, int32_t provider, char *text, size_t room)
{
    enum { MOST_VARIANTS = 1 << 10 };
    dame_candidate_t candidate = {.provider = provider};
    char name[DAME_CANDIDATE_NAME];
    size_t length = 0;
    text[0] = '\0';
    for (candidate.variant = 0; candidate.variant < MOST_VARIANTS && length < room;
         candidate.variant++) {
        if (*dame_jit_candidate_name(jit, &candidate, name) != '\0' &&
            (provider != DAME_JIT_X || is_simple(candidate.variant))) {
            length += (size_t) snprintf(text + length, room - length, "%s%s",
                                        length > 0 ? ", " : "", name);
        }
    }
}

int tool_variant(const char *text, const char **variant)
{
    dame_jit_options_t options = *dame_jit_options_default();
    dame_jit_t *jit;
    char names[512] = "";
    options.variant = text + 2;
    if (strncmp(text, "x:", 2) == 0 && dame_jit_create(&options, &jit) == DAME_OK) {
        dame_jit_destroy(jit);
        *variant = options.variant;
        return TOOL_OK;
    }
    if (dame_jit_create(NULL, &jit) == DAME_OK) {
        tool_variant_names(jit, DAME_JIT_X, names, sizeof(names));
        dame_jit_destroy(jit);
    }
    return tool_error(TOOL_USAGE,
                      "--variant: '%s' is not a variant of DAME-X: %s, or several of them as "
                      "'dame compile --list' writes them",
                      text, names);
}
