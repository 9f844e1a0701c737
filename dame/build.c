/*
 * Nodes to program: sizes, tables and run kernels of every primitive, in one allocation.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "node.h"

/* What a program needs of memory. */
typedef struct need {
    int64_t prims;
    int64_t words;  /* 64-bit table entries */
    int64_t inners; /* 32-bit table entries */
} need_t;

typedef struct emitter {
    dame_program_t *program;
    int64_t *words;
    int32_t *inners;
    int32_t next; /* index of the next primitive */
} emitter_t;

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

static void measure(const dame_node_t *node, need_t *need)
{
    switch (node->shape) {
    case DAME_SHAPE_EMPTY:
    case DAME_SHAPE_BLOCK:
        need->prims += 1; /* CONTIGFINAL */
        return;
    case DAME_SHAPE_LIST:
        need->words += node->count;
        break;
    case DAME_SHAPE_RAGGED:
        need->words += 2 * node->count + 1;
        break;
    case DAME_SHAPE_STRUCT:
        need->prims += 1;
        need->words += 4 * node->count + 1;
        need->inners += 2 * node->count;
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

static int64_t *take_words(emitter_t *emitter, int64_t n)
{
    int64_t *words = emitter->words;
    emitter->words += n;
    return words;
}

static dame_prim_t *add_prim(emitter_t *emitter, dame_op_t op)
{
    dame_prim_t *prim = &emitter->program->prims[emitter->next++];
    prim->op = op;
    return prim;
}

static int32_t emit(emitter_t *emitter, const dame_node_t *node);

/* The level within a block of several instances. Returns what the level above has as `inner`. */
static int32_t emit_contigchild(emitter_t *emitter, int64_t count, int64_t extent,
                                const dame_node_t *child)
{
    dame_prim_t *prim = add_prim(emitter, DAME_OP_CONTIGCHILD);
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
static int32_t emit_inner(emitter_t *emitter, const dame_node_t *node)
{
    if (needs_contigchild(node)) {
        return emit_contigchild(emitter, DAME_SHAPE_RAGGED == node->shape ? 0 : node->blklen,
                                node->extent, node->child);
    }
    return emit(emitter, node->child);
}

/* What LOOP and LIST have in common: blocks of one blocklength. */
static void emit_uniform(emitter_t *emitter, const dame_node_t *node, dame_op_t op,
                         const int64_t *disps)
{
    dame_prim_t *prim = add_prim(emitter, op);
    prim->count = node->count;
    prim->step = node->step;
    prim->disps = disps;
    prim->isize = node->blklen * node->child->size;
    prim->blklen = node->blklen;
    prim->size = node->child->size;
    prim->extent = is_final(node) ? node->child->size : node->extent;
    prim->inner = emit_inner(emitter, node);
    dame_kernels_select(prim);
}

static void emit_loop(emitter_t *emitter, const dame_node_t *node)
{
    dame_op_t op = is_final(node)               ? DAME_OP_VECTORFINAL
                   : node->blklen > 1           ? DAME_OP_VECTOR
                   : node->step == node->extent ? DAME_OP_CONTIG
                                                : DAME_OP_VECTOR1;
    emit_uniform(emitter, node, op, NULL);
}

static void emit_list(emitter_t *emitter, const dame_node_t *node)
{
    dame_op_t op = is_final(node)     ? DAME_OP_BLOCKINDEXFINAL
                   : node->blklen > 1 ? DAME_OP_BLOCKINDEX
                                      : DAME_OP_BLOCKINDEX1;
    int64_t *disps = take_words(emitter, node->count);
    memcpy(disps, node->disps, (size_t) node->count * sizeof(*disps));
    emit_uniform(emitter, node, op, disps);
}

static void emit_ragged(emitter_t *emitter, const dame_node_t *node)
{
    dame_prim_t *prim = add_prim(emitter, is_final(node) ? DAME_OP_INDEXFINAL : DAME_OP_INDEX);
    int64_t *disps = take_words(emitter, node->count);
    int64_t *prefix = take_words(emitter, node->count + 1);
    int64_t sum = 0;
    for (int64_t i = 0; i < node->count; i++) {
        disps[i] = node->disps[i];
        prefix[i] = sum;
        sum += node->blklens[i] * node->child->size;
    }
    prefix[node->count] = sum;
    prim->count = node->count;
    prim->disps = disps;
    prim->prefix = prefix;
    prim->size = node->child->size;
    prim->extent = node->extent;
    prim->inner = emit_inner(emitter, node);
    dame_kernels_select(prim);
}

static void emit_struct(emitter_t *emitter, const dame_node_t *node)
{
    int64_t self = emitter->next;
    dame_prim_t *prim = add_prim(emitter, DAME_OP_STRUCT);
    size_t bytes = (size_t) node->count * sizeof(int64_t);
    int64_t *disps = take_words(emitter, node->count);
    int64_t *blklens = take_words(emitter, node->count);
    int64_t *extents = take_words(emitter, node->count);
    int64_t *prefix = take_words(emitter, node->count + 1);
    int32_t *inners = emitter->inners;
    int32_t *subs = inners + node->count;
    emitter->inners += 2 * node->count;
    memcpy(disps, node->disps, bytes);
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
        add_prim(emitter, DAME_OP_RETURNTO)->ret = self;
        int32_t inner = blklens[i] > 1 ? emit_contigchild(emitter, blklens[i], extents[i], child)
                                       : emit(emitter, child);
        inners[i] = 0 == inner ? 0 : subs[i] + 1;
        add_prim(emitter, DAME_OP_BOTTOM);
    }
    prefix[node->count] = sum;
    prim->count = node->count;
    prim->disps = disps;
    prim->blklens = blklens;
    prim->extents = extents;
    prim->prefix = prefix;
    prim->inners = inners;
    prim->subs = subs;
    dame_kernels_select(prim);
}

/* Writes a node's primitives; returns 1, or 0 when it is a contiguous block and no level. */
static int32_t emit(emitter_t *emitter, const dame_node_t *node)
{
    switch (node->shape) {
    case DAME_SHAPE_EMPTY:
    case DAME_SHAPE_BLOCK:
        add_prim(emitter, DAME_OP_CONTIGFINAL)->size = node->size;
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

static dame_status_t allocate(const dame_node_t *top, dame_program_t **out, emitter_t *emitter)
{
    need_t need = {.prims = 2}; /* EXIT, BOTTOM */
    measure(top, &need);
    if (need.prims > DAME_MAX_PRIMS) {
        return DAME_ERR_NOMEM;
    }
    size_t prims = sizeof(dame_program_t) + (size_t) need.prims * sizeof(dame_prim_t);
    size_t words = (size_t) need.words * sizeof(int64_t);
    size_t memory = prims + words + (size_t) need.inners * sizeof(int32_t);
    dame_program_t *program = malloc(memory);
    if (NULL == program) {
        return DAME_ERR_NOMEM;
    }
    memset(program, 0, prims);
    program->nprims = (int32_t) need.prims;
    program->memory = memory;
    *emitter = (emitter_t){.program = program,
                           .words = (int64_t *) ((char *) program + prims),
                           .inners = (int32_t *) ((char *) program + prims + words)};
    *out = program;
    return DAME_OK;
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
    emitter_t emitter;
    dame_program_t *program;
    dame_status_t status = allocate(top, &program, &emitter);
    if (DAME_OK != status) {
        return status;
    }
    program->size = type->size;
    program->extent = type->extent;
    program->true_lb = type->true_lb;
    program->true_ub = type->true_ub;
    program->granule = top->granule;
    dame_prim_t *prim = add_prim(&emitter, DAME_OP_EXIT);
    prim->step = type->extent;
    prim->isize = type->size;
    prim->blklen = 1;
    prim->size = type->size;
    prim->extent = type->extent;
    prim->inner = emit(&emitter, top);
    add_prim(&emitter, DAME_OP_BOTTOM);
    dame_kernels_select(prim);
    program->depth = level_depth(prim);
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
