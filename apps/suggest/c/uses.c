/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to the addresses of a unit's variables. Flow-insensitive: one use that is not
 * understood anywhere in the unit is enough. */
#include "run.h"

#include <string.h>

static bool is_scalar(const c_symbol_t *symbol)
{
    return symbol->type->kind != C_TYPE_ARRAY && symbol->type->kind != C_TYPE_RECORD;
}

static void add_flow(c_unit_t *unit, c_symbol_t *from, c_symbol_t *to)
{
    c_symbol_t **flows;
    size_t i;

    for (i = 0; i < from->n_flows; i++) {
        if (from->flows[i] == to) {
            return;
        }
    }
    flows = c_allocate(unit->memory, (from->n_flows + 1) * sizeof *flows);
    if (from->n_flows > 0) {
        memcpy(flows, from->flows, from->n_flows * sizeof *flows);
    }
    flows[from->n_flows++] = to;
    from->flows = flows;
}

/* The argument of an MPI function is used by it, and forgotten by the time its request is complete.
 */
static bool harmless_call(const c_node_t *call)
{
    static const char *const names[] = {"free", "memcpy", "memmove", "memset", "memcmp"};
    const char *name = c_callee(call);
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return c_is_mpi(call) && !strstr(name, "_init") && !strstr(name, "Win_") &&
           !strstr(name, "Buffer_attach") && !strstr(name, "attr");
}

/* &request: MPI writes it, and keeps nothing. */
static bool is_mpi_argument(const c_node_t *address)
{
    const c_node_t *parent = address->parent;

    while (parent && (parent->kind == C_CONVERT || parent->kind == C_CAST)) {
        parent = parent->parent;
    }
    return parent && parent->kind == C_CALL && c_is_mpi(parent);
}

/* memcpy(to, &x, n) reads x now, and keeps nothing. */
static bool is_copied(const c_node_t *address)
{
    const c_node_t *argument = address, *parent = address->parent;

    while (parent && (parent->kind == C_CONVERT || parent->kind == C_CAST)) {
        argument = parent;
        parent = parent->parent;
    }
    return parent && parent->kind == C_CALL && parent->n == 4 && parent->child[2] == argument &&
           (strcmp(c_callee(parent), "memcpy") == 0 || strcmp(c_callee(parent), "memmove") == 0);
}

/* How does its parent use the address that the expression NODE yields? */
static void follow_address(c_unit_t *unit, c_symbol_t *symbol, const c_node_t *node)
{
    const c_node_t *parent = node->parent;

    for (; parent; node = parent, parent = parent->parent) {
        switch (parent->kind) {
        case C_CAST:
        case C_CONVERT:
            /* a parameter that is written as an array is a pointer */
            if (parent->type->kind != C_TYPE_POINTER && parent->type->kind != C_TYPE_ARRAY) {
                symbol->escapes = true;
                return;
            }
            break;
        case C_SUBSCRIPT:
            if (parent->child[1] == node) {
                symbol->escapes = true;
                return;
            }
            if (parent->type->kind != C_TYPE_ARRAY) {
                return; /* an element; & of it is followed from there */
            }
            break;
        case C_MEMBER:
            if (parent->type->kind != C_TYPE_ARRAY) {
                return;
            }
            break;
        case C_UNARY:
            if (parent->op == C_OP_DEREF) {
                if (parent->type->kind != C_TYPE_ARRAY) {
                    return;
                }
            } else if (parent->op == C_OP_LNOT) {
                return;
            } else if (parent->op == C_OP_ADDRESS) {
                if (node->kind == C_NAME && is_scalar(symbol) && !is_mpi_argument(parent)) {
                    symbol->escapes = true; /* the pointer itself may be changed */
                    return;
                }
            }
            break;
        case C_BINARY:
            if (parent->op != C_OP_ADD && parent->op != C_OP_SUB) {
                if (parent->op == C_OP_COMMA && parent->child[0] == node) {
                    return;
                }
                if (parent->op < C_OP_LT || parent->op > C_OP_LOR) {
                    symbol->escapes = true;
                }
                return;
            }
            if (parent->type->kind != C_TYPE_POINTER) {
                return; /* the difference of two */
            }
            break;
        case C_CONDITIONAL:
            if (parent->child[0] == node) {
                return;
            }
            break;
        case C_UPDATE:
            if (parent->child[0] == node) {
                return;
            }
            symbol->escapes = true;
            return;
        case C_ASSIGN: {
            const c_node_t *target = c_bare(parent->child[0]);

            if (parent->child[0] == node) {
                return;
            }
            if (target->kind != C_NAME || target->symbol->kind == C_SYMBOL_GLOBAL) {
                symbol->escapes = true;
                return;
            }
            add_flow(unit, symbol, target->symbol);
            break; /* the value of the assignment */
        }
        case C_VARIABLE:
            add_flow(unit, symbol, parent->symbol);
            return;
        case C_CALL:
            if (!harmless_call(parent)) {
                symbol->escapes = true;
            }
            return;
        case C_BLOCK:
        case C_IF:
        case C_FOR:
        case C_WHILE:
        case C_DO:
            return;
        default:
            symbol->escapes = true;
            return;
        }
    }
}

static void note_assignment(c_symbol_t *symbol, const c_node_t *value)
{
    const c_node_t *bare = value ? c_bare(value) : NULL;

    if (!value) {
        return;
    }
    if (symbol->type->kind == C_TYPE_POINTER) {
        bool allocated = (bare->kind == C_CALL && c_is_allocator(bare)) ||
                         (bare->kind == C_INTEGER && bare->value == 0);

        symbol->only_allocated = allocated && (symbol->only_allocated || !symbol->is_assigned);
    }
    symbol->is_assigned = true;
}

static void find_uses(c_unit_t *unit, const c_node_t *node)
{
    size_t i;

    if (!node) {
        return;
    }
    if (node->kind == C_NAME && node->symbol->kind != C_SYMBOL_FUNCTION) {
        c_symbol_t *symbol = node->symbol;

        if (symbol->type->kind == C_TYPE_POINTER || !is_scalar(symbol)) {
            follow_address(unit, symbol, node);
        }
    }
    if (node->kind == C_UNARY && node->op == C_OP_ADDRESS) {
        const c_node_t *object = node->child[0];

        /* &a[i].x is an address within a; &p[i] of a pointer p one within its target */
        while (object->kind == C_MEMBER || object->kind == C_SUBSCRIPT ||
               ((object->kind == C_CONVERT || object->kind == C_CAST) && object->n)) {
            if (object->kind == C_MEMBER && object->arrow) {
                object = NULL;
                break;
            }
            object = object->child[0];
        }
        object = object ? c_bare(object) : NULL;
        if (object && object->kind == C_NAME) {
            c_symbol_t *symbol = object->symbol;

            if (is_scalar(symbol) && c_bare(node->child[0]) == object && !is_copied(node)) {
                symbol->address_taken = true;
            }
            if (symbol->type->kind != C_TYPE_POINTER || c_bare(node->child[0]) != object) {
                follow_address(unit, symbol, node);
            }
        }
    }
    if (node->kind == C_ASSIGN && c_bare(node->child[0])->kind == C_NAME) {
        note_assignment(c_bare(node->child[0])->symbol, node->child[1]);
    }
    if (node->kind == C_VARIABLE && node->n) {
        note_assignment(node->symbol, node->child[0]);
    }
    if (c_is_assignment(node) && node->kind != C_ASSIGN && c_bare(node->child[0])->kind == C_NAME) {
        c_bare(node->child[0])->symbol->only_allocated = false;
        c_bare(node->child[0])->symbol->is_assigned = true;
    }
    for (i = 0; i < node->n; i++) {
        find_uses(unit, node->child[i]);
    }
}

static bool spreads(c_symbol_t *symbol, int depth)
{
    size_t i;

    if (symbol->escapes || depth > 8) {
        return true;
    }
    for (i = 0; i < symbol->n_flows; i++) {
        if (symbol->flows[i] != symbol && spreads(symbol->flows[i], depth + 1)) {
            return true;
        }
    }
    return false;
}

void c_find_uses(c_unit_t *unit)
{
    size_t i;

    for (i = 0; i < unit->n_symbols; i++) {
        if (unit->symbols[i]->body) {
            find_uses(unit, unit->symbols[i]->body);
        }
    }
    for (i = 0; i < unit->n_initialised; i++) {
        find_uses(unit, unit->initialised[i]);
    }
    for (i = 0; i < unit->n_symbols; i++) {
        c_symbol_t *symbol = unit->symbols[i];

        if (symbol->kind == C_SYMBOL_PARAMETER) {
            symbol->only_allocated = false;
        }
        if (symbol->address_taken && symbol->type->kind == C_TYPE_POINTER) {
            symbol->only_allocated = false;
        }
        symbol->escapes = spreads(symbol, 0);
    }
}

static void own_variables(c_symbol_t *function, const c_node_t *node)
{
    size_t i;

    if (!node) {
        return;
    }
    if (node->kind == C_VARIABLE && node->symbol && node->symbol->kind == C_SYMBOL_LOCAL) {
        node->symbol->owner = function;
    }
    for (i = 0; i < node->n; i++) {
        own_variables(function, node->child[i]);
    }
}

void c_find_owners(c_unit_t *unit)
{
    size_t i, j;

    for (i = 0; i < unit->n_symbols; i++) {
        c_symbol_t *function = unit->symbols[i];

        for (j = 0; j < function->n_parameters; j++) {
            function->parameters[j]->owner = function;
        }
        own_variables(function, function->body);
    }
}

void c_find_callers(c_unit_t *unit)
{
    bool more = true;
    size_t i, j;

    while (more) {
        more = false;
        for (j = 0; j < (unit->program ? unit->n_program : 1); j++) {
            c_unit_t *one = unit->program ? unit->program[j] : unit;

            for (i = 0; i < one->n_symbols; i++) {
                c_symbol_t *function = one->symbols[i];

                if (function->body && !function->calls_mpi && run_has_mpi(function->body)) {
                    function->calls_mpi = more = true;
                }
            }
        }
    }
}
