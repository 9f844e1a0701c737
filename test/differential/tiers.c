/* SPDX-License-Identifier: BSD-3-Clause */
#include "tiers.h"

#include <stdio.h>
#include <string.h>

#include "llvm.h"

static dame_status_t build(const dame_type_t *type, const dame_options_t *options,
                           dame_program_t **out)
{
    return dame_program_build(type, options, out);
}

/* The plain program, optimised afterwards as if it had been a text. */
static dame_status_t optimise(const dame_type_t *type, const dame_options_t *options,
                              dame_program_t **out)
{
    dame_options_t none = *options;
    none.passes = DAME_PASSES_NONE;
    dame_program_t *plain;
    dame_status_t status = dame_program_build(type, &none, &plain);
    if (status == DAME_OK) {
        status = dame_program_optimise(plain, options, out);
        dame_program_free(plain);
    }
    return status;
}

static const char any_passes[] = "passes";
static const char compiled_any_passes[] = "x-passes";
static const char llvm_any_passes[] = "l-passes";

const tier_t tiers[] = {
    {.name = "interp", .obtain = build, .options = {.passes = DAME_PASSES_DEFAULT}},
    {.name = "plain", .obtain = build, .options = {.passes = DAME_PASSES_NONE}},
    {.name = any_passes, .obtain = build},
    {.name = "optimise", .obtain = optimise, .options = {.passes = DAME_PASSES_DEFAULT}},
    {.name = "x", .obtain = build, .options = {.passes = DAME_PASSES_DEFAULT}, .compiles = true},
    {.name = "x-plain", .obtain = build, .options = {.passes = DAME_PASSES_NONE}, .compiles = true},
    {.name = compiled_any_passes, .obtain = build, .compiles = true},
    {.name = "codes",
     .obtain = build,
     .options = {.passes = DAME_PASSES_DEFAULT},
     .compiles = true,
     .changes = true},
    {.name = "l-codes",
     .obtain = build,
     .options = {.passes = DAME_PASSES_DEFAULT},
     .compiles = true,
     .changes = true,
     .by_llvm = true},
    {.name = "l",
     .obtain = build,
     .options = {.passes = DAME_PASSES_DEFAULT},
     .compiles = true,
     .by_llvm = true},
    {.name = llvm_any_passes, .obtain = build, .compiles = true, .by_llvm = true},
    {.name = NULL},
};

enum { TIERS = sizeof tiers / sizeof tiers[0] - 1 };

/* Those of DAME-L, or the others; `compiled`: of these, those that compile. */
static tier_set_t set_of(bool by_llvm, bool compiled)
{
    tier_set_t set = 0;
    for (int i = 0; i < TIERS; i++) {
        const bool is_one = tiers[i].by_llvm == by_llvm && (tiers[i].compiles || !compiled);
        set |= (tier_set_t) is_one << i;
    }
    return set;
}

tier_set_t tiers_all(void)
{
    return set_of(false, false);
}

tier_set_t tiers_compiled(void)
{
    return set_of(false, true);
}

tier_set_t tiers_of_llvm(void)
{
    return set_of(true, true);
}

bool tiers_parse(const char *text, tier_set_t *out)
{
    *out = strcmp(text, "any") == 0 ? tiers_all() : 0;
    if (*out) {
        return true;
    }
    for (;; text++) {
        size_t length = strcspn(text, ",");
        int i = 0;
        while (i < TIERS &&
               (strlen(tiers[i].name) != length || memcmp(tiers[i].name, text, length) != 0)) {
            i++;
        }
        if (i == TIERS) {
            return false;
        }
        *out |= (tier_set_t) 1 << i;
        text += length;
        if (*text == '\0') {
            return true;
        }
    }
}

static const tier_t *draw(tier_set_t set, rng_t *rng)
{
    int n = 0;
    for (int i = 0; i < TIERS; i++) {
        n += set >> i & 1;
    }
    int64_t left = rng_range(rng, 0, n - 1);
    for (int i = 0;; i++) {
        if ((set >> i & 1) && left-- == 0) {
            return &tiers[i];
        }
    }
}

tier_t tier_of_case(tier_set_t set, uint64_t seed)
{
    rng_t rng = rng_seeded(seed, 2);
    tier_t mine = *draw(set, &rng);
    bool any =
        mine.name == any_passes || mine.name == compiled_any_passes || mine.name == llvm_any_passes;
    dame_passes_t passes = mine.options.passes;
    if (any) {
        passes = (dame_passes_t) rng_next(&rng) & DAME_PASSES_ALL;
    }
    mine.options = *dame_options_default();
    mine.options.passes = passes;
    if (any) { /* sizes that small messages exceed */
        mine.options.fragment = rng_range(&rng, 1, 5000);
    }
    if (mine.compiles) {
        mine.make = (dame_make_t) rng_range(&rng, 0, DAME_MAKES - 1);
        mine.jit = mine.changes ? compiled_small_options(&rng) : compiled_random_options(&rng);
    }
    if (mine.by_llvm) {
        mine.llvm_options = llvm_random_options(&rng);
        mine.llvm_choice = rng_next(&rng);
    }
    return mine;
}

const char *tier_passes(const tier_t *tier)
{
    static char text[200];
    size_t n = 0;
    strcpy(text, "none");
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        if (tier->options.passes >> pass & 1) {
            n += (size_t) snprintf(text + n, sizeof text - n, "%s%s", n ? "," : "",
                                   dame_pass_name((dame_pass_t) pass));
        }
    }
    return text;
}

const char *tier_jit(const tier_t *tier)
{
    static char text[300];
    const dame_jit_options_t *jit = &tier->jit;
    text[0] = '\0';
    if (tier->compiles) {
        snprintf(
            text, sizeof text,
            ", make %d, vector_bits %d, unroll_bytes %lld, straight_bytes %lld, memcpy_bytes %lld, "
            "prefetch_distance %lld, list_entries %lld, arena_bytes %zu, memory %d",
            (int) tier->make, (int) jit->vector_bits, (long long) jit->unroll_bytes,
            (long long) jit->straight_bytes, (long long) jit->memcpy_bytes,
            (long long) jit->prefetch_distance, (long long) jit->list_entries, jit->arena_bytes,
            (int) jit->memory);
    }
    return text;
}
