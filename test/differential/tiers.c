#include "tiers.h"

#include <stdio.h>
#include <string.h>

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

const tier_t tiers[] = {
    {.name = "interp", .obtain = build, .options = {.passes = DAME_PASSES_ALL}},
    {.name = "plain", .obtain = build, .options = {.passes = DAME_PASSES_NONE}},
    {.name = any_passes, .obtain = build},
    {.name = "optimise", .obtain = optimise, .options = {.passes = DAME_PASSES_ALL}},
    {.name = NULL},
};

enum { TIERS = sizeof tiers / sizeof tiers[0] - 1 };

const tier_t *tier_find(const char *name)
{
    for (const tier_t *tier = tiers; tier->name; tier++) {
        if (strcmp(tier->name, name) == 0) {
            return tier;
        }
    }
    return NULL;
}

tier_t tier_of_case(const tier_t *tier, uint64_t seed)
{
    rng_t rng = rng_seeded(seed, 2);
    const tier_t *drawn = &tiers[rng_range(&rng, 0, TIERS - 1)];
    tier_t mine = tier ? *tier : *drawn;
    dame_passes_t passes = mine.options.passes;
    if (mine.name == any_passes) {
        passes = (dame_passes_t) rng_next(&rng) & DAME_PASSES_ALL;
    }
    mine.options = *dame_options_default();
    mine.options.passes = passes;
    if (mine.name == any_passes) { /* sizes that small messages exceed */
        mine.options.sort = (dame_sort_t) rng_range(&rng, DAME_SORT_AUTO, DAME_SORT_ALWAYS);
        mine.options.sort_range = rng_range(&rng, 0, 5000);
        mine.options.fragment = rng_range(&rng, 1, 5000);
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
