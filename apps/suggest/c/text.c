/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions as text again: from the source where that is possible, else from the tree. */
#include "tree.h"

#include <string.h>

static const char *operator_text(c_operator_t op)
{
    static const char *const texts[] = {
        [C_OP_ADD] = "+",   [C_OP_SUB] = "-",  [C_OP_MUL] = "*",  [C_OP_DIV] = "/",
        [C_OP_REM] = "%",   [C_OP_SHL] = "<<", [C_OP_SHR] = ">>", [C_OP_AND] = "&",
        [C_OP_OR] = "|",    [C_OP_XOR] = "^",  [C_OP_LT] = "<",   [C_OP_LE] = "<=",
        [C_OP_GT] = ">",    [C_OP_GE] = ">=",  [C_OP_EQ] = "==",  [C_OP_NE] = "!=",
        [C_OP_LAND] = "&&", [C_OP_LOR] = "||",
    };

    return (size_t) op < sizeof texts / sizeof *texts ? texts[op] : NULL;
}

static bool is_hidden(const c_node_t *node) /* `this`, where it is not written */
{
    return node->kind == C_NAME && strcmp(node->name, "this") == 0 &&
           node->span.begin == node->span.end;
}

static const char *written(c_memory_t *memory, const c_node_t *node, const c_names_t *names)
{
    const char *a, *b;

    if (!node) {
        return NULL;
    }
    switch (node->kind) {
    case C_NAME:
        return names ? names->name(names->data, node) : node->name;
    case C_INTEGER:
        return c_format(memory, "%lld", (long long) node->value);
    case C_CAST:
    case C_CONVERT:
        a = written(memory, node->child[0], names);
        return !a || node->kind == C_CONVERT || !node->type || node->type->kind != C_TYPE_POINTER
                   ? a
                   : c_format(memory, "((%s) %s)", node->type->name, a);
    case C_MEMBER:
        a = written(memory, node->child[0], names);
        if (!a) {
            return NULL;
        }
        return node->suffix ? c_format(memory, "%s%s", a, node->suffix)
               : is_hidden(node->child[0]) && strcmp(a, "this") == 0 ? node->name
               : node->arrow ? c_format(memory, "%s->%s", a, node->name)
                             : c_format(memory, "%s.%s", a, node->name);
    case C_SUBSCRIPT:
        a = written(memory, node->child[0], names);
        b = written(memory, node->child[1], names);
        return a && b ? c_format(memory, "%s[%s]", a, b) : NULL;
    case C_UNARY:
        a = written(memory, node->child[0], names);
        if (!a || (node->op == C_OP_DEREF && node->child[0]->type &&
                   node->child[0]->type->is_reference)) {
            return a;
        }
        return node->op == C_OP_DEREF     ? c_format(memory, "(*%s)", a)
               : node->op == C_OP_ADDRESS ? c_format(memory, "(&%s)", a)
               : node->op == C_OP_MINUS   ? c_format(memory, "(-%s)", a)
               : node->op == C_OP_PLUS    ? a
                                          : NULL;
    case C_BINARY:
        a = written(memory, node->child[0], names);
        b = written(memory, node->child[1], names);
        return a && b && operator_text(node->op)
                   ? c_format(memory, "(%s%s%s)", a, operator_text(node->op), b)
                   : NULL;
    default:
        return NULL;
    }
}

const char *c_write(c_memory_t *memory, const c_node_t *node, const c_names_t *names)
{
    const char *text = written(memory, node, names);

    if (text && text[0] == '(' && node->kind != C_CAST) { /* the outermost pair is not needed */
        size_t i, n = strlen(text);
        int depth = 0;

        for (i = 0; i < n - 1; i++) {
            depth += (text[i] == '(') - (text[i] == ')');
            if (depth == 0) {
                return text;
            }
        }
        return c_format(memory, "%.*s", (int) n - 2, text + 1);
    }
    return text;
}

char *c_text(c_memory_t *memory, const c_node_t *node)
{
    const c_file_t *file = node->span.file;
    size_t begin = node->span.begin, end = node->span.end;
    const char *from_tree = node->suffix ? c_write(memory, node, NULL) : NULL;

    if (from_tree) {
        return c_copy(memory, from_tree);
    }
    if (!file || begin > end || end > file->size) {
        return c_copy(memory, "?");
    }
    return c_format(memory, "%.*s", (int) (end - begin), file->text + begin);
}

static bool in_macro(const c_node_t *node, const void *data)
{
    (void) data;
    return node->span.in_macro;
}

bool c_is_in_macro(const c_node_t *node)
{
    return c_find(node, in_macro, NULL) != NULL;
}
