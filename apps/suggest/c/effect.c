/* SPDX-License-Identifier: BSD-3-Clause */
/* What expressions change: assignments, calls, and the events that they leave. */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

run_event_t *run_event(run_t *run, run_event_kind_t kind, const c_node_t *node)
{
    run_event_t *event;

    if (run->n_events == run->events_room) {
        run->events_room = run->events_room ? 2 * run->events_room : 256;
        run->events = c_resize(run->events, run->events_room, sizeof *run->events);
    }
    event = &run->events[run->n_events];
    memset(event, 0, sizeof *event);
    event->kind = kind;
    event->node = node;
    event->loop = run->loop;
    event->guard = run->guard;
    event->context = run->context;
    event->frame = run->frame;
    event->time = run->clock;
    event->irregular = run->irregular > 0;
    event->to.base = event->from.base = RUN_ANY;
    if (run->trial == 0 && !run->dead) {
        run->n_events++;
    }
    return event; /* of a trial: written over by the next */
}

void run_control(run_t *run, const c_node_t *node, const char *why)
{
    run_event(run, RUN_CONTROL, node)->why = why;
}

void run_load(run_t *run, const c_node_t *node, run_place_t place)
{
    run_event(run, RUN_LOAD, node)->from = place;
}

void run_assign_scalar(run_t *run, c_symbol_t *symbol, run_value_t value)
{
    if (symbol->type->kind == C_TYPE_POINTER && value.kind != RUN_POINTER &&
        value.kind != RUN_UNKNOWN) {
        value = run_unknown("a pointer made of an integer", NULL);
    }
    if (value.kind == RUN_POINTER && !value.pointee) { /* of malloc() */
        value.pointee = symbol->type->inner;
    }
    if (value.kind == RUN_UNKNOWN && run->level == RUN_TRUSTING && run_is_tracked(symbol)) {
        const run_value_t in = run_somewhere(run, symbol, &value, &value);

        value = value.why == run_null    ? (run_value_t){.kind = RUN_UNSET}
                : in.kind == RUN_POINTER ? in
                                         : run_one_of(run, symbol, value.may);
    }
    run->state[symbol->index] = value;
    if (value.kind == RUN_POINTER && run->bases[value.base].kind == RUN_FRESH &&
        !run->bases[value.base].symbol) {
        run->bases[value.base].symbol = symbol;
    }
}

/* A write to PLACE: its effects besides the value of a tracked scalar. */
static void written(run_t *run, const run_place_t *place)
{
    run_log_write(run, place->base, place->type);
    if (!place->scalar) {
        run_forget(run, place->base, place->type);
    }
}

/* The object that NODE reads, if it is one that is read without a conversion. */
static const c_node_t *plain_object(const c_node_t *node, const c_type_t *type)
{
    while (node->kind == C_CAST && node->type && node->child[0]->type &&
           strcmp(node->type->name, node->child[0]->type->name) == 0) {
        node = node->child[0];
    }
    if (node->kind != C_NAME && node->kind != C_SUBSCRIPT && node->kind != C_MEMBER &&
        !(node->kind == C_UNARY && node->op == C_OP_DEREF)) {
        return NULL;
    }
    if (!node->type || strcmp(node->type->name, type->name) != 0 ||
        (node->kind == C_NAME && node->symbol->kind == C_SYMBOL_FUNCTION)) {
        return NULL;
    }
    return node;
}

static const char *why_computed(const c_node_t *value, const c_type_t *type)
{
    if (value->kind == C_CONVERT || value->kind == C_CAST) {
        const c_type_t *from = value->child[0]->type;

        if (from && strcmp(from->name, type->name) != 0) {
            return "the value is converted to another type";
        }
    }
    return "the value is computed";
}

/* a[i][j].x: i and j, where `a[i]` and so on are arrays of declared length. */
static void note_index(run_t *run, run_place_t *place)
{
    const c_node_t *node = place->subscripts;

    if (!node || run->trial || !run_is_pure(node)) {
        return;
    }
    run->trial++;
    while (node->kind == C_MEMBER && !node->arrow) {
        node = node->child[0];
    }
    while (node->kind == C_SUBSCRIPT && place->n_index < POLY_SUBSCRIPTS) {
        run_value_t index = run_evaluate(run, node->child[1]);

        if (index.kind != RUN_INTEGER) {
            break;
        }
        place->index[place->n_index++] = index.poly;
        node = c_bare(node->child[0]);
        if (!node->type || node->type->kind != C_TYPE_ARRAY) {
            break;
        }
    }
    run->trial--;
}

/* Sets the parameters to the arguments; returns what they were. */
static run_value_t *substitute(run_t *run, const c_node_t *node)
{
    const c_symbol_t *function = node->symbol;
    run_value_t *saved = c_allocate(run->memory, (function->n_parameters + 1) * sizeof *saved);
    run_value_t *arguments =
        c_allocate(run->memory, (function->n_parameters + 1) * sizeof *arguments);
    size_t i;

    for (i = 0; i < function->n_parameters; i++) {
        arguments[i] = run_evaluate(run, node->child[i + 1]);
        saved[i] = run->state[function->parameters[i]->index];
    }
    for (i = 0; i < function->n_parameters; i++) {
        run->state[function->parameters[i]->index] = arguments[i];
    }
    run->calls++;
    return saved;
}

static void restore(run_t *run, const c_symbol_t *function, const run_value_t *saved)
{
    size_t i;

    run->calls--;
    for (i = 0; i < function->n_parameters; i++) {
        run->state[function->parameters[i]->index] = saved[i];
    }
}

static run_value_t substituted(run_t *run, const c_node_t *node, const c_node_t *expression)
{
    run_value_t *saved = substitute(run, node), value = run_evaluate(run, expression);

    restore(run, node->symbol, saved);
    return value;
}

static run_place_t substituted_place(run_t *run, const c_node_t *node, const c_node_t *expression)
{
    run_value_t *saved = substitute(run, node);
    run_place_t place = run_lvalue(run, expression);

    restore(run, node->symbol, saved);
    return place;
}

bool run_find_fact_of_call(run_t *run, const c_node_t *call, bool negated, run_fact_t *fact)
{
    const c_node_t *expression = run->level == RUN_TRUSTING && call->symbol && run->calls < 8
                                     ? run_one_return(call->symbol, call->n - 1)
                                     : NULL;
    run_value_t *saved;
    bool found;

    if (!expression) {
        return false;
    }
    saved = substitute(run, call);
    found = run_find_fact(run, expression, negated, fact);
    restore(run, call->symbol, saved);
    return found;
}

/* The object that a call of a function returns the value of, if it does nothing else; NULL: it does
 * more. */
static const c_node_t *accessor(const run_t *run, const c_node_t *node, const c_type_t *type)
{
    const c_node_t *expression =
        run->level == RUN_TRUSTING && node->kind == C_CALL && node->symbol && run->calls < 8
            ? run_one_return(node->symbol, node->n - 1)
            : NULL;

    return expression ? plain_object(expression, type) : NULL;
}

static run_value_t assign(run_t *run, const c_node_t *node)
{
    const c_node_t *target = node->child[0], *right = node->child[1];
    const c_type_t *type = target->type;
    const c_node_t *object = type ? plain_object(right, type) : NULL;
    run_place_t to, from = {.base = RUN_ANY};
    run_value_t value;
    run_event_t *event;

    if (!object && type && accessor(run, right, type)) { /* double at(int i) { return u[i]; } */
        object = c_bare(right);
        from = substituted_place(run, object, accessor(run, right, type));
        value = run_unknown("a value read from memory", object);
    } else if (object && object->type->kind != C_TYPE_ARRAY) {
        from = run_lvalue(run, object);
        if (from.scalar) {
            value = run_read(run, from.scalar);
        } else if (type->kind == C_TYPE_INTEGER || type->kind == C_TYPE_POINTER) {
            run_place_t again = from;

            /* its value, without noting the load, which the copy is */
            run->trial++;
            value = run_is_pure(object) ? run_evaluate(run, object)
                                        : run_unknown("a value read from memory", object);
            run->trial--;
            from = again;
        } else {
            value = run_unknown("a value read from memory", object);
        }
    } else {
        object = NULL;
        value = run_evaluate(run, right);
    }
    to = run_lvalue(run, target);
    note_index(run, &to);
    event = run_event(run, object ? RUN_COPY : RUN_STORE, node);
    event->to = to;
    event->from = from;
    event->size = run_size(run, type);
    event->why = object ? NULL : why_computed(right, type ? type : right->type);
    written(run, &to);
    if (to.scalar) {
        run_assign_scalar(run, to.scalar, value);
    }
    return value;
}

static run_value_t update(run_t *run, const c_node_t *node)
{
    const c_node_t *target = node->child[0];
    run_value_t right = run_evaluate(run, node->child[1]), value;
    run_place_t to = run_lvalue(run, target);
    run_event_t *event;

    run_load(run, target, to);
    value = run_unknown("a value read from memory", node);
    if (to.scalar) {
        const c_type_t *type = node->child[1]->type;
        bool same =
            type && target->type &&
            (target->type->kind == C_TYPE_POINTER ||
             (type->kind == C_TYPE_INTEGER &&
              (type->size < target->type->size || strcmp(type->name, target->type->name) == 0 ||
               (right.kind == RUN_INTEGER && poly_is_constant(right.poly, NULL)))));

        value = same
                    ? run_binary(run, node, node->op, run_read(run, to.scalar), right, target->type)
                    : run_unknown("arithmetic in another type", node);
    }
    event = run_event(run, RUN_STORE, node);
    event->to = to;
    event->size = run_size(run, target->type);
    event->why = "the value is computed";
    written(run, &to);
    if (to.scalar) {
        run_assign_scalar(run, to.scalar, value);
    }
    return value;
}

run_value_t run_assign(run_t *run, const c_node_t *node)
{
    return node->kind == C_ASSIGN ? assign(run, node) : update(run, node);
}

/* An unsigned counter that is compared with a bound, or that counts elements of a message, does not
 * wrap: the bound and the call's count are exact. */
static run_value_t run_step(run_t *run, const c_node_t *node, run_value_t old, bool down)
{
    c_type_t wide;
    run_value_t value;

    if (old.kind != RUN_INTEGER || !node->type || node->type->is_signed || down ||
        node->type->size >= 8) {
        return run_binary(run, node, down ? C_OP_SUB : C_OP_ADD, old, run_constant(run, 1),
                          node->type);
    }
    wide = *node->type;
    wide.is_signed = true;
    value = run_binary(run, node, C_OP_ADD, old, run_constant(run, 1), &wide);
    value.modular = run->level < RUN_TRUSTING;
    return value;
}

run_value_t run_increment(run_t *run, const c_node_t *node)
{
    bool after = node->op == C_OP_POST_INC || node->op == C_OP_POST_DEC;
    bool down = node->op == C_OP_POST_DEC || node->op == C_OP_PRE_DEC;
    run_place_t place = run_lvalue(run, node->child[0]);
    run_value_t old, value;
    run_event_t *event;

    old =
        place.scalar ? run_read(run, place.scalar) : run_unknown("a value read from memory", node);
    value = run_step(run, node, old, down);
    event = run_event(run, RUN_STORE, node);
    event->to = place;
    event->size = run_size(run, node->type);
    event->why = "the value is computed";
    written(run, &place);
    if (place.scalar) {
        run_assign_scalar(run, place.scalar, value);
    } else {
        run_load(run, node->child[0], place);
    }
    return after ? old : value;
}

/* ---- calls ---- */

static run_value_t fresh_object(run_t *run, const c_node_t *node)
{
    run_value_t value = {.kind = RUN_POINTER};
    size_t i;

    for (i = 1; i < node->n; i++) {
        run_evaluate(run, node->child[i]);
    }
    value.base =
        run_add_base(run, (run_base_t){.kind = RUN_FRESH, .node = node, .from = run->frame});
    value.poly = poly_constant(run->space, 0);
    return value;
}

static const c_type_t *pointee_of(const c_node_t *pointer)
{
    const c_node_t *bare = c_bare(pointer);

    if (!bare->type) {
        return NULL;
    }
    if (bare->type->kind == C_TYPE_ARRAY || bare->type->kind == C_TYPE_POINTER) {
        return bare->type->inner;
    }
    return NULL;
}

/* What an argument of memcpy() leads to: `a[i].x` of `&a[i].x` and, of an array, of `a[i].x`. */
static const c_node_t *object_at(const c_node_t *argument)
{
    const c_node_t *bare = c_bare(argument);

    return bare->kind == C_UNARY && bare->op == C_OP_ADDRESS ? bare->child[0] : bare;
}

/* Only then do the subscripts tell every byte that is written. */
static bool is_one_element(const run_event_t *copy)
{
    const c_type_t *type = copy->to.subscripts->type;
    int64_t bytes;

    return type && type->size > 0 && poly_is_constant(copy->size, &bytes) && bytes == type->size;
}

/* memcpy(to, from, bytes) */
static run_value_t memory_copy(run_t *run, const c_node_t *node)
{
    run_value_t to = run_evaluate(run, node->child[1]);
    run_value_t from = run_evaluate(run, node->child[2]);
    run_value_t bytes = run_evaluate(run, node->child[3]);
    run_event_t *event = run_event(run, RUN_COPY, node);
    const c_type_t *to_type = pointee_of(node->child[1]);
    const c_type_t *from_type = pointee_of(node->child[2]);

    event->to = (run_place_t){.base = RUN_ANY, .why = to.why};
    event->from = (run_place_t){.base = RUN_ANY, .why = from.why};
    if (to.kind == RUN_POINTER) {
        event->to.base = to.base;
        event->to.offset = to.poly;
        event->to.type = to_type;
        event->to.n_assumed = to.n_assumed;
        memcpy(event->to.assumed, to.assumed, sizeof to.assumed);
    }
    if (from.kind == RUN_POINTER) {
        event->from.base = from.base;
        event->from.offset = from.poly;
        event->from.type = from_type;
        event->from.n_assumed = from.n_assumed;
        memcpy(event->from.assumed, from.assumed, sizeof from.assumed);
    }
    event->from.subscripts = object_at(node->child[2]);
    event->to.subscripts = object_at(node->child[1]);
    event->size = bytes.kind == RUN_INTEGER && bytes.n_assumed == 0 ? bytes.poly : NULL;
    if (!event->size) {
        event->why = bytes.why ? bytes.why : "a number of bytes that is not known";
    } else if (is_one_element(event)) {
        note_index(run, &event->to);
    }
    run_log_write(run, event->to.base, NULL);
    run_forget(run, event->to.base, NULL);
    return to;
}

/* Without effects on memory that C can see, and none on ours. */
static bool has_no_effect(const char *name)
{
    static const char *const names[] = {
        "fabs",  "sqrt", "sin",  "cos",  "exp",   "log",   "pow",    "abs",    "labs",
        "floor", "ceil", "fmin", "fmax", "fabsf", "sqrtf", "strlen", "strcmp", "memcmp",
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Does the parameter let the function change what the argument leads to? */
static bool hands_over(const c_node_t *argument)
{
    return argument->type && argument->type->kind == C_TYPE_POINTER && argument->type->inner &&
           !argument->type->inner->is_const && argument->type->inner->kind != C_TYPE_FUNCTION;
}

/* A function that is not followed changes what it is handed, and what that leads to. */
static void forget_handed(run_t *run, const c_node_t *node, const run_value_t *arguments)
{
    bool *handed = c_allocate(run->memory, (size_t) run->n_bases + 1);
    int base, n = run->n_bases;
    size_t i;

    for (i = 1; i < node->n; i++) {
        if (hands_over(node->child[i]) && arguments[i].kind == RUN_POINTER) {
            handed[arguments[i].base] = true;
        }
    }
    for (base = 0; base < n; base++) {
        if ((run->bases[base].kind == RUN_LOADED || run->bases[base].kind == RUN_ROWS) &&
            run->bases[base].from >= 0 && run->bases[base].from < base) {
            handed[base] = handed[base] || handed[run->bases[base].from];
        }
        if (handed[base]) {
            run_log_write(run, base, NULL);
            run_forget(run, base, NULL);
        }
    }
}

static void forget_everything(run_t *run)
{
    run_log_write(run, RUN_ANY, NULL);
    run_forget(run, RUN_ANY, NULL);
    /* functions of this unit may assign its statics */
    for (size_t i = 0; i < run->n_symbols; i++) {
        c_symbol_t *symbol = run->symbols[i];

        if ((symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC) &&
            run_is_tracked(symbol)) {
            run->state[i] = run_fresh(run, symbol);
            run_log_write(run, run_base_of_symbol(run, symbol), NULL);
        } else if ((symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC) &&
                   symbol->type->kind != C_TYPE_POINTER) {
            run_log_write(run, run_base_of_symbol(run, symbol), NULL);
        }
    }
}

/* Bases of receives that are not known to be complete are written at any completion. */
static void complete_receives(run_t *run)
{
    size_t i;

    for (i = 0; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i];

        if (event->kind == RUN_MPI && strcmp(c_callee(event->node), "MPI_Irecv") == 0 &&
            event->node->n > 1) {
            int base = event->arguments[1].kind == RUN_POINTER ? event->arguments[1].base : RUN_ANY;

            if (base == RUN_ANY && run->level == RUN_TRUSTING) {
                continue;
            }
            run_log_write(run, base, NULL);
            run_forget(run, base, NULL);
        }
    }
}

static bool writes_argument(const c_node_t *argument)
{
    if (argument->type && strstr(argument->type->name, "tatus")) {
        return true;
    }
    return argument->type && argument->type->kind == C_TYPE_POINTER && argument->type->inner &&
           !argument->type->inner->is_const &&
           (argument->type->inner->kind != C_TYPE_RECORD &&
            argument->type->inner->kind != C_TYPE_FUNCTION);
}

static run_value_t mpi_call(run_t *run, const c_node_t *node)
{
    const char *name = c_callee(node);
    run_value_t *arguments = c_allocate(run->memory, (node->n + 1) * sizeof *arguments);
    run_event_t *event;
    size_t i;

    for (i = 1; i < node->n; i++) {
        const c_node_t *argument = node->child[i];

        /* a count that does not fit in an int is an error of the program's own */
        if (argument->kind == C_CONVERT && argument->type &&
            argument->type->kind == C_TYPE_INTEGER && argument->child[0]->type &&
            argument->child[0]->type->kind == C_TYPE_INTEGER) {
            argument = argument->child[0];
        }
        arguments[i] = run_evaluate(run, argument);
    }
    if (strcmp(name, "MPI_Abort") == 0) {
        run->dead = run->over = true;
        return run_unknown("nothing", node);
    }
    event = run_event(run, RUN_MPI, node);
    event->arguments = arguments;
    if (run->trial == 0) {
        event->state = memcpy(c_allocate(run->memory, run->n_symbols * sizeof *run->state + 1),
                              run->state, run->n_symbols * sizeof *run->state);
        event->facts = c_allocate(run->memory, (size_t) (run->n_facts + 1) * sizeof *event->facts);
        if (run->n_facts) {
            memcpy(event->facts, run->facts, (size_t) run->n_facts * sizeof *event->facts);
        }
        event->n_facts = run->n_facts;
    }
    /* Handles are pointers to structures in some implementations, and MPI_Status * is also one. */
    for (i = 1; i < node->n; i++) {
        const c_node_t *bare = c_bare(node->child[i]);
        bool status = bare->kind == C_UNARY && bare->op == C_OP_ADDRESS;

        if (writes_argument(node->child[i]) || status) {
            int base = arguments[i].kind == RUN_POINTER ? arguments[i].base : RUN_ANY;

            if (arguments[i].kind != RUN_POINTER && bare->kind == C_INTEGER) {
                continue; /* MPI_STATUS_IGNORE, MPI_BOTTOM */
            }
            if (status && bare->child[0]->kind == C_NAME &&
                bare->child[0]->symbol->kind == C_SYMBOL_GLOBAL &&
                strncmp(bare->child[0]->symbol->name, "ompi_", 5) == 0) {
                continue; /* MPI_DOUBLE, MPI_COMM_WORLD of Open MPI */
            }
            run_log_write(run, base, NULL);
            run_forget(run, base, NULL);
        }
    }
    if (strstr(name, "Wait") || strstr(name, "Test")) {
        complete_receives(run);
    }
    run->clock++; /* the next writes come later than the call */
    return run_unknown("what MPI returns", node);
}

/* memset(to, byte, bytes): a write of what is no copy */
static void memory_set(run_t *run, const c_node_t *node, run_value_t to)
{
    run_event_t *event = run_event(run, RUN_STORE, node);

    event->why = "the bytes are set by memset()";
    if (to.kind == RUN_POINTER) {
        event->to.base = to.base;
        event->to.offset = to.poly;
    }
    run_log_write(run, event->to.base, NULL);
    run_forget(run, event->to.base, NULL);
}

/* A function that is not seen, or cannot be followed. */
static run_value_t unseen(run_t *run, const c_node_t *node, run_value_t *arguments)
{
    const char *name = c_callee(node);
    run_event_t *event = run_event(run, RUN_CALL, node);
    run_value_t value = run_unknown("a function's result", node);

    event->why = node->symbol ? name : "a function pointer";
    event->arguments = arguments;
    if (node->symbol && node->symbol->body) { /* it may assign globals */
        run_forget_all(run);
    }
    forget_handed(run, node, arguments);
    run->clock++;
    if (node->type && node->type->kind == C_TYPE_POINTER) {
        value = (run_value_t){.kind = RUN_POINTER, .poly = poly_constant(run->space, 0)};
        value.base = run_add_base(run, (run_base_t){.kind = RUN_FRESH,
                                                    .node = node,
                                                    .from = run->frame,
                                                    .type = node->type->inner});
        value.pointee = node->type->inner;
        if (value.pointee && value.pointee->kind == C_TYPE_VOID) {
            value.pointee = NULL;
        }
    }
    return value;
}

run_value_t run_call(run_t *run, const c_node_t *node)
{
    const char *name = c_callee(node);
    const c_node_t *expression;
    run_value_t *arguments, value;
    bool absent = node->symbol && !node->symbol->body;
    size_t i;

    if (node->symbol && run->calls < 8 &&
        (expression = run_one_return(node->symbol, node->n - 1)) != NULL) {
        return substituted(run, node, expression);
    }
    if (c_is_allocator(node)) {
        return fresh_object(run, node);
    }
    if (absent) {
        if ((strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 ||
             strcmp(name, "__builtin_memcpy") == 0 || strcmp(name, "__builtin_memmove") == 0) &&
            node->n == 4) {
            return memory_copy(run, node);
        }
        if (c_is_mpi(node)) {
            return mpi_call(run, node);
        }
    }
    if (run_follow(run, node, &value)) {
        return value;
    }
    arguments = c_allocate(run->memory, (node->n + 1) * sizeof *arguments);
    for (i = 1; i < node->n; i++) {
        arguments[i] = run_evaluate(run, node->child[i]);
        /* strlen(), strcmp(), memcmp() read their arguments */
        if (absent && has_no_effect(name) && node->child[i]->type &&
            node->child[i]->type->kind == C_TYPE_POINTER) {
            run_load(run, node->child[i],
                     (run_place_t){.base = arguments[i].kind == RUN_POINTER ? arguments[i].base
                                                                            : RUN_ANY});
        }
    }
    if (absent && (strcmp(name, "abort") == 0 || strcmp(name, "exit") == 0 ||
                   strcmp(name, "_Exit") == 0 || strcmp(name, "__assert_fail") == 0)) {
        run->dead = run->over = true;
        return run_unknown("nothing", node);
    }
    if (absent && strcmp(name, "free") == 0) {
        run_event_t *event = run_event(run, RUN_FREE, node);

        if (node->n == 2 && arguments[1].kind == RUN_POINTER) {
            event->to.base = arguments[1].base;
        }
        return run_unknown("nothing", node);
    }
    if (absent && has_no_effect(name)) {
        return run_unknown("a function's result", node);
    }
    if (run->level == RUN_TRUSTING) {
        if (absent && strcmp(name, "memset") == 0 && node->n == 4) {
            memory_set(run, node, arguments[1]);
            return arguments[1];
        }
        return unseen(run, node, arguments);
    }
    {
        run_event_t *event = run_event(run, RUN_CALL, node);

        event->why = node->symbol ? name : "a function pointer";
    }
    forget_everything(run);
    for (i = 1; i < node->n; i++) { /* arguments by address */
        const c_node_t *bare = c_bare(node->child[i]);
        const c_node_t *object = bare;

        while (object->kind == C_UNARY || object->kind == C_SUBSCRIPT || object->kind == C_MEMBER) {
            object = c_bare(object->child[0]);
        }
        if (object->kind == C_NAME && object->symbol->kind != C_SYMBOL_FUNCTION && object->type &&
            (object->type->kind == C_TYPE_ARRAY || object->type->kind == C_TYPE_POINTER ||
             bare->kind == C_UNARY)) {
            int base = run_base_of_symbol(run, object->symbol);

            if (object->type->kind == C_TYPE_POINTER) {
                run_value_t value = run_read(run, object->symbol);

                base = value.kind == RUN_POINTER ? value.base : RUN_ANY;
            }
            run_log_write(run, base, NULL);
        }
    }
    return run_unknown("a function's result", node);
}
