/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations: of local variables, which become members of frames and assignments, and of
 * variables that every task has for itself, which become arrays. */
#include "translate.h"

#include <string.h>

/* A declarator's text, from behind the specifiers or the comma to the = or its end. */
struct declarator {
    struct node *node;
    size_t begin, end;
};

static bool is_one_of(const char *text, const struct token *token, const char *const *words)
{
    for (; *words; words++) {
        if (tr_token_is(text, token, *words)) {
            return true;
        }
    }
    return false;
}

static size_t token_at(const struct file *file, size_t at)
{
    size_t low = 0, high = file->tokens.n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (file->tokens.token[middle].begin < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The index behind the bracket that token FIRST opens. */
static size_t behind_brackets(const struct file *file, size_t first)
{
    size_t i;
    int depth = 0;

    for (i = first; i < file->tokens.n; i++) {
        char c = file->text[file->tokens.token[i].begin];
        bool other = file->tokens.token[i].kind == TOKEN_OTHER;

        depth += other && strchr("([{", c) != NULL;
        depth -= other && strchr(")]}", c) != NULL;
        if (depth == 0) {
            return i + 1;
        }
    }
    return i;
}

/* Where the specifiers of the declaration at BEGIN end: at the first *, ( or name that is declared.
 */
static size_t specifiers_end(const struct file *file, size_t begin, size_t name)
{
    static const char *const with_brackets[] = {"typeof",   "__typeof__",  "__typeof",
                                                "_Alignas", "alignas",     "__attribute__",
                                                "_Atomic",  "__attribute", NULL};
    size_t i = token_at(file, begin), j;

    while (i < file->tokens.n && file->tokens.token[i].begin < name) {
        const struct token *token = &file->tokens.token[i];
        bool macro = false;

        for (j = 0; j < file->n_uses; j++) {
            macro =
                macro || (file->uses[j].begin == token->begin && file->uses[j].end > token->end);
        }
        if (token->kind == TOKEN_NAME && (macro || is_one_of(file->text, token, with_brackets)) &&
            i + 1 < file->tokens.n && file->text[file->tokens.token[i + 1].begin] == '(') {
            i = behind_brackets(file, i + 1);
        } else if (token->kind == TOKEN_OTHER && file->text[token->begin] == '{') {
            i = behind_brackets(file, i);
        } else if (token->kind == TOKEN_OTHER && strchr("*(", file->text[token->begin])) {
            return token->begin;
        } else {
            i++;
        }
    }
    return name;
}

/* The = , or ; that ends the declarator at BEGIN. */
static size_t declarator_end(const struct file *file, size_t begin)
{
    size_t i = token_at(file, begin);

    while (i < file->tokens.n) {
        char c = file->text[file->tokens.token[i].begin];

        if (file->tokens.token[i].kind == TOKEN_OTHER && strchr("=,;", c)) {
            return file->tokens.token[i].begin;
        }
        i = file->tokens.token[i].kind == TOKEN_OTHER && strchr("([{", c) ? behind_brackets(file, i)
                                                                          : i + 1;
    }
    return file->size;
}

const struct node *tr_initialiser_of(const struct node *variable)
{
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(variable->cursor);
    size_t i;

    for (i = 0; !clang_Cursor_isNull(initialiser) && i < variable->n; i++) {
        if (clang_equalCursors(variable->child[i]->cursor, initialiser)) {
            return variable->child[i];
        }
    }
    return NULL;
}

/* The text without the words, which are storage classes and qualifiers. */
static const char *without(const char *text, const char *const *words)
{
    struct tokens tokens = tr_tokens_of(text, 0, strlen(text));
    struct text result = {0};
    size_t i, at = 0;

    tr_add_bytes(&result, "", 0);
    for (i = 0; i < tokens.n; i++) {
        if (tokens.token[i].kind == TOKEN_NAME && is_one_of(text, &tokens.token[i], words)) {
            tr_add_bytes(&result, text + at, tokens.token[i].begin - at);
            at = tokens.token[i].end;
            at += text[at] == ' ';
        }
    }
    tr_add_bytes(&result, text + at, strlen(text) - at);
    return result.at;
}

static bool is_constant_at_top(CXType type)
{
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
        type = clang_getArrayElementType(type);
    }
    return clang_isConstQualifiedType(clang_getCanonicalType(type));
}

static enum CXTypeKind element_kind(CXType type)
{
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
        type = clang_getArrayElementType(type);
    }
    return type.kind;
}

/* The declarator with another name, with the size of an array that its initialiser has, or as a
 * pointer in place of a variable-length array. */
static const char *member_declarator(const struct file *file, const struct declarator *declarator)
{
    static const char *const qualifiers[] = {"const", NULL};
    const struct variable *variable = declarator->node->variable;
    size_t name = variable->offset, behind = name + strlen(variable->name),
           bracket = token_at(file, behind);
    const char *before = tr_copy_text(file->text + declarator->begin, name - declarator->begin);
    CXType type = clang_getCursorType(declarator->node->cursor);
    bool array = bracket < file->tokens.n && file->tokens.token[bracket].begin < declarator->end &&
                 file->text[file->tokens.token[bracket].begin] == '[';
    const char *after;

    before += strspn(before, " \t\n");
    if (is_constant_at_top(type) && element_kind(type) == CXType_Pointer) {
        before = without(before, qualifiers);
    }
    if (array && type.kind == CXType_VariableArray) {
        size_t close = file->tokens.token[behind_brackets(file, bracket) - 1].end;

        after = tr_copy_text(file->text + close, declarator->end - close);
        return tr_format("%s(*%s)%s", before, variable->member, after);
    }
    after = tr_copy_text(file->text + behind, declarator->end - behind);
    if (array && file->text[file->tokens.token[bracket + 1].begin] == ']') {
        size_t close = file->tokens.token[bracket + 1].end;

        after = tr_format("[%lld]%s", (long long) ask_count(type),
                          tr_copy_text(file->text + close, declarator->end - close));
    }
    while (*after && strchr(" \t\n", after[strlen(after) - 1])) {
        after = tr_copy_text(after, strlen(after) - 1);
    }
    return tr_format("%s%s%s", before, variable->member, after);
}

static size_t read_declarators(const struct file *file, const struct node *statement,
                               struct declarator **result)
{
    struct declarator *list = NULL;
    size_t i, n = 0;

    for (i = 0; i < statement->n; i++) {
        struct node *child = statement->child[i];
        struct declarator one = {.node = child};

        if (child->kind != CXCursor_VarDecl) {
            continue;
        }
        if (n == 0) {
            one.begin = specifiers_end(file, statement->begin, child->variable->offset);
        } else {
            const struct node *initialiser = tr_initialiser_of(list[n - 1].node);
            size_t comma = token_at(file, initialiser ? initialiser->end : list[n - 1].end);

            one.begin = file->tokens.token[comma].begin + 1;
        }
        one.end = declarator_end(file, child->variable->offset);
        list = tr_grow(list, n, sizeof one);
        list[n++] = one;
    }
    *result = list;
    return n;
}

/* ---- values ---- */

/* A list of literal zeros. */
static bool is_zero(const struct node *initialiser)
{
    bool zero = true;
    size_t i;

    if (initialiser->kind == CXCursor_InitListExpr) {
        for (i = 0; i < initialiser->n && zero; i++) {
            zero = is_zero(initialiser->child[i]);
        }
        return zero;
    }
    initialiser = tr_strip_casts(initialiser);
    return (initialiser->kind == CXCursor_IntegerLiteral ||
            initialiser->kind == CXCursor_FloatingLiteral) &&
           ask_is_zero(initialiser->cursor);
}

/* What gives the variable its initial value, as an expression. */
static const char *assignment(struct file *file, const struct variable *variable,
                              const struct node *initialiser)
{
    const char *value = tr_render(file, initialiser->begin, initialiser->end), *to = variable->text,
               *type;
    CXType canonical = clang_getCanonicalType(clang_getCursorType(variable->declaration->cursor));

    if (canonical.kind == CXType_ConstantArray) {
        file->needs_string = true;
        if (initialiser->kind == CXCursor_InitListExpr && is_zero(initialiser)) {
            return tr_format("memset(%s, 0, sizeof %s)", to, to);
        }
        return tr_format(
            "memcpy(%s, (__typeof__(%s)) %s, sizeof %s)", to, to,
            initialiser->kind == CXCursor_InitListExpr ? value : tr_format("{%s}", value), to);
    }
    if (initialiser->kind != CXCursor_InitListExpr) {
        return tr_format("%s = %s", to, value);
    }
    type = tr_type_text(ask_unqualified(clang_getCursorType(variable->declaration->cursor)));
    if (canonical.kind == CXType_Record && is_zero(initialiser)) {
        file->needs_string = true;
        return tr_format("memset(&%s, 0, sizeof %s)", to, to);
    }
    if (strpbrk(type, "([")) {
        type = tr_format("__typeof__(%s)", to);
    }
    return tr_format("%s = (%s) %s", to, type, value);
}

/* ---- local variables ---- */

static void check_local(struct function *function, const struct declarator *declarator)
{
    struct file *file = function->file;
    CXType canonical = clang_getCanonicalType(clang_getCursorType(declarator->node->cursor));
    size_t i;

    for (i = 0; i < file->n_edits; i++) {
        const struct edit *edit = &file->edits[i];

        if (edit->begin >= declarator->begin && edit->end <= declarator->end &&
            canonical.kind != CXType_VariableArray &&
            tr_count_lines(edit->text, strlen(edit->text)) == 0) {
            tr_refuse(file, edit->begin, REFUSE_TYPE,
                      "the declaration of '%s' needs the value of a variable",
                      declarator->node->variable->name);
        }
    }
}

static const char *specifiers(const struct function *function, const struct node *statement,
                              size_t end)
{
    static const char *const storage[] = {"register", "auto", NULL};
    const char *text = without(tr_render(function->file, statement->begin, end), storage);

    while (*text && strchr(" \t\n", text[strlen(text) - 1])) {
        text = tr_copy_text(text, strlen(text) - 1);
    }
    return text;
}

static void add_member(struct text *members, const char *indent, const char *type,
                       const char *declarator)
{
    if (members->n == 0) {
        tr_add(members, "%s%s %s", indent, type, declarator);
    } else {
        tr_add(members, ", %s", declarator);
    }
}

/* Members for the statement's variables; the assignments, one for each initialiser. */
static const char *declare(struct function *function, struct node *statement, const char *separator)
{
    static const char *const qualifiers[] = {"const", NULL};
    struct file *file = function->file;
    struct declarator *list;
    size_t n = read_declarators(file, statement, &list), i;
    struct text values = {0}, members = {0}, spilled = {0};
    const char *type;
    bool constant = false;

    tr_add_bytes(&values, "", 0);
    if (n == 0) {
        return values.at;
    }
    type = specifiers(function, statement, list[0].begin);
    for (i = 0; i < n; i++) {
        CXType of = clang_getCursorType(list[i].node->cursor);

        constant = constant || (is_constant_at_top(of) && element_kind(of) != CXType_Pointer);
    }
    if (constant && strcmp(type, without(type, qualifiers)) == 0) {
        tr_refuse_node(file, list[0].node, REFUSE_TYPE, "'%s', which has a constant type",
                       list[0].node->variable->name);
    }
    type = constant ? without(type, qualifiers) : type;
    for (i = 0; i < n; i++) {
        const struct variable *variable = list[i].node->variable;
        const struct node *initialiser = tr_initialiser_of(list[i].node);
        CXType of = clang_getCursorType(list[i].node->cursor);

        check_local(function, &list[i]);
        add_member(variable->spilled ? &spilled : &members, variable->spilled ? "        " : "    ",
                   type, member_declarator(file, &list[i]));
        if (initialiser) {
            const char *before = tr_lift_initialiser(function, initialiser);

            tr_add(&values, "%s%s%s%s", values.n ? separator : "", before,
                   assignment(file, variable, initialiser), tr_lifted_after(function));
        } else if (of.kind == CXType_VariableArray) {
            size_t bracket = token_at(file, variable->offset + strlen(variable->name));
            size_t begin = file->tokens.token[bracket].end;
            size_t end = file->tokens.token[behind_brackets(file, bracket) - 1].begin;

            tr_add(&values, "%s%s = bamboo_push((size_t) (%s) * sizeof *%s)",
                   values.n ? separator : "", variable->text, tr_render(file, begin, end),
                   variable->text);
        }
    }
    if (members.n > 0) {
        tr_add(&function->members, "%s;\n", members.at);
    }
    if (spilled.n > 0) {
        tr_add(&function->values, "%s;\n", spilled.at);
    }
    return values.at;
}

void tr_declare_locals(struct function *function, struct node *statement)
{
    struct file *file = function->file;
    const char *values;
    size_t i, n = 0;

    for (i = 0; i < statement->n; i++) {
        n += statement->child[i]->kind == CXCursor_VarDecl;
    }
    if (n == 0) { /* a type */
        tr_add(&function->types, "%s\n", tr_render(file, statement->begin, statement->end));
        tr_replace(file, statement->begin, statement->end, "");
        return;
    }
    values = declare(function, statement, "; ");
    tr_replace(file, statement->begin, statement->end, *values ? tr_format("%s;", values) : "");
}

void tr_declare_in_for(struct function *function, struct node *statement)
{
    tr_replace(function->file, statement->begin, statement->end,
               tr_format("%s;", declare(function, statement, ", ")));
}

/* ---- variables of tasks ---- */

/* The initialiser with its references to other variables of tasks, for task NUMBER. */
static const char *initialiser_for(const struct file *file, const struct node *initialiser,
                                   int number)
{
    const char *text = tr_render(file, initialiser->begin, initialiser->end), *found;
    struct text result = {0};

    tr_add_bytes(&result, "", 0);
    while ((found = strstr(text, "[bamboo_local]")) != NULL) {
        tr_add_bytes(&result, text, (size_t) (found - text));
        tr_add(&result, "[%d]", number);
        text = found + strlen("[bamboo_local]");
    }
    tr_add_bytes(&result, text, strlen(text));
    return result.at;
}

/* A variable of tasks that a macro's body names, by value or address. */
static const struct node *hidden_task_data(const struct node *node)
{
    const struct node *found = NULL;
    size_t i;

    if (node->kind == CXCursor_UnaryExpr) {
        return NULL; /* sizeof */
    }
    if (node->kind == CXCursor_DeclRefExpr && node->variable && node->variable->per_task &&
        !node->spelled) {
        return node;
    }
    for (i = 0; i < node->n && !found; i++) {
        found = hidden_task_data(node->child[i]);
    }
    return found;
}

static void initialise(struct program *program, struct file *file, const struct node *initialiser)
{
    const char *text = tr_render(file, initialiser->begin, initialiser->end);
    const struct node *hidden = hidden_task_data(initialiser);
    struct text all = {0};
    int i;

    if (hidden) {
        tr_refuse_node(file, hidden, REFUSE_INITIALISER,
                       "a macro names '%s', of which every task has its own; write the name here",
                       hidden->variable->name);
        return;
    }
    if (!strstr(text, "[bamboo_local]")) {
        tr_replace(file, initialiser->begin, initialiser->end,
                   tr_format("{[0 ... %s - 1] = %s}", program->vf_text, text));
        return;
    }
    for (i = 0; i < program->vf_max; i++) {
        const char *one = initialiser_for(file, initialiser, i);

        tr_add(&all, "%s%s", i ? ", " : "{", one);
        if (tr_count_lines(one, strlen(one)) > 0) {
            tr_refuse(file, initialiser->begin, REFUSE_INITIALISER,
                      "an initialiser of several lines with addresses of variables of tasks");
            return;
        }
    }
    tr_add(&all, "}");
    tr_replace(file, initialiser->begin, initialiser->end, all.at);
}

void tr_declare_static(struct program *program, struct file *file, struct node *node)
{
    const struct variable *variable = node->variable;
    const struct node *initialiser = tr_initialiser_of(node);
    CXType type = clang_getCursorType(node->cursor);
    unsigned offset;
    CXFile in;
    size_t name, bracket;
    const char *size = "";

    clang_getFileLocation(clang_getCursorLocation(node->cursor), &in, NULL, NULL, &offset);
    name = offset;
    bracket = token_at(file, name + strlen(variable->name));
    if (type.kind == CXType_IncompleteArray) {
        tr_refuse_node(file, node, REFUSE_TYPE, "'%s' has no size here", variable->name);
        return;
    }
    if (initialiser) {
        initialise(program, file, initialiser);
    }
    if (type.kind == CXType_ConstantArray && file->text[file->tokens.token[bracket].begin] == '[' &&
        file->text[file->tokens.token[bracket + 1].begin] == ']') {
        size = tr_format("[%lld]", (long long) ask_count(type));
        tr_replace(file, file->tokens.token[bracket].begin, file->tokens.token[bracket + 1].end,
                   size);
    }
    tr_replace(file, name, name + strlen(variable->name),
               tr_format("%s[%s]", variable->task_name, program->vf_text));
}
