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
typedef struct object {
    const variable_t *variable;
    int64_t element; /* -1: all of it */
    bool written;
} object_t;

typedef struct objects {
    object_t *object;
    size_t n;
    bool unknown; /* a function may do anything */
} objects_t;

/* ---- what blocks touch ---- */

static int64_t constant_index(const node_t *reference)
{
    const node_t *node = reference, *up = node->parent;
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

static const node_t *call_around(const node_t *node, size_t *argument)
{
    const node_t *up;
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
static bool call_writes(const node_t *call, size_t argument)
{
    const char *name = call->callee ? call->callee->name : "";
    unsigned what = tr_call_communicates(name);

    if (what == COMMUNICATES_SEND) {
        return argument > 1;
    }
    return argument > 0;
}

static bool is_value(const node_t *reference)
{
    enum CXTypeKind kind = clang_getCanonicalType(reference->variable->type).kind;

    return kind != CXType_ConstantArray && kind != CXType_VariableArray &&
           kind != CXType_IncompleteArray && kind != CXType_Pointer;
}

static bool writes(const node_t *reference)
{
    size_t argument = 0;
    const node_t *call = call_around(reference, &argument);
    const node_t *up = reference->parent;

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

static bool touches_statics(const node_t *node)
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

static void find_objects(const node_t *node, objects_t *objects)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable &&
        (node->variable->automatic || node->variable->defined)) {
        object_t object = {node->variable, constant_index(node), writes(node)};

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

static bool is_declared_in(const variable_t *variable, const directive_t *block)
{
    return variable->declaration && variable->file == block->file &&
           variable->offset > block->statement->begin && variable->offset < block->statement_end;
}

/* The variable that keeps the blocks in their order, "" if it is not known, or NULL. */
static const char *conflict(const directive_t *receive, const directive_t *send)
{
    objects_t a = {0}, b = {0};
    size_t i, j;

    find_objects(receive->statement, &a);
    find_objects(send->statement, &b);
    if (a.unknown || b.unknown) {
        return "";
    }
    for (i = 0; i < a.n; i++) {
        for (j = 0; j < b.n; j++) {
            const object_t *x = &a.object[i], *y = &b.object[j];

            if (x->variable == y->variable && (x->written || y->written) &&
                (x->element < 0 || y->element < 0 || x->element == y->element) &&
                !is_declared_in(x->variable, receive) && !is_declared_in(x->variable, send)) {
                return x->variable->name;
            }
        }
    }
    return NULL;
}

static bool independent(const directive_t *receive, const directive_t *send)
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

static size_t line_begin(const file_t *file, size_t at)
{
    while (at > 0 && file->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static const char *indent(const file_t *file, size_t at)
{
    size_t begin = line_begin(file, at), end = begin;

    while (end < at && (file->text[end] == ' ' || file->text[end] == '\t')) {
        end++;
    }
    return tr_copy_text(file->text + begin, end - begin);
}

/* The statement with the line that it comes from. */
static const char *named(const file_t *file, size_t begin, size_t end)
{
    const char *name;
    unsigned line, column;

    tr_presumed(file, begin, &name, &line, &column);
    return tr_format("#line %u \"%s\"\n%s%s", line, name, indent(file, begin),
                     tr_render(file, begin, end));
}

/* Without the directives: they have had their effect. */
static void swap_blocks(const directive_t *receive, const directive_t *send)
{
    file_t *file = receive->file;
    const char *text =
        tr_format("\n%s\n%s", named(file, send->statement->begin, send->statement_end),
                  named(file, receive->statement->begin, receive->statement_end));

    tr_replace(file, receive->begin, send->statement_end, text);
}

static bool has_continue(const node_t *node)
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

static bool has_label(const node_t *node)
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
static const directive_t *block_at(const program_t *program, const file_t *file, const node_t *node,
                                   directive_kind_t kind)
{
    size_t i;

    for (i = 0; i < program->n_directives; i++) {
        const directive_t *one = program->directives[i];

        if (one->file == file && one->statement == node && one->kind == kind) {
            return one;
        }
    }
    return NULL;
}

static const char *rotated(const directive_t *receive, const directive_t *send, const node_t *loop)
{
    file_t *file = receive->file;
    const node_t *body = loop->child[loop->n - 1];
    const char *in = indent(file, loop->begin), *step, *condition, *first;
    const char *block = named(file, send->statement->begin, send->statement_end);
    size_t header[4];
    text_t text = {0};

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

static bool rotate(const program_t *program, file_t *file, const node_t *loop)
{
    const node_t *body = loop->child[loop->n - 1];
    const directive_t *receive, *send;
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

static void reorder_siblings(const program_t *program, file_t *file, const node_t *node)
{
    size_t i;

    for (i = 0; i + 1 < node->n && node->kind == CXCursor_CompoundStmt; i++) {
        const directive_t *receive = block_at(program, file, node->child[i], DIRECTIVE_RECEIVE);
        const directive_t *send = block_at(program, file, node->child[i + 1], DIRECTIVE_SEND);

        if (receive && send && independent(receive, send)) {
            swap_blocks(receive, send);
            i++;
        }
    }
    for (i = 0; i < node->n; i++) {
        reorder_siblings(program, file, node->child[i]);
    }
}

void tr_reorder(program_t *program, file_t *file)
{
    size_t i;

    for (i = 0; i < program->n_directives; i++) {
        const directive_t *one = program->directives[i];

        if (one->file == file) {
            tr_replace(file, one->begin, one->end, "");
        }
    }
    for (i = 0; i < program->n_directives; i++) {
        const directive_t *one = program->directives[i];
        const node_t *loop;

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
