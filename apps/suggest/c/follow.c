/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of functions of the unit are followed: the body runs in the place of the call, with the
 * arguments as values of its parameters. */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CALLS = 8,
    MOST_FOLLOWED_STEPS = 100000,
    MOST_FOLLOWED_WRITES = 200000,
    MOST_FOLLOWED_VALUES = 3000000,
    MOST_FOLLOWED_BYTES = 1 << 26
};

void run_exit(run_t *run, run_exits_t *exits, run_value_t value)
{
    if (run->dead) {
        return;
    }
    exits->values = c_resize(exits->values, exits->n + 1, sizeof *exits->values);
    exits->states = c_resize(exits->states, exits->n + 1, sizeof *exits->states);
    exits->values[exits->n] = value;
    exits->states[exits->n++] = run_save(run);
}

void run_unsettle(run_t *run, const run_value_t *saved, const char *why, const c_node_t *node)
{
    size_t i;

    for (i = 0; i < run->n_symbols; i++) {
        if (!run_unchanged(&saved[i], &run->state[i])) {
            run->state[i] = run->level == RUN_TRUSTING ? run_fresh(run, run->symbols[i])
                                                       : run_unknown(why, node);
        }
    }
}

static bool is_running(const run_t *run, const c_symbol_t *function)
{
    int frame;

    for (frame = run->frame; frame >= 0; frame = run->frames[frame].parent) {
        if (run->frames[frame].function == function) {
            return true;
        }
    }
    return false;
}

static int open_frame(run_t *run, const c_node_t *call)
{
    int i;

    for (i = 0; i < run->n_frames; i++) {
        if (run->frames[i].parent == run->frame && run->frames[i].call == call) {
            return i;
        }
    }
    run->frames = c_resize(run->frames, i + 1, sizeof *run->frames);
    run->frames[run->n_frames++] = (run_frame_t){run->frame, call, call->symbol};
    return i;
}

/* Is the struct only read in the subtree? */
static bool only_read(const c_node_t *node, const c_symbol_t *symbol)
{
    const c_node_t *outer;
    size_t i;

    if (node && node->kind == C_NAME && node->symbol == symbol) {
        for (outer = node->parent; outer->kind == C_MEMBER || outer->kind == C_SUBSCRIPT;
             outer = outer->parent) {
            node = outer;
        }
        return !((outer->kind == C_ASSIGN || outer->kind == C_UPDATE) && outer->child[0] == node) &&
               !(outer->kind == C_UNARY && outer->op >= C_OP_POST_INC && outer->op <= C_OP_ADDRESS);
    }
    for (i = 0; node && i < node->n; i++) {
        if (node->child[i] && !only_read(node->child[i], symbol)) {
            return false;
        }
    }
    return true;
}

c_symbol_t *run_original(const run_t *run, c_symbol_t *symbol)
{
    while (symbol->index != (size_t) -1 && run->originals[symbol->index]) {
        symbol = run->originals[symbol->index];
    }
    return symbol;
}

static void set_parameters(run_t *run, const c_node_t *call, const run_value_t *arguments)
{
    const c_symbol_t *function = call->symbol;
    size_t i;

    for (i = 0; i < function->n_parameters; i++) {
        c_symbol_t *parameter = function->parameters[i];

        run_log_write(run, run_base_of_symbol(run, parameter), NULL);
        run->originals[parameter->index] = NULL;
        if (parameter->type->kind == C_TYPE_RECORD && c_bare(call->child[i + 1])->kind == C_NAME &&
            c_bare(call->child[i + 1])->symbol != parameter &&
            only_read(function->body, parameter)) {
            run->originals[parameter->index] = c_bare(call->child[i + 1])->symbol;
        }
        if (!run_is_tracked(parameter)) {
            continue;
        }
        run->state[parameter->index] = arguments[i];
        if (arguments[i].kind == RUN_POINTER && parameter->type->kind == C_TYPE_POINTER &&
            parameter->type->inner && parameter->type->inner->kind != C_TYPE_VOID) {
            run->state[parameter->index].pointee = parameter->type->inner;
        } else if (arguments[i].kind == RUN_UNKNOWN && parameter->type->kind == C_TYPE_POINTER) {
            run->state[parameter->index] = run_fresh(run, parameter);
        }
    }
    for (i = 0; i < function->n_parameters; i++) {
        run_set_length(run, function->parameters[i]->type);
    }
}

run_value_t run_meet_exits(run_t *run, run_exits_t *exits, const c_node_t *node)
{
    run_value_t value = run_unknown("a function's result", node);
    size_t i, first = 0;

    for (i = 0; i < exits->n; i++) {
        if (i == 0) {
            value = exits->values[0];
        } else if (!run_same(&value, &exits->values[i])) {
            value = run_unknown("a value that depends on a condition", node);
        }
    }
    if (exits->n > 0 && run->dead) { /* the end of the body is not reached */
        memcpy(run->state, exits->states[0], run->n_symbols * sizeof *run->state);
        first = 1;
        run->dead = false;
    }
    for (i = first; i < exits->n; i++) {
        run_unsettle(run, exits->states[i], "its value depends on a condition", node);
    }
    for (i = 0; i < exits->n; i++) {
        free(exits->states[i]);
    }
    free(exits->states);
    free(exits->values);
    return value;
}

static bool can_follow(const run_t *run, const c_node_t *call)
{
    const c_symbol_t *function = call->symbol;

    return run->level == RUN_TRUSTING && function && function->body &&
           function->n_parameters == call->n - 1 && run->calls < MOST_CALLS &&
           run->steps < MOST_FOLLOWED_STEPS && run->n_writes < MOST_FOLLOWED_WRITES &&
           run->n_saved < MOST_FOLLOWED_VALUES && c_allocated(run->memory) < MOST_FOLLOWED_BYTES &&
           !is_running(run, function);
}

bool run_follow(run_t *run, const c_node_t *call, run_value_t *value)
{
    run_value_t *arguments;
    run_exits_t exits = {0}, *outer_exits = run->exits, *breaks = run->breaks,
                *continues = run->continues;
    int frame = run->frame, guard = run->guard, n_facts = run->n_facts;
    size_t i;

    if (!can_follow(run, call)) {
        return false;
    }
    arguments = c_allocate(run->memory, (call->n + 1) * sizeof *arguments);
    for (i = 0; i + 1 < call->n; i++) {
        arguments[i] = run_evaluate(run, call->child[i + 1]);
    }
    run->frame = open_frame(run, call);
    run->exits = &exits;
    run->breaks = run->continues = NULL;
    run->calls++;
    set_parameters(run, call, arguments);
    run_statement(run, call->symbol->body);
    *value = run_meet_exits(run, &exits, call); /* none, and dead: a call of exit() */
    run->calls--;
    run->exits = outer_exits;
    run->breaks = breaks;
    run->continues = continues;
    run->frame = frame;
    run->guard = guard;
    run->n_facts = n_facts;
    return true;
}
