/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_type.h"

#include <stdlib.h>

#include "oracle.h"
#include "random_layout.h"

enum { PAGE = 4096 };

/* One generation. The status is sticky: after a failure everything returns at once. */
typedef struct gen {
    rng_t *rng;
    dame_tree_t *tree;
    const type_limits_t *limits;
    dame_status_t status;
    const char *what;
    const dame_type_t *made; /* by the last constructor */
} gen_t;

/* What a type has to carry, and how many bytes it may spread over. */
typedef struct task {
    signature_t sig;
    int levels;
    int64_t budget;
} task_t;

static const dame_type_t *build(gen_t *g, const task_t *task);

int64_t signature_bytes(const signature_t *signature)
{
    int64_t sum = 0;
    for (int i = 0; i < signature->npattern; i++) {
        sum += signature->pattern[i];
    }
    return sum * signature->reps;
}

signature_t random_signature(rng_t *rng, const type_limits_t *limits)
{
    static const int64_t usual[] = {1, 2, 4, 4, 4, 8, 8, 8, 16};
    static const int64_t odd[] = {3, 12, 6, 10};
    signature_t sig = {.npattern =
                           rng_chance(rng, 65) ? 1 : (int) rng_range(rng, 2, SIGNATURE_MAX)};
    for (int i = 0; i < sig.npattern; i++) {
        sig.pattern[i] =
            rng_chance(rng, 10) ? odd[rng_range(rng, 0, 3)] : usual[rng_range(rng, 0, 8)];
    }
    sig.reps = 1;
    int64_t most = limits->max_bytes / signature_bytes(&sig);
    most = most < 1 ? 1 : most;
    int kind = (int) rng_range(rng, 0, 99);
    if (kind < 3) {
        sig.reps = 0;
    } else if (kind < 20) {
        sig.reps = rng_range(rng, 1, most < 8 ? most : 8);
    } else if (kind < 90) {
        /* A product of small factors: many ways to share it out between levels. */
        static const int64_t factors[] = {2, 2, 2, 3, 3, 4, 5, 7, 8, 10};
        for (int i = (int) rng_range(rng, 1, 14); i > 0; i--) {
            int64_t next = sig.reps * factors[rng_range(rng, 0, 9)];
            sig.reps = next <= most ? next : sig.reps;
        }
    } else {
        sig.reps = rng_range(rng, 1, most);
    }
    return sig;
}

/* Passes on what a constructor made; notes its failure. */
static const dame_type_t *note(gen_t *g, dame_status_t status, const char *what)
{
    if (status != DAME_OK && g->status == DAME_OK) {
        g->status = status;
        g->what = what;
    }
    return g->status == DAME_OK ? g->made : NULL;
}

/* The library's constructors, with everything but the tree and the output. */
#define MAKE(g, kind, ...)                                                                         \
    note(g, dame_type_##kind((g)->tree, __VA_ARGS__, &(g)->made), "dame_type_" #kind)

static const dame_type_t *contig(gen_t *g, int64_t count, const dame_type_t *child)
{
    return child ? MAKE(g, contig, count, child) : NULL;
}

static const dame_type_t *vector(gen_t *g, int64_t count, int64_t blklen, int64_t stride,
                                 const dame_type_t *child)
{
    return child ? MAKE(g, vector, count, blklen, stride, child) : NULL;
}

static const dame_type_t *resized(gen_t *g, int64_t lb, int64_t extent, const dame_type_t *child)
{
    return child ? MAKE(g, resized, lb, extent, child) : NULL;
}

static int64_t *array(gen_t *g, int64_t n)
{
    int64_t *a = dame_tree_array(g->tree, n);
    if (!a) {
        g->status = DAME_ERR_NOMEM;
        g->what = "dame_tree_array";
    }
    return a;
}

/* The child, its extent cut to its data when a block of it would not fit the budget. */
static const dame_type_t *tame(gen_t *g, const dame_type_t *child, int64_t blklen, int64_t budget)
{
    if (!child || blklen <= 1) {
        return child;
    }
    int64_t step = child->extent < 0 ? -child->extent : child->extent;
    if (step > budget / blklen || (!g->limits->overlap && step < footprint(child, 1).width)) {
        return resized(g, child->true_lb, child->true_ub - child->true_lb, child);
    }
    return child;
}

/* The task of a child that a block or level holds `n` times. */
static task_t share(const task_t *task, int64_t n)
{
    task_t part = *task;
    part.sig.reps /= n;
    part.budget /= n;
    part.levels--;
    return part;
}

/* An empty type, with a child that may have data of its own. */
static const dame_type_t *build_empty(gen_t *g, const task_t *task)
{
    static const int64_t nothing[2];
    static const int64_t disps[2] = {8, -40};
    rng_t *rng = g->rng;
    const dame_type_t *type = NULL;
    task_t inner = *task;
    inner.sig.reps = task->levels > 0 && rng_chance(rng, 70) ? rng_range(rng, 1, 4) : 0;
    inner.levels--;
    inner.budget = 64 + 2 * signature_bytes(&inner.sig);
    const dame_type_t *child = task->levels > 0 ? build(g, &inner) : NULL;
    switch (child ? rng_range(rng, 0, 6) : 6) {
    case 0:
        type = contig(g, child->size ? 0 : rng_range(rng, 0, 3), child);
        break;
    case 1:
        type = vector(g, 0, 2, 100, child);
        break;
    case 2:
        type = vector(g, 3, 0, -16, child);
        break;
    case 3:
        type = MAKE(g, index, 2, nothing, disps, child);
        break;
    case 4:
        type = MAKE(g, blockindex, 2, 0, disps, child);
        break;
    case 5:
        type = MAKE(g, struct, 0, NULL, NULL, NULL);
        break;
    default:
        type = MAKE(g, basic, 0);
        break;
    }
    return type && rng_chance(rng, 20) ? resized(g, rng_range(rng, -20, 20), 32, type) : type;
}

/* One period of the pattern as a C struct, with or without padding. */
static const dame_type_t *fields(gen_t *g, const task_t *task)
{
    const signature_t *sig = &task->sig;
    const dame_type_t **children = dame_tree_types(g->tree, sig->npattern);
    int64_t *lengths = array(g, sig->npattern);
    int64_t *disps = array(g, sig->npattern);
    footprint_t feet[SIGNATURE_MAX];
    if (!children || !lengths || !disps) {
        return NULL;
    }
    for (int i = 0; i < sig->npattern; i++) {
        children[i] = MAKE(g, basic, sig->pattern[i]);
        lengths[i] = 1;
        feet[i] = (footprint_t){0, sig->pattern[i]};
    }
    int64_t order[SIGNATURE_MAX];
    random_places(g->rng, g->limits->overlap, sig->npattern, feet, task->budget / sig->reps, order,
                  disps);
    return g->status == DAME_OK ? MAKE(g, struct, sig->npattern, lengths, disps, children) : NULL;
}

static const dame_type_t *build_leaf(gen_t *g, const task_t *task)
{
    const signature_t *sig = &task->sig;
    const dame_type_t *unit =
        sig->npattern == 1 ? MAKE(g, basic, sig->pattern[0]) : fields(g, task);
    if (sig->reps == 1) {
        return unit;
    }
    return contig(g, sig->reps, tame(g, unit, sig->reps, task->budget));
}

static const dame_type_t *build_contig(gen_t *g, const task_t *task)
{
    int64_t count = random_divisor(g->rng, task->sig.reps);
    task_t inner = share(task, count);
    return contig(g, count, tame(g, build(g, &inner), count, task->budget));
}

static const dame_type_t *build_vector(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    int64_t count = random_divisor(rng, task->sig.reps);
    int64_t blklen = random_divisor(rng, task->sig.reps / count);
    task_t inner = share(task, count * blklen);
    const dame_type_t *child = tame(g, build(g, &inner), blklen, task->budget / count);
    if (!child) {
        return NULL;
    }
    footprint_t foot = footprint(child, blklen);
    int64_t most = task->budget / count - foot.width;
    most = most > 0 ? most : 0;
    int64_t gaps[] = {0, 1, child->size, rng_range(rng, 0, 16), rng_range(rng, 0, most)};
    int64_t gap = gaps[rng_range(rng, 0, 4)];
    int64_t stride = foot.width + (gap < most ? gap : most);
    if (g->limits->overlap && rng_chance(rng, 30)) {
        stride = rng_chance(rng, 50) ? 0 : rng_range(rng, 0, foot.width);
    } else if (rng_chance(rng, 15) && child->extent >= foot.width / blklen &&
               child->extent <= task->budget / (count * blklen)) {
        stride = blklen * child->extent; /* dense */
    }
    int64_t pages = (stride + PAGE - 1) / PAGE * PAGE; /* all blocks in one set of the cache */
    if (pages <= task->budget / count && rng_chance(rng, 12)) {
        stride = pages;
    }
    stride = rng_chance(rng, 25) ? -stride : stride;
    return vector(g, count, blklen, stride, child);
}

static const dame_type_t *build_blockindex(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    int64_t count = random_divisor(rng, task->sig.reps);
    count = count <= g->limits->max_blocks ? count : 1;
    int64_t blklen = random_divisor(rng, task->sig.reps / count);
    task_t inner = share(task, count * blklen);
    const dame_type_t *child = tame(g, build(g, &inner), blklen, task->budget / count);
    int64_t *disps = array(g, count);
    int64_t *order = array(g, count);
    footprint_t *feet = calloc((size_t) count, sizeof *feet);
    const dame_type_t *type = NULL;
    if (child && disps && order && feet) {
        for (int64_t i = 0; i < count; i++) {
            feet[i] = footprint(child, blklen);
        }
        random_places(rng, g->limits->overlap, count, feet, task->budget, order, disps);
        type = MAKE(g, blockindex, count, blklen, disps, child);
    }
    free(feet);
    return type;
}

/* A list of blocks under construction, for INDEX and STRUCT. */
typedef struct list {
    int64_t n;
    int64_t *lengths;
    int64_t *disps;
    const dame_type_t **children;
    footprint_t *feet;
} list_t;

static bool list_init(gen_t *g, list_t *list, int64_t n)
{
    *list = (list_t){n, array(g, n), array(g, n), dame_tree_types(g->tree, n),
                     calloc((size_t) n + 1, sizeof(footprint_t))};
    return list->lengths && list->disps && list->children && list->feet;
}

/* Places the blocks, then turns some, marked by length -1, into blocks without data. */
static void list_place(gen_t *g, list_t *list, int64_t budget)
{
    for (int64_t i = 0; i < list->n; i++) {
        list->feet[i] = list->lengths[i] < 0 ? (footprint_t){0, 0}
                                             : footprint(list->children[i], list->lengths[i]);
    }
    int64_t *order = array(g, list->n);
    if (!order) {
        return;
    }
    random_places(g->rng, g->limits->overlap, list->n, list->feet, budget, order, list->disps);
    for (int64_t i = 0; i < list->n; i++) {
        if (list->lengths[i] < 0) {
            list->lengths[i] = 0;
            list->disps[i] = random_empty_place(g->rng);
        }
    }
}

/* Spreads `instances` over the blocks; `empties` of them get length -1. */
static void list_lengths(gen_t *g, list_t *list, int64_t instances, int64_t empties)
{
    int64_t filled = list->n - empties;
    int64_t *lengths = array(g, filled);
    if (!lengths) {
        return;
    }
    random_lengths(g->rng, instances, filled, lengths);
    for (int64_t i = 0, k = 0, left = empties; i < list->n; i++) {
        bool empty = left > 0 && (k == filled || rng_range(g->rng, 0, list->n - i - 1) < left);
        list->lengths[i] = empty ? -1 : lengths[k];
        left -= empty;
        k += !empty;
    }
}

static const dame_type_t *build_index(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    int64_t instances = random_divisor(rng, task->sig.reps);
    task_t inner = share(task, instances);
    /* Half of the budget for the instances, so that the blocks always find a place. */
    const dame_type_t *child = tame(g, build(g, &inner), instances, task->budget);
    int64_t most = instances < g->limits->max_blocks ? instances : g->limits->max_blocks;
    int64_t filled = rng_chance(rng, 30) ? most : rng_range(rng, 1, most);
    int64_t empties = rng_chance(rng, 25) ? rng_range(rng, 1, 3) : 0;
    list_t list = {0};
    const dame_type_t *type = NULL;
    if (child && list_init(g, &list, filled + empties)) {
        list_lengths(g, &list, instances, empties);
        for (int64_t i = 0; i < list.n; i++) {
            list.children[i] = child;
        }
        list_place(g, &list, task->budget);
        if (g->status == DAME_OK) {
            type = MAKE(g, index, list.n, list.lengths, list.disps, child);
        }
    }
    free(list.feet);
    return type;
}

/*
 * In a struct of which only some members have bound markers the markers win (MPI-4.0,
 * section 5.1.6), and members without data have no bounds at all. With limits->state_bounds nothing
 * is left to that rule: the members' bounds are stated, as an importer does that knows them.
 */
static void state_bounds(gen_t *g, list_t *list)
{
    if (!g->limits->state_bounds) {
        return;
    }
    bool doubt = false;
    for (int64_t i = 0; i < list->n; i++) {
        const dame_type_t *child = list->children[i];
        doubt |= child->size == 0 || oracle_has_markers(child);
    }
    for (int64_t i = 0; doubt && i < list->n && g->status == DAME_OK; i++) {
        const dame_type_t *child = list->children[i];
        list->children[i] = resized(g, child->lb, child->extent, child);
    }
}

static const dame_type_t *finish_struct(gen_t *g, list_t *list, int64_t budget)
{
    if (g->status == DAME_OK) {
        list_place(g, list, budget);
    }
    return g->status == DAME_OK
               ? MAKE(g, struct, list->n, list->lengths, list->disps, list->children)
               : NULL;
}

/* Members of one pattern period or more each, all different. */
static const dame_type_t *build_struct(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    int64_t most = task->sig.reps < 6 ? task->sig.reps : 6;
    int64_t filled = rng_range(rng, 1, most);
    int64_t empties = rng_chance(rng, 30) ? rng_range(rng, 1, 2) : 0;
    list_t list = {0};
    const dame_type_t *type = NULL;
    if (list_init(g, &list, filled + empties)) {
        list_lengths(g, &list, task->sig.reps, empties);
        for (int64_t i = 0; i < list.n && g->status == DAME_OK; i++) {
            bool empty = list.lengths[i] < 0;
            int64_t reps = empty ? 0 : list.lengths[i];
            task_t part = *task;
            part.sig.reps = reps;
            part.budget = empty ? 64 : task->budget / task->sig.reps * reps;
            int64_t blklen = empty ? 1 : random_divisor(rng, reps);
            task_t inner = share(&part, blklen);
            list.children[i] = tame(g, build(g, &inner), blklen, part.budget);
            list.lengths[i] = empty && rng_chance(rng, 50) ? -1 : blklen;
        }
        if (g->status == DAME_OK) {
            state_bounds(g, &list);
            type = finish_struct(g, &list, task->budget);
        }
    }
    free(list.feet);
    return type;
}

/* Many members drawn from few types of one signature. */
static const dame_type_t *build_long_struct(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    int64_t instances = random_divisor(rng, task->sig.reps);
    task_t inner = share(task, instances);
    const dame_type_t *few[3];
    int nfew = (int) rng_range(rng, 1, 3);
    list_t few_list = {.n = nfew, .children = few};
    for (int i = 0; i < nfew; i++) {
        few[i] = tame(g, build(g, &inner), instances, task->budget);
    }
    if (g->status != DAME_OK) {
        return NULL;
    }
    state_bounds(g, &few_list);
    int64_t most = instances < g->limits->max_blocks ? instances : g->limits->max_blocks;
    list_t list = {0};
    const dame_type_t *type = NULL;
    if (list_init(g, &list, rng_range(rng, 1, most))) {
        list_lengths(g, &list, instances, 0);
        for (int64_t i = 0; i < list.n; i++) {
            list.children[i] = few[rng_range(rng, 0, nfew - 1)];
        }
        type = finish_struct(g, &list, task->budget);
    }
    free(list.feet);
    return type;
}

/* One period cut in two: the members have different signatures. */
static const dame_type_t *build_split(gen_t *g, const task_t *task)
{
    int first = (int) rng_range(g->rng, 1, task->sig.npattern - 1);
    list_t list = {0};
    const dame_type_t *type = NULL;
    if (list_init(g, &list, 2)) {
        for (int i = 0; i < 2; i++) {
            task_t part = *task;
            part.sig.npattern = i == 0 ? first : task->sig.npattern - first;
            for (int k = 0; k < part.sig.npattern; k++) {
                part.sig.pattern[k] = task->sig.pattern[i * first + k];
            }
            part.budget = task->budget / signature_bytes(&task->sig) * signature_bytes(&part.sig);
            part.levels--;
            list.children[i] = build(g, &part);
            list.lengths[i] = 1;
        }
        if (g->status == DAME_OK) {
            state_bounds(g, &list);
            type = finish_struct(g, &list, task->budget);
        }
    }
    free(list.feet);
    return type;
}

/* A struct in a struct in a struct: more levels than a cursor has frames of its own. */
static const dame_type_t *build_chain(gen_t *g, const task_t *task)
{
    task_t one = share(task, task->sig.reps);
    const dame_type_t *type = build_leaf(g, &one);
    for (int64_t i = 1; type && i < task->sig.reps; i++) {
        list_t list = {0};
        const dame_type_t *leaf = build_leaf(g, &one);
        const dame_type_t *inner = type;
        type = NULL;
        if (leaf && list_init(g, &list, 2)) {
            bool first = rng_chance(g->rng, 50);
            list.children[0] = first ? inner : leaf;
            list.children[1] = first ? leaf : inner;
            list.lengths[0] = list.lengths[1] = 1;
            type = finish_struct(g, &list, one.budget * (i + 1));
        }
        free(list.feet);
    }
    return type;
}

/* Columns of a matrix: a vector with instances one unit apart, between each other's blocks.
 */
static const dame_type_t *build_columns(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    int64_t columns = random_divisor(rng, task->sig.reps);
    int64_t rows = random_divisor(rng, task->sig.reps / columns);
    for (int i = 0; i < 3 && rows < 9; i++) { /* tall ones are the more interesting */
        columns = random_divisor(rng, task->sig.reps);
        rows = random_divisor(rng, task->sig.reps / columns);
    }
    task_t inner = share(task, rows * columns);
    inner.levels = rng_chance(rng, 60) ? 0 : inner.levels - 1;
    const dame_type_t *unit = build(g, &inner);
    if (!unit) {
        return NULL;
    }
    int64_t width = footprint(unit, 1).width;
    int64_t pitch = width * columns;
    if (rng_chance(rng, 30) && pitch + width <= task->budget / (rows + 1)) {
        pitch += width;
    }
    int64_t pages = (pitch + PAGE - 1) / PAGE * PAGE;
    if (pages <= task->budget / rows && rng_chance(rng, 40)) {
        pitch = pages;
    }
    const dame_type_t *column = vector(g, rows, 1, rng_chance(rng, 10) ? -pitch : pitch, unit);
    width = rng_chance(rng, 15) ? -width : width;
    return column ? contig(g, columns, resized(g, column->lb, width, column)) : NULL;
}

static const dame_type_t *build_resized(gen_t *g, const task_t *task)
{
    rng_t *rng = g->rng;
    task_t inner = *task;
    inner.levels--;
    const dame_type_t *child = build(g, &inner);
    if (!child) {
        return NULL;
    }
    footprint_t foot = footprint(child, 1);
    int64_t lbs[] = {foot.low,     0,         foot.low - rng_range(rng, 1, 40),
                     foot.low + 7, child->lb, -rng_range(rng, 1, 500)};
    int64_t extents[] = {foot.width,
                         child->extent,
                         foot.width + rng_range(rng, 1, 64),
                         -foot.width,
                         -foot.width - rng_range(rng, 1, 64),
                         foot.width + rng_range(rng, 0, 4096),
                         g->limits->overlap ? 0 : foot.width,
                         g->limits->overlap ? child->size : (int64_t) 1 << 40};
    return resized(g, lbs[rng_range(rng, 0, 5)], extents[rng_range(rng, 0, 7)], child);
}

static const dame_type_t *build(gen_t *g, const task_t *task)
{
    if (g->status != DAME_OK) {
        return NULL;
    }
    if (task->sig.reps == 0) {
        return build_empty(g, task);
    }
    if (task->levels <= 0) {
        return build_leaf(g, task);
    }
    if (task->sig.npattern > 1 && task->sig.reps == 1 && rng_chance(g->rng, 60)) {
        return build_split(g, task);
    }
    if (task->sig.reps > 1 && task->sig.reps <= 40 && rng_chance(g->rng, 2)) {
        return build_chain(g, task);
    }
    static const dame_type_t *(*const builders[])(gen_t *, const task_t *) = {
        build_contig,     build_vector,      build_vector,  build_vector,
        build_vector,     build_blockindex,  build_index,   build_index,
        build_blockindex, build_struct,      build_struct,  build_resized,
        build_columns,    build_long_struct, build_columns, build_resized,
    };
    return builders[rng_range(g->rng, 0, sizeof builders / sizeof builders[0] - 1)](g, task);
}

dame_status_t random_type(rng_t *rng, const type_limits_t *limits, const signature_t *signature,
                          dame_tree_t *tree, const dame_type_t **out, const char **what)
{
    gen_t g = {.rng = rng, .tree = tree, .limits = limits, .what = "nothing"};
    task_t task = {*signature, limits->levels, limits->max_span};
    const dame_type_t *type = build(&g, &task);
    if (!type && g.status == DAME_OK) {
        g.status = DAME_ERR_NOMEM;
    }
    *what = g.what;
    *out = type;
    return g.status;
}
