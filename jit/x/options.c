/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "variant.h"

static const struct {
    const char *key;
    size_t at;
    int64_t standard;
    int64_t least;
    int64_t most;
} keys[] = {
    {"vector_bits", offsetof(x_options_t, vector_bits), 0, 0, 512},
    {"unroll_bytes", offsetof(x_options_t, unroll_bytes), X_UNROLL_BYTES, 0, INT64_MAX},
    {"straight_bytes", offsetof(x_options_t, straight_bytes), 512, 0, INT64_MAX},
    {"memcpy_bytes", offsetof(x_options_t, memcpy_bytes), 2048, 64, INT64_MAX},
    {"prefetch_distance", offsetof(x_options_t, prefetch_distance), -1, -1, INT64_MAX},
    {"list_entries", offsetof(x_options_t, list_entries), 32, 0, INT64_MAX},
    {"variant", offsetof(x_options_t, variant), -1, 0, 0}, /* by its name */
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static int64_t *field(x_options_t *options, int key)
{
    return (int64_t *) (void *) ((char *) options + keys[key].at);
}

/* Reads one assignment. Returns where it ends, NULL: it is wrong. */
static const char *parse_one(const char *text, x_options_t *out)
{
    const size_t length = strcspn(text, "=,");
    int key = 0;
    while (key < KEYS &&
           (strncmp(keys[key].key, text, length) != 0 || keys[key].key[length] != '\0')) {
        key++;
    }
    if (key == KEYS || text[length] != '=') {
        return NULL;
    }
    text += length + 1;
    if (offsetof(x_options_t, variant) == keys[key].at) {
        const size_t name = strcspn(text, ",");
        out->variant = x_variant_named(text, name);
        return out->variant >= 0 ? text + name : NULL;
    }
    char *end = NULL;
    const long long value = strtoll(text, &end, 10);
    if (end == text || (*end != '\0' && *end != ',') || value < keys[key].least ||
        value > keys[key].most) {
        return NULL;
    }
    *field(out, key) = value;
    return end;
}

dame_status_t x_options_parse(const char *text, x_options_t *out)
{
    x_options_t options;
    for (int key = 0; key < KEYS; key++) {
        *field(&options, key) = keys[key].standard;
    }
    while (*text != '\0') {
        text = parse_one(text, &options);
        if (text == NULL) {
            return DAME_ERR_ARGUMENT;
        }
        text += ',' == *text;
    }
    const int64_t bits = options.vector_bits;
    if (bits != 0 && bits != 128 && bits != 256 && bits != 512) {
        return DAME_ERR_ARGUMENT;
    }
    *out = options;
    return DAME_OK;
}
