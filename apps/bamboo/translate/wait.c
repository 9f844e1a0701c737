/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of resumable functions: calls that may wait come first, in statements of their own;
 * returns store the result in the frame. */
#include "translate.h"

#include <string.h>

/* ---- may a call stand where it stands? ---- */

/* Is the child evaluated in any case, and nothing before it that is ordered? */
static bool is_first(const struct node *parent, const struct node *child)
{
    switch (parent->kind) {
    case CXCursor_UnexposedExpr:
    case CXCursor_ParenExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_UnaryOperator:
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_CallExpr:
    case CXCursor_InitListExpr:
    case CXCursor_ReturnStmt:
    case CXCursor_VarDecl:
        return true;
    case CXCursor_BinaryOperator:
        if (parent->binary == CXBinaryOperator_LAnd || parent->binary == CXBinaryOperator_LOr ||
            parent->binary == CXBinaryOperator_Comma) {
            return child == parent->child[0];
        }
        return true;
    case CXCursor_ConditionalOperator:
        return child == parent->child[0];
    default:
        return false;
    }
}

static bool contains(const struct node *outer, const struct node *inner)
{
    for (; inner; inner = inner->parent) {
        if (inner == outer) {
            return true;
        }
    }
    return false;
}

/* Does an operator order WAIT before OTHER? */
static bool comes_first(const struct node *wait, const struct node *other)
{
    const struct node *common = wait->parent, *child = wait;

    while (common && !contains(common, other)) {
        child = common;
        common = common->parent;
    }
    return common &&
           (common->kind == CXCursor_ConditionalOperator ||
            (common->kind == CXCursor_BinaryOperator &&
             (common->binary == CXBinaryOperator_LAnd || common->binary == CXBinaryOperator_LOr ||
              common->binary == CXBinaryOperator_Comma))) &&
           common->child[0] == child;
}

static void check_order(struct file *file, const struct node *wait, const struct node *node)
{
    size_t i;

    if (node->kind == CXCursor_CallExpr && !contains(node, wait) && !contains(wait, node) &&
        !comes_first(wait, node)) {
        tr_refuse_node(file, wait, REFUSE_ORDER,
                       "'%s' and '%s'; put one into a statement of its own", wait->callee->name,
                       node->callee ? node->callee->name : "a call through a pointer");
    }
    for (i = 0; i < node->n; i++) {
        check_order(file, wait, node->child[i]);
    }
}

/* Is the variable's value used, other than as what an assignment replaces? */
static bool is_read(const struct node *reference)
{
    const struct node *node = reference, *up = node->parent;

    while (up && (up->kind == CXCursor_ParenExpr || up->kind == CXCursor_MemberRefExpr ||
                  up->kind == CXCursor_ArraySubscriptExpr)) {
        node = up;
        up = up->parent;
    }
    return !(up && up->kind == CXCursor_BinaryOperator && up->binary == CXBinaryOperator_Assign &&
             up->child[0] == node);
}

static bool changes(const struct node *node, const struct variable *variable)
{
    size_t i;

    if (node->kind == CXCursor_DeclRefExpr && node->variable == variable &&
        tr_access_of(node) == ACCESS_WRITTEN) {
        return true;
    }
    for (i = 0; i < node->n; i++) {
        if (changes(node->child[i], variable)) {
            return true;
        }
    }
    return false;
}

/* Does the function, or one that it calls, assign to the variable? */
static bool may_change(struct function *function, const struct variable *variable)
{
    bool found = false;
    size_t i;

    if (!function || !function->body || function->visited) {
        return false;
    }
    function->visited = true;
    found = changes(function->body, variable);
    for (i = 0; i < function->n_calls && !found; i++) {
        found = may_change(function->calls[i]->callee, variable);
    }
    function->visited = false;
    return found;
}

/* A variable that the call may assign to is read before it or after it, as the compiler likes. */
static void check_reads(struct file *file, const struct node *wait, const struct node *node)
{
    size_t i;

    if (node == wait) {
        return;
    }
    if (node->kind == CXCursor_DeclRefExpr && node->variable && node->variable->per_task &&
        !comes_first(wait, node) && !contains(node, wait) && is_read(node) &&
        may_change(wait->callee, node->variable)) {
        tr_refuse_node(file, wait, REFUSE_ORDER,
                       "'%s' may assign to '%s'; put one into a statement of its own",
                       wait->callee->name, node->variable->name);
    }
    for (i = 0; i < node->n; i++) {
        check_reads(file, wait, node->child[i]);
    }
}

/* The arguments follow each other in the text. */
static bool plain_arguments(const struct file *file, const struct node *call)
{
    size_t i, at = call->begin + strlen(call->callee->name);

    for (i = 1; i < call->n; i++) {
        if (!call->child[i]->here || call->child[i]->begin < at) {
            return false;
        }
        at = call->child[i]->end;
    }
    return at < call->end && file->text[call->end - 1] == ')';
}

static bool has_directive(const struct file *file, size_t begin, size_t end)
{
    size_t i;

    for (i = 0; i < file->tokens.n && file->tokens.token[i].begin < end; i++) {
        if (file->tokens.token[i].begin >= begin && file->tokens.token[i].directive &&
            !tr_is_edited(file, file->tokens.token[i].begin)) {
            return true;
        }
    }
    return false;
}

/* ROOT is the expression or initialiser that the call belongs to. */
static bool may_wait(struct file *file, const struct node *wait, const struct node *root)
{
    const struct node *node;

    if (!wait->spelled || tr_inside_use(file, wait) || !plain_arguments(file, wait)) {
        tr_refuse_node(file, wait, REFUSE_MACRO, "'%s' may wait, and is not spelled out here",
                       wait->callee->name);
        return false;
    }
    for (node = wait; node != root; node = node->parent) {
        if (!is_first(node->parent, node)) {
            tr_refuse_node(file, wait, REFUSE_PLACE,
                           "'%s' may wait; put it into a statement of its own", wait->callee->name);
            return false;
        }
    }
    if (has_directive(file, wait->begin, wait->end)) {
        tr_refuse_node(file, wait, REFUSE_MACRO, "a preprocessor directive within the call of '%s'",
                       wait->callee->name);
        return false;
    }
    check_order(file, wait, root);
    check_reads(file, wait, root);
    return true;
}

/* ---- lifting ---- */

static const char *argument(const struct file *file, const struct node *call, size_t number)
{
    return number + 1 < call->n
               ? tr_render(file, call->child[number + 1]->begin, call->child[number + 1]->end)
               : "";
}

/* After the call's arguments, which may change variables. */
static const char *spill(const struct function *function)
{
    return tr_format("%s->%s = %s", function->self, function->local, function->local);
}

static const char *start_call(struct function *function, const struct node *call)
{
    static const char *const names[] = {"callee", "task_callee", "bamboo_callee_", NULL};
    const struct function *callee = call->callee;
    const char *name = tr_free_name(function, names);
    struct text text = {0};
    size_t i;

    tr_add(&text, "{ struct %s *%s = bamboo_push(", callee->face ? callee->face : callee->frame,
           name);
    if (callee->face) {
        tr_add(&text, "%s_bytes); ", callee->name);
    } else {
        tr_add(&text, "sizeof *%s); ", name);
    }
    for (i = 0; i < callee->n_parameters; i++) {
        tr_add(&text, "%s->%s = %s; ", name, callee->locals[i]->member,
               argument(function->file, call, i));
    }
    tr_add(&text, "%s->callee = &%s->head; } ", function->frame_name, name);
    tr_add(&text, "BAMBOO_CALL_AT(%s, %d, %s); ", function->frame_name, function->n_waits,
           function->spills ? tr_format("(%s, %s)", spill(function), callee->task_name)
                            : callee->task_name);
    return text.at;
}

static const char *result_of(const struct function *function, const struct node *call)
{
    const struct function *callee = call->callee;

    if (!callee->resumable) {
        return "bamboo_result()";
    }
    return tr_format("((struct %s *) %s->callee)->result",
                     callee->face ? callee->face : callee->frame, function->frame_name);
}

/* What precedes the statement; the call's text becomes its value. */
static const char *lift_call(struct function *function, struct node *call, bool direct)
{
    struct file *file = function->file;
    const char *before, *value;
    bool resumable = call->callee->resumable;

    function->n_waits++;
    if (resumable) {
        before = start_call(function, call);
    } else {
        before = tr_format("BAMBOO_AWAIT_AT(%s, %d, %s%s); ", function->frame_name,
                           function->n_waits, tr_render(file, call->begin, call->end),
                           function->spills ? tr_format(" || (%s, 0)", spill(function)) : "");
    }
    value = result_of(function, call);
    if (direct) {
        function->after =
            resumable ? tr_format("bamboo_pop(%s->callee)", function->frame_name) : NULL;
    } else {
        const char *type =
            resumable ? tr_type_text(ask_unqualified(clang_getCursorType(call->cursor))) : "int";
        const char *kept = tr_frame_member(
            function, tr_format("%s_%d", call->callee->name, function->n_waits), type);

        before = resumable ? tr_format("%s%s = %s; bamboo_pop(%s->callee); ", before, kept, value,
                                       function->frame_name)
                           : tr_format("%s%s = %s; ", before, kept, value);
        value = kept;
    }
    tr_replace_inline(file, call->begin, call->end, value);
    return before;
}

/* The waiting calls of an expression, inner ones first. */
static void find_waits(const struct node *node, struct node ***list, size_t *n)
{
    size_t i;

    if (!node->waits) {
        return;
    }
    for (i = 0; i < node->n; i++) {
        find_waits(node->child[i], list, n);
    }
    if (tr_is_waiting_call(node)) {
        *list = tr_grow(*list, *n, sizeof node);
        (*list)[(*n)++] = (struct node *) node;
    }
}

/* DIRECT: the call with a value that is used in place, at once and once, or NULL. */
static const char *lift(struct function *function, const struct node *root,
                        const struct node *direct)
{
    struct node **list = NULL;
    struct text text = {0};
    size_t n = 0, i;

    tr_add_bytes(&text, "", 0);
    function->after = NULL;
    find_waits(root, &list, &n);
    for (i = 0; i < n; i++) {
        if (tr_call_kind(list[i]->callee->name, NULL) == CALL_EXIT &&
            !list[i]->callee->definition) {
            tr_refuse_node(function->file, list[i], REFUSE_PLACE,
                           "'%s' ends the task; put it into a statement of its own",
                           list[i]->callee->name);
        } else if (may_wait(function->file, list[i], root)) {
            const char *before = lift_call(function, list[i], list[i] == direct);

            tr_add_bytes(&text, before, strlen(before));
        }
    }
    return text.at;
}

const char *tr_lift_initialiser(struct function *function, const struct node *initialiser)
{
    return lift(function, initialiser, tr_strip_casts(initialiser));
}

const char *tr_lifted_after(const struct function *function)
{
    return function->after ? tr_format("; %s", function->after) : "";
}

/* ---- statements ---- */

static void rewrite_exit(struct function *function, struct node *statement, const struct node *call)
{
    struct file *file = function->file;

    if (!call->spelled || tr_inside_use(file, call) || !plain_arguments(file, call) ||
        call->n != 2) {
        tr_refuse_node(file, call, REFUSE_MACRO, "'%s' ends the task, and is not spelled out here",
                       call->callee->name);
        return;
    }
    tr_replace(file, statement->begin, tr_statement_end(file, statement),
               tr_format("{ %sbamboo_exit(%s); return BAMBOO_WAITS; }",
                         call->child[1]->waits ? lift(function, call->child[1], NULL) : "",
                         argument(file, call, 0)));
}

/* The call that is all of the expression, or all of the right side of its assignment. */
static const struct node *whole_call(const struct node *expression)
{
    const struct node *node = tr_strip_casts(expression);

    if ((node->kind == CXCursor_BinaryOperator && node->binary == CXBinaryOperator_Assign) ||
        node->kind == CXCursor_CompoundAssignOperator) {
        return node->child[0]->waits ? NULL : tr_strip_casts(node->child[1]);
    }
    return NULL;
}

static void rewrite_expression(struct function *function, struct node *statement)
{
    struct file *file = function->file;
    size_t end = tr_statement_end(file, statement);
    const struct node *call = tr_strip_casts(statement);
    const char *before;

    if (call->kind == CXCursor_CStyleCastExpr &&
        clang_getCanonicalType(clang_getCursorType(call->cursor)).kind == CXType_Void) {
        call = tr_strip_casts(call->child[call->n - 1]);
    }
    if (tr_is_waiting_call(call) && tr_call_kind(call->callee->name, NULL) == CALL_EXIT &&
        !call->callee->definition) {
        rewrite_exit(function, statement, call);
        return;
    }
    if (tr_is_waiting_call(call)) { /* its value is not used */
        before = lift(function, statement, call);
        before =
            tr_copy_text(before, strlen(before) - (before[0] && before[strlen(before) - 1] == ' '));
        if (function->after) {
            tr_replace(file, statement->begin, end,
                       tr_format("{ %s %s; }", before, function->after));
        } else {
            tr_replace(file, statement->begin, end,
                       *before == 'B' && !strstr(before, "; B") ? before
                                                                : tr_format("{ %s }", before));
        }
        return;
    }
    before = lift(function, statement, whole_call(statement));
    tr_replace(file, statement->begin, end,
               tr_format("{ %s%s%s%s}", before, tr_render(file, statement->begin, end),
                         function->after ? " " : "",
                         function->after ? tr_format("%s; ", function->after) : " "));
}

static void rewrite_return(struct function *function, struct node *statement)
{
    struct file *file = function->file;
    size_t end = tr_statement_end(file, statement);
    struct node *value = statement->n > 0 ? statement->child[0] : NULL;
    const char *before;
    bool no_result =
        clang_getCanonicalType(clang_getCursorResultType(function->definition->cursor)).kind ==
        CXType_Void;

    if (!value) {
        tr_replace(file, statement->begin, end, "return BAMBOO_DONE;");
        return;
    }
    before = value->waits ? lift(function, statement, tr_strip_casts(value)) : "";
    if (!value->waits) {
        function->after = NULL;
    }
    tr_replace(
        file, statement->begin, end,
        tr_format("{ %s%s%s; %s%sreturn BAMBOO_DONE; }", before,
                  no_result ? "" : tr_format("%s->%sresult = ", function->self, function->prefix),
                  tr_render(file, value->begin, value->end), function->after ? function->after : "",
                  function->after ? "; " : ""));
}

/* if, switch: the condition's calls come first. */
static void rewrite_branch(struct function *function, struct node *statement)
{
    struct file *file = function->file;
    const char *before = lift(function, statement->child[0], NULL);

    tr_replace(file, statement->begin, tr_statement_end(file, statement),
               tr_format("{ %s%s }", before,
                         tr_render(file, statement->begin, tr_statement_end(file, statement))));
}

static size_t find_token(const struct file *file, size_t from, char what)
{
    size_t i;
    int depth = 0;

    for (i = 0; i < file->tokens.n; i++) {
        const struct token *token = &file->tokens.token[i];
        char c = file->text[token->begin];

        if (token->begin < from || token->kind != TOKEN_OTHER || token->directive) {
            continue;
        }
        if (depth == 0 && c == what) {
            return token->begin;
        }
        depth += strchr("([{", c) != NULL;
        depth -= strchr(")]}", c) != NULL;
    }
    return file->size;
}

void tr_for_header(const struct file *file, const struct node *statement, size_t header[4])
{
    header[3] = find_token(file, statement->begin, '(') + 1;
    header[0] = find_token(file, header[3], ';');
    header[1] = find_token(file, header[0] + 1, ';');
    header[2] = find_token(file, header[1] + 1, ')');
}

/* The child of a for statement that begins between two positions. */
struct node *tr_for_part(const struct node *statement, size_t begin, size_t end)
{
    size_t i;

    for (i = 0; i + 1 < statement->n; i++) {
        if (statement->child[i]->begin >= begin && statement->child[i]->begin < end) {
            return statement->child[i];
        }
    }
    return NULL;
}

static void refuse_waits(struct function *function, struct node *node)
{
    struct node **list = NULL;
    size_t n = 0, i;

    if (node && node->waits) {
        find_waits(node, &list, &n);
        for (i = 0; i < n; i++) {
            tr_refuse_node(function->file, list[i], REFUSE_PLACE,
                           "'%s' may wait; put it into the loop's body", list[i]->callee->name);
        }
    }
}

static void rewrite_condition(struct function *function, struct node *statement,
                              struct node *condition, size_t head_end, const char *head)
{
    struct file *file = function->file;
    const char *before = lift(function, condition, NULL);

    tr_replace(file, statement->begin, tr_statement_end(file, statement),
               tr_format("%s { %sif (!(%s)) { break; }%s }", head, before,
                         tr_render(file, condition->begin, condition->end),
                         tr_render(file, head_end, tr_statement_end(file, statement))));
}

static void rewrite_for(struct function *function, struct node *statement)
{
    struct file *file = function->file;
    struct node *first, *condition;
    size_t header[4], i;

    if (statement->in_macro) { /* the header's text is not here */
        for (i = 0; i + 1 < statement->n; i++) {
            refuse_waits(function, statement->child[i]);
        }
        return;
    }
    tr_for_header(file, statement, header);
    first = tr_for_part(statement, statement->begin, header[0] + 1);
    condition = tr_for_part(statement, header[0] + 1, header[1]);
    refuse_waits(function, first);
    refuse_waits(function, tr_for_part(statement, header[1] + 1, header[2]));
    if (first && first->kind == CXCursor_DeclStmt && statement->waits && !first->waits) {
        tr_declare_in_for(function, first);
    }
    if (condition && condition->waits) {
        rewrite_condition(function, statement, condition, header[2] + 1,
                          tr_format("%s %s", tr_render(file, statement->begin, header[0] + 1),
                                    tr_render(file, header[1], header[2] + 1)));
    }
}

static void rewrite_while(struct function *function, struct node *statement)
{
    size_t open = find_token(function->file, statement->begin, '(');

    if (statement->child[0]->waits) {
        rewrite_condition(function, statement, statement->child[0],
                          find_token(function->file, open + 1, ')') + 1, "for (;;)");
    }
}

static bool declares_in_frame(const struct node *statement)
{
    size_t i;

    for (i = 0; i < statement->n; i++) {
        const struct node *child = statement->child[i];

        if (child->kind == CXCursor_VarDecl) {
            return child->variable->framed;
        }
    }
    return statement->parent->waits; /* a type */
}

static bool refuse_directives(struct file *file, const struct node *statement)
{
    if (has_directive(file, statement->begin, tr_statement_end(file, statement))) {
        tr_refuse_node(file, statement, REFUSE_MACRO,
                       "a preprocessor directive within a statement");
        return true;
    }
    return false;
}

/* One use of a macro is all of the statement. */
static bool is_one_use(const struct file *file, const struct node *statement)
{
    size_t i;

    for (i = 0; i < file->n_uses; i++) {
        if (file->uses[i].begin == statement->begin && file->uses[i].end >= statement->end) {
            return true;
        }
    }
    return false;
}

static bool spelled_out(struct file *file, const struct node *statement)
{
    size_t end = tr_statement_end(file, statement);

    if (is_one_use(file, statement) || tr_inside_use(file, statement) ||
        file->text[end - 1] != ';') {
        tr_refuse_node(file, statement, REFUSE_MACRO, "a statement that has to be rewritten");
        return false;
    }
    return !refuse_directives(file, statement);
}

static void rewrite_statement(struct function *function, struct node *statement)
{
    struct file *file = function->file;
    size_t i;

    for (i = 0; i < statement->n; i++) {
        if (tr_is_branch(statement, statement->child[i])) {
            rewrite_statement(function, statement->child[i]);
        }
    }
    switch (statement->kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        break;
    case CXCursor_ReturnStmt:
        if (spelled_out(file, statement)) {
            rewrite_return(function, statement);
        }
        break;
    case CXCursor_DeclStmt:
        if (declares_in_frame(statement) && spelled_out(file, statement)) {
            tr_declare_locals(function, statement);
        }
        break;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
        if (statement->child[0]->waits && !refuse_directives(file, statement->child[0])) {
            rewrite_branch(function, statement);
        }
        break;
    case CXCursor_WhileStmt:
        rewrite_while(function, statement);
        break;
    case CXCursor_ForStmt:
        rewrite_for(function, statement);
        break;
    case CXCursor_DoStmt:
        refuse_waits(function, statement->child[statement->n - 1]);
        break;
    default:
        if (statement->waits && spelled_out(file, statement)) {
            rewrite_expression(function, statement);
        }
    }
}

void tr_rewrite_body(struct function *function)
{
    rewrite_statement(function, function->body);
}
