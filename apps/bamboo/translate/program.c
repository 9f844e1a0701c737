/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions are resumable, and which variables every task has for itself. */
#include "translate.h"

#include <string.h>

/* ---- functions ---- */

bool tr_is_waiting_call(const struct node *call)
{
    enum call_kind kind;

    if (call->kind != CXCursor_CallExpr || !call->callee) {
        return false;
    }
    if (call->callee->resumable) {
        return true;
    }
    if (call->callee->definition) {
        return false;
    }
    kind = tr_call_kind(call->callee->name, NULL);
    return kind == CALL_SUSPENDS || kind == CALL_EXIT;
}

/* One round; returns whether anything was found. */
static bool spread(struct program *program)
{
    bool found = false;
    size_t i, j;

    for (i = 0; i < program->n_functions; i++) {
        struct function *function = program->functions[i];

        for (j = 0; j < function->n_calls; j++) {
            const struct function *callee = function->calls[j]->callee;
            unsigned before = function->communicates;

            if (!function->resumable && tr_is_waiting_call(function->calls[j])) {
                function->resumable = true;
                found = true;
            }
            if (callee) {
                function->communicates |=
                    callee->definition ? callee->communicates : tr_call_communicates(callee->name);
            }
            found = found || function->communicates != before;
        }
    }
    return found;
}

/* Functions of headers count when something calls them. */
static void reach(struct function *function)
{
    size_t i;

    if (function->reached) {
        return;
    }
    function->reached = true;
    for (i = 0; i < function->n_calls; i++) {
        if (function->calls[i]->callee) {
            reach(function->calls[i]->callee);
        }
    }
}

static void mark_waits(const struct function *function)
{
    size_t i;

    for (i = 0; i < function->n_calls; i++) {
        struct node *node;

        if (tr_is_waiting_call(function->calls[i])) {
            for (node = function->calls[i]; node && !node->waits; node = node->parent) {
                node->waits = true;
            }
        }
    }
}

/* ---- variables ---- */

static bool points_to_const(const struct node *node)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));

    return type.kind == CXType_Pointer && clang_isConstQualifiedType(clang_getPointeeType(type));
}

static bool is_array(const struct node *node)
{
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(node->cursor)).kind;

    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray;
}

/* strchr(const char *) and its kin return a pointer into memory that they promise not to change. */
static bool is_handed_back(const struct node *argument)
{
    const struct node *call = argument->parent;
    CXType type;

    if (!call || call->kind != CXCursor_CallExpr || call->child[0] == argument) {
        return false;
    }
    type = clang_getCanonicalType(clang_getCursorType(call->cursor));
    return type.kind == CXType_Pointer && !clang_isConstQualifiedType(clang_getPointeeType(type));
}

/* An address: what is it converted to? */
static enum access address_access(const struct node *node)
{
    while (node->parent && (node->parent->kind == CXCursor_UnexposedExpr ||
                            node->parent->kind == CXCursor_ParenExpr)) {
        node = node->parent;
    }
    return points_to_const(node) && !is_handed_back(node) ? ACCESS_READ : ACCESS_ESCAPES;
}

/* NODE is an lvalue that the variable is, or a part of it: what is done to it? */
enum access tr_access_of(const struct node *node)
{
    const struct node *up = node->parent;

    if (!up) {
        return ACCESS_READ;
    }
    switch (up->kind) {
    case CXCursor_ParenExpr:
        return tr_access_of(up);
    case CXCursor_MemberRefExpr:
        return clang_getCanonicalType(clang_getCursorType(node->cursor)).kind == CXType_Pointer
                   ? ACCESS_READ
                   : tr_access_of(up);
    case CXCursor_UnexposedExpr:
        if (!is_array(node)) {
            return ACCESS_READ; /* its value */
        }
        if (is_array(up)) {
            return tr_access_of(up);
        }
        if (up->parent && up->parent->kind == CXCursor_ArraySubscriptExpr &&
            up->parent->child[0] == up) {
            return tr_access_of(up->parent);
        }
        if (up->parent && up->parent->kind == CXCursor_UnaryOperator &&
            up->parent->unary == CXUnaryOperator_Deref) {
            return tr_access_of(up->parent);
        }
        return address_access(up);
    case CXCursor_ArraySubscriptExpr:
        return up->child[0] == node && is_array(node) ? tr_access_of(up) : ACCESS_READ;
    case CXCursor_BinaryOperator:
        return up->binary == CXBinaryOperator_Assign && up->child[0] == node ? ACCESS_WRITTEN
                                                                             : ACCESS_READ;
    case CXCursor_CompoundAssignOperator:
        return up->child[0] == node ? ACCESS_WRITTEN : ACCESS_READ;
    case CXCursor_UnaryOperator:
        switch (up->unary) {
        case CXUnaryOperator_PostInc:
        case CXUnaryOperator_PostDec:
        case CXUnaryOperator_PreInc:
        case CXUnaryOperator_PreDec:
            return ACCESS_WRITTEN;
        case CXUnaryOperator_AddrOf:
            return address_access(up);
        default:
            return ACCESS_READ;
        }
    case CXCursor_UnaryExpr: /* sizeof */
        return ACCESS_READ;
    case CXCursor_VarDecl:
        return ACCESS_READ;
    default:
        return ACCESS_ESCAPES;
    }
}

static bool is_constant(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
        if (clang_isConstQualifiedType(type)) {
            return true;
        }
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    }
    return clang_isConstQualifiedType(type);
}

/* Of an array: is anything but one of its elements named? */
static bool is_more_than_element(const struct node *node)
{
    while (is_array(node)) {
        const struct node *up = node->parent;

        if (up && (up->kind == CXCursor_UnaryExpr || up->kind == CXCursor_ParenExpr)) {
            node = up; /* sizeof */
            continue;
        }
        if (!up || up->kind != CXCursor_UnexposedExpr || !up->parent ||
            up->parent->kind != CXCursor_ArraySubscriptExpr || up->parent->child[0] != up) {
            return true;
        }
        node = up->parent;
    }
    for (; node->parent && (node->parent->kind == CXCursor_ParenExpr ||
                            node->parent->kind == CXCursor_MemberRefExpr);
         node = node->parent) {
    }
    return node->parent && node->parent->kind == CXCursor_UnaryOperator &&
           node->parent->unary == CXUnaryOperator_AddrOf;
}

static bool has_address_taken(const struct node *node)
{
    if (is_array(node)) {
        return is_more_than_element(node);
    }
    while (node->parent && (node->parent->kind == CXCursor_ParenExpr ||
                            node->parent->kind == CXCursor_MemberRefExpr)) {
        node = node->parent;
    }
    return node->parent && node->parent->kind == CXCursor_UnaryOperator &&
           node->parent->unary == CXUnaryOperator_AddrOf;
}

static void find_accesses(struct file *file, struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable) {
        struct variable *variable = node->variable;
        enum access access = tr_access_of(node);

        variable->address_taken = variable->address_taken || has_address_taken(node);
        if (access == ACCESS_WRITTEN ||
            (access == ACCESS_ESCAPES && !is_constant(variable->type))) {
            variable->written = true;
        }
        if (!variable->automatic && !variable->defined && access == ACCESS_WRITTEN &&
            tr_call_kind(variable->name, NULL) != CALL_LIBC) {
            bool ours = false;

            for (i = 0; i < file->n_declarations; i++) {
                ours = ours || file->declarations[i].variable == variable;
            }
            tr_refuse_node(file, node, REFUSE_LIBRARY,
                           "'%s' is written, but not defined in these files%s", variable->name,
                           ours ? ", which declare it" : "");
        }
    }
    for (i = 0; i < node->n; i++) {
        find_accesses(file, node->child[i]);
    }
}

static bool mentions_task_data(const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable && node->variable->per_task) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (mentions_task_data(node->child[i])) {
            return true;
        }
    }
    return false;
}

static void find_task_data(struct program *program)
{
    bool found;
    size_t i;

    for (i = 0; i < program->n_variables; i++) {
        struct variable *variable = program->variables[i];

        variable->per_task = !variable->automatic && variable->defined && variable->written;
    }
    do {
        found = false;
        for (i = 0; i < program->n_variables; i++) {
            struct variable *variable = program->variables[i];

            if (!variable->automatic && variable->defined && !variable->per_task &&
                variable->declaration && mentions_task_data(variable->declaration)) {
                variable->per_task = found = true;
            }
        }
    } while (found);
}

void tr_analyse(struct program *program)
{
    size_t i, j;

    for (i = 0; i < program->n_functions; i++) {
        struct function *function = program->functions[i];

        if (function->is_main && function->definition) {
            program->main = function;
            function->resumable = true;
        }
    }
    while (spread(program)) {
    }
    for (i = 0; i < program->n_functions; i++) {
        struct function *function = program->functions[i];

        if (function->definition && (function->definition->here || function->n_references > 0)) {
            reach(function);
        }
    }
    for (i = 0; i < program->n_functions; i++) {
        mark_waits(program->functions[i]);
    }
    for (i = 0; i < program->n_files; i++) {
        for (j = 0; j < program->files[i]->n_top; j++) {
            find_accesses(program->files[i], program->files[i]->top[j]);
        }
    }
    find_task_data(program);
}
