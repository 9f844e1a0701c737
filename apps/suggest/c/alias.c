/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_private.h"

#include <string.h>

int run_add_base(run_t *run, run_base_t base)
{
    int i;

    for (i = 0; i < run->n_bases; i++) {
        const run_base_t *other = &run->bases[i];

        if (base.kind == other->kind &&
            (base.kind == RUN_OBJECT ? base.symbol == other->symbol
             : base.kind == RUN_POINTEE
                 ? base.symbol == other->symbol && base.version == other->version
             : base.kind == RUN_FRESH ? base.node == other->node && base.from == other->from
                                      : base.version == other->version)) {
            return i;
        }
    }
    run->bases = c_resize(run->bases, run->n_bases + 1, sizeof *run->bases);
    base.time = run->clock;
    run->bases[run->n_bases] = base;
    return run->n_bases++;
}

static bool flows(const c_symbol_t *from, const c_symbol_t *to, int depth)
{
    size_t i;

    if (from == to || depth > 8) {
        return true;
    }
    for (i = 0; i < from->n_flows; i++) {
        if (from->flows[i] != from && flows(from->flows[i], to, depth + 1)) {
            return true;
        }
    }
    return false;
}

/* Do only pointers that A's address demonstrably went to lead to it? */
static bool is_private(const run_base_t *a)
{
    if (!a->symbol || a->symbol->escapes || a->symbol->kind == C_SYMBOL_GLOBAL) {
        return false;
    }
    switch (a->kind) {
    case RUN_OBJECT:
        return true;
    case RUN_FRESH:
    case RUN_POINTEE:
        return a->symbol->only_allocated;
    default:
        return false;
    }
}

/* Do A and everything B can lead to differ, from what is known of A? */
static bool apart(const run_base_t *a, const run_base_t *b)
{
    bool entry = b->kind == RUN_POINTEE && b->version == 0 && b->symbol->kind == C_SYMBOL_PARAMETER;

    if (a->kind == RUN_OBJECT && b->kind == RUN_OBJECT) {
        return a->symbol != b->symbol;
    }
    if (a->kind == RUN_FRESH && (b->kind == RUN_FRESH || b->kind == RUN_OBJECT || entry)) {
        return true;
    }
    if (a->kind == RUN_OBJECT && entry &&
        (a->symbol->kind == C_SYMBOL_LOCAL || a->symbol->kind == C_SYMBOL_PARAMETER)) {
        return true;
    }
    if (is_private(a)) {
        return b->kind == RUN_OBJECT || b->kind == RUN_LOADED || !flows(a->symbol, b->symbol, 0);
    }
    if (a->kind == RUN_POINTEE && a->version == 0 && a->symbol->kind == C_SYMBOL_PARAMETER &&
        a->symbol->type->is_restrict && !a->symbol->escapes) {
        return b->kind == RUN_OBJECT || b->kind == RUN_LOADED || !flows(a->symbol, b->symbol, 0);
    }
    return false;
}

static bool proved_distinct(const run_t *run, int a, int b)
{
    if (a == RUN_ANY || b == RUN_ANY) {
        const run_base_t *known = &run->bases[a == RUN_ANY ? b : a];

        return a != b && is_private(known) && known->symbol->n_flows == 0;
    }
    return apart(&run->bases[a], &run->bases[b]) || apart(&run->bases[b], &run->bases[a]);
}

/* Is B one of those that a condition, or a loop, chose A from? */
static bool may_be(const run_t *run, int a, int b, int depth)
{
    int i;

    if (depth > 8) {
        return true;
    }
    for (i = 0; i < 2 && a != RUN_ANY && b != RUN_ANY; i++) {
        int one = run->bases[a].may[i] - 1;

        if (one >= 0 && (one == b || may_be(run, one, b, depth + 1))) {
            return true;
        }
    }
    return false;
}

bool run_distinct(run_t *run, int a, int b)
{
    if ((a == b && a != RUN_ANY) || may_be(run, a, b, 0) || may_be(run, b, a, 0)) {
        return false;
    }
    if (proved_distinct(run, a, b)) {
        return true;
    }
    if (run->level == RUN_STRICT) {
        return false;
    }
    if (run->needs && a != RUN_ANY && b != RUN_ANY) {
        run_assume_distinct(run, a, b);
    }
    return true;
}

/* Under the rules of C for effective types (6.5, 7). */
static bool types_differ(const c_type_t *a, const c_type_t *b)
{
    if (!a || !b || a->size == 1 || b->size == 1) {
        return false;
    }
    if (a->kind == C_TYPE_FLOATING && b->kind == C_TYPE_FLOATING) {
        return a->size != b->size;
    }
    if (a->kind == C_TYPE_INTEGER && b->kind == C_TYPE_INTEGER) {
        return a->size != b->size;
    }
    return a->kind != b->kind &&
           (a->kind == C_TYPE_INTEGER || a->kind == C_TYPE_FLOATING || a->kind == C_TYPE_POINTER) &&
           (b->kind == C_TYPE_INTEGER || b->kind == C_TYPE_FLOATING || b->kind == C_TYPE_POINTER);
}

bool run_conflict(run_t *run, int base, const c_type_t *type, int other, const c_type_t *other_type)
{
    return !types_differ(type, other_type) && !run_distinct(run, base, other);
}

static bool changed_by(run_t *run, int writer, int base, const c_type_t *type, size_t first,
                       size_t end)
{
    size_t i = writer + 1 < run->n_last_write ? run->last_write[writer + 1] : 0;

    for (; i > first; i = run->writes[i - 1].before) {
        if (i <= end && run_conflict(run, writer, run->writes[i - 1].type, base, type)) {
            return true;
        }
        if (i <= end && run_distinct(run, writer, base)) {
            return false; /* and all its other writes */
        }
    }
    return false;
}

bool run_changed(run_t *run, int base, const c_type_t *type, size_t first, size_t end)
{
    int writer;

    if (run->level == RUN_TRUSTING) { /* others are different memory */
        return changed_by(run, base, base, type, first, end);
    }
    for (writer = RUN_ANY; writer < run->n_bases; writer++) {
        if (changed_by(run, writer, base, type, first, end)) {
            return true;
        }
    }
    return false;
}

/* The first write at that time or later; times ascend. */
static size_t write_at(const run_t *run, size_t time)
{
    size_t low = 0, high = run->n_writes;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (run->writes[middle].time < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool run_written(run_t *run, int base, const c_type_t *type, size_t from, size_t to)
{
    return run_changed(run, base, type, write_at(run, from), write_at(run, to));
}

static void note_last(run_t *run, int base)
{
    int n = run->n_bases + 1;

    if (n > run->n_last_write) {
        run->last_write = c_resize(run->last_write, 2 * n, sizeof *run->last_write);
        memset(run->last_write + run->n_last_write, 0,
               (size_t) (2 * n - run->n_last_write) * sizeof *run->last_write);
        run->n_last_write = 2 * n;
    }
    run->writes[run->n_writes].before = run->last_write[base + 1];
    run->last_write[base + 1] = ++run->n_writes;
}

void run_log_write(run_t *run, int base, const c_type_t *type)
{
    if (run->n_writes > 0) {
        const run_write_t *last = &run->writes[run->n_writes - 1];

        if (last->base == base && last->type == type && last->time == run->clock) {
            return;
        }
    }
    if (run->n_writes == run->writes_room) {
        run->writes_room = run->writes_room ? 2 * run->writes_room : 64;
        run->writes = c_resize(run->writes, run->writes_room, sizeof *run->writes);
    }
    run->writes[run->n_writes] = (run_write_t){base, type, run->clock++, 0};
    note_last(run, base);
}

void run_forget(run_t *run, int base, const c_type_t *type)
{
    c_symbol_t *only = NULL;
    size_t i, n = run->n_symbols;

    if (run->level == RUN_TRUSTING) { /* other memory is no variable */
        if (base == RUN_ANY || run->bases[base].kind != RUN_OBJECT) {
            return;
        }
        only = run->bases[base].symbol;
        n = 1;
    }
    for (i = 0; i < n; i++) {
        c_symbol_t *symbol = only ? only : run->symbols[i];
        bool reachable = symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC ||
                         symbol->address_taken;

        if (!reachable || !run_is_tracked(symbol)) {
            continue;
        }
        if (base != RUN_ANY && run->bases[base].kind == RUN_OBJECT &&
            run->bases[base].symbol != symbol) {
            continue;
        }
        /* a static without a taken address changes in functions of the unit only */
        if (base != RUN_ANY && !symbol->address_taken && symbol->kind == C_SYMBOL_STATIC) {
            continue;
        }
        if (!run_conflict(run, base, type, run_base_of_symbol(run, symbol), symbol->type)) {
            continue;
        }
        run->state[symbol->index] = run_fresh(run, symbol);
    }
}

void run_forget_all(run_t *run)
{
    size_t i;
    int base;

    run_log_write(run, RUN_ANY, NULL);
    for (base = 0; base < run->n_bases; base++) {
        run_log_write(run, base, NULL);
    }
    for (i = 0; i < run->n_symbols; i++) {
        c_symbol_t *symbol = run->symbols[i];

        if ((symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC ||
             symbol->address_taken) &&
            run_is_tracked(symbol)) {
            run->state[i] = run_fresh(run, symbol);
        }
    }
}

int run_base_of_symbol(run_t *run, c_symbol_t *symbol)
{
    if (run->objects[symbol->index] == 0) {
        run->objects[symbol->index] =
            1 + run_add_base(
                    run, (run_base_t){.kind = RUN_OBJECT, .symbol = symbol, .type = symbol->type});
    }
    return run->objects[symbol->index] - 1;
}
