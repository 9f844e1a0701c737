/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the JIT: defaults and ranges. */
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "provider.h"

const dame_jit_options_t *dame_jit_options_default(void)
{
    static const dame_jit_options_t options = {
        .vector_bits = 0,
        .unroll_bytes = 192,
        .straight_bytes = 512,
        .memcpy_bytes = 2048,
        .prefetch_distance = -1,
        .list_entries = 32,
        .arena_bytes = (size_t) 16 << 20,
        .memory = DAME_JIT_MEMORY_DUAL,
    };
    return &options;
}

int dame_jit_options_valid(const dame_jit_options_t *options)
{
    return options->arena_bytes >= 1 && options->arena_bytes <= DAME_JIT_LARGEST_ARENA &&
           options->memory >= DAME_JIT_MEMORY_DUAL && options->memory <= DAME_JIT_MEMORY_NONE &&
           (options->variant == NULL || strlen(options->variant) < DAME_VARIANT_NAME);
}

const char *dame_jit_options_text(const dame_jit_options_t *options, char text[DAME_X_OPTIONS])
{
    snprintf(text, DAME_X_OPTIONS,
             "vector_bits=%" PRId32 ",unroll_bytes=%" PRId64 ",straight_bytes=%" PRId64
             ",memcpy_bytes=%" PRId64 ",prefetch_distance=%" PRId64 ",list_entries=%" PRId64 "%s%s",
             options->vector_bits, options->unroll_bytes, options->straight_bytes,
             options->memcpy_bytes, options->prefetch_distance, options->list_entries,
             options->variant != NULL ? ",variant=" : "",
             options->variant != NULL ? options->variant : "");
    return text;
}
