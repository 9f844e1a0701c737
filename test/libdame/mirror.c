/* SPDX-License-Identifier: BSD-3-Clause */
#include "mirror.h"

#include <stdlib.h>

const char *mirror_kind(int64_t size)
{
    switch (size) {
    case 1:
        return "byte";
    case 2:
        return "int16";
    case 4:
        return "float32";
    case 8:
        return "float64";
    case 16:
        return "complex128";
    default:
        return "odd";
    }
}

static int all_multiples(const int64_t *values, int64_t n, int64_t unit)
{
    for (int64_t i = 0; i < n; i++) {
        if (unit == 0 || values[i] % unit != 0) {
            return 0;
        }
    }
    return 1;
}

static int64_t *divided(const int64_t *values, int64_t n, int64_t unit)
{
    int64_t *quotients = malloc((size_t) n * sizeof *quotients + 1);
    for (int64_t i = 0; quotients && i < n; i++) {
        quotients[i] = values[i] / unit;
    }
    return quotients;
}

static dame_status_t make_list(rng_t *rng, const dame_type_t *type, const dame_datatype_t *child,
                               dame_datatype_t **out)
{
    int64_t lb, extent;
    dame_datatype_extent(child, &lb, &extent);
    if (!rng_chance(rng, 50) || !all_multiples(type->disps, type->count, extent)) {
        return type->kind == DAME_INDEX
                   ? dame_datatype_hindexed(type->count, type->blklens, type->disps, child, out)
                   : dame_datatype_hindexed_block(type->count, type->blklen, type->disps, child,
                                                  out);
    }
    int64_t *disps = divided(type->disps, type->count, extent);
    dame_status_t status =
        type->kind == DAME_INDEX
            ? dame_datatype_indexed(type->count, type->blklens, disps, child, out)
            : dame_datatype_indexed_block(type->count, type->blklen, disps, child, out);
    free(disps);
    return status;
}

static dame_status_t make_vector(rng_t *rng, const dame_type_t *type, const dame_datatype_t *child,
                                 dame_datatype_t **out)
{
    int64_t lb, extent;
    dame_datatype_extent(child, &lb, &extent);
    return rng_chance(rng, 50) && all_multiples(&type->stride, 1, extent)
               ? dame_datatype_vector(type->count, type->blklen, type->stride / extent, child, out)
               : dame_datatype_hvector(type->count, type->blklen, type->stride, child, out);
}

static dame_datatype_t *make_struct(rng_t *rng, dame_context_t *context, const dame_type_t *type)
{
    dame_datatype_t **children = calloc((size_t) type->count + 1, sizeof *children);
    dame_datatype_t *out = NULL;
    int64_t n = 0;
    while (n < type->count) {
        /* the same child again, where it is the same */
        if (n > 0 && type->children[n] == type->children[n - 1]) {
            dame_datatype_dup(children[n - 1], &children[n]);
        } else {
            children[n] = mirror(rng, context, type->children[n]);
        }
        if (!children[n]) {
            break;
        }
        n++;
    }
    if (n == type->count &&
        dame_datatype_struct(context, n, type->blklens, type->disps,
                             (const dame_datatype_t *const *) children, &out) != DAME_OK) {
        out = NULL;
    }
    while (n > 0) {
        dame_datatype_free(children[--n]);
    }
    free(children);
    return out;
}

dame_datatype_t *mirror(rng_t *rng, dame_context_t *context, const dame_type_t *type)
{
    dame_datatype_t *out = NULL, *child = NULL;
    dame_status_t status = DAME_OK;
    if (type->kind == DAME_STRUCT) {
        return make_struct(rng, context, type);
    }
    if (type->kind == DAME_BASIC) { /* the library's have data */
        if (type->size > 0) {
            status = dame_datatype_basic(context, mirror_kind(type->size), type->size, &out);
            return status == DAME_OK ? out : NULL;
        }
        status = dame_datatype_struct(context, 0, NULL, NULL, NULL, &out);
        return status == DAME_OK ? out : NULL;
    }
    child = mirror(rng, context, type->child);
    if (!child) {
        return NULL;
    }
    switch (type->kind) {
    case DAME_CONTIG:
        status = dame_datatype_contiguous(type->count, child, &out);
        break;
    case DAME_VECTOR:
        status = make_vector(rng, type, child, &out);
        break;
    case DAME_RESIZED:
        status = dame_datatype_resized(type->lb, type->extent, child, &out);
        break;
    default:
        status = make_list(rng, type, child, &out);
        break;
    }
    dame_datatype_free(child); /* its parents keep it */
    return status == DAME_OK ? out : NULL;
}
