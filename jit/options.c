/* The options of the JIT: defaults and ranges. */
#include "options.h"

const dame_jit_options_t *dame_jit_options_default(void)
{
    static const dame_jit_options_t options = {
        .vector_bits = 0,
        .unroll_bytes = 192,
        .straight_bytes = 512,
        .memcpy_bytes = 1024,
        .nontemporal_bytes = 0,
        .prefetch_distance = -1,
        .list_entries = 32,
        .arena_bytes = (size_t) 16 << 20,
        .memory = DAME_JIT_MEMORY_DUAL,
    };
    return &options;
}

int dame_jit_options_valid(const dame_jit_options_t *options)
{
    const int32_t bits = options->vector_bits;
    return (bits == 0 || bits == 128 || bits == 256 || bits == 512) && options->unroll_bytes >= 0 &&
           options->straight_bytes >= 0 && options->memcpy_bytes >= 64 &&
           options->nontemporal_bytes >= 0 && options->prefetch_distance >= -1 &&
           options->list_entries >= 0 && options->arena_bytes >= 1 &&
           options->arena_bytes <= DAME_JIT_LARGEST_ARENA &&
           options->memory >= DAME_JIT_MEMORY_DUAL && options->memory <= DAME_JIT_MEMORY_NONE;
}
