/* SPDX-License-Identifier: BSD-3-Clause */
#include "image.h"

#include <string.h>

enum { WIDEST = 16 };

static int is_level(const dame_prim_t *prim)
{
    return prim->interpreted != NULL;
}

static int64_t entry_bytes(const dame_prim_t *prim)
{
    return prim->disps32 != NULL ? (int64_t) sizeof(prim->disps32[0])
           : prim->disps != NULL ? (int64_t) sizeof(prim->disps[0])
                                 : 0;
}

static int64_t prefix_bytes(const dame_prim_t *prim)
{
    return prim->prefix != NULL ? (prim->count + 1) * (int64_t) sizeof(prim->prefix[0]) : 0;
}

/* Returns the place of a level that starts there. */
static dame_grid_place_t place_at(const dame_prim_t *prim, int64_t start)
{
    const int64_t disps = start + (int64_t) sizeof(prim->step);
    const int64_t listed = (prim->count * entry_bytes(prim) + 7) & ~INT64_C(7);
    return (dame_grid_place_t){.step = start, .disps = disps, .prefix = disps + listed};
}

/* Where prims[i] starts, or the end. */
static int64_t start_of(const dame_program_t *program, int32_t i)
{
    int64_t start = 0;
    for (const dame_prim_t *prim = program->prims; prim < program->prims + i; prim++) {
        start = is_level(prim) ? place_at(prim, start).prefix + prefix_bytes(prim) : start;
    }
    return start;
}

dame_grid_place_t dame_grid_place(const dame_program_t *program, int32_t i)
{
    return place_at(&program->prims[i], start_of(program, i));
}

size_t dame_grid_image_size(const dame_program_t *program)
{
    return (size_t) start_of(program, program->nprims);
}

void dame_grid_image_write(const dame_program_t *program, void *image)
{
    int64_t start = 0;
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        const dame_grid_place_t at = place_at(prim, start);
        char *to = image;
        if (!is_level(prim)) {
            continue;
        }
        memcpy(to + at.step, &prim->step, sizeof(prim->step));
        if (dame_prim_has_list(prim)) {
            const void *disps =
                prim->disps32 != NULL ? (const void *) prim->disps32 : (const void *) prim->disps;
            memset(to + at.disps, 0, (size_t) (at.prefix - at.disps));
            memcpy(to + at.disps, disps, (size_t) (prim->count * entry_bytes(prim)));
        }
        if (prim->prefix != NULL) {
            memcpy(to + at.prefix, prim->prefix, (size_t) prefix_bytes(prim));
        }
        start = at.prefix + prefix_bytes(prim);
    }
}

/* ---- Pieces --------------------------------------------------------------------------------- */

/* All numbers of a level that its blocks' places and lengths are sums of multiples of, as bits. */
static uint64_t bits_of(const dame_prim_t *prim)
{
    uint64_t bits = dame_prim_has_list(prim) ? 0 : (uint64_t) prim->step;
    bits |= prim->prefix == NULL ? (uint64_t) prim->iter_size : 0;
    for (int64_t i = 0; i < prim->count && dame_prim_has_list(prim); i++) {
        bits |= (uint64_t) dame_prim_disp(prim, i);
    }
    for (int64_t i = 0; i < prim->count && prim->prefix != NULL; i++) {
        bits |= (uint64_t) prim->prefix[i + 1];
    }
    return bits;
}

int32_t dame_grid_grain(const dame_program_t *program)
{
    uint64_t bits = WIDEST;
    for (int32_t i = 0; i < program->nprims; i++) {
        bits |= is_level(&program->prims[i]) ? bits_of(&program->prims[i]) : 0;
    }
    return (int32_t) (bits & -bits);
}

int64_t dame_grid_pieces(int32_t grain, uint64_t base, uint64_t packed, int64_t first, int64_t last,
                         int32_t *log2_width)
{
    const uint64_t bits = (uint64_t) grain | base | (packed - (uint64_t) first);
    *log2_width = __builtin_ctzll(bits);
    const int64_t width = INT64_C(1) << *log2_width;
    return first < last ? (last - 1) / width - first / width + 1 : 0;
}
