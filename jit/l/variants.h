/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variants: a pipeline, and the widest vectors. Needs no LLVM. Private to jit/l/.
 */
#ifndef DAME_L_VARIANTS_H
#define DAME_L_VARIANTS_H

#include "jit/g/launch.h"
#include "jit/provider.h"
#include "options.h"

/* Increased with any change of the kernels or of the pipelines: files of other revisions are not
 * used. */
#define L_REVISION "6"
#define L_IDENTITY "DAME " DAME_VERSION " revision " L_REVISION

/* Code for a grid (jit/g/launch.h) is a variant, too, which no program is offered: its first and
 * only entry is not a run kernel. */
enum {
    L_GRID_HOST = DAME_GRID_VARIANT + DAME_GRID_HOST,
    L_GRID_PTX = DAME_GRID_VARIANT + DAME_GRID_PTX,
    L_GRID_AMDGPU = DAME_GRID_VARIANT + DAME_GRID_AMDGPU
};

static inline int l_is_grid(uint32_t variant)
{
    return variant >= L_GRID_HOST && variant <= L_GRID_AMDGPU;
}

/* As in provider.h. */
int32_t l_variants(const l_options_t *options, const dame_program_t *program, uint32_t *out,
                   int32_t room);
int l_variant_name(uint32_t variant, char name[DAME_VARIANT_NAME]);

/* Returns whether the variant can be compiled with these options. */
int l_is_variant(const l_options_t *options, uint32_t variant);

/* Its pipeline, as opt(1) spells it; "": none. */
const char *l_passes_of(const l_options_t *options, uint32_t variant);

/* The widest vectors that its moves use, where the CPU has some of `most` bytes. */
int l_vector_bytes(uint32_t variant, int most);

#endif
