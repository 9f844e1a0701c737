/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"
#include "run_private.h"

#include <stdlib.h>

typedef struct question {
    const c_symbol_t *symbol;
    const c_node_t *statement;
    const c_node_t *const *gone;
    size_t n_gone;
} question_t;

/* symbol = something without it, perhaps as part of a comma expression or an initialiser */
static bool is_assignment_to(const c_node_t *node, const c_symbol_t *symbol)
{
    if (!node) {
        return false;
    }
    if (node->kind == C_BINARY && node->op == C_OP_COMMA) {
        return is_assignment_to(node->child[0], symbol) ||
               (!c_mentions(node->child[0], symbol) && is_assignment_to(node->child[1], symbol));
    }
    return node->kind == C_ASSIGN && node->child[0]->kind == C_NAME &&
           node->child[0]->symbol == symbol && !c_mentions(node->child[1], symbol);
}

/* Does the statement give it a value before anything else of it reads it? */
static bool defines(const c_node_t *node, const c_symbol_t *symbol)
{
    return is_assignment_to(node, symbol) ||
           (node->kind == C_FOR && is_assignment_to(node->child[0], symbol));
}

static bool is_loop(const c_node_t *node)
{
    return node->kind == C_FOR || node->kind == C_WHILE || node->kind == C_DO;
}

/* Is there a statement between the removed one and NODE that gives it a value on every path? */
static bool defined_between(const question_t *question, const c_node_t *node)
{
    const c_node_t *block, *child;
    size_t i;

    for (child = question->statement, block = child->parent; block;
         child = block, block = block->parent) {
        bool behind = false;

        if (is_loop(block)) {
            return false;
        }
        for (i = 0; block->kind == C_BLOCK && i < block->n; i++) {
            if (behind && c_contains(block->child[i], node)) {
                return defines(block->child[i], question->symbol);
            }
            if (behind && defines(block->child[i], question->symbol)) {
                return true;
            }
            behind = behind || block->child[i] == child;
        }
    }
    return false;
}

/* Could this use see the value that the removed statement leaves? */
static bool sees(const question_t *question, const c_node_t *name)
{
    const c_node_t *node, *loop;
    size_t i;

    if (c_contains(question->statement, name)) {
        return false;
    }
    for (i = 0; i < question->n_gone; i++) {
        if (c_contains(question->gone[i], name)) {
            return false;
        }
    }
    if (name->parent->kind == C_ASSIGN && name->parent->child[0] == name &&
        !c_mentions(name->parent->child[1], question->symbol)) {
        return false;
    }
    for (node = name; node; node = node->parent) { /* inside of a loop that starts it */
        if (node->kind == C_FOR && is_assignment_to(node->child[0], question->symbol) &&
            !c_contains(node, question->statement)) {
            return false;
        }
    }
    for (loop = question->statement->parent; loop; loop = loop->parent) {
        if (is_loop(loop) && c_contains(loop, name)) {
            return !defined_between(question, name) || name->order < question->statement->order;
        }
    }
    return name->order > question->statement->order && !defined_between(question, name);
}

static bool is_seen(const c_node_t *node, const void *data)
{
    const question_t *question = data;

    return node->kind == C_NAME && node->symbol == question->symbol && sees(question, node);
}

static bool declares(const c_node_t *node, const void *symbol)
{
    return node->kind == C_VARIABLE && node->symbol == symbol;
}

const c_symbol_t *live_after(const run_t *run, const c_node_t *statement,
                             const c_node_t *const *gone, size_t n_gone)
{
    c_symbol_t **symbols;
    size_t n = run_assigned(statement, &symbols), i;
    const c_symbol_t *found = NULL;

    for (i = 0; i < n && !found; i++) {
        const question_t question = {symbols[i], statement, gone, n_gone};

        if (c_find(statement, declares, symbols[i])) {
            continue;
        }
        if ((symbols[i]->kind != C_SYMBOL_LOCAL && symbols[i]->kind != C_SYMBOL_PARAMETER) ||
            symbols[i]->address_taken || c_find(run->function->body, is_seen, &question)) {
            found = symbols[i];
        }
    }
    free(symbols);
    return found;
}
