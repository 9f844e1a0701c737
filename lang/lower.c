/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Type tree to nodes.
 */
#include <stddef.h>
#include <string.h>

#include "node.h"

static dame_status_t lower_blockindex(dame_optimiser_t *o, const dame_type_t *type,
                                      const dame_node_t *child, const dame_node_t **out)
{
    o->entries += type->count;
    int64_t *disps = dame_node_numbers(o, type->count);
    if (disps == NULL) {
        return DAME_ERR_NOMEM;
    }
    memcpy(disps, type->disps, (size_t) type->count * sizeof(*disps));
    const dame_node_t *block;
    dame_status_t status = dame_node_loop(o, type->blklen, type->child->extent, child, &block);
    return status != DAME_OK ? status : dame_node_list(o, type->count, disps, block, out);
}

static dame_status_t lower_index(dame_optimiser_t *o, const dame_type_t *type,
                                 const dame_node_t *child, const dame_node_t **out)
{
    dame_flat_t list;
    o->entries += type->count;
    dame_status_t status = dame_flat_new(o, type->count, &list);
    if (status != DAME_OK) {
        return status;
    }
    for (int64_t i = 0; i < type->count; i++) {
        if (type->blklens[i] > 0) {
            list.lengths[list.count] = type->blklens[i];
            list.disps[list.count++] = type->disps[i];
        }
    }
    return dame_node_ragged(o, list.count, list.lengths, list.disps, type->child->extent, child,
                            out);
}

static dame_status_t lower_struct(dame_optimiser_t *o, const dame_type_t *type,
                                  const dame_node_t **out)
{
    o->entries += type->count;
    int64_t *disps = dame_node_numbers(o, type->count);
    const dame_node_t **children = dame_node_nodes(o, type->count);
    if (disps == NULL || children == NULL) {
        return DAME_ERR_NOMEM;
    }
    int64_t n = 0;
    for (int64_t i = 0; i < type->count; i++) {
        const dame_type_t *child = type->children[i];
        if (type->blklens[i] == 0 || child->size == 0) {
            continue;
        }
        const dame_node_t *node;
        dame_status_t status = dame_node_lower(o, child, &node);
        if (status == DAME_OK) {
            status = dame_node_loop(o, type->blklens[i], child->extent, node, &children[n]);
        }
        if (status != DAME_OK) {
            return status;
        }
        disps[n++] = type->disps[i];
    }
    return dame_node_struct(o, n, disps, children, out);
}

static dame_status_t lower_vector(dame_optimiser_t *o, const dame_type_t *type,
                                  const dame_node_t *child, const dame_node_t **out)
{
    const dame_node_t *block;
    dame_status_t status = dame_node_loop(o, type->blklen, type->child->extent, child, &block);
    return status != DAME_OK ? status : dame_node_loop(o, type->count, type->stride, block, out);
}

static dame_status_t lower(dame_optimiser_t *o, const dame_type_t *type, const dame_node_t **out)
{
    if (type->kind == DAME_BASIC) {
        return dame_node_block(o, type->size, type->size, out);
    }
    if (type->kind == DAME_STRUCT) {
        return lower_struct(o, type, out);
    }
    const dame_node_t *child;
    dame_status_t status = dame_node_lower(o, type->child, &child);
    if (status != DAME_OK) {
        return status;
    }
    switch (type->kind) {
    case DAME_RESIZED:
        *out = child;
        return DAME_OK;
    case DAME_CONTIG:
        return dame_node_loop(o, type->count, type->child->extent, child, out);
    case DAME_VECTOR:
        return lower_vector(o, type, child, out);
    case DAME_BLOCKINDEX:
        return lower_blockindex(o, type, child, out);
    case DAME_INDEX:
        return lower_index(o, type, child, out);
    default:
        return DAME_ERR_ARGUMENT;
    }
}

dame_status_t dame_node_lower(dame_optimiser_t *o, const dame_type_t *type, const dame_node_t **out)
{
    if (type->size == 0) {
        *out = &dame_node_empty;
        return DAME_OK;
    }
    dame_recent_t *recent = &o->recent[dame_recent_slot(type)];
    if (type == recent->type) {
        *out = recent->node;
        return DAME_OK;
    }
    if (o->depth == DAME_MAX_NESTING) {
        o->limit = (dame_limit_t){"nested constructors", DAME_MAX_NESTING, o->depth + 1};
        return DAME_ERR_LIMIT;
    }
    o->depth++;
    dame_status_t status = lower(o, type, out);
    o->depth--;
    if (status == DAME_OK) {
        *recent = (dame_recent_t){type, *out};
    }
    return status;
}
