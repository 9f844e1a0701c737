/* SPDX-License-Identifier: BSD-3-Clause */
/* A file's translation: all of its edits. */
#include "translate.h"

#include <string.h>

/* ---- references ---- */

static const char *moved_text(const struct variable *variable)
{
    return variable && (variable->framed || variable->per_task) ? variable->text : NULL;
}

static void rewrite_references(struct program *program, struct file *file, struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->spelled && moved_text(node->variable)) {
        tr_replace_inline(file, node->begin, node->end, moved_text(node->variable));
    }
    for (i = 0; i < node->n; i++) {
        rewrite_references(program, file, node->child[i]);
    }
    if (node->kind == CXCursor_VarDecl && node->variable && node->variable->per_task &&
        node->here) {
        tr_declare_static(program, file, node);
    }
}

/* libclang's tree has __func__ as an array that consists of a string. */
static bool has_func(const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_UnexposedExpr && node->n == 1 &&
        node->child[0]->kind == CXCursor_StringLiteral &&
        clang_getCursorType(node->cursor).kind == CXType_ConstantArray) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (has_func(node->child[i])) {
            return true;
        }
    }
    return false;
}

/* __func__ is the name in the source, also where a macro such as assert() has it. */
static void keep_func(const struct function *function, struct text *before, struct text *after)
{
    static const char *const names[] = {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"};
    size_t i;

    if (strcmp(function->task_name, function->name) == 0 || !has_func(function->body)) {
        return;
    }
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        tr_add(before, "#define %s \"%s\"\n", names[i], function->name);
        tr_add(after, "#undef %s\n", names[i]);
    }
}

/* ---- functions ---- */

struct faces {
    const struct function **function;
    size_t n;
};

/* The face's definition, once in a file. */
static const char *face_once(struct faces *faces, const struct function *function,
                             CXCursor declaration)
{
    size_t i;

    for (i = 0; i < faces->n; i++) {
        if (faces->function[i] == function) {
            return "";
        }
    }
    if (!function->face) {
        return "";
    }
    faces->function = tr_grow(faces->function, faces->n, sizeof function);
    faces->function[faces->n++] = function;
    return tr_face_definition(function, declaration);
}

static void add_callees(struct faces *faces, const struct function *function, struct text *text)
{
    size_t i;

    for (i = 0; i < function->n_calls; i++) {
        const struct node *call = function->calls[i];

        if (call->callee && call->callee->resumable && call->callee->definition) {
            tr_add(text, "%s",
                   face_once(faces, call->callee, clang_getCursorReferenced(call->cursor)));
        }
    }
}

static const char *first_values(const struct function *function)
{
    struct text text = {0};
    size_t i;

    tr_add_bytes(&text, "", 0);
    for (i = 0; i < function->n_parameters; i++) {
        const struct variable *variable = function->locals[i];

        if (variable->spilled) {
            tr_add(&text, "        %s = %s->%s%s;\n", variable->text, function->self,
                   function->prefix, variable->member);
        }
    }
    return text.at;
}

static const char *prologue(const struct function *function)
{
    struct text text = {0};
    int i;

    tr_add(&text, "{\n    struct %s *%s = (struct %s *) %s;\n", function->frame, function->self,
           function->frame, function->frame_name);
    if (function->spills) {
        tr_add(&text, "    struct %s_values %s = %s->%s;\n", function->name, function->local,
               function->self, function->local);
    }
    tr_add(&text, "\n    (void) %s;\n", function->self);
    if (function->n_waits > 0) {
        tr_add(&text, "    switch (%s->at) {\n", function->frame_name);
        for (i = 1; i <= function->n_waits; i++) {
            tr_add(&text, "    case %d:\n        goto resume_%d;\n", i, i);
        }
        tr_add(&text, "    default:\n%s        break;\n    }\n", first_values(function));
    } else {
        tr_add(&text, "%s", first_values(function));
    }
    return text.at;
}

static bool ends_with_return(const struct node *body)
{
    return body->n > 0 && body->child[body->n - 1]->kind == CXCursor_ReturnStmt;
}

/* Without folders and .c. */
static const char *program_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return tr_copy_text(name, dot ? (size_t) (dot - name) : strlen(name));
}

static bool has_task_data(const struct program *program)
{
    size_t i;

    for (i = 0; i < program->n_variables; i++) {
        if (program->variables[i]->per_task) {
            return true;
        }
    }
    return false;
}

static const char *main_function(const struct program *program)
{
    const struct function *function = program->main;
    struct text text = {0};
    size_t i, j;

    tr_add(&text,
           "\nint main(int argc, char **argv)\n{\n"
           "    static const bamboo_program_t program = {\"%s\", sizeof(struct %s), %s, %s};\n\n",
           program_name(function->file->path), function->frame, function->task_name,
           has_task_data(program) ? program->vf_text : "0");
    if (program->dimensions > 0) {
        tr_add(&text, "    bamboo_geometry(%d);\n", program->dimensions);
    }
    for (i = 0; i < program->n_directives; i++) {
        const struct directive *directive = program->directives[i];

        for (j = 0; j < directive->n_layouts; j++) {
            tr_add(&text, "    bamboo_layout(%s, %d);\n", directive->layouts[j].name,
                   directive->layouts[j].dimension);
        }
    }
    tr_add(&text, "    return bamboo_run(argc, argv, &program);\n}\n");
    return text.at;
}

static void rewrite_function(struct program *program, struct function *function,
                             struct faces *faces, const char *before, const char *after)
{
    struct file *file = function->file;
    const struct node *body = function->body;
    struct text head = {0}, tail = {0};

    tr_rewrite_body(function);
    add_callees(faces, function, &head);
    tr_add(&head, "%s", face_once(faces, function, function->definition->cursor));
    tr_add(&head, "%s%s", tr_frame_definition(function), before);
    tr_add(&head, "%sbamboo_state_t %s(struct bamboo_frame *%s)\n%s",
           function->is_static || function->is_main ? "static " : "", function->task_name,
           function->frame_name, prologue(function));
    tr_replace(file, function->definition->begin, body->begin + 1, head.at);
    tr_add(&tail, "%s}\n%s", ends_with_return(body) ? "" : "    return BAMBOO_DONE;\n", after);
    if (function->face) {
        tr_add(&tail, "%sconst size_t %s_bytes = sizeof(struct %s);\n",
               function->is_static ? "static " : "", function->name, function->frame);
    }
    if (function->is_main) {
        tr_add(&tail, "%s", main_function(program));
    }
    tr_replace(file, body->end - 1, body->end, tail.at);
}

static void rewrite_prototype(struct file *file, struct function *function, const struct node *node,
                              struct faces *faces)
{
    const char *face = face_once(faces, function, node->cursor);
    size_t end = tr_skip_blank(file, node->end);

    if (node->in_macro || file->text[end] != ';') {
        tr_refuse_node(file, node, REFUSE_NAME,
                       "'%s' is declared together with others or by a macro", function->name);
        return;
    }
    if (!*face) {
        face = tr_format("%sbamboo_state_t %s(struct bamboo_frame *);",
                         function->is_static ? "static " : "", function->task_name);
    }
    tr_replace(file, node->begin, end + 1, face);
}

/* Text in front of a declaration. */
static void put_before(struct file *file, const struct node *node, const char *text)
{
    size_t i;

    for (i = 0; i < file->tokens.n; i++) {
        const struct token *token = &file->tokens.token[i];

        if (token->begin == node->begin) {
            const char *rest = tr_render(file, token->begin, token->end), *name;
            unsigned line, column;

            tr_presumed(file, node->begin, &name, &line, &column);
            tr_replace_inline(file, token->begin, token->end,
                              tr_format("%s#line %u \"%s\"\n%*s%s", text, line, name,
                                        (int) column - 1, "", rest));
            return;
        }
    }
}

/* ---- variables of tasks that headers declare ---- */

static bool first_reference(const struct node *node, const struct variable *variable)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable == variable) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (first_reference(node->child[i], variable)) {
            return true;
        }
    }
    return false;
}

static const char *declare_tasks_of_headers(const struct program *program, const struct node *top,
                                            bool *declared_here)
{
    struct text text = {0};
    size_t i;

    tr_add_bytes(&text, "", 0);
    for (i = 0; i < program->n_variables; i++) {
        const struct variable *variable = program->variables[i];

        if (variable->per_task && variable->task_name != variable->name && !declared_here[i] &&
            (first_reference(top, variable) || top->variable == variable)) {
            declared_here[i] = true;
            tr_add(&text, "extern __typeof__(%s) %s[%s];\n", variable->name, variable->task_name,
                   program->vf_text);
        }
    }
    return text.at;
}

/* ---- conditionals ---- */

static bool is_conditional(const struct file *file, const struct token *token, size_t left)
{
    static const char *const words[] = {"if", "ifdef", "ifndef", "elif", "else", "endif"};
    size_t i;

    if (!token->directive || !tr_token_is(file->text, token, "#") || left < 2) {
        return false;
    }
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        if (tr_token_is(file->text, &token[1], words[i])) {
            return true;
        }
    }
    return false;
}

/* Is the next token on another line, for the preprocessor? */
static bool ends_line(const struct file *file, const struct token *token)
{
    size_t at;

    for (at = token[0].end; at < token[1].begin; at++) {
        if (file->text[at] == '\n' && file->text[at - 1] != '\\') {
            return true;
        }
    }
    return false;
}

/* What the conditionals select was decided by the parser; the compiler shall not decide otherwise.
 */
static void decide_conditionals(struct file *file)
{
    bool conditional = false;
    size_t i;

    for (i = 0; i < file->tokens.n; i++) {
        const struct token *token = &file->tokens.token[i];

        conditional = conditional || is_conditional(file, token, file->tokens.n - i);
        if (conditional || tr_is_skipped(file, token->begin)) {
            tr_replace(file, token->begin, token->end, "");
        }
        if (i + 1 < file->tokens.n && ends_line(file, token)) {
            conditional = false;
        }
    }
}

/* Before the first #include or token, outside of conditionals. */
static size_t include_position(const struct file *file)
{
    size_t i, depth = 0, outer = 0;

    for (i = 0; i < file->tokens.n; i++) {
        const struct token *token = &file->tokens.token[i];

        if (!token->directive) {
            break;
        }
        if (!tr_token_is(file->text, token, "#") || i + 1 >= file->tokens.n) {
            continue;
        }
        if (strncmp(file->text + token[1].begin, "if", 2) == 0) {
            outer = depth++ == 0 ? token->begin : outer;
        } else if (tr_token_is(file->text, &token[1], "endif")) {
            depth -= depth > 0;
        } else if (tr_token_is(file->text, &token[1], "include")) {
            break;
        }
    }
    return depth > 0 ? outer : i < file->tokens.n ? file->tokens.token[i].begin : file->size;
}

/* ---- the file ---- */

static void blank_directives(const struct program *program, struct file *file)
{
    size_t i;

    for (i = 0; i < program->n_directives; i++) {
        if (program->directives[i]->file == file) {
            tr_replace(file, program->directives[i]->begin, program->directives[i]->end, "");
        }
    }
}

/* Behind the function, or the semicolon of all that is declared together. */
static size_t declaration_end(const struct file *file, const struct node *top)
{
    size_t i, end = top->end;

    for (i = 0; i < file->n_top; i++) {
        if (file->top[i]->here && file->top[i]->begin == top->begin && file->top[i]->end > end) {
            end = file->top[i]->end;
        }
    }
    i = tr_skip_blank(file, end);
    return i < file->size && file->text[i] == ';' ? i + 1 : end;
}

static void translate_top(struct program *program, struct file *file, struct node *top,
                          struct faces *faces, bool *declared_here)
{
    const char *tasks = declare_tasks_of_headers(program, top, declared_here);
    struct text before = {0}, after = {0};
    struct function *function = NULL;
    size_t i, end;

    for (i = 0; i < file->n_declarations; i++) {
        function = file->declarations[i].node == top ? file->declarations[i].function : function;
    }
    tr_add(&before, "%s", tasks);
    tr_add_bytes(&after, "", 0);
    if (!function || top == function->definition) {
        tr_rewrite_macros(file, top, &before, &after);
    }
    if (function && function->unfit) {
        return;
    }
    if (function && function->resumable && function->definition) {
        if (top == function->definition) {
            keep_func(function, &before, &after);
            rewrite_function(program, function, faces, before.at, after.at);
        } else {
            rewrite_prototype(file, function, top, faces);
        }
        return;
    }
    if (before.n > 0) {
        put_before(file, top, before.at);
    }
    if (after.n > 0) {
        end = declaration_end(file, top);
        tr_replace(file, end - 1, end,
                   tr_format("%s\n%s", tr_render(file, end - 1, end), after.at));
    }
}

void tr_translate_file(struct program *program, struct file *file)
{
    bool *declared_here = tr_alloc(program->n_variables * sizeof *declared_here);
    size_t i, position = include_position(file);
    struct faces faces = {0};
    struct text text = {0};
    const char *name;
    unsigned line, column;

    blank_directives(program, file);
    decide_conditionals(file);
    for (i = 0; i < file->n_top; i++) {
        if (file->top[i]->here) {
            rewrite_references(program, file, file->top[i]);
        }
    }
    for (i = 0; i < file->n_top; i++) {
        if (file->top[i]->here) {
            translate_top(program, file, file->top[i], &faces, declared_here);
        }
    }
    tr_check_names(program, file);
    tr_presumed(file, position, &name, &line, &column);
    tr_add(&text, "#line 1 \"%s\"\n%s#include \"bamboo_mpi.h\"\n%s#line %u \"%s\"\n%s", file->path,
           tr_render(file, 0, position), file->needs_string ? "#include <string.h>\n" : "", line,
           name, tr_render(file, position, file->size));
    file->translation = text.at;
}
