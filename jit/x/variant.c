/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of variants, and which of them a program could gain from. */
#include "variant.h"

#include <string.h>

#include "dame/memory_order.h"
#include "jit/tune.h"

enum { AHEAD = 16, MOST_VARIANTS = 6 };

/* ---- numbers and names ---- */

static const char *const words[X_CHOICES][4] = {
    [X_PREFETCH] = {"", "prefetch"},
    [X_MOVE] = {"", "move64"},
    [X_PERMUTE] = {"", "permute64", "single", "pairs"},
    [X_TAILS] = {"", "split"},
    [X_UNROLL] = {"", "unroll1", "unroll8"},
};

int x_variant_exists(uint32_t variant)
{
    int exists = variant >> (2 * X_CHOICES) == 0;
    for (int choice = 0; choice < X_CHOICES; choice++) {
        exists &= words[choice][x_choice(variant, (x_choice_t) choice)] != NULL;
    }
    return exists;
}

void x_variant_name(uint32_t variant, char *name)
{
    strcpy(name, variant == 0 ? "plain" : "");
    for (int choice = 0; choice < X_CHOICES; choice++) {
        const char *word = words[choice][x_choice(variant, (x_choice_t) choice)];
        if (*word != '\0') {
            strcat(name, *name != '\0' ? "+" : "");
            strcat(name, word);
        }
    }
}

/* The choice with the word, and in *value its meaning; X_CHOICES if the word is unknown. */
static x_choice_t choice_of(const char *word, size_t length, int *value)
{
    for (int choice = 0; choice < X_CHOICES; choice++) {
        for (*value = 1; *value < 4; ++*value) {
            const char *known = words[choice][*value];
            if (known != NULL && length == strlen(known) && memcmp(word, known, length) == 0) {
                return (x_choice_t) choice;
            }
        }
    }
    return X_CHOICES;
}

int64_t x_variant_named(const char *name, size_t length)
{
    const char *end = name + length;
    uint32_t variant = 0;
    if (length == 5 && memcmp(name, "plain", 5) == 0) {
        return 0;
    }
    for (;; name++) {
        const char *plus = memchr(name, '+', (size_t) (end - name));
        const char *until = plus != NULL ? plus : end;
        int value = 0;
        const x_choice_t choice = choice_of(name, (size_t) (until - name), &value);
        if (choice == X_CHOICES || x_choice(variant, choice) != 0) {
            return -1;
        }
        variant = x_with(variant, choice, value);
        if (end == until) {
            return variant;
        }
        name = until;
    }
}

x_options_t x_variant_options(uint32_t variant, const x_options_t *options)
{
    static const int64_t distances[] = {[X_AHEAD] = AHEAD, [3] = 0};
    static const int64_t unrolled[] = {4, [X_ONCE] = 1, [X_TWICE] = 8, [3] = 0};
    x_options_t out = *options;
    out.most_unrolled = unrolled[x_choice(variant, X_UNROLL)];
    if (out.prefetch_distance < 0) {
        out.prefetch_distance = distances[x_choice(variant, X_PREFETCH)];
    }
    if (x_choice(variant, X_UNROLL) == X_TWICE) {
        out.unroll_bytes = 2 * X_UNROLL_BYTES;
    }
    return out;
}

/* ---- what could matter ---- */

/* Which choices could matter: a bit for each, and one where prefetching does, but only some way
 * ahead, and is not what comes first. */
typedef unsigned x_choices_t;

enum { PREFETCHES_FEW_LINES = 1u << X_CHOICES };

static x_choices_t bit(x_choice_t choice)
{
    return 1u << choice;
}

static int is_within(int64_t step, int64_t bytes)
{
    return step > -bytes && step < bytes;
}

/* Returns the choices that matter for blocks of `bytes` bytes, in a level of blocks. */
static x_choices_t matters_for_blocks(const dame_prim_t *prim, int64_t bytes, dame_dir_t dir)
{
    const int has_list = dame_prim_has_list(prim);
    const int64_t tail = bytes % 32;
    x_choices_t out = 0;
    if (bytes >= 64 || (dir == DAME_PACK && x_fills_line(bytes % 64))) {
        out |= bit(X_MOVE);
    }
    if (bytes <= 16 && (has_list || is_within(prim->step, 64))) {
        out |= bit(X_PERMUTE);
    }
    if (dir == DAME_UNPACK && tail > 8 && tail != 16 && !has_list &&
        is_within(prim->step, DAME_PAGE)) {
        out |= bit(X_TAILS);
    }
    if (bytes <= X_UNROLL_BYTES / 2) {
        out |= bit(X_UNROLL);
    }
    return out;
}

/* Returns the choices that matter for a level; `all`: packed bytes of an element. Levels of unknown
 * length may be long. */
static x_choices_t matters_for(const dame_prim_t *prim, int64_t all, dame_dir_t dir)
{
    const int is_block = prim->inner_delta == 0 && prim->inner_deltas == NULL;
    x_choices_t out = 0;
    if (prim->prefix != NULL) {
        for (int64_t i = 0; i < prim->count && i < 64; i++) {
            out |= dame_iter_inner(prim, i) == 0
                       ? matters_for_blocks(prim, dame_iter_size(prim, i), dir)
                       : 0;
        }
        return out & ~(bit(X_UNROLL) | bit(X_TAILS));
    }
    if (prim->iter_size == 0) {
        return 0;
    }
    if (is_block) {
        out |= matters_for_blocks(prim, prim->iter_size, dir);
    }
    if (!dame_prim_has_list(prim) && prim->iter_size < dame_data_cache()->line &&
        !dame_is_near(prim->step)) {
        const int64_t lines = prim->count == 0 ? X_MANY_LINES : all / prim->iter_size;
        out |= lines >= X_MANY_LINES         ? bit(X_PREFETCH)
               : lines >= x_least_lines(dir) ? PREFETCHES_FEW_LINES
                                             : 0;
    }
    return out;
}

static x_choices_t matters(const dame_cpu_t *cpu, const x_options_t *options,
                           const dame_program_t *program, dame_dir_t dir)
{
    x_choices_t out = 0;
    for (int32_t i = 0; i < program->nprims; i++) {
        if (program->prims[i].interpreted != NULL) {
            out |= matters_for(&program->prims[i], program->size, dir);
        }
    }
    out &= options->vector_bits == 0 && cpu->avx512 ? ~0u : ~(bit(X_MOVE) | bit(X_TAILS));
    out &= options->vector_bits == 0 && cpu->avx2 && (!cpu->avx512 || cpu->avx512_vbmi)
               ? ~0u
               : ~bit(X_PERMUTE);
    out &= options->prefetch_distance < 0 ? ~0u : ~(bit(X_PREFETCH) | PREFETCHES_FEW_LINES);
    out &= options->unroll_bytes == X_UNROLL_BYTES ? ~0u : ~bit(X_UNROLL);
    return out;
}

/* ---- the list ---- */

/* The likeliest to be fastest. Choices that do not matter are plain. */
static uint32_t likeliest(const dame_cpu_t *cpu, x_choices_t choices, dame_dir_t dir)
{
    const dame_tune_t *tune = dame_tune_of(cpu->make);
    uint32_t variant = 0;
    if ((choices & bit(X_PREFETCH)) != 0 && tune->prefetches[dir]) {
        variant = x_with(variant, X_PREFETCH, X_AHEAD);
    }
    if ((choices & bit(X_MOVE)) != 0 && cpu->avx512_vbmi && tune->move_bytes > 32) {
        variant = x_with(variant, X_MOVE, X_WIDE);
    }
    if ((choices & bit(X_PERMUTE)) != 0 && cpu->avx512_vbmi) {
        const int wide = dir == DAME_PACK           ? (tune->gathers_pairs ? X_PAIRS : X_WIDE)
                         : tune->scatter_bytes > 32 ? X_WIDE
                                                    : 0;
        variant = x_with(variant, X_PERMUTE, wide);
    }
    return variant;
}

/* Returns whether the choice would give the code of another one. */
static int is_like_another(const dame_cpu_t *cpu, dame_dir_t dir, x_choice_t choice, int value)
{
    return choice == X_PERMUTE && ((!cpu->avx512 && (value == X_WIDE || value == X_PAIRS)) ||
                                   (dir == DAME_UNPACK && value == X_PAIRS));
}

int32_t x_variants(const dame_cpu_t *cpu, const x_options_t *options, const dame_program_t *program,
                   dame_dir_t dir, uint32_t *out, int32_t room)
{
    /* The alternatives, in this order. */
    static const struct {
        x_choice_t choice;
        int value;
    } others[] = {
        {X_PREFETCH, 0},       {X_PREFETCH, X_AHEAD}, {X_MOVE, 0},        {X_MOVE, X_WIDE},
        {X_PERMUTE, 0},        {X_PERMUTE, X_WIDE},   {X_TAILS, X_SPLIT}, {X_PERMUTE, X_PAIRS},
        {X_PERMUTE, X_SINGLE}, {X_UNROLL, X_TWICE},   {X_UNROLL, X_ONCE},
    };
    const x_choices_t choices = matters(cpu, options, program, dir);
    const uint32_t first = likeliest(cpu, choices, dir);
    const int32_t most = room < MOST_VARIANTS ? room : MOST_VARIANTS;
    int32_t n = 0;
    if (options->variant >= 0) {
        out[0] = (uint32_t) options->variant;
        return most > 0;
    }
    if (n < most) {
        out[n++] = first;
    }
    if (n < most && (choices & (PREFETCHES_FEW_LINES | bit(X_PREFETCH))) == PREFETCHES_FEW_LINES) {
        out[n++] = x_with(first, X_PREFETCH, X_AHEAD);
    }
    for (size_t i = 0; n < most && i < sizeof(others) / sizeof(others[0]); i++) {
        const uint32_t other = x_with(first, others[i].choice, others[i].value);
        if (other != first && (choices & bit(others[i].choice)) != 0 &&
            !is_like_another(cpu, dir, others[i].choice, others[i].value)) {
            out[n++] = other;
        }
    }
    return n;
}
