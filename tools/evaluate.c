/* SPDX-License-Identifier: BSD-3-Clause */
#include "evaluate.h"

#include <stdlib.h>

/* A datatype with what MPI says of its bounds. */
typedef struct made {
    dame_datatype_t *type;
    int64_t lb, extent;
    int64_t align;
    int marked; /* a resized() here or below sets the bounds */
} made_t;

/* The bounds of blocks so far, of those that resized() marks and of the others. */
typedef struct reach {
    __int128 low[2], high[2]; /* [marked] */
    int any[2];
    int64_t align;
} reach_t;

static void extend(reach_t *reach, int64_t displacement, int64_t blocklength, const made_t *old)
{
    const int m = old->marked;
    if (blocklength <= 0) {
        return;
    }
    const __int128 steps = (__int128) (blocklength - 1) * old->extent;
    const __int128 first = (__int128) displacement + old->lb;
    const __int128 low = first + (steps < 0 ? steps : 0);
    const __int128 high = first + old->extent + (steps > 0 ? steps : 0);
    reach->low[m] = !reach->any[m] || low < reach->low[m] ? low : reach->low[m];
    reach->high[m] = !reach->any[m] || high > reach->high[m] ? high : reach->high[m];
    reach->any[m] = 1;
    reach->align = old->align > reach->align ? old->align : reach->align;
}

/* Gives the datatype the bounds that were reached, if it has others. */
static dame_status_t bind(const reach_t *reach, made_t *made)
{
    const int m = reach->any[1];
    int64_t lb, extent;
    dame_datatype_extent(made->type, &lb, &extent);
    __int128 wanted = reach->high[m] - reach->low[m];
    if (!m && reach->align > 1 && wanted % reach->align != 0) {
        wanted += reach->align - wanted % reach->align;
    }
    made->marked = m;
    made->align = reach->align;
    made->lb = lb;
    made->extent = extent;
    if (!reach->any[m] || (wanted == extent && reach->low[m] == lb) || wanted > INT64_MAX ||
        wanted < INT64_MIN) {
        return DAME_OK;
    }
    dame_datatype_t *resized;
    const dame_status_t status =
        dame_datatype_resized((int64_t) reach->low[m], (int64_t) wanted, made->type, &resized);
    if (status == DAME_OK) {
        dame_datatype_free(made->type);
        made->type = resized;
        made->lb = (int64_t) reach->low[m];
        made->extent = (int64_t) wanted;
    }
    return status;
}

static dame_status_t make(dame_context_t *context, const expression_t *e, made_t *made);

static int64_t times(int64_t a, int64_t b) /* libdame refuses what does not fit */
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/* ---- basic datatypes ------------------------------------------------------------------------ */

static dame_status_t make_pair(dame_context_t *context, const basic_t *basic, dame_datatype_t **out)
{
    const int64_t ones[2] = {1, 1}, displacements[2] = {0, basic->index_at};
    dame_datatype_t *members[2] = {NULL, NULL}, *pair = NULL;
    dame_status_t status = dame_datatype_basic(context, basic->pair, 0, &members[0]);
    if (status == DAME_OK) {
        status = dame_datatype_basic(context, "int", 0, &members[1]);
    }
    if (status == DAME_OK) {
        status = dame_datatype_struct(context, 2, ones, displacements,
                                      (const dame_datatype_t *const *) members, &pair);
    }
    if (status == DAME_OK) {
        status = dame_datatype_resized(0, basic->extent, pair, out);
    }
    dame_datatype_free(pair);
    dame_datatype_free(members[0]);
    dame_datatype_free(members[1]);
    return status;
}

static dame_status_t make_basic(dame_context_t *context, const basic_t *basic, made_t *made)
{
    const dame_status_t status =
        basic->pair != NULL ? make_pair(context, basic, &made->type)
                            : dame_datatype_basic(context, basic->kind, basic->size, &made->type);
    if (status == DAME_OK) {
        made->align = basic->align;
        dame_datatype_extent(made->type, &made->lb, &made->extent);
    }
    return status;
}

/* ---- constructors of one old datatype ------------------------------------------------------- */

static dame_status_t call(const expression_t *e, const dame_datatype_t *old, dame_datatype_t **out)
{
    const int64_t *number = e->number;
    switch (e->made_by) {
    case MAKES_DUP:
        return dame_datatype_dup(old, out);
    case MAKES_CONTIGUOUS:
        return dame_datatype_contiguous(number[0], old, out);
    case MAKES_VECTOR:
        return dame_datatype_vector(number[0], number[1], number[2], old, out);
    case MAKES_HVECTOR:
        return dame_datatype_hvector(number[0], number[1], number[2], old, out);
    case MAKES_INDEXED:
        return dame_datatype_indexed(e->n, e->list[0], e->list[1], old, out);
    case MAKES_HINDEXED:
        return dame_datatype_hindexed(e->n, e->list[0], e->list[1], old, out);
    case MAKES_INDEXED_BLOCK:
        return dame_datatype_indexed_block(e->n, number[0], e->list[0], old, out);
    case MAKES_HINDEXED_BLOCK:
        return dame_datatype_hindexed_block(e->n, number[0], e->list[0], old, out);
    case MAKES_SUBARRAY:
        return dame_datatype_subarray((int) e->n, e->list[0], e->list[1], e->list[2],
                                      e->fortran ? DAME_ORDER_FORTRAN : DAME_ORDER_C, old, out);
    default:
        return dame_datatype_resized(number[0], number[1], old, out);
    }
}

/* The blocks of a call, with displacements in bytes. */
static void reach_blocks(const expression_t *e, const made_t *old, reach_t *reach)
{
    const int64_t *number = e->number;
    const int is_bytes = e->made_by == MAKES_HINDEXED || e->made_by == MAKES_HINDEXED_BLOCK;
    const int64_t unit = is_bytes ? 1 : old->extent;
    switch (e->made_by) {
    case MAKES_CONTIGUOUS:
        extend(reach, 0, number[0], old);
        break;
    case MAKES_VECTOR:
    case MAKES_HVECTOR: {
        const int64_t stride =
            e->made_by == MAKES_VECTOR ? times(number[2], old->extent) : number[2];
        extend(reach, 0, number[0] > 0 ? number[1] : 0, old);
        extend(reach, times(number[0] - 1, stride), number[0] > 0 ? number[1] : 0, old);
        break;
    }
    case MAKES_INDEXED:
    case MAKES_HINDEXED:
        for (int64_t i = 0; i < e->n; i++) {
            extend(reach, times(e->list[1][i], unit), e->list[0][i], old);
        }
        break;
    default: /* blocks of one length */
        for (int64_t i = 0; i < e->n; i++) {
            extend(reach, times(e->list[0][i], unit), number[0], old);
        }
    }
}

static dame_status_t make_of_one(dame_context_t *context, const expression_t *e, made_t *made)
{
    made_t old;
    dame_status_t status = make(context, e->old[0], &old);
    if (status != DAME_OK) {
        return status;
    }
    status = call(e, old.type, &made->type);
    dame_datatype_free(old.type);
    if (status != DAME_OK) {
        return status;
    }
    made->align = old.align;
    made->marked = old.marked || e->made_by == MAKES_RESIZED || e->made_by == MAKES_SUBARRAY;
    dame_datatype_extent(made->type, &made->lb, &made->extent);
    if (e->made_by == MAKES_DUP) {
        made->lb = old.lb;
        made->extent = old.extent;
    } else if (e->made_by != MAKES_RESIZED && e->made_by != MAKES_SUBARRAY) {
        reach_t reach = {.align = 1};
        reach_blocks(e, &old, &reach);
        status = bind(&reach, made);
    }
    if (status != DAME_OK) {
        dame_datatype_free(made->type);
    }
    return status;
}

/* ---- struct --------------------------------------------------------------------------------- */

static dame_status_t make_struct(dame_context_t *context, const expression_t *e, made_t *made)
{
    dame_datatype_t **types = calloc((size_t) e->n + 1, sizeof(*types));
    reach_t reach = {.align = 1};
    dame_status_t status = types == NULL ? DAME_ERR_NOMEM : DAME_OK;
    int64_t n = 0;
    for (; status == DAME_OK && n < e->n; n += status == DAME_OK) {
        made_t old;
        status = make(context, e->old[n], &old);
        if (status == DAME_OK) {
            types[n] = old.type;
            extend(&reach, e->list[1][n], e->list[0][n], &old);
        }
    }
    if (status == DAME_OK) {
        status = dame_datatype_struct(context, e->n, e->list[0], e->list[1],
                                      (const dame_datatype_t *const *) types, &made->type);
    }
    if (status == DAME_OK) {
        status = bind(&reach, made);
        if (status != DAME_OK) {
            dame_datatype_free(made->type);
        }
    }
    while (n > 0) {
        dame_datatype_free(types[--n]);
    }
    free(types);
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static dame_status_t make(dame_context_t *context, const expression_t *e, made_t *made)
{
    *made = (made_t){.align = 1};
    switch (e->made_by) {
    case MAKES_BASIC:
        return make_basic(context, e->basic, made);
    case MAKES_STRUCT:
        return make_struct(context, e, made);
    default:
        return make_of_one(context, e, made);
    }
}

dame_status_t expression_evaluate(dame_context_t *context, const expression_t *expression,
                                  dame_datatype_t **out)
{
    made_t made;
    const dame_status_t status = make(context, expression, &made);
    if (status == DAME_OK) {
        *out = made.type;
    }
    return status;
}
