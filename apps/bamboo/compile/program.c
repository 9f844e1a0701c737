/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions do with messages, and expressions with variables. */
#include "compile.h"

#include <string.h>

#include "shared/mpi/functions.h"

/* ---- functions ---- */

/* Which part a call has in the exchange of messages: decides where it may be in a region. */
unsigned tr_call_communicates(const char *name)
{
    switch (mpi_function(name)->kind) {
    case KIND_SEND:
    case KIND_ISEND:
        return COMMUNICATES_SEND;
    case KIND_RECV:
    case KIND_IRECV:
    case KIND_PROBE:
    case KIND_IPROBE:
        return COMMUNICATES_RECEIVE;
    case KIND_WAIT:
    case KIND_TEST:
        return COMMUNICATES_COMPLETE;
    case KIND_SENDRECV:
    case KIND_SENDRECV_REPLACE:
    case KIND_COLLECTIVE:
    case KIND_ICOLLECTIVE:
    case KIND_OTHER:
        return COMMUNICATES_OTHER;
    default: /* MPI_Start sends or receives, as its request was made */
        return 0;
    }
}

/* One round; returns whether anything was found. */
static bool spread(program_t *program)
{
    bool found = false;
    size_t i, j;

    for (i = 0; i < program->n_functions; i++) {
        function_t *function = program->functions[i];

        for (j = 0; j < function->n_calls; j++) {
            const function_t *callee = function->calls[j]->callee;
            unsigned before = function->communicates;

            if (callee) {
                function->communicates |=
                    callee->definition ? callee->communicates : tr_call_communicates(callee->name);
            }
            found = found || function->communicates != before;
        }
    }
    return found;
}

void tr_analyse(program_t *program)
{
    while (spread(program)) {
    }
}

/* ---- variables ---- */

static bool points_to_const(const node_t *node)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));

    return type.kind == CXType_Pointer && clang_isConstQualifiedType(clang_getPointeeType(type));
}

static bool is_array(const node_t *node)
{
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(node->cursor)).kind;

    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray;
}

/* strchr(const char *) and its kin return a pointer into memory that they promise not to change. */
static bool is_handed_back(const node_t *argument)
{
    const node_t *call = argument->parent;
    CXType type;

    if (!call || call->kind != CXCursor_CallExpr || call->child[0] == argument) {
        return false;
    }
    type = clang_getCanonicalType(clang_getCursorType(call->cursor));
    return type.kind == CXType_Pointer && !clang_isConstQualifiedType(clang_getPointeeType(type));
}

/* An address: what is it converted to? */
static access_t address_access(const node_t *node)
{
    while (node->parent && (node->parent->kind == CXCursor_UnexposedExpr ||
                            node->parent->kind == CXCursor_ParenExpr)) {
        node = node->parent;
    }
    return points_to_const(node) && !is_handed_back(node) ? ACCESS_READ : ACCESS_ESCAPES;
}

/* NODE is an lvalue that the variable is, or a part of it: what is done to it? */
access_t tr_access_of(const node_t *node)
{
    const node_t *up = node->parent;

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
