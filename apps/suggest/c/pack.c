/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack and MPI_Unpack of basic datatypes, modelled by their effect (MPI 3.1, 4.2): a copy of
 * bytes and a step of the position. The rest of the analysis then sees an ordinary packing loop.
 * Calls that are not understood stay calls, and so the address of their position is taken. */
#include "datatype.h"
#include "run.h"

#include <string.h>

static const struct c_type char_type = {
    .kind = C_TYPE_INTEGER, .size = 1, .align = 1, .is_signed = true, .name = "char"};
static const struct c_type char_pointer = {.kind = C_TYPE_POINTER,
                                           .size = sizeof(char *),
                                           .align = sizeof(char *),
                                           .name = "char *",
                                           .inner = &char_type};

struct pack {
    struct c_node *buffer, *position, *data, *count, *datatype;
    bool unpacks;
};

static struct c_node *new_node(struct c_unit *unit, enum c_kind kind, const struct c_node *like,
                               const struct c_type *type, size_t n)
{
    struct c_node *node = c_allocate(unit->memory, sizeof *node);

    node->kind = kind;
    node->type = type;
    node->span = like->span;
    node->order = like->order;
    node->n = n;
    node->child = c_allocate(unit->memory, (n + 1) * sizeof *node->child);
    return node;
}

static void adopt(struct c_node *node, size_t i, struct c_node *child)
{
    node->child[i] = child;
    child->parent = node;
}

static struct c_node *clone(struct c_unit *unit, const struct c_node *node)
{
    struct c_node *copy = new_node(unit, node->kind, node, node->type, node->n);
    struct c_node **child = copy->child;
    size_t i;

    *copy = *node;
    copy->child = child;
    for (i = 0; i < node->n; i++) {
        adopt(copy, i, clone(unit, node->child[i]));
    }
    return copy;
}

static struct c_node *binary(struct c_unit *unit, enum c_operator op, const struct c_type *type,
                             struct c_node *left, struct c_node *right)
{
    struct c_node *node = new_node(unit, C_BINARY, left, type, 2);

    node->op = op;
    adopt(node, 0, left);
    adopt(node, 1, right);
    return node;
}

static bool is_int(const struct c_node *node)
{
    return node->type && node->type->kind == C_TYPE_INTEGER && node->type->is_signed &&
           node->type->size == 4;
}

/* The variable of `&variable`. */
static struct c_node *addressed(struct c_node *argument)
{
    while ((argument->kind == C_CAST || argument->kind == C_CONVERT) && argument->n == 1) {
        argument = argument->child[0];
    }
    if (argument->kind != C_UNARY || argument->op != C_OP_ADDRESS ||
        argument->child[0]->kind != C_NAME ||
        argument->child[0]->symbol->kind == C_SYMBOL_FUNCTION) {
        return NULL;
    }
    return argument->child[0];
}

static bool read_call(struct c_node *call, struct pack *pack)
{
    const char *name = c_callee(call);

    if (call->n != 8 || !call->symbol || call->symbol->body) {
        return false;
    }
    if (strcmp(name, "MPI_Pack") == 0) {
        *pack = (struct pack){.data = call->child[1],
                              .count = call->child[2],
                              .datatype = call->child[3],
                              .buffer = call->child[4],
                              .position = addressed(call->child[6])};
    } else if (strcmp(name, "MPI_Unpack") == 0) {
        *pack = (struct pack){.buffer = call->child[1],
                              .position = addressed(call->child[3]),
                              .data = call->child[4],
                              .count = call->child[5],
                              .datatype = call->child[6],
                              .unpacks = true};
    } else {
        return false;
    }
    return pack->position && is_int(pack->position) && is_int(pack->count) &&
           run_is_pure(pack->count) && run_is_pure(pack->buffer) && run_is_pure(pack->data) &&
           !c_mentions(pack->count, pack->position->symbol);
}

static struct c_node *bytes_of(struct c_unit *unit, const struct pack *pack, int64_t size)
{
    struct c_node *element = new_node(unit, C_INTEGER, pack->count, pack->count->type, 0);

    element->value = size;
    return binary(unit, C_OP_MUL, pack->count->type, clone(unit, pack->count), element);
}

/* The call becomes (memcpy(buffer + position, data, bytes), position += bytes, MPI_SUCCESS). */
static void lower(struct c_unit *unit, struct c_symbol *copy_symbol, struct c_node *call,
                  const struct pack *pack, int64_t size)
{
    struct c_node *copy = new_node(unit, C_CALL, call, &char_pointer, 4);
    struct c_node *as_bytes = new_node(unit, C_CAST, pack->buffer, &char_pointer, 1);
    struct c_node *step = new_node(unit, C_UPDATE, call, pack->position->type, 2);
    struct c_node *success = new_node(unit, C_INTEGER, call, call->type, 0);
    struct c_node *packed;
    struct c_node *parent = call->parent;
    const struct c_type *type = call->type;

    adopt(as_bytes, 0, pack->buffer);
    packed = binary(unit, C_OP_ADD, &char_pointer, as_bytes, clone(unit, pack->position));
    copy->symbol = copy_symbol;
    copy->datatype = pack->datatype;
    adopt(copy, 0, call->child[0]);
    adopt(copy, 1, pack->unpacks ? pack->data : packed);
    adopt(copy, 2, pack->unpacks ? packed : pack->data);
    adopt(copy, 3, bytes_of(unit, pack, size));
    step->op = C_OP_ADD;
    adopt(step, 0, pack->position);
    adopt(step, 1, bytes_of(unit, pack, size));
    *call = *binary(unit, C_OP_COMMA, type, binary(unit, C_OP_COMMA, type, copy, step), success);
    call->span = copy->span;
    call->parent = parent;
    call->child[0]->parent = call->child[1]->parent = call;
}

static void lower_all(struct c_unit *unit, struct c_symbol *copy, struct c_node *node)
{
    struct pack pack;
    size_t i;

    if (!node) {
        return;
    }
    for (i = 0; i < node->n; i++) {
        lower_all(unit, copy, node->child[i]);
    }
    if (node->kind == C_CALL && read_call(node, &pack)) {
        const struct c_datatype *basic = c_find_datatype(unit, pack.datatype);

        if (basic) {
            lower(unit, copy, node, &pack, basic->size);
        }
    }
}

void c_lower_pack(struct c_unit *unit)
{
    struct c_symbol *copy = c_allocate(unit->memory, sizeof *copy);
    size_t i;

    copy->kind = C_SYMBOL_FUNCTION;
    copy->name = "memcpy";
    for (i = 0; i < unit->n_functions; i++) {
        lower_all(unit, copy, unit->functions[i].body);
    }
}
