/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: names, and which variables they hold. A function that others call by a prototype has two
 * structs: NAME_call with what a caller fills in and reads, and NAME_frame, which begins with it.
 */
#include "translate.h"

#include <string.h>

static bool has_token(const struct file *file, size_t begin, size_t end, const char *word)
{
    size_t i;

    for (i = 0; i < file->tokens.n; i++) {
        const struct token *token = &file->tokens.token[i];

        if (token->begin >= begin && token->end <= end && tr_token_is(file->text, token, word)) {
            return true;
        }
    }
    return false;
}

static bool is_taken(const struct program *program, const char *word)
{
    size_t i;

    for (i = 0; i < program->n_files; i++) {
        if (has_token(program->files[i], 0, program->files[i]->size, word)) {
            return true;
        }
    }
    return false;
}

/* In the name, the parameters or the body of a macro, used here or not. */
static bool in_macros(const struct file *file, const char *word)
{
    size_t i, j;

    for (i = 0; i < file->n_macros; i++) {
        for (j = 0; j < file->macros[i].tokens.n; j++) {
            if (tr_token_is(file->macros[i].text, &file->macros[i].tokens.token[j], word)) {
                return true;
            }
        }
    }
    return false;
}

/* Names that no text spells, since macros paste them. */
static bool in_tree(const struct node *node, const char *word)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && !node->spelled &&
        strcmp(tr_spelling(clang_getCursorSpelling(node->cursor)), word) == 0) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (in_tree(node->child[i], word)) {
            return true;
        }
    }
    return false;
}

const char *tr_free_name(const struct function *function, const char *const *names)
{
    const struct node *definition = function->definition;

    while (names[1] && (has_token(function->file, definition->begin, definition->end, *names) ||
                        in_macros(function->file, *names) || in_tree(definition, *names))) {
        names++;
    }
    return *names;
}

/* In any file, since callers see members, too. */
static bool is_object_macro(const struct program *program, const char *name)
{
    size_t i, j;

    for (i = 0; i < program->n_files; i++) {
        for (j = 0; j < program->files[i]->n_macros; j++) {
            if (!program->files[i]->macros[j].function_like &&
                strcmp(program->files[i]->macros[j].name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_member(const struct function *function, const char *name)
{
    size_t i;

    for (i = 0; i < function->n_members; i++) {
        if (strcmp(function->member[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *new_member(struct function *function, const char *name)
{
    const char *result = name;
    int number = 2;

    while (
        is_member(function, result) || is_object_macro(function->file->program, result) ||
        (number > 2 && in_macros(function->file, result))) { /* which might be called result(7) */
        result = tr_format("%s_%d", name, number++);
    }
    function->member = tr_grow(function->member, function->n_members, sizeof *function->member);
    function->member[function->n_members++] = result;
    return result;
}

/* TYPE NAME for any type that can be written. */
const char *tr_declared(const char *type, const char *name)
{
    if (strpbrk(type, "([")) {
        return tr_format("__typeof__(%s) %s", type, name);
    }
    return tr_format("%s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", name);
}

const char *tr_frame_member(struct function *function, const char *name, const char *type)
{
    const char *member = new_member(function, name);

    tr_add(&function->members, "    %s;\n", tr_declared(type, member));
    return tr_format("%s->%s", function->self, member);
}

/* As a parameter has it: arrays are pointers. */
static const char *parameter_type(CXType type)
{
    if (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
        type.kind == CXType_VariableArray) {
        const char *element = tr_type_text(clang_getArrayElementType(type));

        return strpbrk(element, "([") ? tr_format("__typeof__(%s) *", element)
                                      : tr_format("%s *", element);
    }
    if (type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto) {
        return tr_format("__typeof__(%s) *", tr_type_text(type));
    }
    return tr_type_text(ask_unqualified(type));
}

static const char *parameter_declaration(CXType type, const char *name)
{
    const char *text = parameter_type(type);

    return strncmp(text, "__typeof__", 10) == 0 ? tr_format("%s%s", text, name)
                                                : tr_declared(text, name);
}

/* What callers see: the frame's head, result and parameters, as DECLARATION in the caller's file
 * has their types. */
static const char *face_members(const struct function *function, CXCursor declaration)
{
    CXType type = clang_getCursorType(declaration), result = clang_getResultType(type);
    struct text text = {0};
    int n = clang_getNumArgTypes(type);
    size_t i;

    tr_add(&text, "    struct bamboo_frame head;\n");
    if (clang_getCanonicalType(result).kind != CXType_Void) {
        tr_add(&text, "    %s;\n", tr_declared(tr_type_text(ask_unqualified(result)), "result"));
    }
    for (i = 0; i < function->n_parameters; i++) {
        tr_add(&text, "    %s;\n",
               parameter_declaration(i < (size_t) n ? ask_argument(type, (int) i)
                                                    : function->locals[i]->type, /* after f() */
                                     function->locals[i]->member));
    }
    return text.at;
}

const char *tr_face_definition(const struct function *function, CXCursor declaration)
{
    return tr_format("struct %s {\n%s};\n%s const size_t %s_bytes;\n%sbamboo_state_t %s(struct "
                     "bamboo_frame *);\n",
                     function->face, face_members(function, declaration),
                     function->is_static ? "static" : "extern", function->name,
                     function->is_static ? "static " : "", function->task_name);
}

const char *tr_frame_definition(struct function *function)
{
    const char *first;

    if (function->is_main) {
        first = tr_format("    struct bamboo_main_frame %s;\n", function->first);
    } else if (function->face) {
        first = tr_format("    struct %s %s;\n", function->face, function->first);
    } else {
        first = face_members(function, function->definition->cursor);
    }
    return tr_format("%sstruct %s {\n%s%s%s};\n", function->types.n ? function->types.at : "",
                     function->frame, first, function->members.n ? function->members.at : "",
                     !function->spills
                         ? ""
                         : tr_format("    struct %s_values {\n%s    } %s;\n", function->name,
                                     function->values.at, function->local));
}

/* ---- plans ---- */

static struct node *scope_of(struct node *node)
{
    while (node->parent && node->kind != CXCursor_CompoundStmt && node->kind != CXCursor_ForStmt) {
        node = node->parent;
    }
    return node;
}

/* Large arrays are better left where they are: every wait would copy them. */
enum { MOST_SPILLED_BYTES = 256 };

static bool can_be_spilled(const struct variable *variable)
{
    CXType type = clang_getCanonicalType(variable->type), element = type;
    const struct node *statement = variable->declaration->parent;
    size_t i;

    if (variable->address_taken || variable->in_macro) {
        return false;
    }
    while (element.kind == CXType_ConstantArray && !variable->parameter) {
        element = clang_getCanonicalType(clang_getArrayElementType(element));
    }
    if (clang_isVolatileQualifiedType(type) || clang_isVolatileQualifiedType(element)) {
        return false;
    }
    for (i = 0; !variable->parameter && i < statement->n; i++) { /* one type, declared once */
        if (statement->child[i]->kind != CXCursor_VarDecl) {
            return false;
        }
    }
    switch (element.kind) {
    case CXType_Record:
    case CXType_Unexposed:
        return false;
    case CXType_VariableArray:
    case CXType_IncompleteArray:
    case CXType_ConstantArray:
        return variable->parameter;
    default:
        return element.kind == type.kind || ask_size(type) <= MOST_SPILLED_BYTES;
    }
}

static void plan_local(struct function *function, struct variable *variable)
{
    variable->framed =
        variable->parameter || (variable->declaration && scope_of(variable->declaration)->waits);
    if (!variable->framed) {
        return;
    }
    if (function->is_main && variable->parameter) {
        variable->member = variable->number == 0 ? "argc" : "argv";
    } else {
        variable->member = new_member(
            function, *variable->name ? variable->name : tr_format("unnamed_%d", variable->number));
    }
    variable->text = tr_format("%s->%s%s", function->self,
                               variable->parameter ? function->prefix : "", variable->member);
    if (can_be_spilled(variable)) {
        variable->spilled = true;
        function->spills = true;
        variable->text = tr_format("%s.%s", function->local, variable->member);
        if (variable->parameter) {
            tr_add(&function->values, "        %s;\n",
                   parameter_declaration(variable->type, variable->member));
        }
    }
}

static void claim(struct program *program, const struct function *function, const char *name)
{
    if (is_taken(program, name)) {
        tr_refuse_node(function->file, function->definition, REFUSE_NAME,
                       "the translation of '%s' needs the name '%s', which the program has, too",
                       function->name, name);
    }
}

static void plan_frame(struct program *program, struct function *function)
{
    static const char *const selves[] = {"f", "self", "own", "bamboo_self", NULL};
    static const char *const locals[] = {"v", "values", "own_values", "bamboo_values_", NULL};
    static const char *const frames[] = {"frame", "task_frame", "bamboo_frame_", NULL};
    size_t i;

    function->self = tr_free_name(function, selves);
    function->frame_name = tr_free_name(function, frames);
    function->local = tr_free_name(function, locals);
    function->frame = tr_format("%s_frame", function->name);
    function->task_name =
        function->is_static ? function->name : tr_format("%s_run", function->name);
    claim(program, function, function->frame);
    claim(program, function, tr_format("%s_values", function->name));
    if (!function->is_static) {
        claim(program, function, function->task_name);
    }
    if (function->is_main) {
        function->first = new_member(function, "main");
        function->prefix = tr_format("%s.", function->first);
    } else if (!function->is_static || function->declared_before) {
        function->face = tr_format("%s_call", function->name);
        claim(program, function, function->face);
        claim(program, function, tr_format("%s_bytes", function->name));
        function->first = new_member(function, "call");
        function->prefix = tr_format("%s.", function->first);
    } else {
        function->prefix = "";
    }
    (void) new_member(function, "head"); /* of the call, if that is a struct of its own */
    (void) new_member(function, "result");
    for (i = 0; i < function->n_locals; i++) {
        plan_local(function, function->locals[i]);
    }
}

static void plan_task_data(struct program *program, struct variable *variable)
{
    variable->task_name = variable->name;
    if (variable->external && variable->in_header) {
        variable->task_name = tr_format("%s_tasks", variable->name);
        if (is_taken(program, variable->task_name)) {
            tr_refuse(variable->file, variable->declaration ? variable->declaration->begin : 0,
                      REFUSE_NAME,
                      "the translation needs the name '%s', which the program has, too",
                      variable->task_name);
        }
    }
    variable->text = tr_format("%s[bamboo_local]", variable->task_name);
}

/* The runtime's header has members of these names. */
static void check_macro_names(struct file *file)
{
    static const char *const names[] = {"argc", "argv", "at", "callee", "head", "result"};
    size_t i, j;

    for (i = 0; i < file->n_macros; i++) {
        for (j = 0; j < sizeof names / sizeof *names; j++) {
            if (!file->macros[i].function_like && strcmp(file->macros[i].name, names[j]) == 0) {
                tr_refuse(file, file->macros[i].here ? file->macros[i].begin : 0, REFUSE_NAME,
                          "the translation needs the name '%s', which is a macro here", names[j]);
            }
        }
    }
}

void tr_plan_frames(struct program *program)
{
    size_t i;

    for (i = 0; i < program->n_files; i++) {
        check_macro_names(program->files[i]);
    }
    for (i = 0; i < program->n_functions; i++) {
        if (program->functions[i]->resumable && program->functions[i]->definition) {
            plan_frame(program, program->functions[i]);
        }
    }
    for (i = 0; i < program->n_variables; i++) {
        if (program->variables[i]->per_task) {
            plan_task_data(program, program->variables[i]);
        }
    }
}
