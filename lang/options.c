/* SPDX-License-Identifier: BSD-3-Clause */
#include "dame/options.h"

#include <string.h>

static const dame_options_t defaults = {
    .passes = DAME_PASSES_DEFAULT,
    .fragment = 32 << 10,
};

static const char *const names[] = {
#define DAME_PASS(name, text, what) text,
#include "dame/passes.def"
#undef DAME_PASS
};

static const char *const descriptions[] = {
#define DAME_PASS(name, text, what) what,
#include "dame/passes.def"
#undef DAME_PASS
};

const dame_options_t *dame_options_default(void)
{
    return &defaults;
}

const char *dame_pass_name(dame_pass_t pass)
{
    return names[pass];
}

const char *dame_pass_what(dame_pass_t pass)
{
    return descriptions[pass];
}

static int is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* The passes of one name of a list; DAME_PASS_COUNT bits suffice for none of them. */
static int find_name(const char *text, size_t length, int alone, dame_passes_t *out)
{
    if (alone && (is_name(text, length, "all") || is_name(text, length, "none"))) {
        *out = *text == 'a' ? DAME_PASSES_ALL : DAME_PASSES_NONE;
        return 1;
    }
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        if (is_name(text, length, names[pass])) {
            *out = (dame_passes_t) 1 << pass;
            return 1;
        }
    }
    return 0;
}

dame_status_t dame_passes_parse(const char *text, dame_passes_t *out, const char **bad,
                                int *bad_length)
{
    const int alone = strchr(text, ',') == NULL;
    dame_passes_t passes = DAME_PASSES_NONE;
    for (;;) {
        size_t length = strcspn(text, ",");
        dame_passes_t found;
        if (!find_name(text, length, alone, &found)) {
            *bad = text;
            *bad_length = (int) length;
            return DAME_ERR_ARGUMENT;
        }
        passes |= found;
        if (text[length] == '\0') {
            *out = passes;
            return DAME_OK;
        }
        text += length + 1;
    }
}
