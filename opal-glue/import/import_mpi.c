/* SPDX-License-Identifier: BSD-3-Clause */
#include "import_mpi.h"

#include "opal-glue/abi/abi.h"
#include "bounds.h"
#include "contents.h"
#include "base/hash.h"
#include "import_desc.h"

/* Nesting costs stack, and threads may have little. A program is at most 16 deep, but levels can
 * vanish on the way. */
enum { MAX_NESTING = 32 };

/*
 * Datatypes imported lately, by address: a datatype that is used many times is imported once, and
 * structs of shared members do not double with every level.
 */
enum { RECENT_LOG2 = 6, RECENT = 1 << RECENT_LOG2 };

typedef struct recent {
    const ompi_datatype_t *datatype;
    const dame_type_t *type;
} recent_t;

typedef struct importer {
    dame_tree_t *tree;
    dame_limit_t *limit; /* receives what DT_DECLINE_LIMIT is about */
    int nesting;
    recent_t recent[RECENT];
} importer_t;

static dt_decline_t import_type(importer_t *importer, const ompi_datatype_t *datatype,
                                const dame_type_t **out);

/* Products that do not fit wrap around, as they do in Open MPI; dt_bounds_check() then decides. */
static inline int64_t times(int64_t a, int64_t b)
{
    return (int64_t) ((uint64_t) a * (uint64_t) b);
}

/* n integers as 64-bit values, each times `unit`. */
static const int64_t *scaled(importer_t *importer, const int *values, int64_t n, int64_t unit)
{
    int64_t *result = dame_tree_array(importer->tree, n);
    for (int64_t i = 0; result != NULL && i < n; i++) {
        result[i] = times(values[i], unit);
    }
    return result;
}

static dame_status_t import_list(importer_t *importer, const dt_contents_t *call,
                                 const dame_type_t *child, const dame_type_t **out)
{
    int64_t n = call->ints[0];
    const int64_t *disps;
    const int64_t *blklens = NULL;
    switch (call->combiner) {
    case MPI_COMBINER_INDEXED:
        blklens = scaled(importer, call->ints + 1, n, 1);
        disps = scaled(importer, call->ints + 1 + n, n, child->extent);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        disps = scaled(importer, call->ints + 2, n, child->extent);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        disps = call->aints;
        break;
    default: /* HINDEXED, STRUCT of one type */
        blklens = scaled(importer, call->ints + 1, n, 1);
        disps = call->aints;
        break;
    }
    if (n > 0 && disps == NULL) {
        return DAME_ERR_NOMEM;
    }
    if (call->combiner == MPI_COMBINER_INDEXED_BLOCK ||
        call->combiner == MPI_COMBINER_HINDEXED_BLOCK) {
        return dame_type_blockindex(importer->tree, n, call->ints[1], disps, child, out);
    }
    if (n > 0 && blklens == NULL) {
        return DAME_ERR_NOMEM;
    }
    return dame_type_index(importer->tree, n, blklens, disps, child, out);
}

/* A struct with members of one type is a list. */
static bool has_one_type(const dt_contents_t *call)
{
    const int64_t n = call->ints[0];
    for (int64_t i = 1; i < n; i++) {
        if (call->types[i] != call->types[0]) {
            return false;
        }
    }
    return n > 0;
}

static dt_decline_t import_members(importer_t *importer, const dt_contents_t *call,
                                   const dame_type_t **out)
{
    int64_t n = call->ints[0];
    const int64_t *blklens = scaled(importer, call->ints + 1, n, 1);
    const dame_type_t **children = dame_tree_types(importer->tree, n);
    if (n > 0 && (blklens == NULL || children == NULL)) {
        return DT_DECLINE_MEMORY;
    }
    const dame_type_t *nothing;
    dt_decline_t declined = dt_bounds_declined(dame_type_basic(importer->tree, 0, &nothing));
    for (int64_t i = 0; i < n && declined == DT_DECLINE_NONE; i++) {
        children[i] = nothing;
        if (blklens[i] > 0) {
            declined = import_type(importer, call->types[i], &children[i]);
        }
    }
    if (declined != DT_DECLINE_NONE) {
        return declined;
    }
    return dt_bounds_declined(
        dame_type_struct(importer->tree, n, blklens, call->aints, children, out));
}

static dt_decline_t import_struct(importer_t *importer, const dt_contents_t *call,
                                  const dame_type_t **out)
{
    if (!has_one_type(call)) {
        return import_members(importer, call, out);
    }
    const dame_type_t *child;
    dt_decline_t declined = import_type(importer, call->types[0], &child);
    return declined != DT_DECLINE_NONE
               ? declined
               : dt_bounds_declined(import_list(importer, call, child, out));
}

/* `type` shifted by `disp` bytes, spanning the whole array: what subarray and darray end with. */
static dame_status_t place_in_array(importer_t *importer, const dame_type_t *type, int64_t disp,
                                    int64_t extent, const dame_type_t **out)
{
    int64_t *disps = dame_tree_array(importer->tree, 1);
    if (disps == NULL) {
        return DAME_ERR_NOMEM;
    }
    disps[0] = disp;
    const dame_type_t *placed;
    dame_status_t status = dame_type_blockindex(importer->tree, 1, 1, disps, type, &placed);
    return status != DAME_OK ? status : dame_type_resized(importer->tree, 0, extent, placed, out);
}

/* MPI-4.0 section 5.1.3; a nest of vectors from the fastest dimension outward. */
static dame_status_t import_subarray(importer_t *importer, const dt_contents_t *call,
                                     const dame_type_t *child, const dame_type_t **out)
{
    int ndims = call->ints[0];
    const int *sizes = call->ints + 1;
    const int *subsizes = sizes + ndims;
    const int *starts = subsizes + ndims;
    bool c_order = starts[ndims] == MPI_ORDER_C;
    int64_t stride = child->extent;
    int64_t disp = 0;
    const dame_type_t *type = child;
    for (int i = 0; i < ndims; i++) {
        int dim = c_order ? ndims - 1 - i : i;
        dame_status_t status =
            dame_type_vector(importer->tree, subsizes[dim], 1, stride, type, &type);
        if (status != DAME_OK) {
            return status;
        }
        disp += times(starts[dim], stride);
        stride = times(stride, sizes[dim]);
    }
    return place_in_array(importer, type, disp, stride, out);
}

/* One dimension of a distributed array. */
typedef struct distribution {
    int kind; /* MPI_DISTRIBUTE_... */
    int size; /* of the global array */
    int arg;
    int procs;
    int coord;
    int64_t stride; /* bytes from element to element of the global array in this dimension */
} distribution_t;

static dame_status_t import_block(importer_t *importer, const distribution_t *d,
                                  const dame_type_t *type, int64_t *start, const dame_type_t **out)
{
    int64_t block = d->arg;
    if (d->arg == MPI_DISTRIBUTE_DFLT_DARG) {
        block = ((int64_t) d->size + d->procs - 1) / d->procs;
    }
    int64_t mine = d->size - block * d->coord;
    mine = mine > block ? block : mine < 0 ? 0 : mine;
    *start = mine == 0 ? 0 : block * d->coord;
    return dame_type_vector(importer->tree, mine, 1, d->stride, type, out);
}

static dame_status_t import_cyclic(importer_t *importer, const distribution_t *d,
                                   const dame_type_t *type, int64_t *start, const dame_type_t **out)
{
    int64_t block = d->arg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : d->arg;
    int64_t cycle = block * d->procs;
    int64_t first = block * d->coord;
    int64_t span = d->size > first ? d->size - first : 0;
    int64_t count = span / cycle;
    int64_t rest = span % cycle;
    if (rest >= block) { /* the last, incomplete cycle has a whole block of ours */
        count++;
        rest = 0;
    }
    *start = span == 0 ? 0 : first;
    const dame_type_t *blocks;
    dame_status_t status =
        dame_type_vector(importer->tree, count, block, times(cycle, d->stride), type, &blocks);
    if (status != DAME_OK || rest == 0) {
        *out = status == DAME_OK ? blocks : *out;
        return status;
    }
    int64_t *lists = dame_tree_array(importer->tree, 4);
    const dame_type_t **types = dame_tree_types(importer->tree, 2);
    if (lists == NULL || types == NULL) {
        return DAME_ERR_NOMEM;
    }
    int64_t *blklens = lists;
    int64_t *disps = lists + 2;
    blklens[0] = 1;
    disps[0] = 0;
    types[0] = blocks;
    blklens[1] = rest;
    disps[1] = times(count * cycle, d->stride);
    types[1] = type;
    return dame_type_struct(importer->tree, 2, blklens, disps, types, out);
}

/* MPI-4.0 section 5.1.4. */
static dame_status_t import_darray(importer_t *importer, const dt_contents_t *call,
                                   const dame_type_t *child, const dame_type_t **out)
{
    int rank = call->ints[1];
    int ndims = call->ints[2];
    const int *gsizes = call->ints + 3;
    const int *distribs = gsizes + ndims;
    const int *args = distribs + ndims;
    const int *psizes = args + ndims;
    bool c_order = psizes[ndims] == MPI_ORDER_C;
    int64_t *coords = dame_tree_array(importer->tree, ndims);
    if (coords == NULL) {
        return DAME_ERR_NOMEM;
    }
    for (int dim = ndims - 1; dim >= 0; dim--) { /* the process grid is always row-major */
        coords[dim] = rank % psizes[dim];
        rank /= psizes[dim];
    }
    int64_t stride = child->extent;
    int64_t disp = 0;
    const dame_type_t *type = child;
    for (int i = 0; i < ndims; i++) {
        int dim = c_order ? ndims - 1 - i : i;
        distribution_t d = {.kind = distribs[dim],
                            .size = gsizes[dim],
                            .arg = args[dim],
                            .procs = psizes[dim],
                            .coord = (int) coords[dim],
                            .stride = stride};
        if (d.kind == MPI_DISTRIBUTE_NONE) {
            d.arg = MPI_DISTRIBUTE_DFLT_DARG;
            d.procs = 1;
            d.coord = 0;
        }
        int64_t start;
        dame_status_t status = d.kind == MPI_DISTRIBUTE_CYCLIC
                                   ? import_cyclic(importer, &d, type, &start, &type)
                                   : import_block(importer, &d, type, &start, &type);
        disp += DAME_OK == status ? times(start, stride) : 0;
        stride = times(stride, gsizes[dim]);
        if (status == DAME_OK) { /* blocks of the next dimension repeat at its stride */
            status = dame_type_resized(importer->tree, 0, stride, type, &type);
        }
        if (status != DAME_OK) {
            return status;
        }
    }
    return place_in_array(importer, type, disp, stride, out);
}

/* Constructors with one old type; `child` is it, imported. */
static dame_status_t import_derived(importer_t *importer, const dt_contents_t *call,
                                    const dame_type_t *child, const dame_type_t **out)
{
    dame_tree_t *tree = importer->tree;
    switch (call->combiner) {
    case MPI_COMBINER_DUP:
        *out = child;
        return DAME_OK;
    case MPI_COMBINER_CONTIGUOUS:
        return dame_type_contig(tree, call->ints[0], child, out);
    case MPI_COMBINER_VECTOR:
        return dame_type_vector(tree, call->ints[0], call->ints[1],
                                times(call->ints[2], child->extent), child, out);
    case MPI_COMBINER_HVECTOR:
        return dame_type_vector(tree, call->ints[0], call->ints[1], call->aints[0], child, out);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return import_list(importer, call, child, out);
    case MPI_COMBINER_SUBARRAY:
        return import_subarray(importer, call, child, out);
    case MPI_COMBINER_DARRAY:
        return import_darray(importer, call, child, out);
    case MPI_COMBINER_RESIZED:
        return dame_type_resized(tree, call->aints[0], call->aints[1], child, out);
    default:
        return DAME_ERR_ARGUMENT;
    }
}

static dt_decline_t import_call(importer_t *importer, const ompi_datatype_t *datatype,
                                const dt_contents_t *call, const dame_type_t **out)
{
    const dame_type_t *type;
    dt_decline_t declined;
    if (call->combiner == MPI_COMBINER_STRUCT) {
        declined = import_struct(importer, call, &type);
    } else {
        const dame_type_t *child;
        declined = import_type(importer, call->types[0], &child);
        if (declined == DT_DECLINE_NONE) {
            declined = dt_bounds_declined(import_derived(importer, call, child, &type));
        }
    }
    if (declined == DT_DECLINE_NONE) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): set unless declined */
        declined = dt_bounds_declined(dt_bounds_apply(importer->tree, &datatype->super, type, out));
    }
    return declined;
}

static bool contiguous_predefined(const opal_datatype_t *datatype)
{
    return (datatype->flags & OPAL_DATATYPE_FLAG_PREDEFINED) && datatype->lb == 0 &&
           datatype->ub == (ptrdiff_t) datatype->size && datatype->true_lb == 0 &&
           datatype->true_ub == datatype->ub;
}

static dt_decline_t import_new(importer_t *importer, const ompi_datatype_t *datatype,
                               const dame_type_t **out)
{
    if (importer->nesting >= MAX_NESTING) {
        *importer->limit =
            (dame_limit_t){"nested constructors", MAX_NESTING, importer->nesting + 1};
        return DT_DECLINE_LIMIT;
    }
    importer->nesting++;
    dt_contents_t call;
    dt_decline_t declined = DT_DECLINE_NONE;
    if (dt_contents_read(importer->tree, &datatype->super, &call, &declined)) {
        declined = import_call(importer, datatype, &call, out);
    } else if (declined == DT_DECLINE_NONE) {
        declined = dt_import_desc(importer->tree, &datatype->super, importer->limit, out);
    }
    importer->nesting--;
    return declined == DT_DECLINE_NONE ? dt_bounds_check(&datatype->super, *out) : declined;
}

static dt_decline_t import_type(importer_t *importer, const ompi_datatype_t *datatype,
                                const dame_type_t **out)
{
    recent_t *recent = &importer->recent[dt_hash(datatype) >> (64 - RECENT_LOG2)];
    if (datatype == recent->datatype) {
        *out = recent->type;
        return DT_DECLINE_NONE;
    }
    dt_decline_t declined = contiguous_predefined(&datatype->super)
                                ? dt_bounds_declined(dame_type_basic(
                                      importer->tree, (int64_t) datatype->super.size, out))
                                : import_new(importer, datatype, out);
    if (declined == DT_DECLINE_NONE) {
        *recent = (recent_t){datatype, *out};
    }
    return declined;
}

dt_decline_t dt_import_mpi(dame_tree_t *tree, const opal_datatype_t *datatype, dame_limit_t *limit,
                           const dame_type_t **out)
{
    importer_t importer = {.tree = tree, .limit = limit};
    return import_type(&importer, (const ompi_datatype_t *) datatype, out);
}
