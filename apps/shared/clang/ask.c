/* SPDX-License-Identifier: BSD-3-Clause */
#include "ask.h"

#include <stdlib.h>

static bool is_valid(CXType type)
{
    return type.kind != CXType_Invalid;
}

CXType ask_unqualified(CXType type)
{
    return is_valid(type) ? clang_getUnqualifiedType(type) : type;
}

/* Not one of the types that clang uses within expressions, such as that of a bound member function,
 * and not one that a template's argument decides. */
static bool has_layout(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;

    return kind != CXType_Invalid && kind != CXType_Unexposed && kind != CXType_Dependent &&
           kind != CXType_Overload;
}

int64_t ask_size(CXType type)
{
    int64_t size = has_layout(type) ? clang_Type_getSizeOf(type) : -1;

    return size < 0 ? -1 : size;
}

int64_t ask_align(CXType type)
{
    /* a type that `auto` has not found yet has no size, and this question ends the process */
    int64_t align = ask_size(type) >= 0 ? clang_Type_getAlignOf(type) : -1;

    return align < 0 ? -1 : align;
}

int64_t ask_count(CXType array)
{
    return is_valid(array) ? clang_getArraySize(array) : -1;
}

CXType ask_argument(CXType function, int i)
{
    int n = is_valid(function) ? clang_getNumArgTypes(function) : 0;

    return i < n ? clang_getArgType(function, (unsigned) i) : (CXType){.kind = CXType_Invalid};
}

int64_t ask_offset(CXCursor member)
{
    int64_t bits = -1;

    if (clang_getCursorKind(member) == CXCursor_FieldDecl &&
        ask_size(clang_getCursorType(clang_getCursorSemanticParent(member))) >= 0) {
        bits = clang_Cursor_getOffsetOfField(member);
    }
    return bits < 0 ? -1 : bits;
}

/* libclang evaluates no expression that depends on a template's argument, but those of a type that
 * it does not know. */
static CXEvalResult evaluate(CXCursor expression)
{
    return clang_isExpression(clang_getCursorKind(expression)) &&
                   ask_size(clang_getCursorType(expression)) > 0
               ? clang_Cursor_Evaluate(expression)
               : NULL;
}

bool ask_integer(CXCursor expression, int64_t *value)
{
    CXEvalResult result = evaluate(expression);
    bool known = false;

    if (result && clang_EvalResult_getKind(result) == CXEval_Int) {
        if (clang_EvalResult_isUnsignedInt(result)) {
            unsigned long long wide = clang_EvalResult_getAsUnsigned(result);

            known = wide <= INT64_MAX;
            *value = (int64_t) wide;
        } else {
            known = true;
            *value = clang_EvalResult_getAsLongLong(result);
        }
    }
    if (result) {
        clang_EvalResult_dispose(result);
    }
    return known;
}

char *ask_text(c_memory_t *memory, CXString string)
{
    const char *text = clang_getCString(string);
    char *copy = c_copy(memory, text ? text : "");

    clang_disposeString(string);
    return copy;
}

static enum CXChildVisitResult add_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    ask_children_t *children = data;

    (void) parent;
    if (clang_isAttribute(clang_getCursorKind(cursor))) {
        return CXChildVisit_Continue;
    }
    if (children->n == children->room) {
        children->room = children->room ? 2 * children->room : 4;
        children->cursor = c_resize(children->cursor, children->room, sizeof(CXCursor));
    }
    children->cursor[children->n++] = cursor;
    return CXChildVisit_Continue;
}

ask_children_t ask_children(CXCursor cursor)
{
    ask_children_t children = {0};

    clang_visitChildren(cursor, add_child, &children);
    return children;
}
