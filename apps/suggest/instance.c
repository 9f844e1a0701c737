/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and types at given sizes. */
#include "instance.h"

#include <stdlib.h>
#include <string.h>

bool instance_init(instance_t *instance, const access_program_t *program)
{
    int natoms = poly_atoms(program->space);
    *instance = (instance_t){.program = program, .natoms = natoms, .span = 5, .seed = 1};
    instance->values = calloc(natoms > 0 ? (size_t) natoms : 1, sizeof(*instance->values));
    return instance->values != NULL;
}

void instance_fini(instance_t *instance)
{
    free(instance->values);
    instance->values = NULL;
}

uint64_t instance_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int64_t value_of(void *data, poly_atom_t atom)
{
    const instance_t *instance = data;
    return atom < instance->natoms ? instance->values[atom] : 0;
}

static uint64_t hashed(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char) *text) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t mixed(uint64_t hash, int64_t value)
{
    uint64_t state = hash ^ (uint64_t) value;
    return instance_random(&state);
}

static int64_t entry_of(void *data, poly_atom_t atom, int count, const int64_t *subscripts)
{
    const instance_t *instance = data;
    uint64_t hash = hashed(instance->seed, poly_atom_text(instance->program->space, atom));
    for (int i = 0; i < count; i++) {
        hash = mixed(hash, subscripts[i]);
    }
    if (instance->span == 0) {
        return (int64_t) ((uint64_t) subscripts[count - 1] * 2 + (hash & 1));
    }
    return instance->low + (int64_t) (hash % (uint64_t) instance->span);
}

bool instance_value(const instance_t *instance, const poly_t *a, int64_t *value)
{
    poly_values_t values = {value_of, entry_of, (void *) (uintptr_t) instance};
    return poly_value(instance->program->space, a, &values, value);
}

bool instance_holds(const instance_t *instance, const access_guard_t *guard, bool *holds)
{
    uint64_t hash = hashed(instance->seed + 1, guard->condition);
    for (int i = 0; i < guard->nbindings; i++) {
        int64_t value;
        if (!instance_value(instance, guard->bindings[i].value, &value)) {
            return false;
        }
        hash = mixed(hash, value);
    }
    *holds = instance->open || hash % 3 != 0;
    return true;
}

/* ---- types of DAME ---- */

typedef struct maker {
    instance_t *instance;
    int64_t apart, left;
    dame_tree_t *tree;
} maker_t;

typedef struct block {
    int64_t displacement;
    const dame_type_t *type;
} block_t;

/* Children of structs and lists at an instance. */
typedef struct blocks {
    block_t *blocks;
    size_t count, room;
} blocks_t;

static dame_status_t make_type(maker_t *maker, const types_node_t *node, const dame_type_t **out);

static dame_status_t value(const maker_t *maker, const poly_t *a, int64_t *out)
{
    return instance_value(maker->instance, a, out) ? DAME_OK : DAME_ERR_RANGE;
}

static dame_status_t count_of(const maker_t *maker, const types_node_t *node, int64_t *count)
{
    dame_status_t status = value(maker, node->count, count);
    for (int i = 0; i < node->nclamps && status == DAME_OK; i++) {
        int64_t clamp;
        status = value(maker, node->clamps[i], &clamp);
        *count = clamp < 0 ? 0 : *count;
    }
    return status;
}

/* The address, with bases apart. */
static dame_status_t address_of(const maker_t *maker, types_address_t address, int64_t *out)
{
    int64_t base;
    dame_status_t status = value(maker, address.offset, out);
    if (status == DAME_OK && (__builtin_mul_overflow(address.base, maker->apart, &base) ||
                              __builtin_add_overflow(*out, base, out))) {
        status = DAME_ERR_RANGE;
    }
    return status;
}

static dame_status_t add_block(maker_t *maker, const types_node_t *child, int64_t from,
                               blocks_t *blocks)
{
    block_t block;
    bool holds = true;
    if (child->guard != NULL && !instance_holds(maker->instance, child->guard, &holds)) {
        return DAME_ERR_RANGE;
    }
    if (!holds) {
        return DAME_OK;
    }
    dame_status_t status = address_of(maker, child->origin, &block.displacement);
    if (status == DAME_OK &&
        __builtin_sub_overflow(block.displacement, from, &block.displacement)) {
        status = DAME_ERR_RANGE;
    }
    if (status == DAME_OK) {
        status = make_type(maker, child, &block.type);
    }
    if (status != DAME_OK) {
        return status;
    }
    if (maker->left-- <= 0) {
        return DAME_ERR_LIMIT;
    }
    if (blocks->count == blocks->room) {
        size_t room = blocks->room > 0 ? 2 * blocks->room : 16;
        block_t *larger = realloc(blocks->blocks, room * sizeof(*larger));
        if (larger == NULL) {
            return DAME_ERR_NOMEM;
        }
        blocks->blocks = larger;
        blocks->room = room;
    }
    blocks->blocks[blocks->count++] = block;
    return DAME_OK;
}

/* The children for each iteration of loops from number `loop` on. */
static dame_status_t add_blocks(maker_t *maker, const types_node_t *node, int loop, int64_t from,
                                blocks_t *blocks)
{
    dame_status_t status = DAME_OK;
    if (loop == node->nloops) {
        for (int i = 0; i < node->nchildren && status == DAME_OK; i++) {
            status = add_block(maker, node->children[i], from, blocks);
        }
        return status;
    }
    int64_t trip;
    int64_t *variable = &maker->instance->values[node->loops[loop].variable];
    status = value(maker, node->loops[loop].trip, &trip);
    for (int64_t i = 0; i < trip && status == DAME_OK; i++) {
        if (maker->left-- <= 0) {
            return DAME_ERR_LIMIT;
        }
        *variable = i;
        status = add_blocks(maker, node, loop + 1, from, blocks);
    }
    *variable = 0;
    return status;
}

static dame_status_t make_struct(maker_t *maker, const types_node_t *node, const dame_type_t **out)
{
    blocks_t blocks = {NULL, 0, 0};
    int64_t from;
    dame_status_t status = address_of(maker, node->origin, &from);
    if (status == DAME_OK) {
        status = add_blocks(maker, node, 0, from, &blocks);
    }
    if (status == DAME_OK) {
        int64_t n = (int64_t) blocks.count;
        int64_t *lengths = dame_tree_array(maker->tree, n);
        int64_t *displacements = dame_tree_array(maker->tree, n);
        const dame_type_t **types = dame_tree_types(maker->tree, n);
        status =
            lengths != NULL && displacements != NULL && types != NULL ? DAME_OK : DAME_ERR_NOMEM;
        for (int64_t i = 0; i < n && status == DAME_OK; i++) {
            lengths[i] = 1;
            displacements[i] = blocks.blocks[i].displacement;
            types[i] = blocks.blocks[i].type;
        }
        if (status == DAME_OK) {
            status = dame_type_struct(maker->tree, n, lengths, displacements, types, out);
        }
    }
    free(blocks.blocks);
    return status;
}

static dame_status_t make_type(maker_t *maker, const types_node_t *node, const dame_type_t **out)
{
    const dame_type_t *inner;
    int64_t count, stride;
    dame_status_t status = DAME_OK;
    switch (node->kind) {
    case TYPES_DENSE:
        status = count_of(maker, node, &count);
        if (status == DAME_OK) {
            status = dame_type_basic(maker->tree, node->type.size, &inner);
        }
        return status != DAME_OK ? status : dame_type_contig(maker->tree, count, inner, out);
    case TYPES_VECTOR:
        status = count_of(maker, node, &count);
        status = status != DAME_OK ? status : value(maker, node->stride, &stride);
        status = status != DAME_OK ? status : make_type(maker, node->children[0], &inner);
        status = status != DAME_OK ? status
                                   : dame_type_vector(maker->tree, count, 1, stride, inner, out);
        break;
    default:
        status = make_struct(maker, node, out);
    }
    return status;
}

dame_status_t instance_type(instance_t *instance, const types_node_t *node, int64_t apart,
                            int64_t most, dame_tree_t *tree, const dame_type_t **out)
{
    maker_t maker = {instance, apart, most, tree};
    return make_type(&maker, node, out);
}
