/* SPDX-License-Identifier: BSD-3-Clause */
#include "variants.h"

#include <stdio.h>

typedef struct pipeline {
    const char *name;
    const char *passes;
} pipeline_t;

/* Numbers are kept in profiles and file names: append only. */
static const pipeline_t pipelines[] = {
    {"none", ""},
    {"O1", "default<O1>"},
    {"O2", "default<O2>"},
    {"O3", "default<O3>"},
};

enum {
    PIPELINES = sizeof(pipelines) / sizeof(pipelines[0]),
    CUSTOM = 15,       /* the pipeline of the option passes */
    PIPELINE = 15,     /* the bits that have the pipeline */
    HALF_VECTORS = 16, /* vectors of 32 bytes where 64 are to be had */
    VARIANTS = 32
};

static const char *pipeline_name(uint32_t variant)
{
    const uint32_t pipeline = variant & PIPELINE;
    return pipeline == CUSTOM ? "custom" : pipeline < PIPELINES ? pipelines[pipeline].name : NULL;
}

int l_variant_name(uint32_t variant, char name[DAME_VARIANT_NAME])
{
    static const char *const grids[] = {"grid", "ptx", "amdgpu"};
    const char *pipeline = l_is_grid(variant)   ? grids[variant - L_GRID_HOST]
                           : variant < VARIANTS ? pipeline_name(variant)
                                                : NULL;
    name[0] = '\0';
    if (pipeline != NULL) {
        snprintf(name, DAME_VARIANT_NAME, "%s%s", pipeline,
                 (variant & HALF_VECTORS) != 0 ? "+256" : "");
    }
    return pipeline != NULL;
}

/* Returns whether there are moves that use the widest vectors. */
static int has_wide_moves(const dame_program_t *program)
{
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        if (prim->interpreted != NULL && (prim->prefix != NULL || dame_iter_size(prim, 0) > 32 ||
                                          (prim->step > -32 && prim->step < 32))) {
            return 1;
        }
    }
    return 0;
}

int32_t l_variants(const l_options_t *options, const dame_program_t *program, uint32_t *out,
                   int32_t room)
{
    static const uint32_t likely[] = {0, 2};
    const int halves = options->cpu.avx512 && has_wide_moves(program);
    int32_t n = 0;
    for (size_t i = 0; i < sizeof(likely) / sizeof(likely[0]); i++) {
        const uint32_t pipeline = options->has_passes ? CUSTOM : likely[i];
        if (n < room) {
            out[n++] = pipeline;
        }
        if (n < room && halves) {
            out[n++] = pipeline | HALF_VECTORS;
        }
        if (options->has_passes) {
            break;
        }
    }
    return n;
}

const char *l_passes_of(const l_options_t *options, uint32_t variant)
{
    const uint32_t pipeline = variant & PIPELINE;
    return pipeline == CUSTOM ? options->passes : pipelines[pipeline].passes;
}

int l_is_variant(const l_options_t *options, uint32_t variant)
{
    const uint32_t pipeline = variant & PIPELINE;
    return l_is_grid(variant) ||
           (variant < VARIANTS &&
            (pipeline < PIPELINES || (pipeline == CUSTOM && options->has_passes)));
}

int l_vector_bytes(uint32_t variant, int most)
{
    return (variant & HALF_VECTORS) != 0 && most > 32 ? 32 : most;
}
