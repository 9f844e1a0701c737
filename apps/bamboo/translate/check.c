/* SPDX-License-Identifier: BSD-3-Clause */
/* What the translation would get wrong is refused. */
#include "translate.h"

#include <string.h>

/* ---- calls ---- */

enum { MOST_DEPTH = 16 }; /* of types: a list's element leads to itself */

struct handles {
    int depth;
    bool found;
};

static bool leads_to_handles(CXType type, int depth);

static enum CXVisitorResult visit_field(CXCursor field, CXClientData data)
{
    struct handles *handles = data;

    handles->found = leads_to_handles(clang_getCursorType(field), handles->depth);
    return handles->found ? CXVisit_Break : CXVisit_Continue;
}

/* Is there a communicator or a request in what the type is made of or leads to? */
static bool leads_to_handles(CXType type, int depth)
{
    struct handles handles = {depth + 1, false};
    CXCursor declaration = clang_getTypeDeclaration(type);

    if (depth == MOST_DEPTH) {
        return false;
    }
    if (clang_getCursorKind(declaration) == CXCursor_TypedefDecl) {
        const char *name = tr_spelling(clang_getCursorSpelling(declaration));

        return strcmp(name, "MPI_Comm") == 0 || strcmp(name, "MPI_Request") == 0 ||
               leads_to_handles(clang_getTypedefDeclUnderlyingType(declaration), depth + 1);
    }
    switch (type.kind) {
    case CXType_Elaborated:
        return leads_to_handles(clang_Type_getNamedType(type), depth + 1);
    case CXType_Pointer:
        return leads_to_handles(clang_getPointeeType(type), depth + 1);
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        return leads_to_handles(clang_getArrayElementType(type), depth + 1);
    case CXType_Record:
        clang_Type_visitFields(type, visit_field, &handles);
        return handles.found;
    default:
        return false;
    }
}

static bool has_handles(CXCursor function)
{
    CXType type = clang_getCursorType(function);
    int i;

    for (i = 0; i < clang_getNumArgTypes(type); i++) {
        if (leads_to_handles(ask_argument(type, i), 0)) {
            return true;
        }
    }
    return leads_to_handles(clang_getResultType(type), 0);
}

static void check_name(struct file *file, const struct node *node, const struct function *callee,
                       bool call)
{
    const char *advice = "";

    if (callee->definition) {
        return;
    }
    switch (tr_call_kind(callee->name, &advice)) {
    case CALL_UNKNOWN_MPI:
        tr_refuse_node(file, node, REFUSE_MPI, "'%s'", callee->name);
        break;
    case CALL_LIBC:
        tr_refuse_node(file, node, REFUSE_STATE, "'%s'; instead: %s", callee->name, advice);
        break;
    case CALL_SUSPENDS:
    case CALL_EXIT:
        if (!call) {
            tr_refuse_node(file, node, REFUSE_POINTER, "'%s'", callee->name);
        }
        break;
    case CALL_OTHER:
        if (has_handles(callee->cursor)) {
            tr_refuse_node(file, node, REFUSE_LIBRARY,
                           "'%s' is given communicators or requests of tasks", callee->name);
        }
        break;
    default:
        break;
    }
}

static void check_references(struct file *file, const struct node *node)
{
    const char *advice = "";
    size_t i;

    if (node->kind == CXCursor_CallExpr && node->callee) {
        check_name(file, node, node->callee, true);
    } else if (node->kind == CXCursor_DeclRefExpr && node->variable && !node->variable->automatic &&
               !node->variable->defined &&
               tr_call_kind(node->variable->name, &advice) == CALL_LIBC) {
        tr_refuse_node(file, node, REFUSE_STATE, "'%s'; instead: %s", node->variable->name, advice);
    } else if (node->kind == CXCursor_DeclRefExpr && node->variable && node->variable->per_task &&
               !node->here) {
        tr_refuse_node(file, node, REFUSE_HEADER,
                       "'%s', of which every task has its own, is used in a header",
                       node->variable->name);
    }
    for (i = 0; i < node->n; i++) {
        check_references(file, node->child[i]);
    }
}

static void check_function_use(struct file *file, const struct function *function)
{
    size_t i;

    for (i = 0; i < function->n_references; i++) {
        struct file *in = function->file ? function->file : file;

        if (function->resumable && function->definition) {
            tr_refuse_node(in, function->references[i], REFUSE_POINTER, "'%s' may wait",
                           function->name);
        } else {
            check_name(in, function->references[i], function, false);
        }
    }
}

/* ---- variables ---- */

static void check_task_data(const struct variable *variable)
{
    struct file *file = variable->file;
    const struct node *node = variable->declaration;

    if (!variable->automatic && variable->defined && variable->thread && node) {
        tr_refuse_node(file, node, REFUSE_THREAD, "'%s'", variable->name);
    }
    if (!variable->per_task) {
        return;
    }
    if (!node || (variable->in_header && !variable->external)) {
        tr_refuse(file, 0, REFUSE_HEADER, "'%s', which is written, is defined in a header",
                  variable->name);
    } else if (variable->in_macro) {
        tr_refuse_node(file, node, REFUSE_MACRO, "'%s', which is written, is declared by a macro",
                       variable->name);
    }
}

static void check_initialiser(struct file *file, const struct node *node)
{
    const struct node *initialiser =
        node->kind == CXCursor_VarDecl && node->variable && !node->variable->automatic
            ? tr_initialiser_of(node)
            : NULL;
    size_t i;

    for (i = 0; initialiser && initialiser->here && i < file->n_uses; i++) {
        const struct use *use = &file->uses[i];

        if (use->begin >= initialiser->begin && use->end <= initialiser->end &&
            (strcmp(use->name, "MPI_COMM_WORLD") == 0 || strcmp(use->name, "MPI_COMM_SELF") == 0)) {
            tr_refuse(file, use->begin, REFUSE_INITIALISER,
                      "a communicator; assign it in a function");
        }
    }
    for (i = 0; i < node->n; i++) {
        check_initialiser(file, node->child[i]);
    }
}

/* ---- resumable functions ---- */

static bool is_variable_length(CXType type)
{
    type = clang_getCanonicalType(type);
    for (;;) {
        if (type.kind == CXType_VariableArray) {
            return true;
        }
        if (type.kind == CXType_Pointer) {
            type = clang_getCanonicalType(clang_getPointeeType(type));
        } else if (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        } else {
            return false;
        }
    }
}

static bool measures(const struct node *node, const struct variable *variable)
{
    size_t i;

    if (node->kind == CXCursor_UnaryExpr && node->n == 1 &&
        tr_strip_casts(node->child[0])->variable == variable) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (measures(node->child[i], variable)) {
            return true;
        }
    }
    return false;
}

static void check_variable_length(const struct function *function, const struct variable *variable)
{
    CXType type = clang_getCanonicalType(variable->type);
    const struct node *node = variable->declaration;

    if (!variable->framed || !is_variable_length(variable->type)) {
        return;
    }
    if (type.kind == CXType_VariableArray && !is_variable_length(clang_getArrayElementType(type))) {
        if (variable->parameter ||
            (node->parent->parent == function->body && !measures(function->body, variable))) {
            return;
        }
    }
    tr_refuse_node(
        function->file, node, REFUSE_VARIABLE_LENGTH,
        "'%s'; a one-dimensional array in the function's outermost block can, without sizeof",
        variable->name);
}

static bool is_type_declaration(const struct node *node)
{
    return node->kind == CXCursor_StructDecl || node->kind == CXCursor_UnionDecl ||
           node->kind == CXCursor_EnumDecl || node->kind == CXCursor_TypedefDecl ||
           node->kind == CXCursor_EnumConstantDecl;
}

static bool declared_elsewhere(const struct node *tree, const struct node *node, const char *name)
{
    size_t i;

    if (tree != node && !clang_equalCursors(tree->cursor, node->cursor) &&
        (is_type_declaration(tree) || tree->kind == CXCursor_FunctionDecl ||
         tree->kind == CXCursor_VarDecl) &&
        strcmp(tr_spelling(clang_getCursorSpelling(tree->cursor)), name) == 0) {
        return true;
    }
    for (i = 0; i < tree->n; i++) {
        if (declared_elsewhere(tree->child[i], node, name)) {
            return true;
        }
    }
    return false;
}

static void check_type(const struct function *function, const struct node *node)
{
    const char *name = tr_spelling(clang_getCursorSpelling(node->cursor));
    struct file *file = function->file;
    size_t i;

    if (*name == '\0' || strchr(name, '(') || !node->here) {
        return;
    }
    for (i = 0; i < file->n_top; i++) {
        if (declared_elsewhere(file->top[i], node, name)) {
            tr_refuse_node(file, node, REFUSE_TYPE, "'%s', a name that is declared more than once",
                           name);
            return;
        }
    }
}

static bool moves(const struct node *node)
{
    while (node->parent && node->kind != CXCursor_CompoundStmt && node->kind != CXCursor_ForStmt) {
        node = node->parent;
    }
    return node->waits;
}

/* A record that is copied is not an object; an array, or a record with a taken address, would be
 * gone after a wait. */
static bool outlives(const struct node *literal)
{
    const struct node *node = literal;

    while (node->parent && (node->parent->kind == CXCursor_ParenExpr ||
                            node->parent->kind == CXCursor_MemberRefExpr)) {
        node = node->parent;
    }
    return clang_getCanonicalType(clang_getCursorType(literal->cursor)).kind !=
               CXType_ConstantArray &&
           node->parent && node->parent->kind == CXCursor_UnexposedExpr;
}

static bool contains_kind(const struct node *node, enum CXCursorKind kind)
{
    size_t i;

    if (node->kind == kind) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (contains_kind(node->child[i], kind)) {
            return true;
        }
    }
    return false;
}

static void check_construct(const struct function *function, const struct node *node)
{
    struct file *file = function->file;
    size_t i;

    switch (node->kind) {
    case CXCursor_CompoundLiteralExpr:
        if (!outlives(node)) {
            tr_refuse_node(file, node, REFUSE_LITERAL,
                           "a compound literal with an address; use a variable");
        }
        break;
    case CXCursor_StmtExpr:
        if (node->waits || contains_kind(node, CXCursor_ReturnStmt)) {
            tr_refuse_node(file, node, REFUSE_CONSTRUCT,
                           "a statement expression that waits or returns");
        }
        break;
    case CXCursor_IndirectGotoStmt:
    case CXCursor_AddrLabelExpr:
        tr_refuse_node(file, node, REFUSE_CONSTRUCT, "the address of a label");
        break;
    case CXCursor_CallExpr:
        if (node->callee && (strcmp(node->callee->name, "alloca") == 0 ||
                             strcmp(node->callee->name, "__builtin_alloca") == 0)) {
            tr_refuse_node(file, node, REFUSE_LITERAL, "memory of alloca(); use malloc()");
        }
        if (node->callee && node->callee->is_main) {
            tr_refuse_node(file, node, REFUSE_MAIN, "main is called");
        }
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it asks for a callee first */
        if (tr_is_waiting_call(node) && node->callee->definition &&
            node->n - 1 != node->callee->n_parameters) {
            tr_refuse_node(file, node, REFUSE_VARIADIC, "'%s'", node->callee->name);
        }
        break;
    case CXCursor_LabelStmt:
        if (strncmp(tr_spelling(clang_getCursorSpelling(node->cursor)), "resume_", 7) == 0) {
            tr_refuse_node(file, node, REFUSE_NAME,
                           "the translation's own labels begin with 'resume_'");
        }
        break;
    default:
        if (is_type_declaration(node) && moves(node)) {
            check_type(function, node);
        }
    }
    for (i = 0; i < node->n; i++) {
        check_construct(function, node->child[i]);
    }
}

/* A call through a pointer is never waited for: no function that may wait has its address taken.
 * Its declaration must not hide one. */
static void check_resumable(struct function *function)
{
    struct file *file = function->file;
    size_t i;

    if (function->defined_in_header && !function->definition->here) {
        tr_refuse_node(file, function->definition, REFUSE_HEADER, "'%s' may wait", function->name);
        function->unfit = true;
        return;
    }
    if (!function->body || function->definition->in_macro || !function->body->here ||
        function->body->in_macro) {
        tr_refuse_node(file, function->definition, REFUSE_MACRO, "'%s' is defined by a macro",
                       function->name);
        function->unfit = true;
        return;
    }
    if (function->variadic) {
        tr_refuse_node(file, function->definition, REFUSE_VARIADIC, "'%s'", function->name);
    }
    if (function->is_main && (function->n_parameters > 2 || function->n_parameters == 1)) {
        tr_refuse_node(file, function->definition, REFUSE_MAIN,
                       "main must take no parameters, or argc and argv");
    }
    for (i = 0; i < function->n_locals; i++) {
        const struct variable *variable = function->locals[i];

        if (variable->framed && variable->in_macro) {
            tr_refuse_node(file, variable->declaration, REFUSE_MACRO, "'%s' is declared by a macro",
                           variable->name);
        }
        check_variable_length(function, variable);
    }
    check_construct(function, function->body);
}

/* ---- other pragmas ---- */

static const struct function *function_at(const struct program *program, const struct file *file,
                                          size_t at)
{
    size_t i;

    for (i = 0; i < program->n_functions; i++) {
        const struct function *function = program->functions[i];

        if (function->file == file && function->body && function->body->begin <= at &&
            at < function->body->end) {
            return function;
        }
    }
    return NULL;
}

static void check_pragma(struct program *program, struct file *file, const struct token *token,
                         size_t n)
{
    const struct function *function = function_at(program, file, token->begin);
    size_t i, j;

    if (function && function->resumable && n > 2 &&
        (tr_token_is(file->text, &token[2], "omp") || tr_token_is(file->text, &token[2], "acc"))) {
        tr_refuse(file, token->begin, REFUSE_PRAGMAS,
                  "in '%s', which may wait; move the loop into a function of its own",
                  function->name);
    }
    for (i = 2; i < n; i++) {
        for (j = 0; j < program->n_variables; j++) {
            const struct variable *variable = program->variables[j];

            if (variable->per_task && tr_token_is(file->text, &token[i], variable->name)) {
                tr_refuse(file, token[i].begin, REFUSE_PRAGMAS, "'%s'", variable->name);
                break;
            }
        }
    }
}

static void check_pragmas(struct program *program, struct file *file)
{
    const struct token *token = file->tokens.token;
    size_t i, n;

    for (i = 0; i + 1 < file->tokens.n; i++) {
        if (!token[i].directive || !tr_token_is(file->text, &token[i], "#") ||
            !tr_token_is(file->text, &token[i + 1], "pragma") ||
            tr_is_skipped(file, token[i].begin)) {
            continue;
        }
        for (n = 2; i + n < file->tokens.n && token[i + n].directive &&
                    !(tr_token_is(file->text, &token[i + n], "#") &&
                      memchr(file->text + token[i + n - 1].end, '\n',
                             token[i + n].begin - token[i + n - 1].end));
             n++) {
        }
        if (n > 2 && !tr_token_is(file->text, &token[i + 2], "bamboo")) {
            check_pragma(program, file, token + i, n);
        }
    }
}

/* Headers have functions without callers. */
static bool is_used(const struct program *program, const struct node *top)
{
    size_t i;

    for (i = 0; i < program->n_functions; i++) {
        if (program->functions[i]->definition == top) {
            return program->functions[i]->reached;
        }
    }
    return true;
}

/* libclang has no question about attributes, but prints them. */
static bool has_attribute(const struct node *node, const char *name)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(node->cursor);
    const char *text;

    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    text = tr_spelling(clang_getCursorPrettyPrinted(node->cursor, policy));
    clang_PrintingPolicy_dispose(policy);
    return strstr(text, tr_format("((%s", name)) || strstr(text, tr_format("gnu::%s", name));
}

/* Attributes that call a function: constructors run once in a process, before there are tasks; a
 * member of a frame has no scope that ends. */
static void check_attributes(struct file *file, const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_FunctionDecl &&
        (has_attribute(node, "constructor") || has_attribute(node, "destructor"))) {
        tr_refuse_node(file, node, REFUSE_CONSTRUCT, "a function that runs before or after main");
    } else if (node->kind == CXCursor_VarDecl && node->variable->framed &&
               has_attribute(node, "cleanup")) {
        tr_refuse_node(file, node, REFUSE_CONSTRUCT, "a function that runs at the end of a scope");
    }
    for (i = 0; i < node->n; i++) {
        check_attributes(file, node->child[i]);
    }
}

void tr_check_program(struct program *program)
{
    size_t i, j;

    if (!program->main) {
        tr_refuse(program->files[0], 0, REFUSE_MAIN, "the files have no main");
    }
    for (i = 0; i < program->n_files; i++) {
        struct file *file = program->files[i];

        for (j = 0; j < file->n_top; j++) {
            if (is_used(program, file->top[j])) {
                check_references(file, file->top[j]);
            }
            check_initialiser(file, file->top[j]);
            check_attributes(file, file->top[j]);
        }
        check_pragmas(program, file);
    }
    for (i = 0; i < program->n_functions; i++) {
        check_function_use(program->files[0], program->functions[i]);
        if (program->functions[i]->resumable && program->functions[i]->reached &&
            program->functions[i]->definition) {
            check_resumable(program->functions[i]);
        }
    }
    for (i = 0; i < program->n_variables; i++) {
        check_task_data(program->variables[i]);
    }
}

/* ---- names that no edit has reached ---- */

static void mark_names(const struct file *file, const struct node *node, bool *known)
{
    unsigned offset;
    CXFile in;
    size_t i;

    clang_getFileLocation(clang_getCursorLocation(node->cursor), &in, NULL, NULL, &offset);
    if (in && clang_File_isEqual(in, file->main_file) && offset < file->size &&
        !(node->kind == CXCursor_DeclRefExpr && node->variable &&
          (node->variable->framed || node->variable->per_task))) {
        known[offset] = true;
    }
    for (i = 0; i < node->n; i++) {
        mark_names(file, node->child[i], known);
    }
}

/* The variable that the name could mean, if it has moved. */
static const struct variable *moved_variable(const struct program *program, const struct file *file,
                                             const struct token *token)
{
    size_t i;

    for (i = 0; i < program->n_variables; i++) {
        const struct variable *variable = program->variables[i];

        if (!tr_token_is(file->text, token, variable->name)) {
            continue;
        }
        if (variable->per_task && (variable->external || variable->file == file)) {
            return variable;
        }
        if (variable->framed && variable->file == file && variable->function->body &&
            variable->function->body->begin <= token->begin &&
            token->end <= variable->function->body->end) {
            return variable;
        }
    }
    return NULL;
}

static bool is_other_name(const struct file *file, size_t i)
{
    static const char *const before[] = {".", "->", "struct", "union", "enum", "goto"};
    const struct token *token = file->tokens.token;
    size_t j;

    for (j = 0; i > 0 && j < sizeof before / sizeof *before; j++) {
        if (tr_token_is(file->text, &token[i - 1], before[j])) {
            return true;
        }
    }
    if (i > 0 && i + 1 < file->tokens.n && tr_token_is(file->text, &token[i + 1], ":") &&
        strchr(";{}:)", file->text[token[i - 1].begin])) {
        return true; /* a label */
    }
    for (j = 0; j < file->n_uses; j++) { /* a macro's name, or an argument that it leaves out */
        if (file->uses[j].begin <= token[i].begin && token[i].begin < file->uses[j].end) {
            return true;
        }
    }
    return false;
}

/* Does it make a string or a part of a name of an argument? GNU's `, ## __VA_ARGS__` does not. */
static bool has_sharp(const struct macro *macro)
{
    const struct token *token = macro->tokens.token;
    size_t i, n = macro->tokens.n;

    for (i = 1; i < n; i++) {
        if (tr_token_is(macro->text, &token[i], "#") &&
            !(i + 2 < n && tr_token_is(macro->text, &token[i - 1], ",") &&
              tr_token_is(macro->text, &token[i + 1], "#") &&
              tr_token_is(macro->text, &token[i + 2], "__VA_ARGS__"))) {
            return true;
        }
        i += tr_token_is(macro->text, &token[i], "#");
    }
    return false;
}

/* It would make another one of what has moved. */
static void check_strings(struct file *file)
{
    size_t i, j;

    for (i = 0; i < file->n_uses; i++) {
        const struct use *use = &file->uses[i];

        for (j = 0; j < file->n_macros; j++) {
            const struct macro *macro = &file->macros[j];

            if (macro->function_like && strcmp(macro->name, use->name) == 0 && has_sharp(macro) &&
                strcmp(tr_render(file, use->begin, use->end),
                       tr_copy_text(file->text + use->begin, use->end - use->begin)) != 0) {
                tr_refuse(file, use->begin, REFUSE_STRING, "'%s'", use->name);
            }
        }
    }
}

void tr_check_names(struct program *program, struct file *file)
{
    bool *known = tr_alloc((file->size + 1) * sizeof *known);
    size_t i;

    check_strings(file);
    for (i = 0; i < file->n_top; i++) {
        mark_names(file, file->top[i], known);
    }
    for (i = 0; i < file->tokens.n; i++) {
        const struct token *token = &file->tokens.token[i];
        const struct variable *variable;

        if (token->kind != TOKEN_NAME || token->directive || known[token->begin] ||
            tr_is_edited(file, token->begin) || is_other_name(file, i)) {
            continue;
        }
        variable = moved_variable(program, file, token);
        if (variable) {
            tr_refuse(file, token->begin, REFUSE_NAME, "'%s'", variable->name);
        }
    }
}
