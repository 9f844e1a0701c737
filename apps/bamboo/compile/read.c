/* SPDX-License-Identifier: BSD-3-Clause */
/* From libclang's cursors to trees with positions, functions and variables. */
#include "compile.h"
#include "shared/clang/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTING = 500 };

typedef struct reader {
    program_t *program;
    file_t *file;
    function_t *function;
    size_t depth;
} reader_t;

/* ---- where ---- */

static bool file_location(const file_t *file, CXSourceLocation location, size_t *at)
{
    unsigned offset;
    CXFile in;

    clang_getFileLocation(location, &in, NULL, NULL, &offset);
    *at = offset;
    return in && clang_File_isEqual(in, file->main_file);
}

/* The outermost use of a macro around [AT, AT + 1). */
static const use_t *use_around(const file_t *file, size_t at)
{
    const use_t *found = NULL;
    size_t i;

    for (i = 0; i < file->n_uses; i++) {
        const use_t *use = &file->uses[i];

        if (use->begin <= at && at < use->end &&
            (!found || use->end - use->begin > found->end - found->begin)) {
            found = use;
        }
    }
    return found;
}

static void place(reader_t *reader, node_t *node)
{
    file_t *file = reader->file;
    CXSourceRange range = clang_getCursorExtent(node->cursor);
    CXSourceLocation begin = clang_getRangeStart(range), end = clang_getRangeEnd(range);
    const use_t *use;

    node->here = file_location(file, begin, &node->begin);
    if (!file_location(file, end, &node->end) || node->end < node->begin) {
        node->end = node->begin;
    }
    if (!node->here) {
        return;
    }
    /* Ranges may end at the beginning of a use with the body that they end in. */
    use = node->end > 0 ? use_around(file, node->end - 1) : NULL;
    if (use && use->begin >= node->begin && node->end < use->end) {
        node->end = use->end;
    }
}

static bool spells(const file_t *file, size_t at, const char *name)
{
    size_t length = strlen(name), i;

    if (length == 0 || at + length > file->size || memcmp(file->text + at, name, length) != 0) {
        return false;
    }
    for (i = 0; i < file->n_uses; i++) { /* a macro of the same name */
        if (file->uses[i].begin == at) {
            return false;
        }
    }
    return true;
}

/* ---- functions and variables ---- */

static bool is_external(CXCursor cursor)
{
    enum CXLinkageKind linkage = clang_getCursorLinkage(cursor);

    return linkage == CXLinkage_External || linkage == CXLinkage_UniqueExternal;
}

static function_t *function_of(reader_t *reader, CXCursor cursor)
{
    program_t *program = reader->program;
    const char *name = tr_spelling(clang_getCursorSpelling(cursor));
    const char *key = is_external(cursor) ? name : tr_format("%s:%s", reader->file->path, name);
    function_t *function;
    size_t i;

    for (i = 0; i < program->n_functions; i++) {
        if (strcmp(program->functions[i]->key, key) == 0) {
            return program->functions[i];
        }
    }
    function = tr_alloc(sizeof *function);
    function->name = name;
    function->key = key;
    program->functions = tr_grow(program->functions, program->n_functions, sizeof function);
    program->functions[program->n_functions++] = function;
    return function;
}

static const char *variable_key(reader_t *reader, CXCursor cursor)
{
    unsigned offset;
    CXFile file;

    if (is_external(cursor)) {
        return tr_spelling(clang_getCursorSpelling(cursor));
    }
    if (clang_getCursorLinkage(cursor) == CXLinkage_Internal) {
        return tr_format("%s:%s", reader->file->path, tr_spelling(clang_getCursorSpelling(cursor)));
    }
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &offset);
    return tr_format("%s:%s:%u:%s", reader->file->path,
                     file ? tr_spelling(clang_getFileName(file)) : "", offset,
                     tr_spelling(clang_getCursorSpelling(cursor)));
}

variable_t *tr_find_variable(program_t *program, const char *key)
{
    size_t i;

    for (i = program->n_variables; i-- > 0;) {
        if (strcmp(program->variables[i]->key, key) == 0) {
            return program->variables[i];
        }
    }
    return NULL;
}

static variable_t *variable_of(reader_t *reader, CXCursor cursor)
{
    const char *key = variable_key(reader, cursor);
    variable_t *variable = tr_find_variable(reader->program, key);
    enum CX_StorageClass storage;

    if (variable) {
        return variable;
    }
    variable = tr_alloc(sizeof *variable);
    variable->name = tr_spelling(clang_getCursorSpelling(cursor));
    variable->key = key;
    variable->file = reader->file;
    variable->type = clang_getCursorType(cursor);
    variable->parameter = clang_getCursorKind(cursor) == CXCursor_ParmDecl;
    storage = clang_Cursor_getStorageClass(cursor);
    variable->automatic =
        variable->parameter ||
        (!is_external(cursor) && clang_getCursorLinkage(cursor) != CXLinkage_Internal &&
         storage != CX_SC_Static && storage != CX_SC_Extern);
    reader->program->variables =
        tr_grow(reader->program->variables, reader->program->n_variables, sizeof variable);
    reader->program->variables[reader->program->n_variables++] = variable;
    return variable;
}

static void declare_variable(reader_t *reader, node_t *node)
{
    variable_t *variable = variable_of(reader, node->cursor);
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(node->cursor);
    size_t at;

    node->variable = variable;
    if (!file_location(reader->file, clang_getCursorLocation(node->cursor), &at)) {
        variable->defined = variable->defined || (!variable->automatic && storage != CX_SC_Extern);
        return;
    }
    if (storage != CX_SC_Extern ||
        clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(node->cursor)) == 0) {
        variable->defined = true;
        variable->type = clang_getCursorType(node->cursor);
        variable->file = reader->file;
        variable->declaration = node;
        variable->offset = at;
    }
}

/* ---- trees ---- */

static void read_reference(reader_t *reader, node_t *node)
{
    CXCursor referenced = clang_getCursorReferenced(node->cursor);
    enum CXCursorKind kind = clang_getCursorKind(referenced);
    const char *name = tr_spelling(clang_getCursorSpelling(node->cursor));

    if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
        node->variable = variable_of(reader, referenced);
    } else if (kind == CXCursor_FunctionDecl) {
        node->callee = function_of(reader, referenced);
    }
    node->spelled = node->here && spells(reader->file, node->begin, name);
    node->end = node->spelled ? node->begin + strlen(name) : node->end;
}

static void read_call(reader_t *reader, node_t *node)
{
    const node_t *callee = node->n > 0 ? tr_strip_casts(node->child[0]) : NULL;

    if (callee && callee->kind == CXCursor_DeclRefExpr && callee->callee) {
        node->callee = callee->callee;
        node->spelled = callee->spelled && node->begin == callee->begin;
    }
    if (reader->function) {
        function_t *function = reader->function;

        function->calls = tr_grow(function->calls, function->n_calls, sizeof node);
        function->calls[function->n_calls++] = node;
    }
}

static node_t *read_node(reader_t *reader, CXCursor cursor, node_t *parent)
{
    node_t *node = tr_alloc(sizeof *node);

    node->kind = clang_getCursorKind(cursor);
    node->cursor = cursor;
    node->parent = parent;
    place(reader, node);
    if (node->kind == CXCursor_VarDecl || node->kind == CXCursor_ParmDecl) {
        declare_variable(reader, node);
    } else if (node->kind == CXCursor_DeclRefExpr) {
        read_reference(reader, node);
    } else if (node->kind == CXCursor_BinaryOperator ||
               node->kind == CXCursor_CompoundAssignOperator) {
        node->binary = clang_getCursorBinaryOperatorKind(cursor);
    } else if (node->kind == CXCursor_UnaryOperator) {
        node->unary = clang_getCursorUnaryOperatorKind(cursor);
    }
    if (++reader->depth < MOST_NESTING) {
        ask_children_t children = ask_children(cursor);
        size_t i;

        for (i = 0; i < children.n; i++) {
            node_t *child = read_node(reader, children.cursor[i], node);

            node->child = tr_grow(node->child, node->n, sizeof child);
            node->child[node->n++] = child;
        }
        free(children.cursor);
    } else {
        tr_refuse(reader->file, node->begin, REFUSE_CONSTRUCT, "more than %d levels", MOST_NESTING);
    }
    reader->depth--;
    if (node->kind == CXCursor_CallExpr) {
        read_call(reader, node);
    }
    return node;
}

/* ---- the unit ---- */

static void keep_top(file_t *file, node_t *node)
{
    file->top = tr_grow(file->top, file->n_top, sizeof node);
    file->top[file->n_top++] = node;
}

static void read_function(reader_t *reader, CXCursor cursor)
{
    function_t *function = function_of(reader, cursor);
    function_t *outer = reader->function;
    function_t dummy = {.name = function->name};
    bool definition = clang_isCursorDefinition(cursor) && !function->definition;
    node_t *node;

    reader->function = definition ? function : &dummy;
    node = read_node(reader, cursor, NULL);
    if (definition) {
        function->definition = node;
        function->file = reader->file;
        if (node->n > 0 && node->child[node->n - 1]->kind == CXCursor_CompoundStmt) {
            function->body = node->child[node->n - 1];
        }
    }
    reader->function = outer;
    keep_top(reader->file, node);
}

static void read_use(file_t *file, CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    use_t use = {.name = tr_spelling(clang_getCursorSpelling(cursor))};

    if (file_location(file, clang_getRangeStart(range), &use.begin) &&
        file_location(file, clang_getRangeEnd(range), &use.end)) {
        file->uses = tr_grow(file->uses, file->n_uses, sizeof use);
        file->uses[file->n_uses++] = use;
    }
}

static enum CXChildVisitResult visit_uses(CXCursor cursor, CXCursor parent, CXClientData data)
{
    reader_t *reader = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);

    (void) parent;
    if (kind == CXCursor_MacroExpansion) {
        read_use(reader->file, cursor);
    }
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    reader_t *reader = data;
    CXSourceLocation location = clang_getCursorLocation(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    node_t *node;
    size_t at;
    bool here;

    (void) parent;
    if (kind >= CXCursor_FirstPreprocessing && kind <= CXCursor_LastPreprocessing) {
        return CXChildVisit_Continue;
    }
    here = file_location(reader->file, location, &at);
    if (!here && clang_Location_isInSystemHeader(location)) {
        return CXChildVisit_Continue;
    }
    if (kind == CXCursor_FunctionDecl) {
        read_function(reader, cursor);
        return CXChildVisit_Continue;
    }
    node = read_node(reader, cursor, NULL);
    keep_top(reader->file, node);
    return CXChildVisit_Continue;
}

/* ---- files ---- */

static bool parser_errors(file_t *file)
{
    unsigned i, n = clang_getNumDiagnostics(file->unit);
    bool any = false;

    for (i = 0; i < n; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(file->unit, i);

        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            unsigned line, column;
            CXString name;

            clang_getPresumedLocation(clang_getDiagnosticLocation(diagnostic), &name, &line,
                                      &column);
            tr_report_parser(tr_spelling(name), line, column,
                             tr_spelling(clang_getDiagnosticSpelling(diagnostic)));
            any = true;
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return any;
}

/* A directive in a header would be skipped silently. */
static void visit_inclusion(CXFile included, CXSourceLocation *stack, unsigned n, CXClientData data)
{
    file_t *file = data;
    CXSourceLocation first;
    const char *contents, *found;
    size_t size, at;

    if (n == 0 || clang_File_isEqual(included, file->main_file)) {
        return;
    }
    first = clang_getLocationForOffset(file->unit, included, 0);
    contents = clang_getFileContents(file->unit, included, &size);
    if (!contents || clang_Location_isInSystemHeader(first)) {
        return;
    }
    for (found = contents; (found = strstr(found, "pragma")) != NULL; found += 6) {
        const char *word = found + 6 + strspn(found + 6, " \t");

        if (strncmp(word, "bamboo", 6) == 0 && file_location(file, stack[n - 1], &at)) {
            tr_refuse(file, at, REFUSE_HEADER, "directives in %s",
                      tr_spelling(clang_getFileName(included)));
            return;
        }
    }
}

file_t *tr_read_file(program_t *program, const char *path, char **arguments, int n_arguments)
{
    file_t *file = tr_alloc(sizeof *file);
    reader_t reader = {.program = program, .file = file};
    struct CXUnsavedFile unsaved = {.Filename = path};
    static CXIndex index;
    const char *why;
    CXCursor top;
    size_t i;

    guard_at(path, NULL);
    index = index ? index : clang_createIndex(0, 0);
    file->program = program;
    file->path = path;
    if (!(file->text = tr_whole_file(path, &file->size, &why))) {
        fprintf(stderr, "bamboocc: %s: %s\n", path, why);
        return NULL;
    }
    program->files = tr_grow(program->files, program->n_files, sizeof file);
    program->files[program->n_files++] = file;
    file->tokens = tr_tokens_of(file->text, 0, file->size);
    i = program->n_directives;
    tr_read_directives(program, file);
    if (program->n_directives == i) {
        return file; /* the compiler reads it */
    }
    unsaved.Contents = file->text;
    unsaved.Length = file->size;
    if (clang_parseTranslationUnit2(index, path, (const char *const *) arguments, n_arguments,
                                    &unsaved, 1, CXTranslationUnit_DetailedPreprocessingRecord,
                                    &file->unit) != CXError_Success) {
        fprintf(stderr, "bamboocc: %s: libclang cannot read it\n", path);
        return NULL;
    }
    file->main_file = clang_getFile(file->unit, path);
    if (!parser_errors(file)) {
        top = clang_getTranslationUnitCursor(file->unit);
        clang_visitChildren(top, visit_uses, &reader);
        clang_visitChildren(top, visit_top, &reader);
        clang_getInclusions(file->unit, visit_inclusion, file);
    }
    return file;
}
