/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes to program: sizes, tables and run kernels of every primitive, in one allocation.
 */
#include <string.h>

#include "base/heap.h"
#include "emit.h"
#include "kernels.h"
#include "node.h"
#include "sort.h"

typedef struct emitter {
    dame_emitter_t out;
    const dame_optimiser_t *o;
    int64_t granule; /* the program's: known facts about the elements in a block */
} emitter_t;

/* From the first byte a node touches to the last. */
static int64_t span(const dame_node_t *node)
{
    int64_t bytes;
    return __builtin_sub_overflow(node->high, node->low, &bytes) ? INT64_MAX : bytes;
}

/* The loop within a block of several instances of what `merge` takes into the blocklength: one that
 * steps by all that its child spans, a CONTIG. NULL if the node's child is not such a loop. */
static const dame_node_t *contig_in(const emitter_t *emitter, const dame_node_t *child)
{
    return dame_passes(emitter->o, DAME_PASS_MERGE) && child->shape == DAME_SHAPE_LOOP &&
                   child->child->shape != DAME_SHAPE_BLOCK && child->step == span(child->child)
               ? child
               : NULL;
}

static int64_t sort_window(const emitter_t *emitter, const dame_node_t *node)
{
    return dame_sort_window(node->count, node->child->size, emitter->o->options);
}

static void measure_list(const emitter_t *emitter, const dame_node_t *node, dame_need_t *need)
{
    const int64_t halves = need->halves;
    dame_need_disps(need, DAME_OP_BLOCKINDEX, node->disps, node->count);
    if (node->child->shape == DAME_SHAPE_BLOCK && halves != need->halves) {
        need->words += dame_sort_entries(node->count, sort_window(emitter, node));
    }
}

/* The sorted table of a list of 32-bit displacements, if it shall have one. */
static void emit_visits(emitter_t *emitter, const dame_node_t *node, dame_prim_t *prim)
{
    const int64_t window = sort_window(emitter, node);
    if (window != 0) {
        const int64_t entries = dame_sort_entries(node->count, window);
        dame_visit_t *visits = (dame_visit_t *) dame_emit_words(&emitter->out, entries);
        dame_sort_visits(prim->disps32, node->count, window, visits);
        prim->visits = visits;
        prim->window = window;
    }
}

static int64_t table_bytes(const dame_need_t *need)
{
    return 8 * need->words + 4 * need->halves;
}

/* Ends early at the limit: `need` is then already above it. */
static void measure_nodes(const emitter_t *emitter, const dame_node_t *node, dame_need_t *need)
{
    const dame_node_t *contig = NULL;
    switch (node->shape) {
    case DAME_SHAPE_EMPTY:
    case DAME_SHAPE_BLOCK:
        need->prims += 1; /* CONTIGFINAL */
        return;
    case DAME_SHAPE_LOOP:
        contig = contig_in(emitter, node->child);
        break;
    case DAME_SHAPE_LIST:
        contig = contig_in(emitter, node->child);
        measure_list(emitter, node, need);
        break;
    case DAME_SHAPE_RAGGED:
        need->prims += !dame_node_dense(node); /* CONTIGCHILD */
        dame_need_disps(need, DAME_OP_INDEX, node->disps, node->count);
        need->words += node->count + 1;
        break;
    case DAME_SHAPE_STRUCT:
        need->prims += 1;
        dame_need_disps(need, DAME_OP_STRUCT, node->disps, node->count);
        need->words += 3 * node->count + 1;
        need->halves += 2 * node->count;
        for (int64_t i = 0; i < node->count && need->prims <= DAME_MAX_PRIMS &&
                            table_bytes(need) <= dame_table_limit(emitter->o->entries);
             i++) {
            if (i == node->same[i]) {
                need->prims += 2; /* RETURNTO, BOTTOM */
                measure_nodes(emitter, node->children[i], need);
            }
        }
        return;
    }
    need->prims += 1 + (contig != NULL); /* the level, CONTIGCHILD */
    measure_nodes(emitter, contig != NULL ? contig->child : node->child, need);
}

static int32_t emit(emitter_t *emitter, const dame_node_t *node);

/* The level within a block of several instances. Returns the inner_delta of the level above. */
static int32_t emit_contigchild(emitter_t *emitter, int64_t count, int64_t extent,
                                const dame_node_t *child)
{
    dame_prim_t *prim = dame_emit_prim(&emitter->out, DAME_OP_CONTIGCHILD);
    dame_params_t *params = prim->params;
    prim->count = count;
    prim->step = extent;
    prim->iter_size = child->size;
    params->blklen = 1;
    params->size = child->size;
    params->extent = extent;
    prim->inner_delta = emit(emitter, child);
    dame_kernels_select(prim, emitter->o->options);
    return 1;
}

/* Final primitives count basic elements where blocks are whole numbers of them. */
static int64_t element_of(const emitter_t *emitter, const dame_node_t *block)
{
    return block->size % emitter->granule == 0 ? emitter->granule : block->size;
}

/* What LOOP and LIST have in common: blocks of one blocklength. */
static void emit_uniform(emitter_t *emitter, const dame_node_t *node, dame_op_t op)
{
    const dame_node_t *child = node->child;
    const dame_node_t *contig = contig_in(emitter, child);
    dame_prim_t *prim = dame_emit_prim(&emitter->out, op);
    dame_params_t *params = prim->params;
    if (node->disps != NULL) {
        dame_emit_disps(&emitter->out, prim, node->disps, node->count);
    }
    prim->count = node->count;
    prim->step = node->step;
    prim->iter_size = child->size;
    if (child->shape == DAME_SHAPE_BLOCK) {
        params->size = element_of(emitter, child);
        params->extent = params->size;
        dame_emit_prim(&emitter->out, DAME_OP_CONTIGFINAL)->params->size = params->size;
        if (prim->disps32 != NULL) {
            emit_visits(emitter, node, prim);
        }
    } else if (contig != NULL) {
        params->size = contig->child->size;
        params->extent = contig->step;
        prim->inner_delta = emit_contigchild(emitter, contig->count, contig->step, contig->child);
    } else {
        params->size = child->size;
        params->extent = span(child);
        prim->inner_delta = emit(emitter, child);
    }
    params->blklen = prim->iter_size / params->size;
    dame_kernels_select(prim, emitter->o->options);
}

static void emit_loop(emitter_t *emitter, const dame_node_t *node)
{
    dame_op_t op = node->child->shape == DAME_SHAPE_BLOCK    ? DAME_OP_VECTORFINAL
                   : contig_in(emitter, node->child) != NULL ? DAME_OP_VECTOR
                   : node->step == span(node->child)         ? DAME_OP_CONTIG
                                                             : DAME_OP_VECTOR1;
    emit_uniform(emitter, node, op);
}

static void emit_list(emitter_t *emitter, const dame_node_t *node)
{
    dame_op_t op = node->child->shape == DAME_SHAPE_BLOCK    ? DAME_OP_BLOCKINDEXFINAL
                   : contig_in(emitter, node->child) != NULL ? DAME_OP_BLOCKINDEX
                                                             : DAME_OP_BLOCKINDEX1;
    emit_uniform(emitter, node, op);
}

/* The largest unit of which all blocks are whole numbers: the granule or a byte. */
static int64_t common_element(const emitter_t *emitter, const dame_node_t *dense)
{
    const int64_t granule = emitter->granule;
    int64_t odd = 0; /* bits or rests that no multiple of the granule has */
    if ((granule & (granule - 1)) == 0) {
        for (int64_t i = 0; i < dense->count; i++) {
            odd |= dense->blklens[i] & (granule - 1);
        }
    } else {
        for (int64_t i = 0; odd == 0 && i < dense->count; i++) {
            odd = dense->blklens[i] % granule;
        }
    }
    return odd == 0 ? granule : 1;
}

static void emit_ragged(emitter_t *emitter, const dame_node_t *node)
{
    const int dense = dame_node_dense(node);
    dame_prim_t *prim = dame_emit_prim(&emitter->out, dense ? DAME_OP_INDEXFINAL : DAME_OP_INDEX);
    dame_params_t *params = prim->params;
    int64_t *prefix = dame_emit_words(&emitter->out, node->count + 1);
    int64_t sum = 0;
    for (int64_t i = 0; i < node->count; i++) {
        prefix[i] = sum;
        sum += node->blklens[i] * node->child->size;
    }
    prefix[node->count] = sum;
    prim->count = node->count;
    dame_emit_disps(&emitter->out, prim, node->disps, node->count);
    prim->prefix = prefix;
    if (dense) {
        params->size = common_element(emitter, node);
        params->extent = params->size;
        dame_emit_prim(&emitter->out, DAME_OP_CONTIGFINAL)->params->size = params->size;
    } else {
        params->size = node->child->size;
        params->extent = node->step;
        prim->inner_delta = emit_contigchild(emitter, 0, node->step, node->child);
    }
    dame_kernels_select(prim, emitter->o->options);
}

static int32_t emit_field(emitter_t *emitter, const dame_node_t *child, int64_t *blklen,
                          int64_t *extent)
{
    const dame_node_t *contig = contig_in(emitter, child);
    *blklen = contig != NULL ? contig->count : 1;
    *extent = contig != NULL ? contig->step : span(child);
    return contig != NULL ? emit_contigchild(emitter, contig->count, contig->step, contig->child)
                          : emit(emitter, child);
}

static void emit_struct(emitter_t *emitter, const dame_node_t *node)
{
    int64_t self = emitter->out.next;
    dame_prim_t *prim = dame_emit_prim(&emitter->out, DAME_OP_STRUCT);
    dame_params_t *params = prim->params;
    int64_t *blklens = dame_emit_words(&emitter->out, node->count);
    int64_t *extents = dame_emit_words(&emitter->out, node->count);
    int64_t *prefix = dame_emit_words(&emitter->out, node->count + 1);
    int32_t *inners = dame_emit_halves(&emitter->out, node->count);
    int32_t *subs = dame_emit_halves(&emitter->out, node->count);
    int64_t sum = 0;
    for (int64_t i = 0; i < node->count; i++) {
        int64_t same = node->same[i];
        prefix[i] = sum;
        sum += node->children[i]->size;
        if (same != i) {
            inners[i] = inners[same];
            subs[i] = subs[same];
            blklens[i] = blklens[same];
            extents[i] = extents[same];
            continue;
        }
        subs[i] = (int32_t) (emitter->out.next - self);
        dame_emit_prim(&emitter->out, DAME_OP_RETURNTO)->params->struct_index = self;
        int32_t inner = emit_field(emitter, node->children[i], &blklens[i], &extents[i]);
        inners[i] = inner == 0 ? 0 : subs[i] + 1;
        dame_emit_prim(&emitter->out, DAME_OP_BOTTOM);
    }
    prefix[node->count] = sum;
    prim->count = node->count;
    dame_emit_disps(&emitter->out, prim, node->disps, node->count);
    params->blklens = blklens;
    params->extents = extents;
    prim->prefix = prefix;
    prim->inner_deltas = inners;
    params->sub_deltas = subs;
    dame_kernels_select(prim, emitter->o->options);
}

/* Writes a node's primitives; returns 1, or 0 when it is a contiguous block and no level. */
static int32_t emit(emitter_t *emitter, const dame_node_t *node)
{
    switch (node->shape) {
    case DAME_SHAPE_EMPTY:
    case DAME_SHAPE_BLOCK:
        dame_emit_prim(&emitter->out, DAME_OP_CONTIGFINAL)->params->size = node->size;
        return 0;
    case DAME_SHAPE_LOOP:
        emit_loop(emitter, node);
        break;
    case DAME_SHAPE_LIST:
        emit_list(emitter, node);
        break;
    case DAME_SHAPE_RAGGED:
        emit_ragged(emitter, node);
        break;
    case DAME_SHAPE_STRUCT:
        emit_struct(emitter, node);
        break;
    }
    return 1;
}

static int32_t level_depth(const dame_prim_t *prim)
{
    int32_t deepest = 0;
    int32_t newest = 0;
    for (int64_t i = 0; prim->inner_deltas != NULL && i < prim->count; i++) {
        const int32_t sub_delta = prim->params->sub_deltas[i];
        if (sub_delta <= newest) { /* seen: subprograms are in the order of their first use */
            continue;
        }
        newest = sub_delta;
        int32_t depth = prim->inner_deltas[i] == 0 ? 0 : level_depth(prim + prim->inner_deltas[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    if (prim->inner_delta != 0) {
        deepest = level_depth(prim + prim->inner_delta);
    }
    return 1 + deepest;
}

static int fits_32_bits(int64_t low, int64_t high)
{
    return low >= INT32_MIN && high <= INT32_MAX;
}

/*
 * Tries whether a list on the way to the data, with nothing but loops around it, can take a
 * displacement in and stay as narrow as it is. Then it has taken it.
 */
static int sink(const emitter_t *emitter, const dame_node_t *node, int64_t shift)
{
    while (node->shape == DAME_SHAPE_LOOP && contig_in(emitter, node->child) == NULL) {
        node = node->child;
    }
    int64_t low, high;
    if (node->disps == NULL || __builtin_add_overflow(node->low, shift, &low) ||
        __builtin_add_overflow(node->high, shift, &high) ||
        (node->shape != DAME_SHAPE_STRUCT && fits_32_bits(node->low, node->high) &&
         !fits_32_bits(low, high))) {
        return 0;
    }
    for (int64_t i = 0; i < node->count; i++) {
        node->disps[i] += shift;
    }
    return 1;
}

static dame_status_t check_need(dame_optimiser_t *o, const dame_need_t *need)
{
    const int64_t bytes = table_bytes(need);
    if (need->prims > DAME_MAX_PRIMS) {
        o->limit = (dame_limit_t){"primitives", DAME_MAX_PRIMS, need->prims};
        return DAME_ERR_LIMIT;
    }
    if (bytes > dame_table_limit(o->entries)) {
        o->limit = (dame_limit_t){"bytes of tables", dame_table_limit(o->entries), bytes};
        return DAME_ERR_LIMIT;
    }
    return DAME_OK;
}

/* The program of a node; `bounds` has what the program shall say of itself. */
static dame_status_t emit_program(dame_optimiser_t *o, const dame_node_t *top,
                                  const dame_program_t *bounds, dame_program_t **out)
{
    emitter_t emitter = {.o = o, .granule = top->granule};
    int64_t shift = top->off;
    dame_node_t shifted = {.shape = DAME_SHAPE_LIST, .count = 1, .disps = &shift, .child = top};
    if (shift != 0 && !sink(&emitter, top, shift)) {
        shifted.size = top->size;
        shifted.granule = top->granule;
        top = &shifted;
    }
    dame_need_t need = {.prims = 2}; /* EXIT, BOTTOM */
    measure_nodes(&emitter, top, &need);
    dame_status_t status = check_need(o, &need);
    if (status == DAME_OK) {
        status = dame_emitter_init(&emitter.out, &need);
    }
    if (status != DAME_OK) {
        return status;
    }
    dame_program_t *program = emitter.out.program;
    program->size = bounds->size;
    program->extent = bounds->extent;
    program->true_lb = bounds->true_lb;
    program->true_ub = bounds->true_ub;
    program->granule = top->granule;
    dame_emit_prim(&emitter.out, DAME_OP_EXIT);
    int32_t inner = emit(&emitter, top);
    dame_emit_prim(&emitter.out, DAME_OP_BOTTOM);
    dame_emit_exit(program, inner, o->options);
    program->depth = level_depth(program->prims);
    *out = program;
    return DAME_OK;
}

/* What a build works in; not on the stack, because threads may have little stack. */
typedef struct room {
    dame_optimiser_t o;
    _Alignas(16) char first[8192]; /* regular types need no second allocation */
} room_t;

static room_t *room_new(const dame_options_t *options)
{
    room_t *room = dame_heap_alloc(sizeof(*room));
    if (room != NULL) {
        dame_arena_init(&room->o.arena, room->first, sizeof(room->first));
        room->o.options = options != NULL ? options : dame_options_default();
        room->o.nested = 0;
        room->o.settled = 0;
        room->o.depth = 0;
        room->o.entries = 0;
        room->o.limit = (dame_limit_t){.what = NULL};
        memset(room->o.patterns, 0, sizeof(room->o.patterns));
        memset(room->o.recent, 0, sizeof(room->o.recent));
    }
    return room;
}

/* Ends a build with its answer. */
static dame_status_t room_free(room_t *room, dame_status_t status)
{
    const dame_limit_t limit = room->o.limit;
    dame_limit_t *out = room->o.options->limit;
    dame_arena_fini(&room->o.arena);
    dame_heap_free(room);
    if (status == DAME_OK || limit.what == NULL) {
        return status;
    }
    if (out != NULL) {
        *out = limit;
    }
    return DAME_ERR_LIMIT;
}

/* The passes that come when all of the normal form is known. */
static dame_status_t settle_need(dame_optimiser_t *o, const dame_node_t **top)
{
    o->settled = 1;
    return dame_passes(o, DAME_PASS_PATTERN) ? dame_pass_pattern(o, *top, top) : DAME_OK;
}

dame_status_t dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                 dame_program_t **out)
{
    const dame_program_t bounds = {.size = type->size,
                                   .extent = type->extent,
                                   .true_lb = type->true_lb,
                                   .true_ub = type->true_ub};
    room_t *room = room_new(options);
    if (room == NULL) {
        return DAME_ERR_NOMEM;
    }
    const dame_node_t *top;
    dame_status_t status = dame_node_lower(&room->o, type, &top);
    if (status == DAME_OK) {
        status = settle_need(&room->o, &top);
    }
    if (status == DAME_OK) {
        status = emit_program(&room->o, top, &bounds, out);
    }
    return room_free(room, status);
}

dame_status_t dame_program_optimise(const dame_program_t *program, const dame_options_t *options,
                                    dame_program_t **out)
{
    room_t *room = room_new(options);
    if (room == NULL) {
        return DAME_ERR_NOMEM;
    }
    const dame_node_t *top;
    dame_status_t status = dame_node_raise(&room->o, program, &top);
    if (status == DAME_OK) {
        status = settle_need(&room->o, &top);
    }
    if (status == DAME_OK) {
        status = emit_program(&room->o, top, program, out);
    }
    return room_free(room, status);
}

void dame_program_free(dame_program_t *program)
{
    dame_heap_free(program);
}
