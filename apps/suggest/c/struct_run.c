/* SPDX-License-Identifier: BSD-3-Clause */
#include "struct_values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 20000, MOST_ELEMENTS = 4096 };

static value_t evaluate(maker_t *maker, const c_node_t *node);
static value_t locate(maker_t *maker, const c_node_t *node);
static void execute(maker_t *maker, const c_node_t *node);

static bool is_a_call(const c_node_t *node, const void *data)
{
    (void) data;
    return node->kind == C_CALL;
}

static bool has_call(const c_node_t *node)
{
    return c_find(node, is_a_call, NULL) != NULL;
}

/* A call may change what its argument leads to. */
static void forget_argument(maker_t *maker, const c_node_t *argument, value_t value)
{
    if (value.is_known && value.base && argument->type && argument->type->inner &&
        !argument->type->inner->is_const) {
        made_forget_object(maker, value);
    }
}

/* What NODE may change, however often it runs. */
static void forget_changed(maker_t *maker, const c_node_t *node)
{
    size_t i;

    if (!node) {
        return;
    }
    if (c_is_assignment(node)) {
        value_t at = has_call(node->child[0]) ? made_unknown : locate(maker, node->child[0]);

        if (c_bare(node->child[0])->kind == C_MEMBER && (at.is_opaque || !at.is_known)) {
            made_forget_members(maker);
        } else if (!at.is_known || !at.base) {
            made_forget_all(maker);
        } else {
            made_forget_object(maker, at);
        }
    }
    if (node->kind == C_VARIABLE) {
        made_forget_object(maker, (value_t){.is_known = true, .base = node->symbol});
    }
    for (i = 0; i < node->n; i++) {
        if (node->kind == C_CALL && i > 0 && !has_call(node->child[i])) {
            forget_argument(maker, node->child[i], evaluate(maker, node->child[i]));
        }
        forget_changed(maker, node->child[i]);
    }
}

/* The argument's conversions do not change where its elements are. */
static const c_node_t *pointed(const c_node_t *argument)
{
    while ((argument->kind == C_CONVERT || argument->kind == C_CAST) && argument->child[0]->type &&
           (argument->child[0]->type->kind == C_TYPE_POINTER ||
            argument->child[0]->type->kind == C_TYPE_ARRAY)) {
        argument = argument->child[0];
    }
    return argument;
}

/* ---- calls ---- */

/* Where an argument &x, x (an array) or p leads. */
static value_t target(maker_t *maker, const c_node_t *call, size_t i)
{
    value_t at = i < call->n ? evaluate(maker, call->child[i]) : made_unknown;

    return at.base ? at : made_unknown;
}

static value_t as_type(const made_t *made)
{
    return (value_t){.is_known = true, .type = made};
}

static made_t *make_struct(maker_t *maker, const c_node_t *call)
{
    value_t count = evaluate(maker, call->child[1]), arrays[3];
    const c_node_t *arguments[3];
    size_t i;

    for (i = 0; i < 3; i++) {
        arguments[i] = pointed(call->child[2 + i]);
        arrays[i] = evaluate(maker, arguments[i]);
    }
    return made_struct(maker, count, arrays, arguments);
}

static bool is_call(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

/* Of addresses. */
static bool is_arithmetic(const c_node_t *call)
{
    return is_call(c_callee(call), "MPI_Aint_add", "MPI_Aint_diff") && call->n == 3;
}

/* Calls of MPI that make datatypes or addresses. */
static bool known_call(maker_t *maker, const c_node_t *call)
{
    const char *name = c_callee(call);
    value_t old = made_unknown, size;

    if (is_call(name, "MPI_Type_create_struct", "MPI_Type_struct") && call->n == 6) {
        made_t *made = make_struct(maker, call);
        value_t at = target(maker, call, 5);

        made_remember(maker, call, made, at.base);
        made_store(maker, at, as_type(made));
    } else if (is_call(name, "MPI_Type_create_resized", "") && call->n == 5) {
        made_t *made;

        old = evaluate(maker, call->child[1]);
        made = made_resized(maker, old, evaluate(maker, call->child[3]));
        if (old.is_known && old.type) {
            made_remember_resized(maker, old.type, made);
        }
        made_store(maker, target(maker, call, 4), as_type(made));
    } else if (is_call(name, "MPI_Type_contiguous", "") && call->n == 4) {
        value_t count = evaluate(maker, call->child[1]);

        value_t at = target(maker, call, 3);
        made_t *made;

        old = evaluate(maker, call->child[2]);
        made = made_contiguous(maker, count, old);
        if (count.about == MADE_ABOUT_STRUCT) { /* sizeof(struct cell) bytes, say */
            made->about = count.about;
            made_remember(maker, call, made, at.base);
        }
        made_store(maker, at, as_type(made));
    } else if (is_call(name, "MPI_Type_dup", "") && call->n == 3) {
        old = evaluate(maker, call->child[1]);
        made_store(maker, target(maker, call, 2), old);
    } else if (is_call(name, "MPI_Get_address", "MPI_Address") && call->n == 3) {
        value_t address = evaluate(maker, call->child[1]);

        made_store(maker, target(maker, call, 2), address);
    } else if (is_call(name, "MPI_Type_extent", "MPI_Type_size") && call->n == 3) {
        old = evaluate(maker, call->child[1]);
        size = old.is_known && old.type && old.type->basic ? made_number(old.type->basic->size)
                                                           : made_unknown;
        made_store(maker, target(maker, call, 2), size);
    } else if (is_call(name, "MPI_Type_get_extent", "") && call->n == 4) {
        old = evaluate(maker, call->child[1]);
        size = old.is_known && old.type && !old.type->unknown ? made_number(old.type->extent)
                                                              : made_unknown;
        made_store(maker, target(maker, call, 2),
                   old.type && old.type->basic ? made_number(0) : made_unknown);
        made_store(maker, target(maker, call, 3), size);
    } else {
        return is_call(name, "MPI_Type_commit", "MPI_Type_free");
    }
    return true;
}

static value_t allocated(maker_t *maker, const c_node_t *call)
{
    return (value_t){
        .is_known = true, .is_pointee = true, .base = call->symbol, .serial = ++maker->serial};
}

/* A function changes what its arguments lead to, and, if the program has it, variables that are
 * shared. */
static value_t other_call(maker_t *maker, const c_node_t *call)
{
    static const char *const endings[] = {"exit",  "_exit",         "_Exit",
                                          "abort", "__assert_fail", "MPI_Abort"};
    bool changes_shared =
        !c_is_mpi(call) && !c_is_allocator(call) && !(call->symbol && call->symbol->is_foreign);
    size_t i;

    for (i = 1; i < call->n; i++) {
        const c_node_t *argument = call->child[i];
        value_t value = evaluate(maker, argument);

        forget_argument(maker, argument, value);
    }
    if (changes_shared) {
        made_forget_shared(maker);
    }
    for (i = 0; i < sizeof endings / sizeof *endings; i++) {
        maker->state.is_dead = maker->state.is_dead || strcmp(c_callee(call), endings[i]) == 0;
    }
    return made_unknown;
}

/* ---- expressions ---- */

static int64_t step_of(const c_node_t *node)
{
    const c_type_t *type = node->type;

    if (!type || (type->kind != C_TYPE_POINTER && type->kind != C_TYPE_ARRAY)) {
        return 0;
    }
    return type->inner && type->inner->size > 0 ? type->inner->size : 1;
}

static value_t evaluate_binary(maker_t *maker, const c_node_t *node)
{
    value_t a = evaluate(maker, node->child[0]), b;
    state_t before;

    if (node->op != C_OP_LAND && node->op != C_OP_LOR) {
        b = evaluate(maker, node->child[1]);
        return node->op == C_OP_COMMA
                   ? b
                   : made_combine(node->op, a, step_of(node->child[0]), b, step_of(node->child[1]));
    }
    if (made_is_number(a) && (a.number != 0) == (node->op == C_OP_LOR)) {
        return made_number(node->op == C_OP_LOR);
    }
    before = made_copy_state(&maker->state);
    b = evaluate(maker, node->child[1]);
    made_meet(maker, before);
    return made_is_number(a) && made_is_number(b) ? made_number(b.number != 0) : made_unknown;
}

static value_t evaluate_unary(maker_t *maker, const c_node_t *node)
{
    const c_node_t *inner = node->child[0];
    value_t at, old, one = made_number(1);

    switch (node->op) {
    case C_OP_ADDRESS:
        return locate(maker, inner);
    case C_OP_DEREF:
        return made_load(maker, evaluate(maker, inner), node->type);
    case C_OP_POST_INC:
    case C_OP_PRE_INC:
    case C_OP_POST_DEC:
    case C_OP_PRE_DEC:
        at = locate(maker, inner);
        old = made_load(maker, at, inner->type);
        one.number = node->op == C_OP_POST_INC || node->op == C_OP_PRE_INC ? 1 : -1;
        one = made_combine(C_OP_ADD, old, step_of(inner), one, 0);
        made_store(maker, at, one);
        return node->op == C_OP_POST_INC || node->op == C_OP_POST_DEC ? old : one;
    case C_OP_PLUS:
        return evaluate(maker, inner);
    case C_OP_MINUS:
        return made_combine(C_OP_SUB, made_number(0), 0, evaluate(maker, inner), 0);
    case C_OP_LNOT:
        old = evaluate(maker, inner);
        return made_is_number(old) ? made_number(old.number == 0) : made_unknown;
    default:
        evaluate(maker, inner);
        return made_unknown;
    }
}

/* Where an object is. */
static value_t locate(maker_t *maker, const c_node_t *node)
{
    value_t at, index;

    switch (node->kind) {
    case C_NAME:
        return (value_t){.is_known = true,
                         .base = node->symbol,
                         .about = made_about_type(maker, node->symbol->type)};
    case C_SUBSCRIPT:
        at = evaluate(maker, node->child[0]);
        index = evaluate(maker, node->child[1]);
        return made_moved(at, index, node->type && node->type->size > 0 ? node->type->size : 1);
    case C_MEMBER:
        at = node->arrow ? evaluate(maker, node->child[0]) : locate(maker, node->child[0]);
        if (node->suffix || node->value < 0) {
            at.is_vague = true;
        }
        at.about = node->child[0]->type
                       ? made_about_type(maker, node->arrow ? node->child[0]->type->inner
                                                            : node->child[0]->type)
                       : MADE_ABOUT_NOTHING;
        at.number += node->value;
        return at;
    case C_UNARY:
        return node->op == C_OP_DEREF ? evaluate(maker, node->child[0]) : made_unknown;
    case C_CAST:
    case C_CONVERT:
        return locate(maker, node->child[0]);
    default:
        return made_unknown;
    }
}

static value_t evaluate_assignment(maker_t *maker, const c_node_t *node)
{
    value_t value = evaluate(maker, node->child[1]), at = locate(maker, node->child[0]);

    if (node->kind == C_UPDATE) {
        value = made_combine(node->op, made_load(maker, at, node->child[0]->type),
                             step_of(node->child[0]), value, 0);
    }
    if (c_bare(node->child[0])->kind == C_MEMBER && (at.is_opaque || !at.is_known)) {
        made_forget_members(maker); /* a member is not part of an array (C11 6.5, 7) */
    } else {
        made_store(maker, at, value);
    }
    return value;
}

static value_t evaluate_children(maker_t *maker, const c_node_t *node)
{
    size_t i;

    for (i = 0; i < node->n; i++) {
        if (node->child[i]) {
            evaluate(maker, node->child[i]);
        }
    }
    return made_unknown;
}

static value_t evaluate_conditional(maker_t *maker, const c_node_t *node)
{
    value_t condition = evaluate(maker, node->child[0]), a, b;
    state_t before;

    if (made_is_number(condition)) {
        return evaluate(maker, node->child[condition.number ? 1 : 2]);
    }
    before = made_copy_state(&maker->state);
    a = evaluate(maker, node->child[1]);
    { /* the other way starts from where this one did */
        state_t after = maker->state;

        maker->state = before;
        b = evaluate(maker, node->child[2]);
        made_meet(maker, after);
    }
    return made_same_value(a, b) ? a : made_unknown;
}

static value_t evaluate_call(maker_t *maker, const c_node_t *node)
{
    value_t a;

    if (is_arithmetic(node)) {
        a = evaluate(maker, node->child[1]);
        return made_combine(strcmp(c_callee(node), "MPI_Aint_add") == 0 ? C_OP_ADD : C_OP_SUB, a, 0,
                            evaluate(maker, node->child[2]), 0);
    }
    return known_call(maker, node) ? made_unknown
           : c_is_allocator(node)  ? allocated(maker, node)
                                   : other_call(maker, node);
}

static value_t evaluate(maker_t *maker, const c_node_t *node)
{
    const c_datatype_t *basic;
    value_t value = made_unknown;

    if (!node) {
        return made_unknown;
    }
    if (++maker->steps > MOST_STEPS) {
        made_forget_all(maker);
        return made_unknown;
    }
    switch (node->kind) {
    case C_INTEGER:
        value = made_number(node->value);
        if (node->name) { /* of offsetof or sizeof */
            value.about =
                strcmp(node->name, maker->canonical) == 0 ? MADE_ABOUT_STRUCT : MADE_ABOUT_OTHER;
        }
        return value;
    case C_NAME:
        return node->symbol->kind == C_SYMBOL_FUNCTION
                   ? made_unknown
                   : made_load(maker, locate(maker, node), node->type);
    case C_SUBSCRIPT:
    case C_MEMBER:
        return made_load(maker, locate(maker, node), node->type);
    case C_CAST:
    case C_CONVERT:
        basic = c_find_datatype(maker->unit, node);
        return basic ? as_type(made_basic(maker, basic)) : evaluate(maker, node->child[0]);
    case C_UNARY:
        basic = node->op == C_OP_ADDRESS ? c_find_datatype(maker->unit, node) : NULL;
        return basic ? as_type(made_basic(maker, basic)) : evaluate_unary(maker, node);
    case C_BINARY:
        return evaluate_binary(maker, node);
    case C_ASSIGN:
    case C_UPDATE:
        return evaluate_assignment(maker, node);
    case C_CALL:
        return evaluate_call(maker, node);
    case C_CONDITIONAL:
        return evaluate_conditional(maker, node);
    case C_LIST:
        return evaluate_children(maker, node);
    case C_OTHER:
        forget_changed(maker, node);
        return evaluate_children(maker, node);
    default:
        return made_unknown;
    }
}

/* ---- statements ---- */

static void declare(maker_t *maker, const c_node_t *variable)
{
    const c_node_t *initialiser = variable->n > 0 ? variable->child[0] : NULL;
    const c_type_t *type = variable->symbol->type;
    value_t at = {.is_known = true, .base = variable->symbol};
    int64_t i;

    made_forget_object(maker, at);
    if (!initialiser || (variable->symbol->kind == C_SYMBOL_STATIC && !made_is_constant(type))) {
        return; /* a static one may have changed in an earlier call */
    }
    if (initialiser->kind != C_LIST) {
        made_store(maker, at, evaluate(maker, initialiser));
        return;
    }
    if (type->kind != C_TYPE_ARRAY || type->count < 0 || type->count > MOST_ELEMENTS ||
        !type->inner || type->inner->size <= 0 ||
        strstr(c_text(maker->unit->memory, initialiser), "] =")) {
        evaluate_children(maker, initialiser);
        return;
    }
    for (i = 0; i < type->count; i++) {
        value_t value =
            i < (int64_t) initialiser->n ? evaluate(maker, initialiser->child[i]) : made_number(0);

        at.number = i * type->inner->size;
        made_store(maker, at, value);
    }
}

static void two_ways(maker_t *maker, const c_node_t *one, const c_node_t *other)
{
    state_t before = made_copy_state(&maker->state), after;

    execute(maker, one);
    after = maker->state;
    maker->state = before;
    execute(maker, other);
    made_meet(maker, after);
}

/* Does it leave a loop or iteration early? The statements after it may still run. */
static bool leaves_early(const c_node_t *node, const void *data)
{
    (void) data;
    return c_is_other(node, "BreakStmt") || c_is_other(node, "ContinueStmt");
}

/* A loop of which nothing is known: its body runs once, for any of its iterations. */
static void any_iteration(maker_t *maker, const c_node_t *loop)
{
    size_t i;

    forget_changed(maker, loop);
    for (i = 0; i < loop->n; i++) {
        state_t before = made_copy_state(&maker->state);

        execute(maker, loop->child[i]);
        free(maker->state.cells);
        maker->state = before;
        forget_changed(maker, loop);
    }
}

static void count_loop(maker_t *maker, const c_node_t *loop)
{
    execute(maker, loop->child[0]);
    while (!c_find(loop->child[3], leaves_early, NULL) && maker->steps < MOST_STEPS &&
           !maker->state.is_dead) {
        value_t condition = evaluate(maker, loop->child[1]);

        if (!made_is_number(condition)) {
            break;
        }
        if (condition.number == 0) {
            return;
        }
        execute(maker, loop->child[3]);
        execute(maker, loop->child[2]);
    }
    any_iteration(maker, loop);
}

/* `do ... while (0)`, as macros have it, runs once. */
static void do_loop(maker_t *maker, const c_node_t *loop)
{
    const c_node_t *condition = loop->n == 2 ? c_bare(loop->child[1]) : NULL;

    if (condition && condition->kind == C_INTEGER && condition->value == 0 &&
        !c_find(loop->child[0], leaves_early, NULL)) {
        execute(maker, loop->child[0]);
    } else {
        any_iteration(maker, loop);
    }
}

static void execute(maker_t *maker, const c_node_t *node)
{
    size_t i;
    value_t condition;

    if (!node || maker->state.is_dead) {
        return;
    }
    switch (node->kind) {
    case C_BLOCK:
        for (i = 0; i < node->n; i++) {
            if (c_is_other(node->child[i], "LabelStmt")) {
                maker->state.is_dead = false; /* a goto may come here */
                made_forget_all(maker);
            }
            execute(maker, node->child[i]);
        }
        break;
    case C_DECLARE:
        for (i = 0; i < node->n; i++) {
            declare(maker, node->child[i]);
        }
        break;
    case C_IF:
        condition = evaluate(maker, node->child[0]);
        if (made_is_number(condition)) {
            execute(maker, condition.number ? node->child[1] : node->n > 2 ? node->child[2] : NULL);
        } else {
            two_ways(maker, node->child[1], node->n > 2 ? node->child[2] : NULL);
        }
        break;
    case C_FOR:
        count_loop(maker, node);
        break;
    case C_WHILE:
        any_iteration(maker, node);
        break;
    case C_DO:
        do_loop(maker, node);
        break;
    case C_RETURN:
        evaluate_children(maker, node);
        maker->state.is_dead = true;
        break;
    case C_OTHER:
        if (c_is_other(node, "GotoStmt") || c_is_other(node, "BreakStmt") ||
            c_is_other(node, "ContinueStmt")) {
            maker->state.is_dead = true;
        } else if (c_is_other(node, "LabelStmt") && node->n > 0) {
            made_forget_all(maker);
            execute(maker, node->child[node->n - 1]);
        } else {
            any_iteration(maker, node); /* a switch, say */
        }
        break;
    case C_EMPTY:
        break;
    default:
        evaluate(maker, node);
    }
}

static bool makes_struct(const c_node_t *node, const void *data)
{
    (void) data;
    return node->kind == C_CALL &&
           (is_call(c_callee(node), "MPI_Type_create_struct", "MPI_Type_struct") ||
            is_call(c_callee(node), "MPI_Type_contiguous", ""));
}

made_call_t *made_find(c_unit_t *unit, const char *canonical)
{
    maker_t maker = {.unit = unit, .canonical = canonical};
    size_t i, j;

    for (i = 0; i < unit->n_functions; i++) {
        if (!c_find(unit->functions[i].body, makes_struct, NULL)) {
            continue;
        }
        maker.state = (state_t){.epoch = ++maker.serial};
        maker.steps = 0;
        for (j = 0; j < unit->n_initialised; j++) {
            if (made_is_constant(unit->initialised[j]->symbol->type)) {
                declare(&maker, unit->initialised[j]);
            }
        }
        execute(&maker, unit->functions[i].body);
        free(maker.state.cells);
    }
    return maker.calls;
}
