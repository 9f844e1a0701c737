/* SPDX-License-Identifier: BSD-3-Clause */
#include "struct_values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1000 };

value_t made_number(int64_t n)
{
    return (value_t){.is_known = true, .number = n};
}

bool made_is_number(value_t value)
{
    return value.is_known && !value.base && !value.is_vague && !value.type;
}

bool made_same_object(value_t a, value_t b)
{
    return a.base == b.base && a.is_pointee == b.is_pointee && a.serial == b.serial;
}

static bool same_place(value_t a, value_t b)
{
    return made_same_object(a, b) && a.number == b.number && !a.is_vague && !b.is_vague;
}

bool made_same_value(value_t a, value_t b)
{
    return a.is_known == b.is_known && a.type == b.type && (!a.is_known || same_place(a, b));
}

made_about_t made_both_about(made_about_t a, made_about_t b)
{
    return a == MADE_ABOUT_STRUCT || b == MADE_ABOUT_STRUCT ? MADE_ABOUT_STRUCT : a > b ? a : b;
}

made_about_t made_about_type(const maker_t *maker, const c_type_t *type)
{
    type = c_element_of(type);
    if (!type || type->kind != C_TYPE_RECORD) {
        return MADE_ABOUT_NOTHING;
    }
    return strcmp(type->name, maker->canonical) == 0 ? MADE_ABOUT_STRUCT : MADE_ABOUT_OTHER;
}

bool made_is_constant(const c_type_t *type)
{
    return type->is_const || c_element_of(type)->is_const;
}

static cell_t *find_cell(const state_t *state, value_t at)
{
    size_t i;

    for (i = 0; i < state->n; i++) {
        if (same_place(state->cells[i].at, at)) {
            return &state->cells[i];
        }
    }
    return NULL;
}

void made_forget_all(maker_t *maker)
{
    state_t *state = &maker->state;
    size_t i, n = 0;

    for (i = 0; i < state->n; i++) {
        if (!state->cells[i].at.is_pointee && made_is_constant(state->cells[i].at.base->type)) {
            state->cells[n++] = state->cells[i];
        }
    }
    state->n = n;
    state->epoch = state->shared_epoch = ++maker->serial;
}

static bool is_pointer(const c_type_t *type)
{
    return type && type->kind == C_TYPE_POINTER;
}

static bool is_shared(const c_symbol_t *symbol)
{
    return symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC;
}

/* May a pointer of unknown value, or another function, lead to the variable? */
static bool is_reached(const c_symbol_t *symbol)
{
    return is_shared(symbol) || symbol->escapes || symbol->n_flows > 0 ||
           (symbol->address_taken && is_pointer(symbol->type));
}

/* Memory of malloc() that only such variables lead to which nobody else reaches. */
static bool is_own_memory(const state_t *state, value_t at)
{
    bool held = false;
    size_t i;

    for (i = 0; i < state->n; i++) {
        const cell_t *cell = &state->cells[i];

        if (cell->value.is_known && made_same_object(cell->value, at)) {
            if (cell->at.is_pointee || is_reached(cell->at.base)) {
                return false;
            }
            held = true;
        }
    }
    return held && !at.is_opaque;
}

static void forget_reached(maker_t *maker)
{
    state_t *state = &maker->state;
    state_t before = made_copy_state(state);
    size_t i, n = 0;

    for (i = 0; i < before.n; i++) {
        const value_t *at = &before.cells[i].at;

        if (at->is_pointee ? is_own_memory(&before, *at)
                           : made_is_constant(at->base->type) || !is_reached(at->base)) {
            state->cells[n++] = before.cells[i];
        }
    }
    free(before.cells);
    state->n = n;
    state->shared_epoch = ++maker->serial;
}

static value_t fresh_pointer(maker_t *maker, const c_symbol_t *symbol)
{
    return (value_t){.is_known = true,
                     .is_pointee = true,
                     .is_opaque = true,
                     .base = symbol,
                     .serial = ++maker->serial,
                     .about = made_about_type(maker, symbol->type->inner)};
}

static void set_cell(maker_t *maker, value_t at, value_t value)
{
    state_t *state = &maker->state;
    cell_t *cell = find_cell(state, at);

    if (!value.is_known && !at.is_pointee && is_pointer(at.base->type)) {
        value = fresh_pointer(maker, at.base);
    }
    if (!cell && state->n == MOST_CELLS) {
        made_forget_all(maker);
        return;
    }
    if (!cell) {
        if (state->n == state->room) {
            state->room = state->room ? 2 * state->room : 32;
            state->cells = c_resize(state->cells, state->room, sizeof *state->cells);
        }
        cell = &state->cells[state->n++];
        cell->at = at;
    }
    cell->value = value;
}

/* All of an object may have changed. */
void made_forget_object(maker_t *maker, value_t at)
{
    state_t *state = &maker->state;
    size_t i, n = 0;

    if (at.is_opaque) {
        forget_reached(maker);
        return;
    }
    for (i = 0; i < state->n; i++) {
        if (!made_same_object(state->cells[i].at, at)) {
            state->cells[n++] = state->cells[i];
        }
    }
    state->n = n;
    if (at.base && !at.is_pointee && is_pointer(at.base->type)) {
        at.number = 0;
        at.is_vague = false;
        set_cell(maker, at, made_unknown);
    }
}

void made_forget_members(maker_t *maker)
{
    state_t *state = &maker->state;
    size_t i;

    for (i = 0; i < state->n; i++) {
        const value_t *at = &state->cells[i].at;

        if (at->is_pointee || made_about_type(maker, at->base->type) != MADE_ABOUT_NOTHING) {
            state->cells[i].value = made_unknown;
        }
    }
}

void made_forget_shared(maker_t *maker)
{
    state_t *state = &maker->state;
    size_t i;

    for (i = 0; i < state->n; i++) {
        if (is_shared(state->cells[i].at.base)) {
            state->cells[i].value = made_unknown;
        }
    }
    state->shared_epoch = ++maker->serial;
}

void made_store(maker_t *maker, value_t at, value_t value)
{
    if (!at.is_known || !at.base) {
        made_forget_all(maker);
    } else if (at.is_vague) {
        made_forget_object(maker, at);
    } else {
        if (at.is_opaque) {
            forget_reached(maker);
        }
        set_cell(maker, at, value);
    }
}

value_t made_load(maker_t *maker, value_t at, const c_type_t *type)
{
    const cell_t *cell = find_cell(&maker->state, at);

    if (type && type->kind == C_TYPE_ARRAY) {
        return at;
    }
    if (!at.is_known || !at.base || at.is_vague) {
        return made_unknown;
    }
    if (cell) {
        return cell->value;
    }
    if (!at.is_pointee && at.number == 0 && is_pointer(at.base->type)) {
        return (value_t){.is_known = true,
                         .is_pointee = true,
                         .is_opaque = true,
                         .base = at.base,
                         .serial =
                             is_reached(at.base) ? maker->state.shared_epoch : maker->state.epoch,
                         .about = made_about_type(maker, at.base->type->inner)};
    }
    return made_unknown;
}

state_t made_copy_state(const state_t *state)
{
    state_t copy = *state;

    copy.room = state->n;
    copy.cells = c_checked(malloc((state->n + 1) * sizeof *copy.cells));
    if (state->n > 0) {
        memcpy(copy.cells, state->cells, state->n * sizeof *copy.cells);
    }
    return copy;
}

/* Where this state and OTHER meet; OTHER ends. */
void made_meet(maker_t *maker, state_t other)
{
    state_t *state = &maker->state;
    state_t mine;
    size_t i;

    if (other.is_dead || state->is_dead) {
        if (state->is_dead) {
            free(state->cells);
            *state = other;
        } else {
            free(other.cells);
        }
        return;
    }
    mine = made_copy_state(state);
    if (mine.shared_epoch != other.shared_epoch) {
        state->shared_epoch = ++maker->serial;
    }
    if (mine.epoch != other.epoch) {
        made_forget_all(maker);
        free(mine.cells);
        free(other.cells);
        return;
    }
    for (i = 0; i < mine.n; i++) {
        const cell_t *cell = find_cell(&other, mine.cells[i].at);

        if (!cell || !made_same_value(cell->value, mine.cells[i].value)) {
            set_cell(maker, mine.cells[i].at, made_unknown);
        }
    }
    for (i = 0; i < other.n; i++) {
        if (!find_cell(&mine, other.cells[i].at)) {
            set_cell(maker, other.cells[i].at, made_unknown);
        }
    }
    free(mine.cells);
    free(other.cells);
}

static value_t arithmetic(c_operator_t op, value_t a, value_t b)
{
    value_t result = {.is_known = true, .about = made_both_about(a.about, b.about)};
    bool failed = false;

    switch (op) {
    case C_OP_ADD:
        failed = __builtin_add_overflow(a.number, b.number, &result.number);
        break;
    case C_OP_SUB:
        failed = __builtin_sub_overflow(a.number, b.number, &result.number);
        break;
    case C_OP_MUL:
        failed = __builtin_mul_overflow(a.number, b.number, &result.number);
        break;
    case C_OP_DIV:
    case C_OP_REM:
        failed = b.number == 0 || b.number == -1;
        if (!failed) {
            result.number = op == C_OP_DIV ? a.number / b.number : a.number % b.number;
        }
        break;
    case C_OP_LT:
        result.number = a.number < b.number;
        break;
    case C_OP_LE:
        result.number = a.number <= b.number;
        break;
    case C_OP_GT:
        result.number = a.number > b.number;
        break;
    case C_OP_GE:
        result.number = a.number >= b.number;
        break;
    case C_OP_EQ:
        result.number = a.number == b.number;
        break;
    case C_OP_NE:
        result.number = a.number != b.number;
        break;
    default:
        failed = true;
    }
    result.is_known = !failed;
    return result;
}

/* POINTER + STEPS elements */
value_t made_moved(value_t pointer, value_t steps, int64_t step)
{
    int64_t bytes;

    if (!pointer.is_known || pointer.type) {
        return made_unknown;
    }
    if (!made_is_number(steps) || __builtin_mul_overflow(steps.number, step, &bytes) ||
        __builtin_add_overflow(pointer.number, bytes, &pointer.number)) {
        pointer.is_vague = true;
    }
    pointer.about = made_both_about(pointer.about, steps.about);
    return pointer;
}

value_t made_combine(c_operator_t op, value_t a, int64_t a_step, value_t b, int64_t b_step)
{
    value_t result;

    if (made_is_number(a) && made_is_number(b) && a_step == 0 && b_step == 0) {
        return arithmetic(op, a, b);
    }
    if (op == C_OP_ADD && a.is_known && (a_step > 0 || a.base)) {
        return made_moved(a, b, a_step > 0 ? a_step : 1);
    }
    if (op == C_OP_ADD && b.is_known && (b_step > 0 || b.base)) {
        return made_moved(b, a, b_step > 0 ? b_step : 1);
    }
    if (op == C_OP_SUB && a.is_known && b.is_known && made_same_object(a, b) && !a.is_vague &&
        !b.is_vague && !a.type && !b.type) {
        a.base = b.base = NULL;
        result = arithmetic(C_OP_SUB, a, b);
        if (a_step > 1 && b_step > 1) {
            result.number /= a_step;
        }
        return result;
    }
    if (op == C_OP_SUB && made_is_number(b) && b_step == 0) {
        b.number = -b.number;
        return made_moved(a, b, a_step > 0 ? a_step : 1);
    }
    return (value_t){.about = made_both_about(a.about, b.about)};
}
