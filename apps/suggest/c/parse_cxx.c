/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ as trees of C: a reference is a pointer, `this` a parameter, a vector a pointer and a size.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- references ---- */

static c_node_t *wrapped(reader_t *reader, CXCursor cursor, c_node_t *inner, c_operator_t op,
                         const c_type_t *type)
{
    c_node_t *node = read_node(reader, C_UNARY, cursor, 1);

    node->op = op;
    node->type = type;
    node->span = inner->span;
    read_set_child(node, 0, inner);
    return node;
}

c_node_t *cxx_object(reader_t *reader, CXCursor cursor, c_node_t *reference)
{
    const c_type_t *type = reference->symbol ? reference->symbol->type : reference->type;

    if (!type || !type->is_reference) {
        return reference;
    }
    reference->type = type;
    return wrapped(reader, cursor, reference, C_OP_DEREF, type->inner);
}

static const c_type_t *pointer_to(reader_t *reader, const c_type_t *inner)
{
    c_type_t *type = c_allocate(reader->unit->memory, sizeof *type);

    *type = (c_type_t){.kind = C_TYPE_POINTER,
                       .size = (int64_t) sizeof(void *),
                       .align = (int64_t) sizeof(void *),
                       .count = -1,
                       .inner = inner};
    type->name = c_format(reader->unit->memory, "%s *", inner ? inner->name : "void");
    return type;
}

c_node_t *cxx_address(reader_t *reader, CXCursor cursor, c_node_t *object)
{
    if (object->kind == C_UNARY && object->op == C_OP_DEREF) {
        return object->child[0];
    }
    return wrapped(reader, cursor, object, C_OP_ADDRESS, pointer_to(reader, object->type));
}

/* ---- this ---- */

/* A symbol that the source does not declare. */
static c_symbol_t *make_symbol(c_unit_t *unit, c_symbol_kind_t kind, const char *name)
{
    c_symbol_t *symbol = c_allocate(unit->memory, sizeof *symbol);
    CXCursor none = clang_getNullCursor();

    symbol->kind = kind;
    symbol->name = name;
    symbol->cursor = c_allocate(unit->memory, sizeof none);
    memcpy(symbol->cursor, &none, sizeof none);
    symbol->index = (size_t) -1;
    unit->symbols = c_resize(unit->symbols, unit->n_symbols + 1, sizeof *unit->symbols);
    unit->symbols[unit->n_symbols++] = symbol;
    return symbol;
}

c_symbol_t *cxx_make_self(reader_t *reader, CXCursor method)
{
    c_symbol_t *symbol;

    if (!reader->cxx ||
        (method.kind != CXCursor_CXXMethod && method.kind != CXCursor_Constructor) ||
        clang_CXXMethod_isStatic(method)) {
        return NULL;
    }
    symbol = make_symbol(reader->unit, C_SYMBOL_PARAMETER, "this");
    symbol->type = pointer_to(
        reader, read_type(reader, clang_getCursorType(clang_getCursorSemanticParent(method))));
    return symbol;
}

static c_node_t *self_name(reader_t *reader, CXCursor cursor)
{
    c_node_t *node = read_node(reader, C_NAME, cursor, 0);

    node->span.end = node->span.begin; /* it is not in the text */
    node->symbol = reader->self;
    node->name = "this";
    node->type = reader->self->type;
    return node;
}

c_node_t *cxx_self(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node = NULL;
    size_t i, n = 0;

    for (i = 0; i < children.n; i++) { /* besides references to types */
        n += clang_isExpression(clang_getCursorKind(children.cursor[i]));
    }
    free(children.cursor);
    if (n == 0 && reader->self) {
        node = read_node(reader, C_MEMBER, cursor, 1);
        read_set_child(node, 0, self_name(reader, cursor));
    }
    return node;
}

/* ---- containers of the library ---- */

static bool begins_with(const c_type_t *type, const char *text)
{
    return type && type->kind == C_TYPE_RECORD && strncmp(type->name, text, strlen(text)) == 0;
}

static bool is_vector(const c_type_t *type)
{
    return begins_with(type, "std::vector<") && !begins_with(type, "std::vector<bool");
}

static bool is_pointer_class(const c_type_t *type)
{
    return begins_with(type, "std::unique_ptr<") || begins_with(type, "std::shared_ptr<");
}

/* The pointer that a container holds at its beginning. */
static c_node_t *held_pointer(reader_t *reader, CXCursor cursor, c_node_t *container,
                              const c_type_t *element, const char *suffix)
{
    c_node_t *node = read_node(reader, C_MEMBER, cursor, 1);

    node->span = container->span;
    node->suffix = suffix;
    node->name = suffix;
    node->value = 0;
    node->type = pointer_to(reader, element);
    read_set_child(node, 0, container);
    return node;
}

/* v[i], p[i]; NULL: of another class */
static c_node_t *element_of(reader_t *reader, CXCursor cursor, c_node_t *container, CXCursor index)
{
    const c_type_t *type = read_type(reader, clang_getCursorType(cursor));
    const char *suffix = is_vector(container->type) || begins_with(container->type, "std::array<")
                             ? ".data()"
                         : is_pointer_class(container->type) ? ".get()"
                                                             : NULL;
    c_node_t *node, *pointer;

    if (!suffix) {
        return NULL;
    }
    pointer = held_pointer(reader, cursor, container, type, suffix);
    if (begins_with(container->type, "std::array<")) { /* its elements are in it */
        c_type_t *array = c_allocate(reader->unit->memory, sizeof *array);

        *array = (c_type_t){
            .kind = C_TYPE_ARRAY, .inner = type, .count = -1, .size = -1, .name = "array"};
        pointer->type = array;
    }
    node = read_node(reader, C_SUBSCRIPT, cursor, 2);
    node->type = type;
    read_set_child(node, 0, pointer);
    read_set_child(node, 1, read_expression(reader, index));
    return node;
}

/* ---- calls ---- */

/* The value of a call: of a reference, the object. */
static c_node_t *result(reader_t *reader, CXCursor cursor, c_node_t *call)
{
    CXType type =
        clang_getCanonicalType(clang_getCursorResultType(clang_getCursorReferenced(cursor)));

    if (type.kind != CXType_LValueReference && type.kind != CXType_RValueReference) {
        return call;
    }
    call->type = read_type(reader, type);
    return wrapped(reader, cursor, call, C_OP_DEREF, call->type->inner);
}

c_node_t *cxx_arguments(reader_t *reader, CXCursor cursor, c_node_t *call, size_t first)
{
    CXType type = clang_getCursorType(clang_getCursorReferenced(cursor));
    size_t i;

    for (i = first; i < call->n; i++) {
        CXType parameter = clang_getCanonicalType(ask_argument(type, (int) (i - first)));

        if (parameter.kind == CXType_LValueReference || parameter.kind == CXType_RValueReference) {
            read_set_child(call, i, cxx_address(reader, cursor, call->child[i]));
        }
    }
    return result(reader, cursor, call);
}

static c_symbol_t *library_function(reader_t *reader, const char *name)
{
    c_unit_t *unit = reader->unit;
    c_symbol_t *symbol;
    size_t i;

    for (i = 0; i < unit->n_symbols; i++) {
        if (unit->symbols[i]->kind == C_SYMBOL_FUNCTION &&
            strcmp(unit->symbols[i]->name, name) == 0 && unit->symbols[i]->is_foreign) {
            return unit->symbols[i];
        }
    }
    symbol = make_symbol(unit, C_SYMBOL_FUNCTION, name);
    symbol->type = read_type(reader, clang_getCursorType(clang_getNullCursor()));
    symbol->is_foreign = true;
    return symbol;
}

/* A call of a function of the library by NAME, with the expressions among the cursor's children. */
static c_node_t *library_call(reader_t *reader, CXCursor cursor, const char *name)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node = read_node(reader, C_CALL, cursor, children.n + 1);
    size_t i, n = 1;

    node->symbol = library_function(reader, name);
    read_set_child(node, 0, read_node(reader, C_EMPTY, cursor, 0));
    for (i = 0; i < children.n; i++) {
        if (clang_isExpression(clang_getCursorKind(children.cursor[i]))) {
            read_set_child(node, n++, read_expression(reader, children.cursor[i]));
        }
    }
    node->n = n;
    free(children.cursor);
    return node;
}

/* The object that a method is called for: `this` where none is written. */
static c_node_t *object_of(reader_t *reader, CXCursor member)
{
    ask_children_t children = ask_children(member);
    c_node_t *object = NULL;
    size_t i;

    for (i = 0; i < children.n && !object; i++) {
        if (clang_isExpression(clang_getCursorKind(children.cursor[i]))) {
            object = read_expression(reader, children.cursor[i]);
        }
    }
    free(children.cursor);
    if (!object && reader->self) {
        object = wrapped(reader, member, self_name(reader, member), C_OP_DEREF,
                         reader->self->type->inner);
    } else if (object && object->type && object->type->kind == C_TYPE_POINTER) {
        object = wrapped(reader, member, object, C_OP_DEREF, object->type->inner);
    }
    return object;
}

/* data(), size(), get() and at() of containers; NULL: something else */
static c_node_t *container_method(reader_t *reader, CXCursor cursor, c_node_t *object,
                                  const char *name, const ask_children_t *children)
{
    const c_type_t *type = read_type(reader, clang_getCursorType(cursor));
    c_node_t *node;

    if (is_vector(object->type) && strcmp(name, "data") == 0) {
        node = held_pointer(reader, cursor, object, type->inner, ".data()");
        node->span.end = read_node(reader, C_EMPTY, cursor, 0)->span.end;
        return node;
    }
    if (is_pointer_class(object->type) && strcmp(name, "get") == 0) {
        return held_pointer(reader, cursor, object, type->inner, ".get()");
    }
    if (is_vector(object->type) && strcmp(name, "size") == 0) {
        node = read_node(reader, C_MEMBER, cursor, 1);
        node->name = "size()";
        node->value = (int64_t) sizeof(void *);
        node->type = type;
        read_set_child(node, 0, object);
        return node;
    }
    if (strcmp(name, "at") == 0 && children->n == 2) {
        return element_of(reader, cursor, object, children->cursor[1]);
    }
    return NULL;
}

static c_node_t *method_call(reader_t *reader, CXCursor cursor, CXCursor method)
{
    ask_children_t children = ask_children(cursor);
    const char *name = read_string(reader, clang_getCursorSpelling(method));
    bool is_operator =
        strncmp(name, "operator", 8) == 0 && children.n > 1 &&
        clang_getCursorKind(clang_getCursorReferenced(children.cursor[0])) != CXCursor_CXXMethod;
    c_node_t *object = NULL, *node = NULL;
    size_t i, first = is_operator ? 2 : 1, n = 1;

    if (children.n > 0) {
        object = is_operator ? read_expression(reader, children.cursor[0])
                             : object_of(reader, children.cursor[0]);
    }
    if (object && object->type && is_operator && strcmp(name, "operator[]") == 0 &&
        children.n == 3) {
        node = element_of(reader, cursor, object, children.cursor[2]);
    } else if (object && object->type && is_operator && is_pointer_class(object->type) &&
               (strcmp(name, "operator->") == 0 || strcmp(name, "operator*") == 0)) {
        const c_type_t *type = read_type(reader, clang_getCursorType(cursor));

        node = held_pointer(reader, cursor, object, name[8] == '-' ? type->inner : type, ".get()");
        node = name[8] == '-' ? node : wrapped(reader, cursor, node, C_OP_DEREF, type);
    } else if (object && !is_operator) {
        node = container_method(reader, cursor, object, name, &children);
    }
    if (node || !object) {
        free(children.cursor);
        return node ? node : read_other(reader, cursor);
    }
    node = read_node(reader, C_CALL, cursor, children.n + 2);
    node->symbol = read_symbol(reader, method);
    read_set_child(node, 0, read_node(reader, C_EMPTY, cursor, 0));
    if (!clang_CXXMethod_isStatic(method)) {
        read_set_child(node, n++, cxx_address(reader, cursor, object));
    }
    i = n;
    for (; first < children.n; first++) {
        read_set_child(node, n++, read_expression(reader, children.cursor[first]));
    }
    node->n = n;
    free(children.cursor);
    return cxx_arguments(reader, cursor, node, i);
}

c_node_t *cxx_expression(reader_t *reader, CXCursor cursor)
{
    CXCursor referenced;
    c_node_t *node;

    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CXXThisExpr:
        if (!reader->self) {
            return NULL;
        }
        node = self_name(reader, cursor);
        node->span.end += strlen("this");
        return node;
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXNullPtrLiteralExpr:
        node = read_node(reader, C_INTEGER, cursor, 0);
        ask_integer(cursor, &node->value);
        return node;
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return read_cast(reader, cursor);
    case CXCursor_CXXNewExpr:
        return library_call(reader, cursor, "operator new");
    case CXCursor_CXXDeleteExpr:
        return library_call(reader, cursor, "free");
    case CXCursor_CallExpr:
        referenced = clang_getCursorReferenced(cursor);
        if (clang_getCursorKind(referenced) == CXCursor_CXXMethod) {
            return method_call(reader, cursor, referenced);
        }
        if (clang_getCursorKind(referenced) == CXCursor_Constructor) {
            return library_call(reader, cursor, "a constructor");
        }
        return NULL;
    default:
        return NULL;
    }
}
