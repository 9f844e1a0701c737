/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops without MPI calls, summarised: what each variable gains in an iteration, and then the body
 * for iteration number t. */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct gains {
    c_symbol_t **symbols;
    size_t n, room;
    const poly_t **gain; /* in an iteration; NULL: not the same in all */
    run_value_t *entry;
    run_value_t *trial;
    int *ends; /* the base that a pointer leads into after an iteration, counted from 1; 0: none */
    size_t first_write, last_write; /* of the body */
    int n_bases;                    /* before an iteration */
    size_t n_atoms;
    size_t counter; /* the symbol that the condition bounds */
} gains_t;

/* Does what the body writes, or what is new in each iteration, change the atom? */
static bool changes(run_t *run, int i, const void *data)
{
    const gains_t *gains = data;
    const run_atom_t *atom = &run->atoms[i];

    if (atom->kind == RUN_ATOM_TRIAL ||
        (atom->kind == RUN_ATOM_SYMBOL && (size_t) i >= gains->n_atoms)) {
        return true;
    }
    return atom->kind == RUN_ATOM_LOAD &&
           run_changed(run, atom->base, atom->type, gains->first_write, gains->last_write);
}

/* May the value differ from iteration to iteration? */
static bool uses_new_values(run_t *run, const poly_t *poly, const gains_t *gains)
{
    return run_any_atom(run, poly, changes, gains);
}

static void start_trial(run_t *run, gains_t *gains)
{
    size_t i;

    gains->n_atoms = (size_t) run->n_atoms;
    for (i = 0; i < gains->n; i++) {
        c_symbol_t *symbol = gains->symbols[i];
        run_value_t value;
        poly_atom_t atom;

        gains->entry[i] = run_read(run, symbol);
        value = gains->entry[i];
        if (value.kind == RUN_INTEGER || value.kind == RUN_POINTER) {
            atom = run_new_atom(run, RUN_ATOM_TRIAL, symbol->name);
            if (atom == POLY_NO_ATOM) {
                value = run_unknown("too large an expression", NULL);
            } else {
                value.poly = poly_variable(run->space, atom);
                value.n_assumed = 0;
            }
        }
        gains->trial[i] = value;
        run->state[symbol->index] = value;
    }
}

static void find_gains(run_t *run, gains_t *gains)
{
    size_t i;

    for (i = 0; i < gains->n; i++) {
        run_value_t before = gains->trial[i];
        run_value_t after = run_read(run, gains->symbols[i]);
        const poly_t *gain;

        gains->gain[i] = NULL;
        gains->ends[i] =
            after.kind == RUN_POINTER || after.kind == RUN_UNKNOWN ? after.base + 1 : 0;
        if (before.kind != after.kind || before.base != after.base ||
            (before.kind != RUN_INTEGER && before.kind != RUN_POINTER)) {
            continue;
        }
        gain = poly_subtract(run->space, after.poly, before.poly);
        if (!uses_new_values(run, gain, gains) && after.n_assumed == 0) {
            gains->gain[i] = gain;
        } else if (!uses_new_values(run, gain, gains)) {
            /* an inner loop ran: its trip is taken not to be negative, here as there */
            gains->gain[i] = gain;
            memcpy(gains->trial[i].assumed, after.assumed, sizeof after.assumed);
            gains->trial[i].n_assumed = after.n_assumed;
        }
    }
}

static void make_gains(run_t *run, gains_t *gains)
{
    gains->room = 2 * gains->n + 8;
    gains->gain = c_allocate(run->memory, gains->room * sizeof *gains->gain);
    gains->entry = c_allocate(run->memory, gains->room * sizeof *gains->entry);
    gains->trial = c_allocate(run->memory, gains->room * sizeof *gains->trial);
    gains->ends = c_allocate(run->memory, gains->room * sizeof *gains->ends);
}

/* A variable that iterations change irregularly. Pointer arithmetic does not leave an object (C11
 * 6.5.6, 8). */
static run_value_t changed(run_t *run, const gains_t *gains, size_t i)
{
    const run_value_t *entry = &gains->entry[i];
    const int may[2] = {entry->kind == RUN_POINTER ? entry->base + 1 : 0, gains->ends[i]};
    run_value_t value;
    poly_atom_t atom;

    if (may[0] && may[0] == may[1]) {
        return run_somewhere(run, gains->symbols[i], entry, entry);
    }
    value = run_one_of(run, gains->symbols[i], may);
    atom = value.kind == RUN_INTEGER ? run_atom_of(value.poly) : POLY_NO_ATOM;
    if (atom != POLY_NO_ATOM) {
        run->atoms[atom].irregular = true;
    }
    return value;
}

static void add_gain(run_t *run, gains_t *gains, c_symbol_t *symbol)
{
    gains->symbols = c_resize(gains->symbols, gains->n + 1, sizeof *gains->symbols);
    gains->symbols[gains->n++] = symbol;
    if (gains->n > gains->room) {
        make_gains(run, gains);
    }
}

static size_t find_symbol(const gains_t *gains, const c_symbol_t *symbol)
{
    size_t i;

    for (i = 0; i < gains->n && gains->symbols[i] != symbol; i++) {
    }
    return i;
}

static bool is_unsigned(const c_type_t *type)
{
    return !type || type->kind != C_TYPE_INTEGER || !type->is_signed;
}

/* (distance + gain - 1) / gain */
static const poly_t *steps(run_t *run, const poly_t *distance, int64_t gain)
{
    const poly_t *rounded = poly_add(run->space, distance, poly_constant(run->space, gain - 1));
    const poly_t *quotient;
    run_value_t value;
    int64_t constant;

    if (gain == 1) {
        return distance;
    }
    if (poly_is_constant(distance, &constant)) {
        return poly_constant(run->space, constant > 0 ? (constant + gain - 1) / gain : 0);
    }
    quotient = poly_divide(run->space, distance, poly_constant(run->space, gain));
    if (!quotient) {
        quotient = poly_divide(run->space, rounded, poly_constant(run->space, gain));
    }
    if (quotient) {
        return quotient;
    }
    value = run_divide(run, "%s/%s", run_integer(rounded),
                       run_integer(poly_constant(run->space, gain)), NULL);
    return value.kind == RUN_INTEGER ? value.poly : NULL;
}

/* v < e, where v gains a constant: how often? */
static const poly_t *trip_of(run_t *run, gains_t *gains, const c_node_t *condition,
                             const char **why)
{
    const c_node_t *side[2], *name;
    c_operator_t op;
    run_value_t bound, start;
    const poly_t *distance;
    int64_t gain, constant;
    size_t i;

    *why = "a loop condition that is not a comparison of a variable with a bound";
    if (!condition || condition->kind != C_BINARY || condition->op < C_OP_LT ||
        condition->op > C_OP_NE || condition->op == C_OP_EQ ||
        !(run->level == RUN_TRUSTING ? run_only_accesses(condition) : run_is_pure(condition))) {
        return NULL;
    }
    op = condition->op;
    side[0] = condition->child[0];
    side[1] = condition->child[1];
    name = c_bare(side[0]);
    if (name->kind != C_NAME || find_symbol(gains, name->symbol) == gains->n) {
        static const c_operator_t mirrored[] = {[C_OP_LT] = C_OP_GT,
                                                [C_OP_LE] = C_OP_GE,
                                                [C_OP_GT] = C_OP_LT,
                                                [C_OP_GE] = C_OP_LE,
                                                [C_OP_NE] = C_OP_NE};

        side[1] = condition->child[0];
        side[0] = condition->child[1];
        name = c_bare(side[0]);
        op = mirrored[op];
    }
    if (name->kind != C_NAME || (i = find_symbol(gains, name->symbol)) == gains->n) {
        return NULL;
    }
    *why = "a loop variable that does not change by the same constant in every iteration";
    start = gains->entry[i];
    if (!gains->gain[i] || gains->trial[i].n_assumed || !poly_is_constant(gains->gain[i], &gain) ||
        gain == 0 || start.kind != gains->trial[i].kind) {
        return NULL;
    }
    run->trial++;
    bound = run_evaluate(run, side[1]);
    run->trial--;
    *why = "a loop bound that is not known";
    if (bound.kind != start.kind || bound.base != start.base || bound.n_assumed ||
        start.n_assumed) {
        *why = bound.kind == RUN_UNKNOWN && bound.why ? bound.why : *why;
        return NULL;
    }
    *why = "a loop bound that changes in the loop";
    if (uses_new_values(run, bound.poly, gains)) {
        return NULL;
    }
    if (start.kind == RUN_INTEGER) {
        const c_type_t *compared = side[0]->type;

        *why = run->level < RUN_TRUSTING ? "a comparison in an unsigned type that may wrap" : NULL;
        /* Unsigned and exact, from a start that is not negative: a bound that wrapped is more than
         * any array has elements. */
        if (*why && is_unsigned(compared) &&
            (!compared || compared->kind != C_TYPE_INTEGER || op == C_OP_NE || gain < 0 ||
             start.modular || (compared->size < 8 && bound.modular) ||
             (name->symbol->type->is_signed &&
              !(poly_is_constant(start.poly, &constant) && constant >= 0)))) {
            return NULL;
        }
        *why = "a loop bound that may have wrapped";
        if (bound.modular && !is_unsigned(compared) && run->level < RUN_TRUSTING) {
            return NULL;
        }
    }
    *why = "a loop with a condition and a step in different directions";
    if (((op == C_OP_LT || op == C_OP_LE) && gain < 0) ||
        ((op == C_OP_GT || op == C_OP_GE) && gain > 0) ||
        (op == C_OP_NE && gain != 1 && gain != -1 && start.kind == RUN_INTEGER)) {
        return NULL;
    }
    distance = gain > 0 ? poly_subtract(run->space, bound.poly, start.poly)
                        : poly_subtract(run->space, start.poly, bound.poly);
    if (op == C_OP_LE || op == C_OP_GE) {
        distance = poly_add(run->space, distance, poly_constant(run->space, 1));
    }
    gain = gain > 0 ? gain : -gain;
    if (start.kind == RUN_POINTER && op == C_OP_NE &&
        !poly_divide(run->space, distance, poly_constant(run->space, gain))) {
        return NULL;
    }
    *why = "a number of iterations that is not a polynomial";
    gains->counter = i;
    return steps(run, distance, gain);
}

static void assume_trip(run_t *run, run_value_t *value, const poly_t *trip, const c_node_t *node)
{
    int i;

    if (poly_is_constant(trip, NULL)) {
        return;
    }
    if (run->level == RUN_TRUSTING) {
        run_assume(run, RUN_ASSUMES_TRIP, node,
                   "the loop of line %u does not run a negative number of times", node->span.line);
        return;
    }
    for (i = 0; i < value->n_assumed && !poly_equal(value->assumed[i], trip); i++) {
    }
    if (i < value->n_assumed) {
        return;
    }
    if (i == RUN_ASSUMED) {
        *value = run_unknown("it depends on more loops than are followed", NULL);
    } else {
        value->assumed[value->n_assumed++] = trip;
    }
}

/* An unsigned type of less than 8 bytes wraps without a word. No call sends more elements than an
 * int counts, so a variable that gains little from a small value stays below 2^32. */
static bool may_wrap(const gains_t *gains, size_t i)
{
    const c_type_t *type = gains->symbols[i]->type;
    int64_t gain, start;

    if (gains->entry[i].kind != RUN_INTEGER || type->kind != C_TYPE_INTEGER || type->is_signed ||
        type->size >= 8 || i == gains->counter) {
        return false;
    }
    return type->size < 4 || !poly_is_constant(gains->gain[i], &gain) ||
           !poly_is_constant(gains->entry[i].poly, &start) || gain < 1 || gain > 2 || start < 0 ||
           start > (gain == 1 ? INT32_MAX : 1);
}

/* Values at the beginning of iteration T of the loop, or behind it (T = trip). */
static void set_values(run_t *run, const gains_t *gains, const poly_t *t, bool behind,
                       const c_node_t *node)
{
    size_t i;

    for (i = 0; i < gains->n; i++) {
        run_value_t value = gains->entry[i];
        int j;

        if (!gains->gain[i] && run->level == RUN_TRUSTING) {
            value = changed(run, gains, i);
        } else if (!gains->gain[i]) {
            value = run_unknown("a variable that the loop changes irregularly", NULL);
        } else if (poly_is_zero(gains->gain[i])) {
            /* as before the loop */
        } else if (run->level < RUN_TRUSTING && may_wrap(gains, i)) {
            value = run_unknown("an unsigned variable that may wrap", NULL);
        } else {
            if (may_wrap(gains, i)) {
                run_assume(run, RUN_ASSUMES_FITS, node, "%s does not overflow",
                           gains->symbols[i]->name);
            }
            value.poly =
                poly_add(run->space, value.poly, poly_multiply(run->space, t, gains->gain[i]));
            for (j = 0; j < gains->trial[i].n_assumed && value.kind != RUN_UNKNOWN; j++) {
                assume_trip(run, &value, gains->trial[i].assumed[j], node);
            }
            if (behind && value.kind != RUN_UNKNOWN) {
                assume_trip(run, &value, t, node);
            }
        }
        run->state[gains->symbols[i]->index] = value;
    }
}

static void run_body(run_t *run, const c_node_t *body, const c_node_t *step)
{
    run_exits_t exits = {0}, *breaks = run->breaks, *continues = run->continues;
    int guard = run->guard;

    run->breaks = NULL;
    run->continues = run->level == RUN_TRUSTING ? &exits : NULL;
    if (body) {
        run_statement(run, body);
        run_meet_exits(run, &exits, body);
    }
    run->breaks = breaks;
    run->continues = continues;
    run->guard = guard;
    if (step) {
        run_evaluate(run, step);
    }
}

static void push_active(run_t *run, const gains_t *gains)
{
    run->active = c_resize(run->active, run->n_active + 1, sizeof *run->active);
    run->active[run->n_active][0] = gains->first_write;
    run->active[run->n_active++][1] = gains->last_write;
}

/* A loop of which nothing is known: its variables are unknown, its events irregular. */
static void irregular_loop(run_t *run, const c_node_t *node, gains_t *gains,
                           const c_node_t *parts[3], const char *why)
{
    size_t i, first = run->n_writes;

    run_control(run, node, why);
    for (i = 0; i < gains->n; i++) {
        run->state[gains->symbols[i]->index] =
            run->level == RUN_TRUSTING ? changed(run, gains, i) : run_unknown(why, node);
    }
    gains->first_write = first;
    gains->last_write = run->n_writes;
    run->irregular++;
    if (parts[0]) {
        run_evaluate(run, parts[0]);
    }
    run_body(run, parts[2], parts[1]);
    run->irregular--;
    run->dead = false;
    for (i = 0; i < gains->n; i++) {
        run->state[gains->symbols[i]->index] =
            run->level == RUN_TRUSTING ? changed(run, gains, i) : run_unknown(why, node);
    }
}

static int add_loop(run_t *run, const c_node_t *node, const poly_t *trip, poly_atom_t atom)
{
    run->loops = c_resize(run->loops, run->n_loops + 1, sizeof *run->loops);
    run->loops[run->n_loops] = (run_loop_t){
        .atom = atom, .trip = trip, .parent = run->loop, .node = node, .frame = run->frame};
    return run->n_loops++;
}

static void regular_loop(run_t *run, const c_node_t *node, gains_t *gains, const c_node_t *parts[3],
                         const poly_t *trip)
{
    poly_atom_t atom = run_new_atom(run, RUN_ATOM_LOOP, "t");
    int outer = run->loop, loop = add_loop(run, node, trip, atom);
    const poly_t *t = atom == POLY_NO_ATOM ? trip : poly_variable(run->space, atom);
    int64_t constant;
    bool never = poly_is_constant(trip, &constant) && constant <= 0;

    if (atom != POLY_NO_ATOM) {
        run->atoms[atom].loop = loop;
    }
    if (!never) {
        run->loop = loop;
        run->loops[loop].first = run->n_events;
        run->loops[loop].begin = run->clock;
        set_values(run, gains, t, false, node);
        push_active(run, gains);
        if (parts[0]) {
            run_evaluate(run, parts[0]);
        }
        run_body(run, parts[2], parts[1]);
        run->n_active--;
        run->loops[loop].last = run->n_events;
        run->loops[loop].end = run->clock;
        run->loop = outer;
    }
    set_values(run, gains, never ? poly_constant(run->space, 0) : trip, true, node);
}

enum { MOST_TRIES = 4 };

/* Does the body change scalars that are not among those of the gains: through pointers, or in
 * functions that it calls? Then they are, now. A variable of a function that the body calls starts
 * again with each call. */
static bool changes_more(run_t *run, gains_t *gains, const run_value_t *saved)
{
    size_t i, n = gains->n;

    for (i = 0; i < run->n_symbols && run->level == RUN_TRUSTING; i++) {
        c_symbol_t *symbol = run->symbols[i];
        int frame = run->frame;

        if (run_unchanged(&saved[i], &run->state[i]) || find_symbol(gains, symbol) < gains->n) {
            continue;
        }
        while (frame >= 0 && symbol->owner && run->frames[frame].function != symbol->owner) {
            frame = run->frames[frame].parent;
        }
        if (frame >= 0) {
            add_gain(run, gains, symbol);
        }
    }
    return gains->n > n;
}

/* What an iteration gains, and the number of iterations, by trial; NULL: *why. The state is as
 * before. parts: condition, step, body */
static const poly_t *try_loop(run_t *run, const c_node_t *node, const c_node_t *parts[3],
                              gains_t *gains, const char **why)
{
    const poly_t *trip = NULL;
    run_value_t *saved = run_save(run);
    int tries = 0, n_facts = run->n_facts;

    *why = run_unstructured(parts[2], run->level == RUN_TRUSTING);
    gains->n_bases = run->n_bases;
    do {
        memcpy(run->state, saved, run->n_symbols * sizeof *run->state);
        gains->first_write = run->n_writes;
        start_trial(run, gains);
        run->trial++;
        if (parts[0]) {
            run_evaluate(run, parts[0]);
        }
        run_body(run, parts[2], parts[1]);
        run->dead = false;
        run->n_facts = n_facts;
        run->trial--;
        gains->last_write = run->n_writes;
    } while (changes_more(run, gains, saved) && ++tries < MOST_TRIES);
    run->trial++;
    find_gains(run, gains);
    /* the bound is evaluated as in an iteration, so that what the body changes shows */
    memcpy(run->state, saved, run->n_symbols * sizeof *run->state);
    for (size_t i = 0; i < gains->n; i++) {
        run->state[gains->symbols[i]->index] = gains->trial[i];
    }
    if (node->kind == C_DO) {
        *why = "a do loop";
    }
    if (!*why) {
        trip = trip_of(run, gains, parts[0], why);
    }
    run->trial--;
    memcpy(run->state, saved, run->n_symbols * sizeof *run->state);
    free(saved);
    return trip;
}

static void summarise(run_t *run, const c_node_t *node, const c_node_t *parts[3], gains_t *gains)
{
    const char *why;
    const poly_t *trip = try_loop(run, node, parts, gains, &why);

    if (trip) {
        regular_loop(run, node, gains, parts, trip);
    } else {
        irregular_loop(run, node, gains, parts, why);
    }
}

/* What an iteration may have changed: memory, and variables. Where functions are followed, what the
 * body writes is known. */
static void forget_iteration(run_t *run, const gains_t *gains)
{
    size_t i, first, last = gains->last_write;

    for (i = 0; i < gains->n; i++) {
        run->state[gains->symbols[i]->index] = changed(run, gains, i);
    }
    if (run->level < RUN_TRUSTING) {
        run_forget_all(run);
        return;
    }
    first = run->n_writes;
    for (i = gains->first_write; i < last; i++) {
        const run_write_t write = run->writes[i]; /* they move */

        if (write.base >= gains->n_bases && run->bases[write.base].kind != RUN_OBJECT) {
            continue; /* what an iteration found first has no values from before it */
        }
        if (run->last_write[write.base + 1] <= first) { /* once for each base */
            run_log_write(run, write.base, NULL);
            run_forget(run, write.base, NULL);
        }
    }
}

/* A loop around MPI calls: one iteration, of which nothing is known. */
static void context_loop(run_t *run, const c_node_t *node, const c_node_t *parts[3], gains_t *gains)
{
    int outer = run->context, n_facts = run->n_facts;
    const char *why;

    if (run->level == RUN_TRUSTING) {
        try_loop(run, node, parts, gains, &why);
    }
    run->contexts = c_resize(run->contexts, run->n_contexts + 1, sizeof *run->contexts);
    run_control(run, node, "a loop with MPI calls");
    run->context = run->n_contexts++;
    run->contexts[run->context] = outer;
    forget_iteration(run, gains);
    if (parts[0]) {
        run_evaluate(run, parts[0]);
    }
    run_body(run, parts[2], parts[1]);
    run->dead = false;
    run->context = outer;
    run->n_facts = n_facts;
    run_control(run, node, "a loop with MPI calls");
    forget_iteration(run, gains);
}

void run_loop(run_t *run, const c_node_t *node)
{
    const c_node_t *parts[3] = {NULL, NULL, NULL};
    gains_t gains = {.counter = SIZE_MAX};

    if (node->kind == C_FOR) {
        if (node->child[0]) {
            if (node->child[0]->kind == C_DECLARE) {
                run_statement(run, node->child[0]);
            } else {
                run_evaluate(run, node->child[0]);
            }
        }
        parts[0] = node->child[1];
        parts[1] = node->child[2];
        parts[2] = node->child[3];
    } else if (node->n == 2) {
        parts[0] = node->child[node->kind == C_DO];
        parts[2] = node->child[node->kind != C_DO];
    }
    {
        const c_node_t whole = {.kind = C_BLOCK,
                                .n = 3,
                                .child =
                                    (c_node_t *[]){(c_node_t *) parts[0], (c_node_t *) parts[1],
                                                   (c_node_t *) parts[2]}};

        gains.n = run_assigned(&whole, &gains.symbols);
        make_gains(run, &gains);
        if (run_has_mpi(&whole)) {
            context_loop(run, node, parts, &gains);
        } else {
            summarise(run, node, parts, &gains);
        }
    }
    free(gains.symbols);
}
