/* SPDX-License-Identifier: BSD-3-Clause */
/* Typemaps written down beside the calls of the MPI constructors. */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"

static layout_t *new_layout(void)
{
    layout_t *l = must_calloc(1, sizeof(*l));
    l->type = MPI_DATATYPE_NULL;
    l->align = 1;
    return l;
}

static void add_run(layout_t *l, run_t r)
{
    if (r.length == 0) {
        return;
    }
    l->size += r.length;
    l->elems += r.length / r.elem;
    if (l->nruns > 0) {
        run_t *last = &l->runs[l->nruns - 1];
        if (last->offset + last->length == r.offset && last->basic == r.basic) {
            last->length += r.length;
            return;
        }
    }
    if (l->nruns == l->room) {
        l->room = l->room ? 2 * l->room : 8;
        l->runs = must_realloc(l->runs, (size_t) l->room * sizeof(run_t));
    }
    l->runs[l->nruns++] = r;
}

/* Bounds, MPI-3.1 section 4.1.7: a marker beats data; the lowest and the highest win. */
static void add_bounds(layout_t *l, const layout_t *old, int64_t disp)
{
    int64_t lb = disp + old->lb;
    int64_t ub = disp + old->ub;

    if (old->lb_set != l->lb_set ? old->lb_set : (!l->has_data || lb < l->lb)) {
        l->lb = lb;
    }
    if (old->ub_set != l->ub_set ? old->ub_set : (!l->has_data || ub > l->ub)) {
        l->ub = ub;
    }
    l->lb_set = l->lb_set || old->lb_set;
    l->ub_set = l->ub_set || old->ub_set;
    l->has_data = true;
    if (old->align > l->align) {
        l->align = old->align;
    }
}

/* One more copy of old at disp. */
static void add_copy(layout_t *l, const layout_t *old, int64_t disp)
{
    if (!old->has_data) {
        return;
    }
    for (int64_t i = 0; i < old->nruns; i++) {
        run_t r = old->runs[i];
        r.offset += disp;
        add_run(l, r);
    }
    add_bounds(l, old, disp);
}

static void add_block(layout_t *l, const layout_t *old, int64_t blocklength, int64_t disp)
{
    for (int64_t i = 0; i < blocklength; i++) {
        add_copy(l, old, disp + i * lay_extent(old));
    }
}

/* The standard's epsilon: the extent is rounded up to the strictest alignment inside. */
static void round_up(layout_t *l)
{
    if (l->has_data && !l->ub_set) {
        int64_t rest = (l->ub - l->lb) % l->align;
        l->ub += rest ? l->align - rest : 0;
    }
}

static void set_bounds(layout_t *l, int64_t lb, int64_t extent)
{
    l->lb = lb;
    l->ub = lb + extent;
    l->lb_set = l->ub_set = true;
    l->has_data = true;
}

layout_t *lay_basic(MPI_Datatype type, int elem, int unit)
{
    layout_t *l = new_layout();
    l->type = type;
    l->predefined = true;
    add_run(l, (run_t){0, elem, elem, unit, type});
    l->ub = elem;
    l->has_data = true;
    l->align = unit;
    return l;
}

layout_t *lay_pair(MPI_Datatype type, MPI_Datatype value, int value_size)
{
    enum { INT = sizeof(int) };
    layout_t *l = new_layout();
    int at = value_size < INT ? INT : value_size;
    l->type = type;
    l->predefined = true;
    l->align = at;
    add_run(l, (run_t){0, value_size, value_size, value_size, value});
    add_run(l, (run_t){at, INT, INT, INT, MPI_INT});
    l->ub = at + INT;
    l->has_data = true;
    round_up(l);
    return l;
}

layout_t *lay_dup(const layout_t *old)
{
    layout_t *l = new_layout();
    add_copy(l, old, 0);
    MPI_Type_dup(old->type, &l->type);
    return l;
}

layout_t *lay_contiguous(int count, const layout_t *old)
{
    layout_t *l = new_layout();
    add_block(l, old, count, 0);
    round_up(l);
    MPI_Type_contiguous(count, old->type, &l->type);
    return l;
}

static void build_strided(layout_t *l, int count, int blocklength, int64_t stride,
                          const layout_t *old)
{
    for (int64_t i = 0; i < count; i++) {
        add_block(l, old, blocklength, i * stride);
    }
    round_up(l);
}

layout_t *lay_vector(int count, int blocklength, int stride, const layout_t *old)
{
    layout_t *l = new_layout();
    build_strided(l, count, blocklength, stride * lay_extent(old), old);
    MPI_Type_vector(count, blocklength, stride, old->type, &l->type);
    return l;
}

layout_t *lay_hvector(int count, int blocklength, MPI_Aint stride, const layout_t *old)
{
    layout_t *l = new_layout();
    build_strided(l, count, blocklength, stride, old);
    MPI_Type_create_hvector(count, blocklength, stride, old->type, &l->type);
    return l;
}

/* Block i has blocklengths[i] elements, or all have the first's; displacements are ints, in
 * extents, or bytes. */
static layout_t *build_list(int count, const int *blocklengths, bool equal, const int *ints,
                            const MPI_Aint *bytes, const layout_t *old)
{
    layout_t *l = new_layout();
    for (int i = 0; i < count; i++) {
        add_block(l, old, blocklengths[equal ? 0 : i],
                  ints != NULL ? ints[i] * lay_extent(old) : bytes[i]);
    }
    round_up(l);
    return l;
}

layout_t *lay_indexed(int count, const int *blocklengths, const int *displacements,
                      const layout_t *old)
{
    layout_t *l = build_list(count, blocklengths, false, displacements, NULL, old);
    MPI_Type_indexed(count, blocklengths, displacements, old->type, &l->type);
    return l;
}

layout_t *lay_hindexed(int count, const int *blocklengths, const MPI_Aint *displacements,
                       const layout_t *old)
{
    layout_t *l = build_list(count, blocklengths, false, NULL, displacements, old);
    MPI_Type_create_hindexed(count, blocklengths, displacements, old->type, &l->type);
    return l;
}

layout_t *lay_indexed_block(int count, int blocklength, const int *displacements,
                            const layout_t *old)
{
    layout_t *l = build_list(count, &blocklength, true, displacements, NULL, old);
    MPI_Type_create_indexed_block(count, blocklength, displacements, old->type, &l->type);
    return l;
}

layout_t *lay_hindexed_block(int count, int blocklength, const MPI_Aint *displacements,
                             const layout_t *old)
{
    layout_t *l = build_list(count, &blocklength, true, NULL, displacements, old);
    MPI_Type_create_hindexed_block(count, blocklength, displacements, old->type, &l->type);
    return l;
}

static layout_t *build_struct(int count, const int *blocklengths, const MPI_Aint *displacements,
                              layout_t *const *olds)
{
    layout_t *l = new_layout();
    for (int i = 0; i < count; i++) {
        add_block(l, olds[i], blocklengths[i], displacements[i]);
    }
    round_up(l);
    return l;
}

static void make_struct(layout_t *l, int count, const int *blocklengths,
                        const MPI_Aint *displacements, layout_t *const *olds, MPI_Aint base)
{
    MPI_Datatype *types = must_calloc((size_t) count + 1, sizeof(*types));
    MPI_Aint *at = must_calloc((size_t) count + 1, sizeof(*at));

    for (int i = 0; i < count; i++) {
        types[i] = olds[i]->type;
        at[i] = base + displacements[i];
    }
    MPI_Type_create_struct(count, blocklengths, at, types, &l->type);
    free(types);
    free(at);
}

layout_t *lay_struct(int count, const int *blocklengths, const MPI_Aint *displacements,
                     layout_t *const *olds)
{
    layout_t *l = build_struct(count, blocklengths, displacements, olds);
    make_struct(l, count, blocklengths, displacements, olds, 0);
    return l;
}

layout_t *lay_struct_absolute(int count, const int *blocklengths, const MPI_Aint *displacements,
                              layout_t *const *olds, int max_count)
{
    enum { MARGIN = 64 };
    layout_t *l = build_struct(count, blocklengths, displacements, olds);
    MPI_Aint base;
    int64_t low, high;

    lay_span(l, max_count, &low, &high);
    low = low / 64 * 64 - MARGIN; /* keeps displacement 0 aligned like malloc's result */
    l->arena_size = high - low + MARGIN;
    l->arena_block = must_calloc(1, (size_t) l->arena_size);
    l->arena = l->arena_block - low;
    MPI_Get_address(l->arena_block, &base);
    make_struct(l, count, blocklengths, displacements, olds, base - low);
    return l;
}

/* All elements of an array that are picked in every dimension, in the order of the array. */
static void build_array(layout_t *l, int ndims, const int *sizes, bool *const *picked, int order,
                        const layout_t *old)
{
    int64_t total = 1;

    for (int d = 0; d < ndims; d++) {
        total *= sizes[d];
    }
    for (int64_t at = 0; at < total; at++) {
        int64_t rest = at;
        bool take = true;
        for (int k = 0; k < ndims && take; k++) {
            int d = order == MPI_ORDER_C ? ndims - 1 - k : k; /* fastest dimension first */
            take = picked[d][rest % sizes[d]];
            rest /= sizes[d];
        }
        if (take) {
            add_copy(l, old, at * lay_extent(old));
        }
    }
    set_bounds(l, 0, total * lay_extent(old));
}

layout_t *lay_subarray(int ndims, const int *sizes, const int *subsizes, const int *starts,
                       int order, const layout_t *old)
{
    layout_t *l = new_layout();
    bool *picked[8] = {NULL};

    for (int d = 0; d < ndims; d++) {
        picked[d] = must_calloc((size_t) sizes[d], sizeof(bool));
        for (int i = 0; i < subsizes[d]; i++) {
            picked[d][starts[d] + i] = true;
        }
    }
    build_array(l, ndims, sizes, picked, order, old);
    for (int d = 0; d < ndims; d++) {
        free(picked[d]);
    }
    MPI_Type_create_subarray(ndims, sizes, subsizes, starts, order, old->type, &l->type);
    return l;
}

/* Does global index i of a dimension belong to process coordinate p? MPI-3.1 section 4.1.4. */
static bool owns(int i, int p, int gsize, int distrib, int darg, int psize)
{
    if (distrib == MPI_DISTRIBUTE_NONE) {
        return true;
    }
    if (distrib == MPI_DISTRIBUTE_BLOCK) {
        int block = darg == MPI_DISTRIBUTE_DFLT_DARG ? (gsize + psize - 1) / psize : darg;
        return i / block == p;
    }
    int k = darg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : darg;
    return (i / k) % psize == p;
}

layout_t *lay_darray(int size, int rank, int ndims, const int *gsizes, const int *distribs,
                     const int *dargs, const int *psizes, int order, const layout_t *old)
{
    layout_t *l = new_layout();
    bool *picked[8] = {NULL};
    int rest = rank;

    for (int d = ndims - 1; d >= 0; d--) { /* the process grid is always in C order */
        int p = rest % psizes[d];
        rest /= psizes[d];
        picked[d] = must_calloc((size_t) gsizes[d], sizeof(bool));
        for (int i = 0; i < gsizes[d]; i++) {
            picked[d][i] = owns(i, p, gsizes[d], distribs[d], dargs[d], psizes[d]);
        }
    }
    build_array(l, ndims, gsizes, picked, order, old);
    for (int d = 0; d < ndims; d++) {
        free(picked[d]);
    }
    MPI_Type_create_darray(size, rank, ndims, gsizes, distribs, dargs, psizes, order, old->type,
                           &l->type);
    return l;
}

layout_t *lay_resized(const layout_t *old, MPI_Aint lb, MPI_Aint extent)
{
    layout_t *l = new_layout();
    add_copy(l, old, 0);
    set_bounds(l, lb, extent);
    MPI_Type_create_resized(old->type, lb, extent, &l->type);
    return l;
}

layout_t *lay_spread(const layout_t *old, int gap)
{
    size_t n = (size_t) old->nruns;
    int *blocklengths = must_calloc(n, sizeof(int));
    MPI_Aint *displacements = must_calloc(n, sizeof(MPI_Aint));
    layout_t **olds = must_calloc(n, sizeof(*olds));
    MPI_Aint at = 0;

    for (size_t i = 0; i < n; i++) {
        const run_t *r = &old->runs[i];
        olds[i] = lay_basic(r->basic, r->elem, r->unit);
        blocklengths[i] = (int) (r->length / r->elem);
        displacements[i] = at;
        at += (r->length + gap + 15) / 16 * 16;
    }
    layout_t *l = lay_struct((int) n, blocklengths, displacements, olds);
    for (size_t i = 0; i < n; i++) {
        lay_free(olds[i]);
    }
    free(olds);
    free(displacements);
    free(blocklengths);
    return l;
}

MPI_Datatype lay_uniform(const layout_t *l)
{
    for (int64_t i = 1; i < l->nruns; i++) {
        if (l->runs[i].basic != l->runs[0].basic) {
            return MPI_DATATYPE_NULL;
        }
    }
    return l->nruns ? l->runs[0].basic : MPI_DATATYPE_NULL;
}

void lay_commit(layout_t *l)
{
    if (!l->predefined) {
        MPI_Type_commit(&l->type);
    }
}

void lay_release(layout_t *l)
{
    l->predefined = true;
    l->type = MPI_DATATYPE_NULL;
}

void lay_free(layout_t *l)
{
    if (l == NULL) {
        return;
    }
    if (!l->predefined && l->type != MPI_DATATYPE_NULL) {
        MPI_Type_free(&l->type);
    }
    free(l->arena_block);
    free(l->runs);
    free(l);
}

int64_t lay_extent(const layout_t *l)
{
    return l->ub - l->lb;
}

void lay_span(const layout_t *l, int64_t count, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    if (count == 0 || l->nruns == 0) {
        return;
    }
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (int64_t i = 0; i < l->nruns; i++) {
        int64_t from = l->runs[i].offset;
        int64_t to = from + l->runs[i].length;
        *low = from < *low ? from : *low;
        *high = to > *high ? to : *high;
    }
    int64_t last = (count - 1) * lay_extent(l);
    if (last < 0) {
        *low += last;
    } else {
        *high += last;
    }
}

bool lay_agrees(const layout_t *l)
{
    MPI_Aint lb, extent, true_lb, true_extent, base = 0;
    MPI_Count size;
    int64_t low, high;

    if (l->arena != NULL) {
        MPI_Get_address(l->arena, &base);
    }
    lay_span(l, 1, &low, &high);
    MPI_Type_size_x(l->type, &size);
    MPI_Type_get_extent(l->type, &lb, &extent);
    MPI_Type_get_true_extent(l->type, &true_lb, &true_extent);
    if (size != l->size || extent != lay_extent(l) || (l->has_data && lb != l->lb + base)) {
        return false;
    }
    return l->nruns == 0 || (true_lb == low + base && true_extent == high - low);
}

void lay_pack(const layout_t *l, int64_t count, const unsigned char *zero, unsigned char *stream)
{
    for (int64_t k = 0; k < count; k++) {
        const unsigned char *from = zero + k * lay_extent(l);
        for (int64_t i = 0; i < l->nruns; i++) {
            memcpy(stream, from + l->runs[i].offset, (size_t) l->runs[i].length);
            stream += l->runs[i].length;
        }
    }
}

void lay_unpack(const layout_t *l, int64_t count, const unsigned char *stream, int64_t bytes,
                unsigned char *zero)
{
    for (int64_t k = 0; k < count; k++) {
        unsigned char *to = zero + k * lay_extent(l);
        for (int64_t i = 0; i < l->nruns && bytes > 0; i++) {
            int64_t n = l->runs[i].length < bytes ? l->runs[i].length : bytes;
            memcpy(to + l->runs[i].offset, stream, (size_t) n);
            stream += n;
            bytes -= n;
        }
    }
}

void lay_swap(const layout_t *l, int64_t count, unsigned char *stream)
{
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < l->nruns; i++) {
            int unit = l->runs[i].unit;
            for (int64_t at = 0; at < l->runs[i].length; at += unit) {
                for (int a = 0, b = unit - 1; a < b; a++, b--) {
                    unsigned char c = stream[at + a];
                    stream[at + a] = stream[at + b];
                    stream[at + b] = c;
                }
            }
            stream += l->runs[i].length;
        }
    }
}

int64_t lay_elements(const layout_t *l, int64_t count, int64_t bytes)
{
    int64_t n = 0;

    for (int64_t k = 0; k < count; k++) {
        if (bytes >= l->size) {
            n += l->elems;
            bytes -= l->size;
            continue;
        }
        for (int64_t i = 0; i < l->nruns && bytes > 0; i++) {
            int64_t take = l->runs[i].length < bytes ? l->runs[i].length : bytes;
            n += take / l->runs[i].elem;
            bytes -= take;
        }
    }
    return n;
}
