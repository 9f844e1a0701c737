/*
 * Type tree to nodes: the plain build step. It only does what falls out of construction; everything
 * that needs a search is the optimiser's.
 */
#include "emit.h"
#include "granule.h"
#include "node.h"
#include "wide.h"

/* A list of blocks while it is put together; lengths in instances, or in bytes for a struct. */
typedef struct block_list {
    int64_t *blklens;
    int64_t *disps;
    int64_t count;
} block_list_t;

static const dame_node_t empty_node = {.shape = DAME_SHAPE_EMPTY, .granule = 1};

static dame_status_t new_node(dame_lowering_t *l, const dame_node_t *from, const dame_node_t **out)
{
    dame_node_t *node = dame_arena_alloc(&l->arena, 1, sizeof(*node));
    if (NULL == node || l->arena.pieces > 8 * DAME_MAX_PRIMS) { /* a node takes up to 8 pieces */
        return DAME_ERR_NOMEM;
    }
    *node = *from;
    *out = node;
    return DAME_OK;
}

static dame_status_t new_block(dame_lowering_t *l, int64_t off, int64_t bytes, int64_t granule,
                               const dame_node_t **out)
{
    return new_node(
        l, &(dame_node_t){.shape = DAME_SHAPE_BLOCK, .off = off, .size = bytes, .granule = granule},
        out);
}

/* `count` blocks of `blklen` instances of child, `step` bytes from block to block; both > 0. */
static dame_status_t make_loop(dame_lowering_t *l, int64_t count, int64_t blklen, int64_t step,
                               int64_t extent, const dame_node_t *child, const dame_node_t **out)
{
    if (1 == count || (blklen > 1 && step == (wide_t) blklen * extent)) { /* one run */
        count *= blklen;
        blklen = 1;
        step = extent;
        if (1 == count) {
            *out = child;
            return DAME_OK;
        }
    }
    int64_t bytes = blklen * child->size;
    if (dame_node_dense(child, blklen > 1 ? extent : child->size) && step == bytes) {
        return new_block(l, child->off, count * bytes, child->granule, out);
    }
    return new_node(l,
                    &(dame_node_t){.shape = DAME_SHAPE_LOOP,
                                   .off = child->off,
                                   .size = count * bytes,
                                   .granule = child->granule,
                                   .count = count,
                                   .blklen = blklen,
                                   .step = step,
                                   .extent = extent,
                                   .child = child},
                    out);
}

/* Like make_loop, but the blocks are shifted by `disp`. */
static dame_status_t make_shifted_run(dame_lowering_t *l, int64_t disp, int64_t blklen,
                                      int64_t extent, const dame_node_t *child,
                                      const dame_node_t **out)
{
    const dame_node_t *run;
    dame_status_t status = make_loop(l, 1, blklen, 0, extent, child, &run);
    if (DAME_OK != status || 0 == disp) {
        if (DAME_OK == status) {
            *out = run;
        }
        return status;
    }
    dame_node_t moved = *run;
    moved.off += disp;
    return new_node(l, &moved, out);
}

/* Blocks of one blocklength at displacements that already include child->off. */
static dame_status_t make_list(dame_lowering_t *l, int64_t count, int64_t blklen,
                               const int64_t *disps, int64_t extent, const dame_node_t *child,
                               const dame_node_t **out)
{
    return new_node(l,
                    &(dame_node_t){.shape = DAME_SHAPE_LIST,
                                   .size = count * blklen * child->size,
                                   .granule = child->granule,
                                   .count = count,
                                   .blklen = blklen,
                                   .extent = extent,
                                   .disps = disps,
                                   .child = child},
                    out);
}

/*
 * What a finished list of blocks becomes: a run, blocks of one length, or blocks of any length.
 * Displacements do not yet include child->off; the list is the caller's to give away.
 */
static dame_status_t make_blocks(dame_lowering_t *l, block_list_t *list, int64_t extent,
                                 const dame_node_t *child, const dame_node_t **out)
{
    if (1 == list->count) {
        return make_shifted_run(l, list->disps[0], list->blklens[0], extent, child, out);
    }
    int uniform = 1;
    int64_t instances = 0;
    for (int64_t i = 0; i < list->count; i++) {
        list->disps[i] += child->off;
        instances += list->blklens[i];
        uniform &= list->blklens[i] == list->blklens[0];
    }
    if (uniform) {
        return make_list(l, list->count, list->blklens[0], list->disps, extent, child, out);
    }
    return new_node(l,
                    &(dame_node_t){.shape = DAME_SHAPE_RAGGED,
                                   .size = instances * child->size,
                                   .granule = child->granule,
                                   .count = list->count,
                                   .extent = extent,
                                   .blklens = list->blklens,
                                   .disps = list->disps,
                                   .child = child},
                    out);
}

static dame_status_t new_list(dame_lowering_t *l, int64_t n, block_list_t *list)
{
    list->count = 0;
    list->blklens = dame_arena_alloc(&l->arena, (size_t) n, sizeof(int64_t));
    list->disps = dame_arena_alloc(&l->arena, (size_t) n, sizeof(int64_t));
    return NULL == list->blklens || NULL == list->disps ? DAME_ERR_NOMEM : DAME_OK;
}

/* Adds a block of `blklen` instances; one that touches the last block prolongs it when dense. */
static inline void add_block(block_list_t *list, int64_t disp, int64_t blklen, int64_t extent,
                             int dense)
{
    int64_t last = list->count - 1;
    if (dense && last >= 0 && list->disps[last] + list->blklens[last] * extent == disp) {
        list->blklens[last] += blklen;
        return;
    }
    list->disps[list->count] = disp;
    list->blklens[list->count] = blklen;
    list->count++;
}

static dame_status_t lower_blockindex(dame_lowering_t *l, const dame_type_t *type,
                                      const dame_node_t *child, const dame_node_t **out)
{
    const int64_t extent = type->child->extent;
    if (1 == type->count) {
        return make_shifted_run(l, type->disps[0], type->blklen, extent, child, out);
    }
    int dense = dame_node_dense(child, extent);
    int64_t length = dense ? type->blklen * extent : 0;
    int64_t runs = type->count;
    for (int64_t i = 1; dense && i < type->count; i++) {
        runs -= type->disps[i - 1] + length == type->disps[i];
    }
    if (2 * runs <= type->count) { /* with lengths, the merged list is still the smaller one */
        block_list_t list;
        dame_status_t status = new_list(l, runs, &list);
        if (DAME_OK != status) {
            return status;
        }
        for (int64_t i = 0; i < type->count; i++) {
            add_block(&list, type->disps[i], type->blklen, extent, 1);
        }
        return make_blocks(l, &list, extent, child, out);
    }
    const int64_t *disps = type->disps;
    if (0 != child->off) {
        int64_t *moved = dame_arena_alloc(&l->arena, (size_t) type->count, sizeof(*moved));
        if (NULL == moved) {
            return DAME_ERR_NOMEM;
        }
        for (int64_t i = 0; i < type->count; i++) {
            moved[i] = disps[i] + child->off;
        }
        disps = moved;
    }
    return make_list(l, type->count, type->blklen, disps, extent, child, out);
}

/* An INDEX, or a STRUCT whose blocks with data all have the type `child_type`. */
static dame_status_t lower_index(dame_lowering_t *l, const dame_type_t *type,
                                 const dame_type_t *child_type, const dame_node_t **out)
{
    const dame_node_t *child;
    dame_status_t status = dame_node_lower(l, child_type, &child);
    if (DAME_OK != status) {
        return status;
    }
    block_list_t list;
    status = new_list(l, type->count, &list);
    if (DAME_OK != status) {
        return status;
    }
    int dense = dame_node_dense(child, child_type->extent);
    for (int64_t i = 0; i < type->count; i++) {
        if (type->blklens[i] > 0 && (NULL == type->children || child_type == type->children[i])) {
            add_block(&list, type->disps[i], type->blklens[i], child_type->extent, dense);
        }
    }
    return make_blocks(l, &list, child_type->extent, child, out);
}

/* The blocks of a struct that hold data. */
typedef struct fields {
    int64_t count;
    const dame_node_t **nodes; /* one instance of the field's type */
    const dame_node_t **runs;  /* the whole field */
    int64_t *blklens;
    int64_t *disps;
    int64_t *extents;
    int64_t *same;
    int64_t size;
    int64_t granule;
    int contiguous;   /* every field is one contiguous block */
    int same_granule; /* every field is a whole number of `granule` */
} fields_t;

static dame_status_t lower_fields(dame_lowering_t *l, const dame_type_t *type, fields_t *fields)
{
    size_t n = (size_t) type->count;
    *fields = (fields_t){.contiguous = 1, .same_granule = 1};
    fields->nodes = dame_arena_alloc(&l->arena, n, sizeof(*fields->nodes));
    fields->runs = dame_arena_alloc(&l->arena, n, sizeof(*fields->runs));
    fields->blklens = dame_arena_alloc(&l->arena, 4 * n, sizeof(int64_t));
    if (NULL == fields->nodes || NULL == fields->runs || NULL == fields->blklens) {
        return DAME_ERR_NOMEM;
    }
    fields->disps = fields->blklens + n;
    fields->extents = fields->disps + n;
    fields->same = fields->extents + n;

    for (int64_t i = 0; i < type->count; i++) {
        const dame_type_t *child = type->children[i];
        if (0 == type->blklens[i] || 0 == child->size) {
            continue;
        }
        int64_t k = fields->count++;
        dame_status_t status = dame_node_lower(l, child, &fields->nodes[k]);
        if (DAME_OK == status) {
            status = make_loop(l, 1, type->blklens[i], 0, child->extent, fields->nodes[k],
                               &fields->runs[k]);
        }
        if (DAME_OK != status) {
            return status;
        }
        const dame_node_t *run = fields->runs[k];
        fields->blklens[k] = type->blklens[i];
        fields->disps[k] = type->disps[i] + run->off;
        fields->extents[k] = child->extent;
        fields->size += run->size;
        fields->same_granule &= 0 == run->size % run->granule;
        fields->same_granule &= 0 == k || run->granule == fields->granule;
        fields->granule =
            0 == k ? run->granule : dame_granule_common(fields->granule, run->granule);
        fields->contiguous &= DAME_SHAPE_BLOCK == run->shape;
    }
    return DAME_OK;
}

/*
 * A struct of contiguous fields is a list of blocks, in bytes (or in elements when all fields have
 * the same). Neighbours merge; a block that holds elements of several sizes is a granule of its
 * own.
 */
static dame_status_t lower_contiguous_fields(dame_lowering_t *l, const fields_t *fields,
                                             const dame_node_t **out)
{
    int64_t unit = fields->same_granule ? fields->granule : 1;
    block_list_t list;
    dame_status_t status = new_list(l, fields->count, &list);
    if (DAME_OK != status) {
        return status;
    }
    int64_t granule = 1;
    int64_t last = 1; /* granule of the last block in the list */
    for (int64_t i = 0; i < fields->count; i++) {
        const dame_node_t *run = fields->runs[i];
        int64_t before = list.count;
        add_block(&list, fields->disps[i], run->size / unit, unit, 1);
        if (before != list.count) {
            granule = dame_granule_common(granule, last);
            last = run->granule;
        } else if (!fields->same_granule) {
            last = list.blklens[before - 1]; /* unit is 1 */
        }
    }
    granule = dame_granule_common(granule, last);
    const dame_node_t *child;
    status = new_block(l, 0, unit, granule, &child);
    return DAME_OK != status ? status : make_blocks(l, &list, unit, child, out);
}

/* Finds, for every field, the first one like it among the last few different ones. */
static void find_same(const fields_t *fields)
{
    enum { DIFFERENT = 8 };
    int64_t firsts[DIFFERENT];
    int64_t n = 0; /* different ones so far; the last DIFFERENT of them are kept */
    for (int64_t i = 0; i < fields->count; i++) {
        int64_t known = n < DIFFERENT ? n : DIFFERENT;
        int64_t k = 0;
        while (k < known && (fields->nodes[firsts[k]] != fields->nodes[i] ||
                             fields->blklens[firsts[k]] != fields->blklens[i] ||
                             fields->extents[firsts[k]] != fields->extents[i])) {
            k++;
        }
        if (k < known) {
            fields->same[i] = firsts[k];
        } else {
            fields->same[i] = i;
            firsts[n++ % DIFFERENT] = i;
        }
    }
}

static dame_status_t lower_struct(dame_lowering_t *l, const dame_type_t *type,
                                  const dame_node_t **out)
{
    const dame_type_t *first = NULL;
    int alike = 1;
    for (int64_t i = 0; i < type->count; i++) {
        if (type->blklens[i] > 0 && type->children[i]->size > 0) {
            first = NULL == first ? type->children[i] : first;
            alike &= first == type->children[i];
        }
    }
    if (alike) {
        return lower_index(l, type, first, out);
    }

    fields_t fields;
    dame_status_t status = lower_fields(l, type, &fields);
    if (DAME_OK != status) {
        return status;
    }
    if (fields.contiguous) {
        return lower_contiguous_fields(l, &fields, out);
    }
    for (int64_t i = 0; i < fields.count; i++) { /* a contiguous field needs no CONTIGCHILD */
        if (DAME_SHAPE_BLOCK == fields.runs[i]->shape) {
            fields.nodes[i] = fields.runs[i];
            fields.blklens[i] = 1;
            fields.extents[i] = fields.runs[i]->size;
        }
    }
    find_same(&fields);
    return new_node(l,
                    &(dame_node_t){.shape = DAME_SHAPE_STRUCT,
                                   .size = fields.size,
                                   .granule = fields.granule,
                                   .count = fields.count,
                                   .blklens = fields.blklens,
                                   .disps = fields.disps,
                                   .extents = fields.extents,
                                   .children = fields.nodes,
                                   .same = fields.same},
                    out);
}

static dame_status_t lower(dame_lowering_t *l, const dame_type_t *type, const dame_node_t **out)
{
    if (DAME_BASIC == type->kind) {
        return new_block(l, 0, type->size, type->size, out);
    }
    if (DAME_STRUCT == type->kind) {
        return lower_struct(l, type, out);
    }
    if (DAME_INDEX == type->kind) {
        return lower_index(l, type, type->child, out);
    }
    const dame_node_t *child;
    dame_status_t status = dame_node_lower(l, type->child, &child);
    if (DAME_OK != status) {
        return status;
    }
    int64_t extent = type->child->extent;
    switch (type->kind) {
    case DAME_RESIZED:
        *out = child;
        return DAME_OK;
    case DAME_CONTIG:
        return make_loop(l, 1, type->count, 0, extent, child, out);
    case DAME_VECTOR:
        return make_loop(l, type->count, type->blklen, type->stride, extent, child, out);
    case DAME_BLOCKINDEX:
        return lower_blockindex(l, type, child, out);
    default:
        return DAME_ERR_ARGUMENT;
    }
}

dame_status_t dame_node_lower(dame_lowering_t *l, const dame_type_t *type, const dame_node_t **out)
{
    if (0 == type->size) {
        *out = &empty_node;
        return DAME_OK;
    }
    uint64_t hash = (uint64_t) (uintptr_t) type * UINT64_C(0x9E3779B97F4A7C15);
    dame_recent_t *recent = &l->recent[hash >> (64 - DAME_RECENT_LOG2)];
    if (type == recent->type) {
        *out = recent->node;
        return DAME_OK;
    }
    dame_status_t status = lower(l, type, out);
    if (DAME_OK == status) {
        *recent = (dame_recent_t){type, *out};
    }
    return status;
}
