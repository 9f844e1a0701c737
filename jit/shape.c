/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape.h"

#include <string.h>

/* Format of the shape, increased with any change below. */
enum { FORMAT = 2 };

/* Tables of a primitive, and of which the entries are part of the shape. */
enum {
    DISPS = 1,
    DISPS32 = 2,
    PREFIX = 4,
    VISITS = 8,
    INNERS = 16,
    ITS_DISPS = 32,
    ITS_SIZES = 64
};

typedef struct out {
    char *bytes;
    size_t room;
    size_t size;
} out_t;

static void put(out_t *out, const void *bytes, size_t n)
{
    if (n <= out->room && out->size <= out->room - n) {
        memcpy(out->bytes + out->size, bytes, n);
    }
    out->size += n;
}

static int64_t tables_of(const dame_prim_t *prim)
{
    return (prim->disps != NULL ? DISPS : 0) | (prim->disps32 != NULL ? DISPS32 : 0) |
           (prim->prefix != NULL ? PREFIX : 0) | (prim->visits != NULL ? VISITS : 0) |
           (prim->inner_deltas != NULL ? INNERS : 0) |
           (dame_shape_has_disps(prim) ? ITS_DISPS : 0) |
           (dame_shape_has_sizes(prim) ? ITS_SIZES : 0);
}

static void put_prim(out_t *out, const dame_prim_t *prim)
{
    const int64_t fixed[] = {
        prim->params->op,
        tables_of(prim),
        prim->count,
        dame_shape_has_step(prim) ? prim->step : 0,
        prim->prefix != NULL ? 0 : prim->iter_size,
        prim->inner_delta,
        prim->visits != NULL ? prim->window : 0,
    };
    put(out, fixed, sizeof(fixed));
    if (prim->inner_deltas != NULL) {
        put(out, prim->inner_deltas, (size_t) prim->count * sizeof(prim->inner_deltas[0]));
    }
    const int has_disps = dame_shape_has_disps(prim);
    for (int64_t i = 0; has_disps && i < prim->count; i++) {
        const int64_t disp = dame_prim_disp(prim, i);
        put(out, &disp, sizeof(disp));
    }
    if (prim->prefix != NULL && dame_shape_has_sizes(prim)) {
        put(out, prim->prefix, (size_t) (prim->count + 1) * sizeof(prim->prefix[0]));
    }
}

size_t dame_shape(const dame_program_t *program, void *to, size_t room)
{
    out_t out = {.bytes = to, .room = room};
    const int64_t head[] = {FORMAT, program->nprims};
    put(&out, head, sizeof(head));
    for (int32_t i = 0; i < program->nprims; i++) {
        put_prim(&out, &program->prims[i]);
    }
    return out.size;
}
