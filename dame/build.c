/*
 * Nodes to program: sizes, tables and run kernels of every primitive, in one allocation.
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "kernels.h"
#include "node.h"

static int needs_contigchild(const dame_node_t *node)
{
    if (DAME_SHAPE_RAGGED == node->shape) {
        return !dame_node_dense(node->child, node->extent);
    }
    return node->blklen > 1 && !dame_node_dense(node->child, node->extent);
}

/* Blocks are contiguous: a Final primitive. */
static int is_final(const dame_node_t *node)
{
    return DAME_SHAPE_BLOCK == node->child->shape && !needs_contigchild(node);
}

static void measure(const dame_node_t *node, dame_need_t *need)
{
    switch (node->shape) {
    case DAME_SHAPE_EMPTY:
    case DAME_SHAPE_BLOCK:
        need->prims += 1; /* CONTIGFINAL */
        return;
    case DAME_SHAPE_LIST:
        dame_need_disps(need, DAME_OP_BLOCKINDEX, node->disps, node->count);
        break;
    case DAME_SHAPE_RAGGED:
        dame_need_disps(need, DAME_OP_INDEX, node->disps, node->count);
        need->words += node->count + 1;
        break;
    case DAME_SHAPE_STRUCT:
        need->prims += 1;
        dame_need_disps(need, DAME_OP_STRUCT, node->disps, node->count);
        need->words += 3 * node->count + 1;
        need->halves += 2 * node->count;
        for (int64_t i = 0; i < node->count && need->prims < DAME_MAX_PRIMS; i++) {
            if (i != node->same[i]) {
                continue;
            }
            need->prims += 2 + (node->blklens[i] > 1); /* RETURNTO, BOTTOM, CONTIGCHILD */
            measure(node->children[i], need);
        }
        return;
    case DAME_SHAPE_LOOP:
        break;
    }
    need->prims += 1 + needs_contigchild(node);
    measure(node->child, need);
}

static int32_t emit(dame_emitter_t *emitter, const dame_node_t *node);

/* The level within a block of several instances. Returns what the level above has as `inner`. */
static int32_t emit_contigchild(dame_emitter_t *emitter, int64_t count, int64_t extent,
                                const dame_node_t *child)
{
    dame_prim_t *prim = dame_emit_prim(emitter, DAME_OP_CONTIGCHILD);
    prim->count = count;
    prim->step = extent;
    prim->isize = child->size;
    prim->blklen = 1;
    prim->size = child->size;
    prim->extent = extent;
    prim->inner = emit(emitter, child);
    dame_kernels_select(prim);
    return 1;
}

/* What follows a level primitive: CONTIGCHILD or not, and the inner type. */
static int32_t emit_inner(dame_emitter_t *emitter, const dame_node_t *node)
{
    if (needs_contigchild(node)) {
        return emit_contigchild(emitter, DAME_SHAPE_RAGGED == node->shape ? 0 : node->blklen,
                                node->extent, node->child);
    }
    return emit(emitter, node->child);
}

/* What LOOP and LIST have in common: blocks of one blocklength. */
static void emit_uniform(dame_emitter_t *emitter, const dame_node_t *node, dame_op_t op)
{
    dame_prim_t *prim = dame_emit_prim(emitter, op);
    if (DAME_SHAPE_LIST == node->shape) {
        dame_emit_disps(emitter, prim, node->disps, node->count);
    }
    prim->count = node->count;
    prim->step = node->step;
    prim->isize = node->blklen * node->child->size;
    prim->blklen = node->blklen;
    prim->size = node->child->size;
    prim->extent = is_final(node) ? node->child->size : node->extent;
    prim->inner = emit_inner(emitter, node);
    dame_kernels_select(prim);
}

static void emit_loop(dame_emitter_t *emitter, const dame_node_t *node)
{
    dame_op_t op = is_final(node)               ? DAME_OP_VECTORFINAL
                   : node->blklen > 1           ? DAME_OP_VECTOR
                   : node->step == node->extent ? DAME_OP_CONTIG
                                                : DAME_OP_VECTOR1;
    emit_uniform(emitter, node, op);
}

static void emit_list(dame_emitter_t *emitter, const dame_node_t *node)
{
    dame_op_t op = is_final(node)     ? DAME_OP_BLOCKINDEXFINAL
                   : node->blklen > 1 ? DAME_OP_BLOCKINDEX
                                      : DAME_OP_BLOCKINDEX1;
    emit_uniform(emitter, node, op);
}

static void emit_ragged(dame_emitter_t *emitter, const dame_node_t *node)
{
    dame_prim_t *prim =
        dame_emit_prim(emitter, is_final(node) ? DAME_OP_INDEXFINAL : DAME_OP_INDEX);
    dame_emit_disps(emitter, prim, node->disps, node->count);
    int64_t *prefix = dame_emit_words(emitter, node->count + 1);
    int64_t sum = 0;
    for (int64_t i = 0; i < node->count; i++) {
        prefix[i] = sum;
        sum += node->blklens[i] * node->child->size;
    }
    prefix[node->count] = sum;
    prim->count = node->count;
    prim->prefix = prefix;
    prim->size = node->child->size;
    prim->extent = node->extent;
    prim->inner = emit_inner(emitter, node);
    dame_kernels_select(prim);
}

static void emit_struct(dame_emitter_t *emitter, const dame_node_t *node)
{
    int64_t self = emitter->next;
    dame_prim_t *prim = dame_emit_prim(emitter, DAME_OP_STRUCT);
    size_t bytes = (size_t) node->count * sizeof(int64_t);
    dame_emit_disps(emitter, prim, node->disps, node->count);
    int64_t *blklens = dame_emit_words(emitter, node->count);
    int64_t *extents = dame_emit_words(emitter, node->count);
    int64_t *prefix = dame_emit_words(emitter, node->count + 1);
    int32_t *inners = dame_emit_halves(emitter, node->count);
    int32_t *subs = dame_emit_halves(emitter, node->count);
    memcpy(blklens, node->blklens, bytes);
    memcpy(extents, node->extents, bytes);
    int64_t sum = 0;
    for (int64_t i = 0; i < node->count; i++) {
        const dame_node_t *child = node->children[i];
        int64_t same = node->same[i];
        prefix[i] = sum;
        sum += blklens[i] * child->size;
        if (same != i) {
            inners[i] = inners[same];
            subs[i] = subs[same];
            continue;
        }
        subs[i] = (int32_t) (emitter->next - self);
        dame_emit_prim(emitter, DAME_OP_RETURNTO)->ret = self;
        int32_t inner = blklens[i] > 1 ? emit_contigchild(emitter, blklens[i], extents[i], child)
                                       : emit(emitter, child);
        inners[i] = 0 == inner ? 0 : subs[i] + 1;
        dame_emit_prim(emitter, DAME_OP_BOTTOM);
    }
    prefix[node->count] = sum;
    prim->count = node->count;
    prim->blklens = blklens;
    prim->extents = extents;
    prim->prefix = prefix;
    prim->inners = inners;
    prim->subs = subs;
    dame_kernels_select(prim);
}

/* Writes a node's primitives; returns 1, or 0 when it is a contiguous block and no level. */
static int32_t emit(dame_emitter_t *emitter, const dame_node_t *node)
{
    switch (node->shape) {
    case DAME_SHAPE_EMPTY:
    case DAME_SHAPE_BLOCK:
        dame_emit_prim(emitter, DAME_OP_CONTIGFINAL)->size = node->size;
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
    for (int64_t i = 0; NULL != prim->inners && i < prim->count; i++) {
        if (prim->subs[i] <= newest) { /* seen: subprograms stand in the order of their first use */
            continue;
        }
        newest = prim->subs[i];
        int32_t depth = 0 == prim->inners[i] ? 0 : level_depth(prim + prim->inners[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    if (0 != prim->inner) {
        deepest = level_depth(prim + prim->inner);
    }
    return 1 + deepest;
}

/* The program of a lowered type. */
static dame_status_t emit_program(const dame_type_t *type, const dame_node_t *top,
                                  dame_program_t **out)
{
    dame_node_t shift = {.shape = DAME_SHAPE_LIST, .count = 1, .blklen = 1};
    if (0 != top->off) { /* no list below took the displacement */
        shift.size = top->size;
        shift.granule = top->granule;
        shift.extent = type->extent;
        shift.disps = &top->off;
        shift.child = top;
        top = &shift;
    }
    dame_need_t need = {.prims = 2}; /* EXIT, BOTTOM */
    measure(top, &need);
    dame_emitter_t emitter;
    dame_status_t status = dame_emitter_init(&emitter, &need);
    if (DAME_OK != status) {
        return status;
    }
    dame_program_t *program = emitter.program;
    program->size = type->size;
    program->extent = type->extent;
    program->true_lb = type->true_lb;
    program->true_ub = type->true_ub;
    program->granule = top->granule;
    dame_emit_prim(&emitter, DAME_OP_EXIT);
    int32_t inner = emit(&emitter, top);
    dame_emit_prim(&emitter, DAME_OP_BOTTOM);
    dame_emit_exit(program, inner);
    program->depth = level_depth(program->prims);
    *out = program;
    return DAME_OK;
}

dame_status_t dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                 dame_program_t **out)
{
    (void) options;
    struct room {
        dame_lowering_t lowering;
        _Alignas(16) char first[8192]; /* regular types need no second allocation */
    } *room = malloc(sizeof(*room));   /* threads may have little stack */
    if (NULL == room) {
        return DAME_ERR_NOMEM;
    }
    dame_arena_init(&room->lowering.arena, room->first, sizeof(room->first));
    memset(room->lowering.recent, 0, sizeof(room->lowering.recent));
    const dame_node_t *top;
    dame_status_t status = dame_node_lower(&room->lowering, type, &top);
    if (DAME_OK == status) {
        status = emit_program(type, top, out);
    }
    dame_arena_fini(&room->lowering.arena);
    free(room);
    return status;
}

void dame_program_free(dame_program_t *program)
{
    free(program);
}
