/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

const c_node_t *c_bare(const c_node_t *node)
{
    while (node && (node->kind == C_CAST || node->kind == C_CONVERT) && node->n == 1) {
        node = node->child[0];
    }
    return node;
}

bool c_is_other(const c_node_t *node, const char *name)
{
    return node && node->kind == C_OTHER && node->name && strcmp(node->name, name) == 0;
}

bool c_contains(const c_node_t *outer, const c_node_t *inner)
{
    for (; inner; inner = inner->parent) {
        if (inner == outer) {
            return true;
        }
    }
    return false;
}

const c_node_t *c_find(const c_node_t *node, c_test *test, const void *data)
{
    const c_node_t *found = node && test(node, data) ? node : NULL;
    size_t i;

    for (i = 0; node && i < node->n && !found; i++) {
        found = c_find(node->child[i], test, data);
    }
    return found;
}

static bool names(const c_node_t *node, const void *symbol)
{
    return node->kind == C_NAME && node->symbol == symbol;
}

bool c_mentions(const c_node_t *node, const c_symbol_t *symbol)
{
    return c_find(node, names, symbol) != NULL;
}

bool c_is_assignment(const c_node_t *node)
{
    return node->kind == C_ASSIGN || node->kind == C_UPDATE ||
           (node->kind == C_UNARY && node->op >= C_OP_POST_INC && node->op <= C_OP_PRE_DEC);
}

const char *c_callee(const c_node_t *call)
{
    return call->kind == C_CALL && call->symbol ? call->symbol->name : "";
}

bool c_is_mpi(const c_node_t *call)
{
    const char *name = c_callee(call);

    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0;
}

bool c_is_allocator(const c_node_t *call)
{
    static const char *const names[] = {"malloc",   "calloc", "aligned_alloc",
                                        "memalign", "valloc", "operator new"};
    const char *name = c_callee(call);
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return call->symbol->body == NULL;
        }
    }
    return false;
}

void c_unit_free(c_unit_t *unit)
{
    if (unit) {
        free(unit->symbols);
        free(unit->functions);
        free(unit->initialised);
        c_memory_free(unit->memory);
        free(unit);
    }
}
