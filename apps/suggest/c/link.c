/* SPDX-License-Identifier: BSD-3-Clause */
/* Several files as one program. */
#include "tree.h"

#include <string.h>

static bool has_external_linkage(const c_symbol_t *symbol)
{
    return (symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_FUNCTION) &&
           !symbol->is_foreign;
}

/* The symbol of that name which units before N have; of functions one with a body, if any has. */
static c_symbol_t *find_symbol(c_unit_t **units, size_t n, const c_symbol_t *symbol)
{
    c_symbol_t *found = NULL;
    size_t i, j;

    for (i = 0; i < n; i++) {
        for (j = 0; j < units[i]->n_symbols; j++) {
            c_symbol_t *other = units[i]->symbols[j];

            if (other != symbol && other->kind == symbol->kind &&
                strcmp(other->name, symbol->name) == 0 && has_external_linkage(other) &&
                strcmp(other->type->name, symbol->type->name) == 0 &&
                (!found || (other->body && !found->body))) {
                found = other;
            }
        }
    }
    return found;
}

static void replace(c_node_t *node)
{
    size_t i;

    if (!node) {
        return;
    }
    if (node->symbol && node->symbol->shared) {
        node->symbol = node->symbol->shared;
    }
    for (i = 0; i < node->n; i++) {
        replace(node->child[i]);
    }
}

void c_link(c_unit_t **units, size_t n)
{
    size_t i, j;

    for (i = 0; i < n; i++) {
        units[i]->program = units;
        units[i]->n_program = n;
        for (j = 0; j < units[i]->n_symbols; j++) {
            c_symbol_t *symbol = units[i]->symbols[j], *other;

            if (!has_external_linkage(symbol) || symbol->body) {
                continue;
            }
            other = find_symbol(units, symbol->kind == C_SYMBOL_FUNCTION ? n : i, symbol);
            if (other && (symbol->kind == C_SYMBOL_GLOBAL || other->body)) {
                symbol->shared = other;
            }
        }
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < units[i]->n_symbols; j++) {
            replace((c_node_t *) units[i]->symbols[j]->body);
        }
        for (j = 0; j < units[i]->n_initialised; j++) {
            replace(units[i]->initialised[j]);
        }
    }
}
