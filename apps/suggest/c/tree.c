/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

const struct c_node *c_bare(const struct c_node *node)
{
    while (node && (node->kind == C_CAST || node->kind == C_CONVERT) && node->n == 1) {
        node = node->child[0];
    }
    return node;
}

bool c_is_other(const struct c_node *node, const char *name)
{
    return node && node->kind == C_OTHER && node->name && strcmp(node->name, name) == 0;
}

bool c_contains(const struct c_node *outer, const struct c_node *inner)
{
    for (; inner; inner = inner->parent) {
        if (inner == outer) {
            return true;
        }
    }
    return false;
}

const struct c_node *c_find(const struct c_node *node, c_test *test, const void *data)
{
    const struct c_node *found = node && test(node, data) ? node : NULL;
    size_t i;

    for (i = 0; node && i < node->n && !found; i++) {
        found = c_find(node->child[i], test, data);
    }
    return found;
}

static bool names(const struct c_node *node, const void *symbol)
{
    return node->kind == C_NAME && node->symbol == symbol;
}

bool c_mentions(const struct c_node *node, const struct c_symbol *symbol)
{
    return c_find(node, names, symbol) != NULL;
}

bool c_is_assignment(const struct c_node *node)
{
    return node->kind == C_ASSIGN || node->kind == C_UPDATE ||
           (node->kind == C_UNARY && node->op >= C_OP_POST_INC && node->op <= C_OP_PRE_DEC);
}

const char *c_callee(const struct c_node *call)
{
    return call->kind == C_CALL && call->symbol ? call->symbol->name : "";
}

bool c_is_mpi(const struct c_node *call)
{
    const char *name = c_callee(call);

    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0;
}

bool c_is_allocator(const struct c_node *call)
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

void c_unit_free(struct c_unit *unit)
{
    if (unit) {
        free(unit->symbols);
        free(unit->functions);
        free(unit->initialised);
        c_memory_free(unit->memory);
        free(unit);
    }
}
