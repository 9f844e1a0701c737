/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements and functions. */
#include "run_private.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- questions about subtrees ---- */

static bool has_own_effect(const c_node_t *node, const void *data)
{
    (void) data;
    return c_is_assignment(node) || node->kind == C_CALL || node->kind == C_OTHER;
}

bool run_is_pure(const c_node_t *node)
{
    return !c_find(node, has_own_effect, NULL);
}

const c_node_t *run_one_return(const c_symbol_t *function, size_t arguments)
{
    const c_node_t *body = function->body;

    if (!body || body->kind != C_BLOCK || body->n != 1 || body->child[0]->kind != C_RETURN ||
        body->child[0]->n != 1 || function->n_parameters != arguments ||
        !run_is_pure(body->child[0]->child[0])) {
        return NULL;
    }
    return body->child[0]->child[0];
}

bool run_only_accesses(const c_node_t *node)
{
    bool accesses =
        node && node->kind == C_CALL && node->symbol && run_one_return(node->symbol, node->n - 1);
    size_t i;

    if (!node || (has_own_effect(node, NULL) && !accesses)) {
        return !node;
    }
    for (i = accesses; i < node->n; i++) { /* the first child of a call is what is called */
        if (!run_only_accesses(node->child[i])) {
            return false;
        }
    }
    return true;
}

static bool calls_mpi(const c_node_t *node, const void *data)
{
    (void) data;
    return node->kind == C_CALL && ((node->symbol && node->symbol->calls_mpi) ||
                                    (c_is_mpi(node) && strcmp(c_callee(node), "MPI_Abort") != 0));
}

bool run_has_mpi(const c_node_t *node)
{
    return c_find(node, calls_mpi, NULL) != NULL;
}

static void add_assigned(const c_node_t *node, c_symbol_t ***symbols, size_t *n)
{
    const c_node_t *target = NULL;
    size_t i;

    if (!node) {
        return;
    }
    if (c_is_assignment(node)) {
        target = c_bare(node->child[0]);
    }
    if ((target && target->kind == C_NAME && run_is_tracked(target->symbol)) ||
        (node->kind == C_VARIABLE && run_is_tracked(node->symbol))) {
        c_symbol_t *symbol = node->kind == C_VARIABLE ? node->symbol : target->symbol;

        for (i = 0; i < *n && (*symbols)[i] != symbol; i++) {
        }
        if (i == *n) {
            *symbols = c_resize(*symbols, *n + 1, sizeof **symbols);
            (*symbols)[(*n)++] = symbol;
        }
    }
    for (i = 0; i < node->n; i++) {
        add_assigned(node->child[i], symbols, n);
    }
}

size_t run_assigned(const c_node_t *node, c_symbol_t ***symbols)
{
    size_t n = 0;

    *symbols = NULL;
    add_assigned(node, symbols, &n);
    return n;
}

/* break of a switch is; that of a loop has its loop as parent's parent, which is looked at before.
 */
static bool is_followed(const c_node_t *node)
{
    const c_node_t *outer = node->parent;

    if (c_is_other(node, "BreakStmt")) {
        while (outer && outer->kind != C_FOR && outer->kind != C_WHILE && outer->kind != C_DO &&
               !c_is_other(outer, "SwitchStmt")) {
            outer = outer->parent;
        }
        return c_is_other(outer, "SwitchStmt");
    }
    return c_is_other(node, "ContinueStmt") || c_is_other(node, "SwitchStmt") ||
           c_is_other(node, "CaseStmt") || c_is_other(node, "DefaultStmt") ||
           c_is_other(node, "StmtExpr");
}

static bool leaves_loop(const c_node_t *node, const void *trusting)
{
    return node->kind == C_RETURN ||
           (node->kind == C_OTHER && !(*(const bool *) trusting && is_followed(node)));
}

const char *run_unstructured(const c_node_t *node, bool trusting)
{
    const c_node_t *found = c_find(node, leaves_loop, &trusting);

    return !found                    ? NULL
           : found->kind == C_RETURN ? "a return in the loop"
           : found->name             ? found->name
                                     : "a construct that is not known";
}

/* What makes a whole function's flow of control unclear; NULL: nothing in the node itself. */
static const char *why_unclear(const c_node_t *node)
{
    const char *name = node->kind == C_OTHER && node->name ? node->name : "";
    const c_type_t *type = node->kind == C_VARIABLE && node->symbol ? node->symbol->type : NULL;

    if (strstr(name, "Goto") || strstr(name, "Label")) {
        return "the function has a goto or label";
    }
    if (strcmp(name, "cleanup") == 0) {
        return "a variable has an attribute that is not followed (cleanup?)";
    }
    if (strstr(name, "OMP")) {
        return "the function has OpenMP directives";
    }
    if (strstr(name, "Asm") || strstr(name, "asm") || strstr(name, "StmtExpr")) {
        return "the function has assembler or a statement expression";
    }
    for (; type; type = type->inner) {
        if (type->length && !run_is_pure(type->length)) {
            return "the length of an array has effects";
        }
    }
    return node->kind == C_CALL && strstr(c_callee(node), "setjmp") ? "the function calls setjmp"
                                                                    : NULL;
}

static bool is_unclear(const c_node_t *node, const void *data)
{
    (void) data;
    return why_unclear(node) != NULL;
}

/* ---- statements ---- */

run_value_t *run_save(run_t *run)
{
    size_t bytes = run->n_symbols * sizeof *run->state;
    run_value_t *saved = c_checked(malloc(bytes + 1));

    run->n_saved += run->n_symbols;
    return memcpy(saved, run->state, bytes);
}

static bool has_value(const run_value_t *value)
{
    return (value->kind == RUN_INTEGER && !value->modular && value->n_assumed == 0) ||
           (value->kind == RUN_CHOICE && value->poly);
}

/* Where the value may lead, counted from 1; 0: not a pointer. */
static int base_of(const run_value_t *value)
{
    return value->kind == RUN_POINTER || (value->kind == RUN_CHOICE && value->pointee)
               ? value->base + 1
               : 0;
}

/* Either value: a pointer into the same object, or one of two; a number that is not known. */
static run_value_t one_of(run_t *run, c_symbol_t *symbol, const run_value_t *a,
                          const run_value_t *b)
{
    const run_value_t in = run_somewhere(run, symbol, a, b);

    return in.kind == RUN_POINTER ? in
                                  : run_one_of(run, symbol, (const int[2]){base_of(a), base_of(b)});
}

/* `offset = wanted ? at[i] : 0`: a name for the value until a call's condition decides it; not in
 * loops, whose iterations have values of their own. A pointer leads into the same object. */
static void name_choice(run_t *run, c_symbol_t *symbol, run_value_t *choice)
{
    const run_value_t *a = choice->alternative[0], *b = choice->alternative[1];
    run_value_t name, *copy;
    poly_atom_t atom;

    name = one_of(run, symbol, a, b);
    choice->poly = name.poly;
    choice->base = name.base;
    choice->pointee = name.pointee;
    atom = name.kind == RUN_INTEGER ? run_atom_of(name.poly) : POLY_NO_ATOM;
    if (atom != POLY_NO_ATOM && has_value(a) && has_value(b)) {
        copy = c_allocate(run->memory, sizeof *copy);
        *copy = *choice;
        run->atoms[atom].choice = copy;
    }
}

/* `if (wanted) { p = malloc(n); }`: what uses p later has the memory. */
static bool is_allocated(const run_t *run, const run_value_t *value, const run_value_t *other)
{
    return run->level == RUN_TRUSTING && value->kind == RUN_POINTER && value->base >= 0 &&
           run->bases[value->base].kind == RUN_FRESH && other->kind == RUN_UNSET;
}

static void join(run_t *run, const run_value_t *then, const run_value_t *other,
                 const run_fact_t *fact)
{
    size_t i;

    for (i = 0; i < run->n_symbols; i++) {
        run_value_t *alternatives;

        if (run_same(&then[i], &other[i])) {
            run->state[i] = then[i];
            continue;
        }
        if (run->symbols[i]->kind == C_SYMBOL_LOCAL &&
            (is_allocated(run, &then[i], &other[i]) || is_allocated(run, &other[i], &then[i]))) {
            run->state[i] = then[i].kind == RUN_UNSET ? other[i] : then[i];
            continue;
        }
        if (run->level == RUN_TRUSTING &&
            (!fact || then[i].kind == RUN_UNSET || other[i].kind == RUN_UNSET)) {
            if (run_is_tracked(run->symbols[i])) {
                run->state[i] = one_of(run, run->symbols[i], &then[i], &other[i]);
            }
            continue;
        }
        if (!fact || then[i].kind == RUN_UNSET || other[i].kind == RUN_UNSET) {
            run->state[i] = run_unknown("its value depends on a condition", NULL);
            continue;
        }
        alternatives = c_allocate(run->memory, 2 * sizeof *alternatives);
        alternatives[0] = then[i];
        alternatives[1] = other[i];
        run->state[i] = (run_value_t){.kind = RUN_CHOICE, .fact = *fact};
        run->state[i].alternative[0] = &alternatives[0];
        run->state[i].alternative[1] = &alternatives[1];
        if (run->level == RUN_TRUSTING && run_is_tracked(run->symbols[i]) && run->loop < 0 &&
            run->irregular == 0) {
            name_choice(run, run->symbols[i], &run->state[i]);
        }
    }
}

static void add_fact(run_t *run, const run_fact_t *fact)
{
    run->facts = c_resize(run->facts, run->n_facts + 1, sizeof *run->facts);
    run->facts[run->n_facts++] = *fact;
}

/* The conjuncts of a condition that can be facts; *all: no other conjuncts exist. */
static int find_facts(run_t *run, const c_node_t *condition, bool negated, run_fact_t *facts,
                      int room, bool *all)
{
    int n = 0;

    if (!(run->level == RUN_TRUSTING ? run_only_accesses(condition) : run_is_pure(condition))) {
        /* evaluated once only */
        *all = false;
        return 0;
    }
    if (condition->kind == C_BINARY && condition->op == (negated ? C_OP_LOR : C_OP_LAND)) {
        n = find_facts(run, condition->child[0], negated, facts, room, all);
        return n + find_facts(run, condition->child[1], negated, facts + n, room - n, all);
    }
    run->trial++; /* the loads of the condition are noted already */
    if (room > 0 && run_find_fact(run, condition, negated, facts)) {
        n = 1;
    } else {
        *all = false;
    }
    run->trial--;
    return n;
}

/* An assignment, or a call that may not be made: what the branches must not depend on. */
static bool has_effects(const c_node_t *node, const void *data)
{
    (void) data;
    return c_is_assignment(node) || node->kind == C_OTHER ||
           ((node->op == C_OP_LAND || node->op == C_OP_LOR || node->kind == C_CONDITIONAL) &&
            !run_is_pure(node));
}

static int add_guard(run_t *run, const c_node_t *condition, bool negated, const run_fact_t *facts,
                     int n_facts, bool all)
{
    run_guard_t guard = {.condition = condition,
                         .negated = negated,
                         .parent = run->guard,
                         .loop = run->loop,
                         .frame = run->frame,
                         .n_facts = n_facts < RUN_FACTS ? n_facts : RUN_FACTS,
                         .is_fact = all && n_facts > 0 && n_facts <= RUN_FACTS};

    memcpy(guard.facts, facts, (size_t) guard.n_facts * sizeof *facts);
    run->trial++;
    guard.bound = run_text_of(run, condition, &guard.text);
    run->trial--;
    run->guards = c_resize(run->guards, run->n_guards + 1, sizeof *run->guards);
    run->guards[run->n_guards] = guard;
    return run->n_guards++;
}

/* 1: the facts say so; 0: they say the contrary; -1: neither. */
static int known(run_t *run, const run_fact_t *facts, int n, bool all)
{
    int i, j, implied = 0;

    for (i = 0; i < n; i++) {
        int64_t value;

        if (poly_is_constant(facts[i].left, &value)) {
            bool holds = facts[i].relation == RUN_EQUAL     ? value == 0
                         : facts[i].relation == RUN_UNEQUAL ? value != 0
                         : facts[i].relation == RUN_LESS    ? value < 0
                                                            : value >= 0;

            if (!holds) {
                return 0;
            }
            implied++;
            continue;
        }
        for (j = 0; j < run->n_facts; j++) {
            if (run_contradicts(run, &run->facts[j], &facts[i])) {
                return 0;
            }
            if (run_implies(run, &run->facts[j], &facts[i])) {
                implied++;
                break;
            }
        }
    }
    return all && n > 0 && implied == n ? 1 : -1;
}

enum { MOST_FACTS = 8 };

static void branch(run_t *run, const c_node_t *condition, bool negated, const c_node_t *body)
{
    run_fact_t facts[MOST_FACTS];
    bool all = true;
    int n, i;

    n = find_facts(run, condition, negated, facts, MOST_FACTS, &all);
    for (i = 0; i < n; i++) {
        add_fact(run, &facts[i]);
    }
    if (run->level < RUN_TRUSTING && !(all && n == 1)) {
        n = 0;
    }
    run->guard = add_guard(run, condition, negated, facts, n, all);
    if (body) {
        run_statement(run, body);
    }
}

static void if_statement(run_t *run, const c_node_t *node)
{
    const c_node_t *condition = node->child[0];
    const c_node_t *other = node->n > 2 ? node->child[2] : NULL;
    run_fact_t facts[MOST_FACTS];
    run_value_t *before, *then;
    int n, n_facts = run->n_facts, guard = run->guard, then_guard, verdict;
    bool then_over, all = true, dead = run->dead, then_dead, else_dead;

    run_evaluate(run, condition);
    if (run->level < RUN_TRUSTING && c_find(condition, has_effects, NULL)) {
        run_control(run, condition, "a condition with effects");
    }
    n = find_facts(run, condition, false, facts, MOST_FACTS, &all);
    verdict = known(run, facts, n, all);
    if (verdict >= 0) {
        if (verdict == 1) {
            run_statement(run, node->child[1]);
        } else if (other) {
            run_statement(run, other);
        }
        return;
    }
    before = run_save(run);
    run->over = false;
    branch(run, condition, false, node->child[1]);
    then = run_save(run);
    then_dead = run->dead;
    then_over = run->over;
    run->over = false;
    memcpy(run->state, before, run->n_symbols * sizeof *run->state);
    run->n_facts = n_facts;
    then_guard = run->guard;
    run->guard = guard;
    run->dead = dead;
    branch(run, condition, true, other);
    else_dead = run->dead;
    /* behind `if (...) return;` of a followed function its rest has a condition that the caller has
     * not; so has that of a loop's body behind `if (...) continue;` */
    if ((!run->exits && !run->continues && !run->breaks) || then_dead == else_dead || then_over ||
        run->over) {
        run->guard = guard;
    } else {
        run->guard = then_dead ? run->guard : then_guard;
    }
    run->over = then_dead && else_dead && then_over && run->over;
    run->dead = dead || (then_dead && else_dead);
    if (else_dead && !then_dead) {
        run->n_facts = n_facts;
        memcpy(run->state, then, run->n_symbols * sizeof *run->state);
    } else if (then_dead == else_dead) {
        run->n_facts = n_facts;
        memcpy(before, run->state, run->n_symbols * sizeof *run->state);
        join(run, then, before, all && n == 1 ? &facts[0] : NULL);
    } /* else the contrary holds, until the block ends */
    free(before);
    free(then);
}

static void declaration(run_t *run, const c_node_t *node)
{
    size_t i;

    for (i = 0; i < node->n; i++) {
        const c_node_t *variable = node->child[i];
        c_symbol_t *symbol = variable->symbol;
        run_value_t value;

        run_set_length(run, symbol->type);
        if (symbol->kind == C_SYMBOL_STATIC || symbol->kind == C_SYMBOL_GLOBAL) {
            continue; /* initialised once, long ago */
        }
        if (variable->n == 0) {
            if (run_is_tracked(symbol)) {
                run->state[symbol->index] =
                    run->level == RUN_TRUSTING && symbol->type->kind == C_TYPE_POINTER
                        ? (run_value_t){.kind = RUN_UNSET} /* leads nowhere */
                        : run_fresh(run, symbol);
            }
            run_log_write(run, run_base_of_symbol(run, symbol), NULL);
            continue;
        }
        value = run_evaluate(run, variable->child[0]);
        {
            run_event_t *event = run_event(run, RUN_STORE, variable);

            event->to = (run_place_t){.base = run_base_of_symbol(run, symbol),
                                      .offset = poly_constant(run->space, 0),
                                      .type = symbol->type};
            event->why = "an initialiser";
        }
        run_log_write(run, run_base_of_symbol(run, symbol), NULL);
        if (run_is_tracked(symbol)) {
            run_assign_scalar(run, symbol, value);
        }
    }
}

static bool is_once(const c_node_t *node)
{
    const c_node_t *condition = node->n == 2 ? c_bare(node->child[1]) : NULL;

    return condition && condition->kind == C_INTEGER && condition->value == 0 &&
           !run_unstructured(node->child[0], false);
}

static bool is_label(const c_node_t *node, const void *data)
{
    (void) data;
    return c_is_other(node, "LabelStmt");
}

/* A place that is reached from elsewhere: nothing is known there. */
static void label(run_t *run, const c_node_t *node)
{
    size_t i;

    run->dead = false;
    run_control(run, node, "a label");
    for (i = 0; i < run->n_symbols; i++) {
        if (run->state[i].kind != RUN_UNSET) {
            run->state[i] = run_fresh(run, run->symbols[i]);
        }
    }
    run_forget_all(run);
    for (i = 0; i < node->n; i++) {
        run_statement(run, node->child[i]);
    }
}

static size_t ways_out(const run_t *run)
{
    return (run->exits ? run->exits->n : 0) + (run->continues ? run->continues->n : 0);
}

/* Behind a statement that may have left the function, or the loop's body, the rest has a condition
 * that is not known; an `if` alone knows its own. */
static void statement_in_block(run_t *run, const c_node_t *node)
{
    const run_fact_t none = {0};
    size_t before = ways_out(run);
    int guard = run->guard;

    run_statement(run, node);
    if (ways_out(run) > before && !run->dead && run->guard == guard) {
        run->guard = add_guard(run, node, false, &none, 0, false);
        run->guards[run->guard].bound = false;
    }
}

static void block(run_t *run, const c_node_t *node)
{
    int n_facts = run->n_facts, guard = run->guard;
    size_t i;

    for (i = 0; i < node->n; i++) {
        const c_node_t *child = node->child[i];

        if (run->level == RUN_TRUSTING && c_is_other(child, "LabelStmt")) {
            run->n_facts = n_facts;
            run->guard = guard;
            label(run, child);
        } else if (!run->dead) {
            statement_in_block(run, child);
        } else if (c_find(child, is_label, NULL)) {
            run->refused = "a label in a block that is not reached otherwise";
            run->refused_at = child;
        }
    }
    run->n_facts = n_facts;
}

/* One way through a switch: from the label I of its block on. */
static void run_case(run_t *run, const c_node_t *block, size_t i, const run_value_t *value)
{
    const c_node_t *label = block->child[i];
    run_fact_t fact = {.relation = RUN_EQUAL};
    bool known = false;

    while (c_is_other(label, "CaseStmt") && label->n == 2 && !known) {
        run_value_t one = run_evaluate(run, label->child[0]);

        known = value->kind == RUN_INTEGER && one.kind == RUN_INTEGER &&
                !c_is_other(label->child[1], "CaseStmt") &&
                !c_is_other(label->child[1], "DefaultStmt");
        if (known) {
            fact.left = poly_subtract(run->space, value->poly, one.poly);
            add_fact(run, &fact);
        }
        label = label->child[1];
    }
    run->guard = add_guard(run, block->child[i], false, &fact, known, known);
    run->guards[run->guard].bound = false;
    for (; i < block->n && !run->dead; i++) {
        label = block->child[i];
        while ((c_is_other(label, "CaseStmt") || c_is_other(label, "DefaultStmt")) &&
               label->n > 0) {
            label = label->child[label->n - 1];
        }
        run_statement(run, label);
    }
}

/* A block with labels at its top only; each is a way of its own, and all meet at the end. */
static bool switch_statement(run_t *run, const c_node_t *node)
{
    const c_node_t *body = node->n == 2 ? node->child[1] : NULL;
    run_exits_t exits = {0}, *breaks = run->breaks, *continues = run->continues;
    run_value_t value, *before;
    int n_facts = run->n_facts, guard = run->guard;
    bool has_default = false;
    size_t i;

    if (!body || body->kind != C_BLOCK || body->n == 0 ||
        !(c_is_other(body->child[0], "CaseStmt") || c_is_other(body->child[0], "DefaultStmt"))) {
        return false;
    }
    value = run_evaluate(run, node->child[0]);
    before = run_save(run);
    run->breaks = &exits;
    for (i = 0; i < body->n; i++) {
        const c_node_t *label = body->child[i];

        if (!c_is_other(label, "CaseStmt") && !c_is_other(label, "DefaultStmt")) {
            continue;
        }
        for (; c_is_other(label, "CaseStmt") && label->n == 2; label = label->child[1]) {
        }
        has_default = has_default || c_is_other(label, "DefaultStmt");
        memcpy(run->state, before, run->n_symbols * sizeof *run->state);
        run_case(run, body, i, &value);
        run_exit(run, &exits, value);
        run->dead = false;
        run->n_facts = n_facts;
        run->guard = guard;
    }
    memcpy(run->state, before, run->n_symbols * sizeof *run->state);
    run->dead = has_default;
    run->breaks = breaks;
    run->continues = continues;
    run_meet_exits(run, &exits, node);
    free(before);
    return true;
}

/* A statement that is not understood: its parts may be executed in any order, or not at all. */
static void other_statement(run_t *run, const c_node_t *node)
{
    run_value_t *saved;
    c_symbol_t **symbols;
    size_t n, i;

    if (run->level == RUN_TRUSTING && c_is_other(node, "GotoStmt")) {
        run_control(run, node, "a goto");
        run->dead = true;
        return;
    }
    if (run->level == RUN_TRUSTING && c_is_other(node, "SwitchStmt") &&
        switch_statement(run, node)) {
        return;
    }
    if (c_is_other(node, "BreakStmt") && run->breaks) {
        run_exit(run, run->breaks, run_unknown("no value", node));
        run->dead = true;
        return;
    }
    if (c_is_other(node, "ContinueStmt") && run->continues) {
        run_exit(run, run->continues, run_unknown("no value", node));
        run->dead = true;
        return;
    }
    saved = run_save(run);
    n = run_assigned(node, &symbols);
    run_control(run, node, node->name);
    run->irregular++;
    for (i = 0; i < n; i++) {
        run->state[symbols[i]->index] = run_unknown(node->name, node);
    }
    for (i = 0; i < node->n; i++) {
        run_statement(run, node->child[i]);
    }
    run->dead = false;
    run_unsettle(run, saved, node->name, node);
    run->irregular--;
    run_control(run, node, node->name);
    free(symbols);
    free(saved);
}

static void statement_here(run_t *run, const c_node_t *node)
{
    run_value_t value;

    switch (node->kind) {
    case C_BLOCK:
        block(run, node);
        break;
    case C_DECLARE:
        declaration(run, node);
        break;
    case C_IF:
        if_statement(run, node);
        break;
    case C_FOR:
    case C_WHILE:
        run_loop(run, node);
        break;
    case C_DO:
        if (is_once(node)) {
            run_statement(run, node->child[0]);
        } else {
            run_loop(run, node);
        }
        break;
    case C_RETURN:
        value = node->n ? run_evaluate(run, node->child[0]) : run_unknown("no value", node);
        if (run->exits) {
            run_exit(run, run->exits, value);
        } else {
            run_control(run, node, "a return");
        }
        run->dead = true;
        break;
    case C_EMPTY:
        break;
    case C_OTHER:
        other_statement(run, node);
        break;
    default:
        run_evaluate(run, node);
    }
}

void run_statement(run_t *run, const c_node_t *node)
{
    if (run->depth > 900 || run->refused) {
        return;
    }
    run->depth++;
    statement_here(run, node);
    run->depth--;
}

/* ---- functions ---- */

static void add_symbol(run_t *run, c_symbol_t *symbol);

static void add_symbols(run_t *run, const c_node_t *node)
{
    size_t i;

    if (!node) {
        return;
    }
    if (node->symbol) {
        add_symbol(run, node->symbol);
    }
    for (i = 0; i < node->n; i++) {
        add_symbols(run, node->child[i]);
    }
}

static void add_symbol(run_t *run, c_symbol_t *symbol)
{
    const c_type_t *type;
    size_t i;

    if (symbol->index != SIZE_MAX) {
        return;
    }
    symbol->index = run->n_symbols;
    run->symbols[run->n_symbols++] = symbol;
    for (type = symbol->type; type; type = type->inner) {
        add_symbols(run, type->length);
    }
    for (i = 0; i < symbol->n_parameters; i++) {
        add_symbol(run, symbol->parameters[i]);
    }
    if (symbol->body && (run->level == RUN_TRUSTING ||
                         (symbol->body->n == 1 && symbol->body->child[0]->kind == C_RETURN))) {
        add_symbols(run, symbol->body); /* may be followed, or substituted */
    }
}

static size_t symbols_of(const c_unit_t *unit)
{
    size_t i, n = unit->program ? 0 : unit->n_symbols;

    for (i = 0; unit->program && i < unit->n_program; i++) {
        n += unit->program[i]->n_symbols;
    }
    return n;
}

void run_resume(run_t *run)
{
    const c_unit_t *unit = run->unit;
    size_t i, j;

    for (j = 0; j < (unit->program ? unit->n_program : 1); j++) {
        const c_unit_t *one = unit->program ? unit->program[j] : unit;

        for (i = 0; i < one->n_symbols; i++) {
            one->symbols[i]->index = SIZE_MAX;
        }
    }
    for (i = 0; i < run->n_symbols; i++) {
        run->symbols[i]->index = i;
    }
}

run_t *run_function(c_unit_t *unit, const c_function_t *function, run_level_t level)
{
    run_t *run = c_checked(calloc(1, sizeof *run));
    size_t i;

    run->unit = unit;
    run->function = function;
    run->level = level;
    run->memory = c_memory_new();
    run->space = c_checked(poly_space_new());
    run->symbols = c_checked(calloc(symbols_of(unit) + 1, sizeof *run->symbols));
    run_resume(run);
    add_symbol(run, function->symbol);
    add_symbols(run, function->body);
    run->state = c_checked(calloc(run->n_symbols + 1, sizeof *run->state));
    run->originals = c_checked(calloc(run->n_symbols + 1, sizeof *run->originals));
    run->objects = c_checked(calloc(run->n_symbols + 1, sizeof *run->objects));
    run->version = c_checked(calloc(run->n_symbols + 1, sizeof *run->version));
    run->loop = run->guard = -1;
    run->clock = 1;
    run->contexts = c_checked(calloc(1, sizeof *run->contexts));
    run->n_contexts = 1;
    run->contexts[0] = -1;
    run->frames = c_checked(calloc(1, sizeof *run->frames));
    run->frames[0] = (run_frame_t){.parent = -1, .function = function->symbol};
    run->n_frames = 1;
    run->refused_at = level < RUN_TRUSTING ? c_find(function->body, is_unclear, NULL) : NULL;
    run->refused = run->refused_at ? why_unclear(run->refused_at) : NULL;
    if (run->refused) {
        return run;
    }
    for (i = 0; i < function->symbol->n_parameters; i++) {
        c_symbol_t *parameter = function->symbol->parameters[i];

        if (run_is_tracked(parameter)) {
            run->state[parameter->index] = run_fresh(run, parameter);
        }
        run_set_length(run, parameter->type);
    }
    for (i = 0; i < run->n_symbols; i++) {
        c_symbol_t *symbol = run->symbols[i];

        if ((symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC) &&
            run_is_tracked(symbol)) {
            run->state[i] = run_fresh(run, symbol);
        }
    }
    run_statement(run, function->body);
    if (!run->refused && poly_error(run->space) != POLY_OK) {
        run->refused = poly_error_text(poly_error(run->space));
        run->refused_at = function->body;
    }
    return run;
}

void run_free(run_t *run)
{
    if (run) {
        c_memory_free(run->memory);
        poly_space_free(run->space);
        free(run->symbols);
        free(run->state);
        free(run->originals);
        free(run->objects);
        free(run->seeds);
        free(run->version);
        free(run->facts);
        free(run->assumptions);
        free(run->frames);
        free(run->bases);
        free(run->atoms);
        free(run->loops);
        free(run->guards);
        free(run->events);
        free(run->contexts);
        free(run->writes);
        free(run->last_write);
        free(run->active);
        free(run->lengths);
        free(run->length_values);
        free(run->sums);
        free(run);
    }
}
