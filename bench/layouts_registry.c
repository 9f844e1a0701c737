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
        for (const struct layout_spec *spec = tables[t]; NULL != spec->name; spec++) {
            if (0 == index--) {
                return spec;
            }
        }
    }
    return NULL;
}

int layouts_count(void)
{
    int count = 0;

    while (NULL != layouts_get(count)) {
        count++;
    }
    return count;
}

static bool is_exact_name(const char *selector)
{
    const struct layout_spec *spec;

    for (int i = 0; NULL != (spec = layouts_get(i)); i++) {
        if (0 == strcmp(spec->name, selector)) {
            return true;
        }
    }
    return false;
}

bool layouts_match(const struct layout_spec *spec, const char *selector)
{
    const size_t length = strlen(selector);

    if (0 == strcmp(spec->name, selector)) {
        return true;
    }
    return length > 0 && 0 == strncmp(spec->name, selector, length) && '_' == spec->name[length] &&
           !is_exact_name(selector);
}
