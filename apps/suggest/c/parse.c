/* SPDX-License-Identifier: BSD-3-Clause */
/* From the cursors of libclang to the trees of tree.h. */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NESTING = 400 };

static c_node_t *read_statement(reader_t *reader, CXCursor cursor);

const char *read_string(reader_t *reader, CXString string)
{
    return ask_text(reader->unit->memory, string);
}

/* ---- where ---- */

/* Past the identifier and the parentheses of a macro's use, which ranges may end at the start of.
 */
static size_t past_macro(const c_file_t *unit, size_t at)
{
    size_t end = at, look;

    while (end < unit->size &&
           (unit->text[end] == '_' || (unit->text[end] >= '0' && unit->text[end] <= '9') ||
            ((unit->text[end] | 32) >= 'a' && (unit->text[end] | 32) <= 'z'))) {
        end++;
    }
    look = end;
    while (look < unit->size && (unit->text[look] == ' ' || unit->text[look] == '\t')) {
        look++;
    }
    if (end > at && look < unit->size && unit->text[look] == '(') {
        int depth = 0;

        for (; look < unit->size; look++) {
            depth += unit->text[look] == '(';
            depth -= unit->text[look] == ')';
            if (depth == 0) {
                return look + 1;
            }
        }
    }
    return end;
}

static bool same_place(CXFile file, unsigned offset, CXFile other, unsigned other_offset)
{
    return offset == other_offset && (file == other || clang_File_isEqual(file, other));
}

/* Texts are read when they are asked for first. */
static const c_file_t *file_of(reader_t *reader, CXFile clang)
{
    c_file_t *file;
    const char *text;
    size_t i, size;

    for (i = 0; i < reader->n_files; i++) {
        if (reader->seen_files[i] == clang ||
            (clang && clang_File_isEqual(reader->seen_files[i], clang))) {
            return reader->files[i];
        }
    }
    text = clang ? clang_getFileContents(reader->translation, clang, &size) : NULL;
    if (!text) {
        return NULL;
    }
    file = c_allocate(reader->unit->memory, sizeof *file);
    file->path = clang_File_isEqual(clang, reader->main_file)
                     ? reader->unit->path
                     : read_string(reader, clang_getFileName(clang));
    file->text = c_format(reader->unit->memory, "%.*s", (int) size, text);
    file->size = size;
    if (clang_File_isEqual(clang, reader->main_file)) {
        reader->unit->main_file = file;
    }
    reader->files = c_resize(reader->files, i + 1, sizeof *reader->files);
    reader->seen_files = c_resize(reader->seen_files, i + 1, sizeof *reader->seen_files);
    reader->files[i] = file;
    reader->seen_files[i] = clang;
    reader->n_files++;
    return file;
}

static c_span_t span_of(reader_t *reader, CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    c_span_t span = {0};
    CXFile file, spelling;
    unsigned offset, spelling_offset;

    clang_getExpansionLocation(clang_getRangeStart(range), &file, &span.line, &span.column,
                               &offset);
    span.elsewhere = !file || !clang_File_isEqual(file, reader->main_file);
    span.file = file_of(reader, file);
    span.begin = offset;
    clang_getSpellingLocation(clang_getRangeStart(range), &spelling, NULL, NULL, &spelling_offset);
    span.in_macro = !same_place(file, offset, spelling, spelling_offset);
    clang_getExpansionLocation(clang_getRangeEnd(range), &file, NULL, NULL, &offset);
    clang_getSpellingLocation(clang_getRangeEnd(range), &spelling, NULL, NULL, &spelling_offset);
    span.end = offset;
    if (span.file && !same_place(file, offset, spelling, spelling_offset)) {
        span.end = past_macro(span.file, offset);
        span.in_macro = true;
    }
    if (span.end < span.begin) {
        span.end = span.begin;
    }
    return span;
}

/* ---- types ---- */

static void read_type_kind(reader_t *reader, c_type_t *type, CXType clang)
{
    switch (clang.kind) {
    case CXType_Void:
        type->kind = C_TYPE_VOID;
        break;
    case CXType_Bool:
        type->kind = C_TYPE_BOOL;
        break;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        type->is_signed = true;
        type->kind = C_TYPE_INTEGER;
        break;
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        type->kind = C_TYPE_INTEGER;
        break;
    case CXType_Enum:
        type->kind = C_TYPE_INTEGER;
        type->is_signed =
            read_type(reader, clang_getEnumDeclIntegerType(clang_getTypeDeclaration(clang)))
                ->is_signed;
        break;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
        type->kind = C_TYPE_FLOATING;
        break;
    case CXType_Pointer:
        type->kind = C_TYPE_POINTER;
        type->inner = read_type(reader, clang_getPointeeType(clang));
        break;
    case CXType_LValueReference:
    case CXType_RValueReference:
        type->kind = C_TYPE_POINTER;
        type->is_reference = true;
        type->size = type->align = (int64_t) sizeof(void *);
        type->inner = read_type(reader, clang_getPointeeType(clang));
        break;
    case CXType_ConstantArray:
        type->kind = C_TYPE_ARRAY;
        type->inner = read_type(reader, clang_getArrayElementType(clang));
        type->count = ask_count(clang);
        break;
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        type->kind = C_TYPE_ARRAY;
        type->inner = read_type(reader, clang_getArrayElementType(clang));
        type->size = -1;
        break;
    case CXType_Record:
        type->kind = C_TYPE_RECORD;
        type->is_union = clang_getTypeDeclaration(clang).kind == CXCursor_UnionDecl;
        break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        type->kind = C_TYPE_FUNCTION;
        break;
    default:
        type->kind = C_TYPE_OTHER;
    }
}

static c_type_t *new_type(reader_t *reader, CXType canonical)
{
    c_type_t *type = c_allocate(reader->unit->memory, sizeof *type);

    type->count = -1;
    type->size = ask_size(canonical);
    type->align = ask_align(canonical);
    type->is_const = clang_isConstQualifiedType(canonical);
    type->is_volatile = clang_isVolatileQualifiedType(canonical);
    type->is_restrict = clang_isRestrictQualifiedType(canonical);
    type->name = read_string(reader, clang_getTypeSpelling(ask_unqualified(canonical)));
    return type;
}

const c_type_t *read_type(reader_t *reader, CXType clang)
{
    CXType canonical = clang_getCanonicalType(clang);
    c_type_t *type;
    size_t i;

    for (i = reader->n_types; i-- > 0;) {
        if (clang_equalTypes(reader->seen_types[i], canonical) &&
            canonical.kind != CXType_VariableArray) {
            return reader->types[i];
        }
    }
    type = new_type(reader, canonical);
    reader->types = c_resize(reader->types, reader->n_types + 1, sizeof *reader->types);
    reader->seen_types =
        c_resize(reader->seen_types, reader->n_types + 1, sizeof *reader->seen_types);
    reader->types[reader->n_types] = type;
    reader->seen_types[reader->n_types++] = canonical;
    if (canonical.kind == CXType_Atomic) {
        type->is_atomic = true;
    }
    read_type_kind(reader, type, canonical);
    return type;
}

/* A declaration's own copy of a type with arrays of variable length, with the lengths from the
 * declaration's children, innermost first; ALL: constant ones are among them. */
static c_type_t *with_lengths(reader_t *reader, const c_type_t *type, c_node_t **lengths, size_t *n,
                              bool all)
{
    c_type_t *own = c_allocate(reader->unit->memory, sizeof *own);

    *own = *type;
    if (type->inner && (type->kind == C_TYPE_POINTER || type->kind == C_TYPE_ARRAY)) {
        if (type->kind == C_TYPE_ARRAY && *n > 0 && (type->count < 0 || all)) {
            const c_node_t *length = lengths[--*n];

            own->length = type->count < 0 ? length : NULL;
        }
        own->inner = with_lengths(reader, type->inner, lengths, n, all);
    }
    return own;
}

static size_t dimensions(const c_type_t *type, bool variable_only)
{
    size_t n = 0;

    for (; type; type = type->inner) {
        n += type->kind == C_TYPE_ARRAY && (!variable_only || type->count < 0);
    }
    return n;
}

/* Fixed dimensions that have no expression in the declaration come from a typedef: elements. */
static bool constants_last(const c_type_t *type)
{
    bool constant = false;

    for (; type; type = type->inner) {
        if (type->kind == C_TYPE_ARRAY && type->count < 0 && constant) {
            return false;
        }
        constant = constant || (type->kind == C_TYPE_ARRAY && type->count >= 0);
    }
    return true;
}

/* ---- symbols ---- */

static void make_symbol(reader_t *reader, c_symbol_t *symbol, CXCursor cursor)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    CXFile file;
    unsigned offset;

    symbol->name = read_string(reader, clang_getCursorSpelling(cursor));
    symbol->type = read_type(reader, clang_getCursorType(cursor));
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &offset);
    symbol->declared = offset;
    if (cursor.kind == CXCursor_FunctionDecl || cursor.kind == CXCursor_CXXMethod ||
        cursor.kind == CXCursor_Constructor || cursor.kind == CXCursor_ConversionFunction) {
        symbol->kind = C_SYMBOL_FUNCTION;
        symbol->is_foreign = clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
    } else if (cursor.kind == CXCursor_ParmDecl) {
        symbol->kind = C_SYMBOL_PARAMETER;
    } else if (storage == CX_SC_Static) {
        symbol->kind = C_SYMBOL_STATIC;
    } else if (storage == CX_SC_Extern ||
               clang_getCursorSemanticParent(cursor).kind == CXCursor_TranslationUnit) {
        symbol->kind = C_SYMBOL_GLOBAL;
    } else {
        symbol->kind = C_SYMBOL_LOCAL;
    }
}

/* Lengths of variable-length arrays and the initialiser are children of the declaration: all but
 * the last are lengths when there is an initialiser. */
static c_node_t *read_variable_children(reader_t *reader, c_symbol_t *symbol, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *expressions[32], *initialiser = NULL;
    CXCursor given = clang_Cursor_getVarDeclInitializer(cursor);
    size_t i, n = 0, wanted = dimensions(symbol->type, true);

    for (i = 0; i < children.n && n < 32; i++) {
        if (clang_isExpression(clang_getCursorKind(children.cursor[i]))) {
            if (!clang_Cursor_isNull(given) && clang_equalCursors(given, children.cursor[i])) {
                initialiser = read_expression(reader, children.cursor[i]);
            } else {
                expressions[n++] = read_expression(reader, children.cursor[i]);
            }
        }
    }
    free(children.cursor);
    if (wanted > 0) {
        size_t left = n, all = dimensions(symbol->type, false);

        /* `double a[][m]`: the outermost may have no length, and is then read last */
        if (n == all || (n == wanted && constants_last(symbol->type))) {
            symbol->type = with_lengths(reader, symbol->type, expressions, &left, n == all);
        } else if (n + 1 == wanted && symbol->type->kind == C_TYPE_ARRAY &&
                   clang_getCanonicalType(clang_getCursorType(cursor)).kind ==
                       CXType_IncompleteArray) {
            c_type_t *outer = c_allocate(reader->unit->memory, sizeof *outer);

            *outer = *symbol->type;
            outer->inner = with_lengths(reader, outer->inner, expressions, &left, false);
            symbol->type = outer;
        }
    }
    return initialiser;
}

/* A parameter that is declared as an array is a pointer (C11 6.7.6.3, 7). libclang tells the array.
 */
static void adjust_parameter(reader_t *reader, c_symbol_t *symbol, CXCursor cursor)
{
    c_type_t *pointer;

    if (cursor.kind != CXCursor_ParmDecl || symbol->type->kind != C_TYPE_ARRAY) {
        return;
    }
    pointer = c_allocate(reader->unit->memory, sizeof *pointer);
    pointer->kind = C_TYPE_POINTER;
    pointer->size = (int64_t) sizeof(void *);
    pointer->align = pointer->size;
    pointer->count = -1;
    pointer->inner = symbol->type->inner;
    pointer->name = c_format(reader->unit->memory, "%s (*)", symbol->type->inner->name);
    symbol->type = pointer;
}

c_symbol_t *read_symbol(reader_t *reader, CXCursor cursor)
{
    CXCursor canonical = clang_getCanonicalCursor(cursor);
    uint64_t key = clang_hashCursor(canonical);
    c_unit_t *unit = reader->unit;
    c_symbol_t *symbol;
    size_t i;

    for (i = unit->n_symbols; i-- > 0;) {
        if (unit->symbols[i]->key == key &&
            clang_equalCursors(*(CXCursor *) unit->symbols[i]->cursor, canonical)) {
            return unit->symbols[i];
        }
    }
    symbol = c_allocate(unit->memory, sizeof *symbol);
    symbol->key = key;
    symbol->cursor = c_allocate(unit->memory, sizeof canonical);
    memcpy(symbol->cursor, &canonical, sizeof canonical);
    unit->symbols = c_resize(unit->symbols, unit->n_symbols + 1, sizeof *unit->symbols);
    unit->symbols[unit->n_symbols++] = symbol;
    make_symbol(reader, symbol, canonical);
    if (canonical.kind == CXCursor_ParmDecl || canonical.kind == CXCursor_VarDecl) {
        if (dimensions(symbol->type, true) > 0) {
            read_variable_children(reader, symbol, canonical);
        }
    }
    adjust_parameter(reader, symbol, canonical);
    return symbol;
}

/* ---- nodes ---- */

c_node_t *read_node(reader_t *reader, c_kind_t kind, CXCursor cursor, size_t n)
{
    c_node_t *node = c_allocate(reader->unit->memory, sizeof *node);

    node->kind = kind;
    node->span = span_of(reader, cursor);
    node->n = n;
    node->child = c_allocate(reader->unit->memory, (n + 1) * sizeof *node->child);
    node->order = reader->order++;
    if (clang_isExpression(clang_getCursorKind(cursor))) {
        node->type = read_type(reader, clang_getCursorType(cursor));
    }
    return node;
}

void read_set_child(c_node_t *node, size_t i, c_node_t *child)
{
    node->child[i] = child;
    if (child) {
        child->parent = node;
    }
}

c_node_t *read_other(reader_t *reader, CXCursor cursor)
{
    c_node_t *node = read_node(reader, C_OTHER, cursor, 0);
    ask_children_t children = ask_children(cursor);
    size_t i;

    node->name = read_string(reader, clang_getCursorKindSpelling(clang_getCursorKind(cursor)));
    node->child = c_allocate(reader->unit->memory, (children.n + 1) * sizeof *node->child);
    for (i = 0; i < children.n && reader->depth < MOST_NESTING; i++) {
        enum CXCursorKind kind = clang_getCursorKind(children.cursor[i]);
        c_node_t *child = NULL;

        if (clang_isExpression(kind)) {
            child = read_expression(reader, children.cursor[i]);
        } else if (clang_isStatement(kind)) {
            child = read_statement(reader, children.cursor[i]);
        }
        if (child) {
            read_set_child(node, node->n++, child);
        }
    }
    free(children.cursor);
    return node;
}

/* The record that a sizeof or offsetof is about; NULL: none. */
static const char *record_of(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    CXType type = {.kind = CXType_Invalid};
    size_t i = 0;

    while (i < children.n && (clang_getCursorKind(children.cursor[i]) == CXCursor_NamespaceRef ||
                              clang_getCursorKind(children.cursor[i]) == CXCursor_TemplateRef)) {
        i++;
    }
    if (i < children.n) {
        type = clang_getCanonicalType(clang_getCursorType(children.cursor[i]));
    }
    free(children.cursor);
    return type.kind == CXType_Record
               ? read_string(reader, clang_getTypeSpelling(ask_unqualified(type)))
               : NULL;
}

static c_node_t *integer(reader_t *reader, CXCursor cursor)
{
    int64_t value;
    c_node_t *node;

    if (!ask_integer(cursor, &value)) {
        return read_other(reader, cursor);
    }
    node = read_node(reader, C_INTEGER, cursor, 0);
    node->value = value;
    node->name = record_of(reader, cursor);
    return node;
}

static bool is_offsetof(const ask_children_t *children)
{
    size_t i;

    for (i = 0; i < children->n; i++) {
        if (clang_getCursorKind(children->cursor[i]) == CXCursor_MemberRef) {
            return true;
        }
    }
    return false;
}

static c_operator_t binary_operator(enum CXBinaryOperatorKind kind)
{
    static const c_operator_t operators[] = {
        [CXBinaryOperator_Mul] = C_OP_MUL,       [CXBinaryOperator_Div] = C_OP_DIV,
        [CXBinaryOperator_Rem] = C_OP_REM,       [CXBinaryOperator_Add] = C_OP_ADD,
        [CXBinaryOperator_Sub] = C_OP_SUB,       [CXBinaryOperator_Shl] = C_OP_SHL,
        [CXBinaryOperator_Shr] = C_OP_SHR,       [CXBinaryOperator_LT] = C_OP_LT,
        [CXBinaryOperator_GT] = C_OP_GT,         [CXBinaryOperator_LE] = C_OP_LE,
        [CXBinaryOperator_GE] = C_OP_GE,         [CXBinaryOperator_EQ] = C_OP_EQ,
        [CXBinaryOperator_NE] = C_OP_NE,         [CXBinaryOperator_And] = C_OP_AND,
        [CXBinaryOperator_Xor] = C_OP_XOR,       [CXBinaryOperator_Or] = C_OP_OR,
        [CXBinaryOperator_LAnd] = C_OP_LAND,     [CXBinaryOperator_LOr] = C_OP_LOR,
        [CXBinaryOperator_MulAssign] = C_OP_MUL, [CXBinaryOperator_DivAssign] = C_OP_DIV,
        [CXBinaryOperator_RemAssign] = C_OP_REM, [CXBinaryOperator_AddAssign] = C_OP_ADD,
        [CXBinaryOperator_SubAssign] = C_OP_SUB, [CXBinaryOperator_ShlAssign] = C_OP_SHL,
        [CXBinaryOperator_ShrAssign] = C_OP_SHR, [CXBinaryOperator_AndAssign] = C_OP_AND,
        [CXBinaryOperator_XorAssign] = C_OP_XOR, [CXBinaryOperator_OrAssign] = C_OP_OR,
        [CXBinaryOperator_Comma] = C_OP_COMMA,
    };

    return (size_t) kind < sizeof operators / sizeof *operators ? operators[kind] : C_OP_NONE;
}

static c_operator_t unary_operator(enum CXUnaryOperatorKind kind)
{
    static const c_operator_t operators[] = {
        [CXUnaryOperator_PostInc] = C_OP_POST_INC, [CXUnaryOperator_PostDec] = C_OP_POST_DEC,
        [CXUnaryOperator_PreInc] = C_OP_PRE_INC,   [CXUnaryOperator_PreDec] = C_OP_PRE_DEC,
        [CXUnaryOperator_AddrOf] = C_OP_ADDRESS,   [CXUnaryOperator_Deref] = C_OP_DEREF,
        [CXUnaryOperator_Plus] = C_OP_PLUS,        [CXUnaryOperator_Minus] = C_OP_MINUS,
        [CXUnaryOperator_Not] = C_OP_NOT,          [CXUnaryOperator_LNot] = C_OP_LNOT,
    };

    return (size_t) kind < sizeof operators / sizeof *operators ? operators[kind] : C_OP_NONE;
}

/* KIND with the cursor's children, of which there must be N (or any number: N < 0). */
c_node_t *read_with_children(reader_t *reader, CXCursor cursor, c_kind_t kind, int n)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node;
    size_t i;

    if (n >= 0 && children.n != (size_t) n) {
        free(children.cursor);
        return read_other(reader, cursor);
    }
    node = read_node(reader, kind, cursor, children.n);
    for (i = 0; i < children.n; i++) {
        read_set_child(node, i, read_expression(reader, children.cursor[i]));
    }
    free(children.cursor);
    return node;
}

static c_node_t *binary(reader_t *reader, CXCursor cursor)
{
    enum CXBinaryOperatorKind clang = clang_getCursorBinaryOperatorKind(cursor);
    bool assigns = clang >= CXBinaryOperator_Assign && clang <= CXBinaryOperator_OrAssign;
    c_node_t *node = read_with_children(reader, cursor,
                                        clang == CXBinaryOperator_Assign ? C_ASSIGN
                                        : assigns                        ? C_UPDATE
                                                                         : C_BINARY,
                                        2);

    node->op = binary_operator(clang);
    return node;
}

static c_node_t *unary(reader_t *reader, CXCursor cursor)
{
    c_node_t *node = read_with_children(reader, cursor, C_UNARY, 1);

    if (clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Extension &&
        node->kind == C_UNARY) {
        return node->child[0]; /* __extension__ */
    }

    node->op = unary_operator(clang_getCursorUnaryOperatorKind(cursor));
    if (node->kind == C_UNARY && node->op == C_OP_NONE) {
        node->kind = C_OTHER;
        node->name = "an operator that is not standard C";
    }
    return node;
}

static c_node_t *name(reader_t *reader, CXCursor cursor)
{
    CXCursor referenced = clang_getCursorReferenced(cursor);
    c_node_t *node;

    switch (clang_getCursorKind(referenced)) {
    case CXCursor_EnumConstantDecl:
        node = read_node(reader, C_INTEGER, cursor, 0);
        node->value = clang_getEnumConstantDeclValue(referenced);
        return node;
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
        node = read_node(reader, C_NAME, cursor, 0);
        node->symbol = read_symbol(reader, referenced);
        node->name = node->symbol->name;
        if (node->symbol->kind == C_SYMBOL_PARAMETER &&
            node->symbol->type->kind == C_TYPE_POINTER) {
            node->type = node->symbol->type;
        }
        return cxx_object(reader, cursor, node);
    default:
        return read_other(reader, cursor);
    }
}

static c_node_t *member(reader_t *reader, CXCursor cursor)
{
    CXCursor field = clang_getCursorReferenced(cursor);
    c_node_t *node = cxx_self(reader, cursor);
    int64_t bits;

    node = node ? node : read_with_children(reader, cursor, C_MEMBER, 1);
    if (node->kind != C_MEMBER) {
        return node;
    }
    node->name = read_string(reader, clang_getCursorSpelling(field));
    node->arrow = node->child[0]->type && node->child[0]->type->kind == C_TYPE_POINTER;
    bits = ask_offset(field);
    node->value = bits < 0 || clang_Cursor_isBitField(field) || bits % 8 ? -1 : bits / 8;
    return node;
}

static c_node_t *call(reader_t *reader, CXCursor cursor)
{
    CXCursor callee = clang_getCursorReferenced(cursor);
    c_node_t *node = read_with_children(reader, cursor, C_CALL, -1);

    if (clang_getCursorKind(callee) == CXCursor_FunctionDecl) {
        node->symbol = read_symbol(reader, callee);
    }
    if (node->n == 0) {
        return read_other(reader, cursor);
    }
    return reader->cxx ? cxx_arguments(reader, cursor, node, 1) : node;
}

static bool same_but_qualifiers(CXType a, CXType b)
{
    a = ask_unqualified(clang_getCanonicalType(a));
    b = ask_unqualified(clang_getCanonicalType(b));
    return clang_equalTypes(a, b);
}

/* Implicit casts and other things that libclang has no name for. */
static c_node_t *unexposed(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node, *child;

    if (is_offsetof(&children)) {
        free(children.cursor);
        return integer(reader, cursor);
    }
    if (children.n != 1 || !clang_isExpression(clang_getCursorKind(children.cursor[0]))) {
        free(children.cursor);
        return read_other(reader, cursor);
    }
    child = read_expression(reader, children.cursor[0]);
    if (child->type && child->type->kind == C_TYPE_RECORD && reader->cxx && child->kind != C_CALL) {
        free(children.cursor); /* as its base class, or const */
        return child;
    }
    if (same_but_qualifiers(clang_getCursorType(cursor), clang_getCursorType(children.cursor[0]))) {
        free(children.cursor);
        return child;
    }
    free(children.cursor);
    node = read_node(reader, C_CONVERT, cursor, 1);
    read_set_child(node, 0, child);
    return node;
}

c_node_t *read_cast(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node;
    size_t last = children.n - 1;

    if (children.n == 0 || !clang_isExpression(clang_getCursorKind(children.cursor[last]))) {
        free(children.cursor);
        return read_other(reader, cursor);
    }
    node = read_node(reader, C_CAST, cursor, 1); /* before it: references to types */
    read_set_child(node, 0, read_expression(reader, children.cursor[last]));
    free(children.cursor);
    return node;
}

static c_node_t *parentheses(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node =
        children.n == 1 ? read_expression(reader, children.cursor[0]) : read_other(reader, cursor);

    free(children.cursor);
    return node;
}

static c_node_t *read_expression_here(reader_t *reader, CXCursor cursor)
{
    c_node_t *node = reader->cxx ? cxx_expression(reader, cursor) : NULL;

    if (node) {
        return node;
    }
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr: /* sizeof, alignof */
        return integer(reader, cursor);
    case CXCursor_FloatingLiteral:
        return read_node(reader, C_FLOATING, cursor, 0);
    case CXCursor_StringLiteral:
        return read_node(reader, C_STRING, cursor, 0);
    case CXCursor_DeclRefExpr:
        return name(reader, cursor);
    case CXCursor_MemberRefExpr:
        return member(reader, cursor);
    case CXCursor_ArraySubscriptExpr:
        return read_with_children(reader, cursor, C_SUBSCRIPT, 2);
    case CXCursor_UnaryOperator:
        return unary(reader, cursor);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return binary(reader, cursor);
    case CXCursor_ConditionalOperator:
        return read_with_children(reader, cursor, C_CONDITIONAL, 3);
    case CXCursor_CallExpr:
        return call(reader, cursor);
    case CXCursor_CStyleCastExpr:
        return read_cast(reader, cursor);
    case CXCursor_ParenExpr:
        return parentheses(reader, cursor);
    case CXCursor_UnexposedExpr:
        return unexposed(reader, cursor);
    case CXCursor_InitListExpr:
        return read_with_children(reader, cursor, C_LIST, -1);
    default:
        return read_other(reader, cursor);
    }
}

c_node_t *read_expression(reader_t *reader, CXCursor cursor)
{
    c_node_t *node;

    if (reader->depth >= MOST_NESTING) {
        node = read_node(reader, C_OTHER, cursor, 0);
        node->name = "nesting deeper than 400";
        return node;
    }
    reader->depth++;
    node = read_expression_here(reader, cursor);
    reader->depth--;
    return node;
}

/* ---- statements ---- */

static c_node_t *read_any(reader_t *reader, CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor)) ? read_expression(reader, cursor)
                                                           : read_statement(reader, cursor);
}

static size_t skip_literal(const char *text, size_t at, size_t size)
{
    char quote = text[at++];

    while (at < size && text[at] != quote) {
        at += text[at] == '\\' ? 2 : 1;
    }
    return at;
}

/* The two semicolons of a `for` that begins at BEGIN. */
static bool find_semicolons(const c_unit_t *unit, size_t begin, size_t *first, size_t *second)
{
    size_t at, found = 0;
    int depth = 0;

    for (at = begin; at < unit->size; at++) {
        char c = unit->text[at];

        if (c == '"' || c == '\'') {
            at = skip_literal(unit->text, at, unit->size);
        } else if (c == '/' && (unit->text[at + 1] == '*' || unit->text[at + 1] == '/')) {
            const char *end = strstr(unit->text + at + 2, unit->text[at + 1] == '*' ? "*/" : "\n");

            if (!end) {
                return false;
            }
            at = (size_t) (end - unit->text) + (unit->text[at + 1] == '*');
        } else if (c == '(') {
            depth++;
        } else if (c == ')') {
            if (--depth == 0) {
                return false;
            }
        } else if (c == ';' && depth == 1) {
            *(found++ == 0 ? first : second) = at;
            if (found == 2) {
                return true;
            }
        }
    }
    return false;
}

/* libclang leaves out the parts of a `for` that are empty; where the others stand tells which. */
static c_node_t *read_for(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node = read_node(reader, C_FOR, cursor, 4);
    size_t i, first = 0, second = 0;
    bool known =
        children.n == 4 ||
        (!node->span.in_macro && find_semicolons(reader->unit, node->span.begin, &first, &second));

    if (!known || children.n == 0) {
        free(children.cursor);
        return read_other(reader, cursor);
    }
    for (i = 0; i < children.n; i++) {
        c_node_t *child = read_any(reader, children.cursor[i]);
        size_t part = i;

        if (children.n < 4) {
            part = i + 1 == children.n           ? 3
                   : child->span.begin <= first  ? 0
                   : child->span.begin <= second ? 1
                                                 : 2;
        }
        read_set_child(node, part, child);
    }
    free(children.cursor);
    return node;
}

/* An attribute that libclang does not name: it may be cleanup(), which calls at the block's end. */
static enum CXChildVisitResult find_attribute(CXCursor cursor, CXCursor parent, CXClientData found)
{
    (void) parent;
    if (clang_getCursorKind(cursor) == CXCursor_UnexposedAttr) {
        *(bool *) found = true;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Continue;
}

static bool has_attribute(CXCursor variable)
{
    bool found = false;

    clang_visitChildren(variable, find_attribute, &found);
    return found;
}

static c_node_t *read_declarations(reader_t *reader, CXCursor cursor)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node = read_node(reader, C_DECLARE, cursor, children.n), *initialiser;
    size_t i, n = 0;

    for (i = 0; i < children.n; i++) {
        CXCursor child = children.cursor[i];

        if (clang_getCursorKind(child) == CXCursor_VarDecl && has_attribute(child)) {
            free(children.cursor);
            node->kind = C_OTHER;
            node->n = 0;
            node->name = "cleanup";
            return node;
        }
        if (clang_getCursorKind(child) == CXCursor_VarDecl) {
            c_node_t *variable = read_node(reader, C_VARIABLE, child, 1);

            variable->symbol = read_symbol(reader, child);
            variable->name = variable->symbol->name;
            initialiser = read_variable_children(reader, variable->symbol, child);
            if (initialiser && variable->symbol->type->is_reference) {
                initialiser = cxx_address(reader, child, initialiser);
            }
            read_set_child(variable, 0, initialiser);
            variable->n = variable->child[0] ? 1 : 0;
            read_set_child(node, n++, variable);
        }
    }
    node->n = n;
    free(children.cursor);
    return node;
}

static c_node_t *read_parts(reader_t *reader, CXCursor cursor, c_kind_t kind)
{
    ask_children_t children = ask_children(cursor);
    c_node_t *node = read_node(reader, kind, cursor, children.n);
    size_t i;

    for (i = 0; i < children.n; i++) {
        read_set_child(node, i, read_any(reader, children.cursor[i]));
    }
    free(children.cursor);
    return node;
}

static c_node_t *read_statement_here(reader_t *reader, CXCursor cursor)
{
    c_node_t *node;

    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CompoundStmt:
        return read_parts(reader, cursor, C_BLOCK);
    case CXCursor_DeclStmt:
        return read_declarations(reader, cursor);
    case CXCursor_IfStmt:
        return read_parts(reader, cursor, C_IF);
    case CXCursor_ForStmt:
        return read_for(reader, cursor);
    case CXCursor_WhileStmt:
        return read_parts(reader, cursor, C_WHILE);
    case CXCursor_DoStmt:
        return read_parts(reader, cursor, C_DO);
    case CXCursor_ReturnStmt:
        node = read_parts(reader, cursor, C_RETURN);
        if (node->n == 1 && reader->returns_reference) {
            read_set_child(node, 0, cxx_address(reader, cursor, node->child[0]));
        }
        return node;
    case CXCursor_NullStmt:
        return read_node(reader, C_EMPTY, cursor, 0);
    default:
        return read_other(reader, cursor);
    }
}

static c_node_t *read_statement(reader_t *reader, CXCursor cursor)
{
    c_node_t *node;

    if (reader->depth >= MOST_NESTING) {
        node = read_node(reader, C_OTHER, cursor, 0);
        node->name = "nesting deeper than 400";
        return node;
    }
    reader->depth++;
    node = read_statement_here(reader, cursor);
    reader->depth--;
    return node;
}

/* ---- the file ---- */

static c_node_t *body_of(reader_t *reader, c_symbol_t *symbol, CXCursor definition)
{
    ask_children_t children = ask_children(definition);
    c_symbol_t *self = reader->self;
    c_node_t *body = NULL;
    int n = clang_Cursor_getNumArguments(definition), i;
    bool reference = reader->returns_reference;

    symbol->parameters =
        c_allocate(reader->unit->memory, (size_t) (n > 0 ? n + 1 : 1) * sizeof *symbol->parameters);
    reader->self = cxx_make_self(reader, definition);
    reader->returns_reference =
        clang_getCanonicalType(clang_getCursorResultType(definition)).kind ==
        CXType_LValueReference;
    if (reader->self) {
        symbol->parameters[symbol->n_parameters++] = reader->self;
    }
    for (i = 0; i < n; i++) {
        symbol->parameters[symbol->n_parameters++] =
            read_symbol(reader, clang_Cursor_getArgument(definition, (unsigned) i));
    }
    for (i = 0; i < (int) children.n; i++) {
        if (clang_getCursorKind(children.cursor[i]) == CXCursor_CompoundStmt) {
            body = read_statement(reader, children.cursor[i]);
        }
    }
    free(children.cursor);
    reader->self = self;
    reader->returns_reference = reference;
    symbol->body = body;
    return body;
}

static void read_initialised(reader_t *reader, CXCursor cursor)
{
    c_unit_t *unit = reader->unit;
    c_node_t *variable = read_node(reader, C_VARIABLE, cursor, 1);

    variable->symbol = read_symbol(reader, cursor);
    variable->name = variable->symbol->name;
    read_set_child(variable, 0, read_variable_children(reader, variable->symbol, cursor));
    variable->n = variable->child[0] ? 1 : 0;
    unit->initialised =
        c_resize(unit->initialised, unit->n_initialised + 1, sizeof *unit->initialised);
    unit->initialised[unit->n_initialised++] = variable;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    reader_t *reader = data;
    c_unit_t *unit = reader->unit;
    c_function_t *function;
    c_symbol_t *symbol;
    CXFile file;

    (void) parent;
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl &&
        !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(cursor))) {
        read_initialised(reader, cursor);
    }
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
        return reader->cxx ? CXChildVisit_Recurse : CXChildVisit_Continue;
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
        break;
    default:
        return CXChildVisit_Continue;
    }
    if (!clang_isCursorDefinition(cursor)) {
        return CXChildVisit_Continue;
    }
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (!file || !clang_File_isEqual(file, reader->main_file)) {
        return CXChildVisit_Continue;
    }
    symbol = read_symbol(reader, cursor);
    if (symbol->body) {
        return CXChildVisit_Continue;
    }
    body_of(reader, symbol, cursor);
    if (symbol->body) {
        unit->functions = c_resize(unit->functions, unit->n_functions + 1, sizeof *unit->functions);
        function = &unit->functions[unit->n_functions++];
        function->symbol = symbol;
        function->body = (c_node_t *) symbol->body;
        function->begin = span_of(reader, cursor).begin;
        function->end = span_of(reader, cursor).end;
    }
    return CXChildVisit_Continue;
}

/* Small static functions of headers; their calls may be substituted. */
static void read_helpers(reader_t *reader)
{
    size_t i;

    for (i = 0; i < reader->unit->n_symbols; i++) { /* grows */
        c_symbol_t *symbol = reader->unit->symbols[i];
        CXCursor cursor, definition;

        if (symbol->kind == C_SYMBOL_FUNCTION && !symbol->body) {
            memcpy(&cursor, symbol->cursor, sizeof cursor);
            definition = clang_getCursorDefinition(cursor);
            if (!clang_Cursor_isNull(definition) &&
                (clang_Cursor_getStorageClass(definition) == CX_SC_Static ||
                 (reader->cxx && !symbol->is_foreign && !clang_CXXMethod_isVirtual(definition)))) {
                body_of(reader, symbol, definition);
            }
        }
    }
}

static void read_errors(reader_t *reader)
{
    c_unit_t *unit = reader->unit;
    unsigned i, n = clang_getNumDiagnostics(reader->translation);

    unit->errors = c_allocate(unit->memory, (n + 1) * sizeof *unit->errors);
    for (i = 0; i < n; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(reader->translation, i);

        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            c_error_t *error = &unit->errors[unit->n_errors++];
            CXFile file;

            clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &error->line,
                                       &error->column, NULL);
            error->file = read_string(reader, clang_getFileName(file));
            error->text = read_string(reader, clang_getDiagnosticSpelling(diagnostic));
        }
        clang_disposeDiagnostic(diagnostic);
    }
}

static bool is_cxx(const char *path, const char *const *arguments, int n)
{
    static const char *const endings[] = {".cc",  ".cpp", ".cxx", ".C",
                                          ".hpp", ".hh",  ".hxx", ".c++"};
    const char *dot = strrchr(path, '.');
    size_t i;
    int j;

    for (i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    for (j = 0; j < n; j++) {
        if (strcmp(arguments[j], "c++") == 0 || strcmp(arguments[j], "-xc++") == 0) {
            return true;
        }
    }
    return false;
}

c_unit_t *read_unit(const char *path, const char *const *arguments, int n_arguments,
                    void (*see)(void *data, reader_t *reader), void *data)
{
    reader_t reader = {0};
    c_unit_t *unit = c_checked(calloc(1, sizeof *unit));
    CXIndex index = c_checked(clang_createIndex(0, 0));
    enum CXErrorCode code;
    const char *why;

    unit->path = path;
    unit->memory = c_memory_new();
    unit->text = c_read_file(unit->memory, path, &unit->size, &why);
    code = unit->text
               ? clang_parseTranslationUnit2(index, path, arguments, n_arguments, NULL, 0,
                                             CXTranslationUnit_KeepGoing, &reader.translation)
               : CXError_Failure;
    if (code != CXError_Success) {
        clang_disposeIndex(index);
        c_unit_free(unit);
        return NULL;
    }
    reader.unit = unit;
    reader.main_file = clang_getFile(reader.translation, path);
    reader.cxx = unit->is_cxx = is_cxx(path, arguments, n_arguments);
    read_errors(&reader);
    if (reader.main_file) {
        clang_visitChildren(clang_getTranslationUnitCursor(reader.translation), visit_top, &reader);
        read_helpers(&reader);
        if (see) {
            see(data, &reader);
        }
    }
    free(reader.types);
    free(reader.files);
    free(reader.seen_files);
    free(reader.seen_types);
    clang_disposeTranslationUnit(reader.translation);
    clang_disposeIndex(index);
    return unit;
}

c_unit_t *c_parse(const char *path, const char *const *arguments, int n_arguments)
{
    return read_unit(path, arguments, n_arguments, NULL, NULL);
}
