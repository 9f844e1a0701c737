/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A provider of the tests' own, linked in or loaded as any other (jit/provider.h). Its machine code
 * is a copy of C functions that run at any address, so it depends on no program at all; it moves a
 * byte at a time. Variant 0 has a kernel for every level, variant n for all but the n-th from
 * outside; odd ones walk backwards.
 *
 * Options: padding=BYTES, that each code is made longer by. The environment variable TEST_PROVIDER
 * makes it another provider: "old" of another version of the interface, "by-program" not by_shape.
 * TEST_PROVIDER_LOG names a file that each compilation makes a byte longer, 20 ms before its end.
 * TEST_PROVIDER_MS: this number instead, and another byte at its end; for that it needs an object
 * that exit() destroys. TEST_PROVIDER_MAKER: its maker. TEST_PROVIDER_EXITS: while it is loaded, it
 * makes the log a byte longer and then registers this number of functions of exit().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "provider.h"

/* ---- the kernels ---- */

/* They call each other and read no constants: all of the section, and nothing else, is copied. Only
 * fields are read, no functions of headers used, which would be elsewhere when not inlined. */
#define KERNEL __attribute__((section("dame_kernels"), noinline, used))
extern const char __start_dame_kernels[] __attribute__((visibility("hidden")));
extern const char __stop_dame_kernels[] __attribute__((visibility("hidden")));

/* volatile: the compiler makes no call of memcpy() of it. */
KERNEL static void move(dame_dir_t dir, uintptr_t user, char *packed, int64_t n)
{
    volatile char *at = (char *) user;
    for (int64_t i = 0; i < n; i++) {
        if (dir == DAME_PACK) {
            packed[i] = at[i];
        } else {
            at[i] = packed[i];
        }
    }
}

KERNEL static void walk(dame_dir_t dir, int backwards, const dame_prim_t *prim, uintptr_t origin,
                        char *packed, int64_t first, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = backwards ? first + n - 1 - k : first + k;
        const int64_t *prefix = prim->prefix;
        const int64_t size = prefix != NULL ? prefix[i + 1] - prefix[i] : prim->iter_size;
        const int64_t at = prefix != NULL ? prefix[i] - prefix[first] : (i - first) * size;
        const uintptr_t offset = prim->disps32 != NULL ? (uintptr_t) (int64_t) prim->disps32[i]
                                 : prim->disps != NULL ? (uintptr_t) prim->disps[i]
                                                       : (uintptr_t) i * (uintptr_t) prim->step;
        const int32_t delta =
            prim->inner_deltas != NULL ? prim->inner_deltas[i] : prim->inner_delta;
        if (delta == 0) {
            move(dir, origin + offset, packed + at, size);
        } else {
            const dame_prim_t *inner = prim + delta;
            const int64_t count = inner->count != 0 ? inner->count : size / inner->iter_size;
            walk(dir, backwards, inner, origin + offset, packed + at, 0, count);
        }
    }
}

#define KERNEL_FOR(name, dir, backwards)                                                           \
    KERNEL static void name(const dame_prim_t *prim, uintptr_t origin, char *packed,               \
                            int64_t first, int64_t n)                                              \
    {                                                                                              \
        walk(dir, backwards, prim, origin, packed, first, n);                                      \
    }
KERNEL_FOR(pack_forwards, DAME_PACK, 0)
KERNEL_FOR(pack_backwards, DAME_PACK, 1)
KERNEL_FOR(unpack_forwards, DAME_UNPACK, 0)
KERNEL_FOR(unpack_backwards, DAME_UNPACK, 1)

/* ---- the provider ---- */

atomic_size_t test_provider_bytes;
dame_status_t test_provider_answer = DAME_OK;

typedef struct state {
    size_t padding;
    char *bytes;
    dame_entry_point_t *entries;
} state_t;

static dame_status_t open(const dame_cpu_t *cpu, const char *options, void **out)
{
    (void) cpu;
    unsigned padding = 0;
    int read = 0;
    if (options[0] != '\0' &&
        (sscanf(options, "padding=%u%n", &padding, &read) != 1 || options[read] != '\0')) {
        return DAME_ERR_ARGUMENT;
    }
    state_t *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return DAME_ERR_NOMEM;
    }
    state->padding = padding;
    *out = state;
    return DAME_OK;
}

/* Linked in it gets the options of DAME-X. */
static dame_status_t open_linked(const dame_cpu_t *cpu, const char *options, void **out)
{
    (void) options;
    return open(cpu, "", out);
}

static void close(void *opaque)
{
    state_t *state = opaque;
    free(state->bytes);
    free(state->entries);
    free(state);
}

static int32_t variants(void *state, const dame_program_t *program, dame_dir_t dir, uint32_t *out,
                        int32_t room)
{
    (void) state, (void) program, (void) dir;
    int32_t n = 0;
    while (n < room && n < TEST_VARIANTS) {
        out[n] = (uint32_t) n;
        n++;
    }
    return n;
}

static int variant_name(void *state, uint32_t variant, char name[DAME_VARIANT_NAME])
{
    (void) state;
    name[0] = '\0';
    if (variant < TEST_VARIANTS) {
        snprintf(name, DAME_VARIANT_NAME, "variant%u", (unsigned) variant);
    }
    return variant < TEST_VARIANTS;
}

static uint32_t offset_of(dame_run_fn kernel)
{
    return (uint32_t) ((uintptr_t) kernel - (uintptr_t) __start_dame_kernels);
}

static int is_destroyed;

static void destroy(void)
{
    is_destroyed = 1;
}

static FILE *open_log(void)
{
    const char *path = getenv("TEST_PROVIDER_LOG");
    return path != NULL ? fopen(path, "a") : NULL;
}

__attribute__((constructor)) static void register_exits(void)
{
    const char *text = getenv("TEST_PROVIDER_EXITS");
    FILE *log = text != NULL ? open_log() : NULL;
    if (log != NULL) {
        fputc('l', log);
        fclose(log);
        for (long i = atol(text); i > 0; i--) {
            atexit(destroy);
        }
    }
}

static void log_compilation(void)
{
    FILE *log = open_log();
    if (log != NULL) {
        const char *text = getenv("TEST_PROVIDER_MS");
        if (text != NULL) {
            atexit(destroy); /* as C++ does for a static object of a function */
        }
        fputc('x', log);
        fclose(log);
        const long ms = text != NULL ? atol(text) : 20;
        nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
        if (text != NULL && is_destroyed) {
            abort();
        }
        if (text != NULL && (log = open_log()) != NULL) {
            fputc('y', log);
            fclose(log);
        }
    }
}

static dame_status_t compile(void *opaque, const dame_program_t *program, dame_dir_t dir,
                             uint32_t variant, dame_machine_code_t *code)
{
    static const dame_run_fn kernels[2][2] = {
        [DAME_PACK] = {pack_forwards, pack_backwards},
        [DAME_UNPACK] = {unpack_forwards, unpack_backwards},
    };
    state_t *state = opaque;
    const size_t kernels_size = (size_t) (__stop_dame_kernels - __start_dame_kernels);
    const size_t least = atomic_load(&test_provider_bytes);
    const size_t padded = kernels_size + state->padding, size = padded > least ? padded : least;
    uint32_t level = 0;
    if (variant >= TEST_VARIANTS || test_provider_answer != DAME_OK) {
        return variant >= TEST_VARIANTS ? DAME_ERR_UNSUPPORTED : test_provider_answer;
    }
    log_compilation();
    free(state->bytes);
    free(state->entries);
    state->bytes = calloc(1, size);
    state->entries = calloc((size_t) program->nprims, sizeof(state->entries[0]));
    if (state->bytes == NULL || state->entries == NULL) {
        return DAME_ERR_NOMEM;
    }
    memcpy(state->bytes, __start_dame_kernels, kernels_size);
    *code = (dame_machine_code_t){.bytes = state->bytes, .size = size, .entries = state->entries};
    for (int32_t i = 0; i < program->nprims; i++) {
        if (program->prims[i].interpreted != NULL && ++level != variant) {
            state->entries[code->nentries++] =
                (dame_entry_point_t){i, offset_of(kernels[dir][variant % 2])};
        }
    }
    return DAME_OK;
}

const dame_provider_t test_provider = {.version = DAME_PROVIDER_VERSION,
                                       .name = "test",
                                       .by_shape = 1,
                                       .identity = "of the tests",
                                       .open = open_linked,
                                       .variants = variants,
                                       .variant_name = variant_name,
                                       .compile = compile,
                                       .close = close};

__attribute__((visibility("default"))) const dame_provider_t *dame_provider(void)
{
    static dame_provider_t provider;
    const char *other = getenv("TEST_PROVIDER");
    provider = test_provider;
    provider.open = open;
    provider.maker = getenv("TEST_PROVIDER_MAKER");
    if (other != NULL) {
        provider.version += strcmp(other, "old") == 0 ? -1 : 0;
        provider.by_shape = strcmp(other, "by-program") != 0;
    }
    return &provider;
}
