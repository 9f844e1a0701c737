/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of layouts. */
#include <string.h>

#include "layouts_make.h"

static const struct layout_spec *const tables[] = {layouts_wrf, layouts_grid, layouts_indexed,
                                                   layouts_fft, layouts_more};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

const struct layout_spec *layouts_get(int index)
{
    for (int t = 0; t < TABLES; t++) {
        for (const struct layout_spec *spec = tables[t]; spec->name != NULL; spec++) {
            if (index-- == 0) {
                return spec;
            }
        }
    }
    return NULL;
}

int layouts_count(void)
{
    int count = 0;

    while (layouts_get(count) != NULL) {
        count++;
    }
    return count;
}

static bool is_exact_name(const char *selector)
{
    const struct layout_spec *spec;

    for (int i = 0; (spec = layouts_get(i)) != NULL; i++) {
        if (strcmp(spec->name, selector) == 0) {
            return true;
        }
    }
    return false;
}

bool layouts_match(const struct layout_spec *spec, const char *selector)
{
    const size_t length = strlen(selector);

    if (strcmp(spec->name, selector) == 0) {
        return true;
    }
    return length > 0 && strncmp(spec->name, selector, length) == 0 && spec->name[length] == '_' &&
           !is_exact_name(selector);
}
