/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program to nodes: what the optimiser needs to work on a program again.
 */
#include <stddef.h>

#include "node.h"
#include "ops.h"

typedef struct raiser {
    dame_optimiser_t *o;
    const dame_program_t *program;
} raiser_t;

static dame_status_t raise_type(const raiser_t *r, const dame_prim_t *prim,
                                const dame_node_t **out);

static dame_status_t raise_leaf(const raiser_t *r, int64_t bytes, const dame_node_t **out)
{
    return dame_node_block(r->o, bytes, r->program->granule, out);
}

static int64_t *copy_disps(const raiser_t *r, const dame_prim_t *prim)
{
    r->o->entries += prim->count;
    int64_t *disps = dame_node_numbers(r->o, prim->count);
    for (int64_t i = 0; disps != NULL && i < prim->count; i++) {
        disps[i] = dame_prim_disp(prim, i);
    }
    return disps;
}

/* The Type below a Base or Final, behind the CONTIGCHILD if there is one. */
static dame_status_t raise_inner(const raiser_t *r, const dame_prim_t *prim,
                                 const dame_node_t **out)
{
    return raise_type(r, prim + (prim[1].params->op == DAME_OP_CONTIGCHILD ? 2 : 1), out);
}

static dame_status_t raise_ragged(const raiser_t *r, const dame_prim_t *prim,
                                  const dame_node_t **out)
{
    const dame_params_t *params = prim->params;
    const dame_node_t *inner;
    const int final = params->op == DAME_OP_INDEXFINAL;
    int64_t *blklens = dame_node_numbers(r->o, prim->count);
    int64_t *disps = copy_disps(r, prim);
    if (blklens == NULL || disps == NULL) {
        return DAME_ERR_NOMEM;
    }
    for (int64_t i = 0; i < prim->count; i++) {
        blklens[i] = dame_iter_size(prim, i) / (final ? 1 : params->size);
    }
    if (final) { /* its size is not an element's if they differ */
        return dame_node_bytes(r->o, prim->count, blklens, disps, r->program->granule, out);
    }
    dame_status_t status = raise_inner(r, prim, &inner);
    return status != DAME_OK
               ? status
               : dame_node_ragged(r->o, prim->count, blklens, disps, params->extent, inner, out);
}

static dame_status_t raise_uniform(const raiser_t *r, const dame_prim_t *prim, int has_list,
                                   const dame_node_t **out)
{
    const dame_params_t *params = prim->params;
    const dame_node_t *inner, *block;
    dame_status_t status;
    if (dame_op_class(params->op) == DAME_CLASS_FINAL) {
        status = raise_leaf(r, prim->iter_size, &block);
    } else {
        status = raise_inner(r, prim, &inner);
        if (status == DAME_OK) {
            status = dame_node_loop(r->o, params->blklen, params->extent, inner, &block);
        }
    }
    if (status != DAME_OK) {
        return status;
    }
    if (!has_list) {
        return dame_node_loop(r->o, prim->count, prim->step, block, out);
    }
    int64_t *disps = copy_disps(r, prim);
    return disps == NULL ? DAME_ERR_NOMEM : dame_node_list(r->o, prim->count, disps, block, out);
}

/* The node of block i, taken from a block before it that has the same subprogram, if one is near.
 */
static dame_status_t raise_block(const raiser_t *r, const dame_prim_t *prim, int64_t i,
                                 const dame_node_t **children)
{
    const dame_params_t *params = prim->params;
    enum { NEAR = 8 };
    for (int64_t k = i - 1; k >= 0 && k >= i - NEAR; k--) {
        if (params->sub_deltas[k] == params->sub_deltas[i]) {
            children[i] = children[k];
            return DAME_OK;
        }
    }
    const dame_node_t *inner;
    const dame_prim_t *returnto = prim + params->sub_deltas[i];
    dame_status_t status = raise_inner(r, returnto, &inner);
    return status != DAME_OK
               ? status
               : dame_node_loop(r->o, params->blklens[i], params->extents[i], inner, &children[i]);
}

static dame_status_t raise_struct(const raiser_t *r, const dame_prim_t *prim,
                                  const dame_node_t **out)
{
    const dame_node_t **children = dame_node_nodes(r->o, prim->count);
    int64_t *disps = copy_disps(r, prim);
    dame_status_t status = children == NULL || disps == NULL ? DAME_ERR_NOMEM : DAME_OK;
    for (int64_t i = 0; status == DAME_OK && i < prim->count; i++) {
        status = raise_block(r, prim, i, children);
    }
    return status != DAME_OK ? status : dame_node_struct(r->o, prim->count, disps, children, out);
}

static dame_status_t raise_type(const raiser_t *r, const dame_prim_t *prim, const dame_node_t **out)
{
    switch (prim->params->op) {
    case DAME_OP_CONTIGFINAL:
        return raise_leaf(r, prim->params->size, out);
    case DAME_OP_STRUCT:
        return raise_struct(r, prim, out);
    case DAME_OP_INDEX:
    case DAME_OP_INDEXFINAL:
        return raise_ragged(r, prim, out);
    case DAME_OP_BLOCKINDEX:
    case DAME_OP_BLOCKINDEX1:
    case DAME_OP_BLOCKINDEXFINAL:
        return raise_uniform(r, prim, 1, out);
    case DAME_OP_CONTIG:
    case DAME_OP_VECTOR:
    case DAME_OP_VECTOR1:
    case DAME_OP_VECTORFINAL:
        return raise_uniform(r, prim, 0, out);
    default:
        return DAME_ERR_ARGUMENT;
    }
}

dame_status_t dame_node_raise(dame_optimiser_t *o, const dame_program_t *program,
                              const dame_node_t **out)
{
    raiser_t raiser = {.o = o, .program = program};
    if (program->size == 0) {
        *out = &dame_node_empty;
        return DAME_OK;
    }
    return raise_type(&raiser, &program->prims[1], out);
}
