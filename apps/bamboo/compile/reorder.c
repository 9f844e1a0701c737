/* SPDX-License-Identifier: BSD-3-Clause */
/* --reorder: in regions, sends come before receives where neither needs the other (the paper's
 * Table I):
 *
 *     for (i = 1; i <= n; i++) { Receive Send Compute }
 *     { i = 1; if (i <= n) Send for (; i <= n;) { Receive Compute i++; if (i <= n) Send } }
 *
 * The paper leaves out the first test, which matters when the loop has no iteration. */
#include "compile.h"

#include <stdlib.h>
#include <string.h>

/* What a block reads or writes: a variable, or one element of it. */
struct object {
    const struct variable *variable;
    int64_t element; /* -1: all of it */
    bool written;
};

struct objects {
    struct object *object;
    size_t n;
    bool unknown; /* a function may do anything */
};

/* ---- what blocks touch ---- */

static int64_t constant_index(const struct node *reference)
{
    const struct node *node = reference, *up = node->parent;
    int64_t index = -1;

    while (up && (up->kind == CXCursor_UnexposedExpr || up->kind == CXCursor_ParenExpr)) {
        node = up;
        up = up->parent;
    }
    if (up && up->kind == CXCursor_ArraySubscriptExpr && up->child[0] == node &&
        tr_strip_casts(up->child[1])->kind == CXCursor_IntegerLiteral) {
        (void) ask_integer(tr_strip_casts(up->child[1])->cursor, &index);
    }
    return index;
}

static const struct node *call_around(const struct node *node, size_t *argument)
{
    const struct node *up;
    size_t i;

    for (up = node->parent; up; node = up, up = up->parent) {
        if (up->kind == CXCursor_CallExpr) {
            for (i = 0; i < up->n; i++) {
                *argument = up->child[i] == node ? i : *argument;
            }
            return up;
        }
        if (tr_is_branch(up, node)) {
            return NULL;
        }
    }
    return NULL;
}

/* Does the call write through this argument? Those of MPI are known. */
static bool call_writes(const struct node *call, size_t argument)
{
    const char *name = call->callee ? call->callee->name : "";
    unsigned what = tr_call_communicates(name);

    if (what == COMMUNICATES_SEND) {
        return argument > 1;
    }
    return argument > 0;
}

static bool is_value(const struct node *reference)
{
    enum CXTypeKind kind = clang_getCanonicalType(reference->variable->type).kind;

    return kind != CXType_ConstantArray && kind != CXType_VariableArray &&
           kind != CXType_IncompleteArray && kind != CXType_Pointer;
}

static bool writes(const struct node *reference)
{
    size_t argument = 0;
    const struct node *call = call_around(reference, &argument);
    const struct node *up = reference->parent;

    if (tr_access_of(reference) == ACCESS_WRITTEN) {
        return true;
    }
    if (call && argument > 0) {
        return (!is_value(reference) || tr_access_of(reference) == ACCESS_ESCAPES) &&
               call_writes(call, argument);
    }
    /* *p = ..., p[i] = ... */
    for (; up && !(up->parent && tr_is_branch(up->parent, up)); up = up->parent) {
        if ((up->kind == CXCursor_ArraySubscriptExpr || up->kind == CXCursor_UnaryOperator ||
             up->kind == CXCursor_MemberRefExpr) &&
            tr_access_of(up) != ACCESS_READ && !is_value(reference)) {
            return true;
        }
    }
    return false;
}

static bool touches_statics(const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable && !node->variable->automatic) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (touches_statics(node->child[i])) {
            return true;
        }
    }
    return false;
}

static void find_objects(const struct node *node, struct objects *objects)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable &&
        (node->variable->automatic || node->variable->defined)) {
        struct object object = {node->variable, constant_index(node), writes(node)};

        objects->object = tr_grow(objects->object, objects->n, sizeof object);
        objects->object[objects->n++] = object;
    }
    if (node->kind == CXCursor_CallExpr &&
        (!node->callee ||
         (node->callee->definition && touches_statics(node->callee->definition)))) {
        objects->unknown = true;
    }
    for (i = 0; i < node->n; i++) {
        find_objects(node->child[i], objects);
    }
}

static bool is_declared_in(const struct variable *variable, const struct directive *block)
{
    return variable->declaration && variable->file == block->file &&
           variable->offset > block->statement->begin && variable->offset < block->statement_end;
}

/* The variable that keeps the blocks in their order, "" if it is not known, or NULL. */
static const char *conflict(const struct directive *receive, const struct directive *send)
{
    struct objects a = {0}, b = {0};
    size_t i, j;

    find_objects(receive->statement, &a);
    find_objects(send->statement, &b);
    if (a.unknown || b.unknown) {
        return "";
    }
    for (i = 0; i < a.n; i++) {
        for (j = 0; j < b.n; j++) {
            const struct object *x = &a.object[i], *y = &b.object[j];

            if (x->variable == y->variable && (x->written || y->written) &&
                (x->element < 0 || y->element < 0 || x->element == y->element) &&
                !is_declared_in(x->variable, receive) && !is_declared_in(x->variable, send)) {
                return x->variable->name;
            }
        }
    }
    return NULL;
}

static bool independent(const struct directive *receive, const struct directive *send)
{
    const char *name = conflict(receive, send);

    if (name && *name) {
        tr_note(send->file, send->begin, "not moved before the receive block: both use '%s'", name);
    } else if (name) {
        tr_note(send->file, send->begin,
                "not moved before the receive block: a function uses variables of the program");
    }
    return !name;
}

/* ---- text ---- */

static size_t line_begin(const struct file *file, size_t at)
{
    while (at > 0 && file->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static const char *indent(const struct file *file, size_t at)
{
    size_t begin = line_begin(file, at), end = begin;

    while (end < at && (file->text[end] == ' ' || file->text[end] == '\t')) {
        end++;
    }
    return tr_copy_text(file->text + begin, end - begin);
}

/* The statement with the line that it comes from. */
static const char *named(const struct file *file, size_t begin, size_t end)
{
    const char *name;
    unsigned line, column;

    tr_presumed(file, begin, &name, &line, &column);
    return tr_format("#line %u \"%s\"\n%s%s", line, name, indent(file, begin),
                     tr_render(file, begin, end));
}

/* Without the directives: they have had their effect. */
static void swap_blocks(const struct directive *receive, const struct directive *send)
{
    struct file *file = receive->file;
    const char *text =
        tr_format("\n%s\n%s", named(file, send->statement->begin, send->statement_end),
                  named(file, receive->statement->begin, receive->statement_end));

    tr_replace(file, receive->begin, send->statement_end, text);
}

static bool has_continue(const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_ContinueStmt) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (!tr_is_loop(node->child[i]) && has_continue(node->child[i])) {
            return true;
        }
    }
    return false;
}

static bool has_label(const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_LabelStmt) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (has_label(node->child[i])) {
            return true;
        }
    }
    return false;
}

/* The directive of this kind for the statement NODE. */
static const struct directive *block_at(const struct program *program, const struct file *file,
                                        const struct node *node, enum directive_kind kind)
{
    size_t i;

    for (i = 0; i < program->n_directives; i++) {
        const struct directive *one = program->directives[i];

        if (one->file == file && one->statement == node && one->kind == kind) {
            return one;
        }
    }
    return NULL;
}

static const char *rotated(const struct directive *receive, const struct directive *send,
                           const struct node *loop)
{
    struct file *file = receive->file;
    const struct node *body = loop->child[loop->n - 1];
    const char *in = indent(file, loop->begin), *step, *condition, *first;
    const char *block = named(file, send->statement->begin, send->statement_end);
    size_t header[4];
    struct text text = {0};

    tr_for_header(file, loop, header);
    first = tr_render(file, header[3], header[0]);
    condition = tr_render(file, header[0] + 1, header[1]);
    condition += strspn(condition, " \t\n");
    step = tr_render(file, header[1] + 1, header[2]);
    step += strspn(step, " \t\n");
    tr_add(&text, "{\n%s    %s;\n%s    if (%s)\n%s\n", in, first, in, condition, block);
    tr_add(&text, "%s    for (; %s;) {\n", in, condition);
    tr_add(&text, "%s\n", named(file, receive->statement->begin, receive->statement_end));
    {
        const char *name, *rest = tr_render(file, send->statement_end, body->end - 1);
        unsigned line, column;

        tr_presumed(file, send->statement_end, &name, &line, &column);
        tr_add(&text, "#line %u \"%s\"\n%s\n", line, name, rest);
    }
    tr_add(&text, "%s        %s;\n%s        if (%s)\n%s\n%s    }\n%s}", in, step, in, condition,
           block, in, in);
    return text.at;
}

static bool rotate(const struct program *program, struct file *file, const struct node *loop)
{
    const struct node *body = loop->child[loop->n - 1];
    const struct directive *receive, *send;
    size_t header[4];

    if (loop->kind != CXCursor_ForStmt || body->kind != CXCursor_CompoundStmt || body->n < 3) {
        return false;
    }
    receive = block_at(program, file, body->child[0], DIRECTIVE_RECEIVE);
    send = block_at(program, file, body->child[1], DIRECTIVE_SEND);
    if (!receive || !send || !independent(receive, send)) {
        return false;
    }
    tr_for_header(file, loop, header);
    if (has_continue(body) || has_label(body) || !tr_for_part(loop, loop->begin, header[0]) ||
        !tr_for_part(loop, header[0] + 1, header[1]) ||
        !tr_for_part(loop, header[1] + 1, header[2])) {
        tr_note(file, send->begin,
                "not moved before the receive block: the loop has a continue, a label or a part "
                "missing");
        return false;
    }
    tr_replace(file, loop->begin, loop->end, rotated(receive, send, loop));
    return true;
}

static void reorder_siblings(const struct program *program, struct file *file,
                             const struct node *node)
{
    size_t i;

    for (i = 0; i + 1 < node->n && node->kind == CXCursor_CompoundStmt; i++) {
        const struct directive *receive =
            block_at(program, file, node->child[i], DIRECTIVE_RECEIVE);
        const struct directive *send = block_at(program, file, node->child[i + 1], DIRECTIVE_SEND);

        if (receive && send && independent(receive, send)) {
            swap_blocks(receive, send);
            i++;
        }
    }
    for (i = 0; i < node->n; i++) {
        reorder_siblings(program, file, node->child[i]);
    }
}

void tr_reorder(struct program *program, struct file *file)
{
    size_t i;

    for (i = 0; i < program->n_directives; i++) {
        const struct directive *one = program->directives[i];

        if (one->file == file) {
            tr_replace(file, one->begin, one->end, "");
        }
    }
    for (i = 0; i < program->n_directives; i++) {
        const struct directive *one = program->directives[i];
        const struct node *loop;

        if (one->file != file || one->kind != DIRECTIVE_OLAP) {
            continue;
        }
        loop = one->statement->kind == CXCursor_CompoundStmt &&
                       one->statement->parent->kind == CXCursor_ForStmt
                   ? one->statement->parent
                   : one->statement;
        if (!rotate(program, file, loop)) {
            reorder_siblings(program, file, one->statement);
        }
    }
    if (file->n_edits > 0) {
        file->reordered = tr_render(file, 0, file->size);
    }
}
