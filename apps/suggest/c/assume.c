/* SPDX-License-Identifier: BSD-3-Clause */
/* What is taken for granted, and when it was needed. */
#include "run_private.h"

#include <stdarg.h>
#include <string.h>

const char *run_base_name(const run_t *run, int base)
{
    const run_base_t *known;

    if (base == RUN_ANY) {
        return "memory that is not known";
    }
    known = &run->bases[base];
    return known->symbol      ? known->symbol->name
           : known->text.text ? known->text.text
           : known->node && *c_callee(known->node)
               ? c_format(run->memory, "what %s() returned", c_callee(known->node))
               : "an allocation";
}

void run_need(run_needs_t *needs, size_t assumption)
{
    size_t i;

    for (i = 0; i < needs->n && needs->index[i] != assumption; i++) {
    }
    if (i < needs->n) {
        return;
    }
    needs->index = c_resize(needs->index, i + 1, sizeof *needs->index);
    needs->index[needs->n++] = assumption;
}

void run_assume(run_t *run, int number, const c_node_t *where, const char *format, ...)
{
    run_assumption_t *found;
    const char *text;
    va_list arguments;
    size_t i;

    va_start(arguments, format);
    text = c_format_list(run->memory, format, arguments);
    va_end(arguments);
    for (i = 0; i < run->n_assumptions; i++) {
        found = &run->assumptions[i];
        if (found->number == number && strcmp(found->text, text) == 0) {
            break;
        }
    }
    if (i == run->n_assumptions) {
        run->assumptions = c_resize(run->assumptions, i + 1, sizeof *run->assumptions);
        run->assumptions[run->n_assumptions++] = (run_assumption_t){.number = number,
                                                                    .text = text,
                                                                    .where = where,
                                                                    .first = (size_t) -1,
                                                                    .event = run->n_events,
                                                                    .bases = {RUN_ANY, RUN_ANY}};
    }
    found = &run->assumptions[i];
    if (run->needs) {
        run_need(run->needs, i);
        return;
    }
    found->first = found->first == (size_t) -1 ? run->clock : found->first;
    found->last = run->clock;
}

void run_assume_distinct(run_t *run, int a, int b)
{
    size_t n = run->n_assumptions;

    run_assume(run, RUN_ASSUMES_DISTINCT, NULL, "%s and %s are different memory",
               run_base_name(run, a < b ? a : b), run_base_name(run, a < b ? b : a));
    if (run->n_assumptions > n) {
        run->assumptions[n].bases[0] = a;
        run->assumptions[n].bases[1] = b;
    }
}

bool run_within(const run_t *run, const run_event_t *event, const c_node_t *node)
{
    const c_node_t *at = event->node;
    int frame = event->frame;

    for (;; frame = run->frames[frame].parent) {
        if (c_contains(node, at)) {
            return true;
        }
        at = run->frames[frame].call;
        if (!at) {
            return false;
        }
    }
}

const c_node_t *run_node_in(const run_t *run, int frame, const run_event_t *event)
{
    const c_node_t *at = event->node;
    int now = event->frame;

    while (now != frame && at) {
        at = run->frames[now].call;
        now = run->frames[now].parent;
    }
    return at;
}
