/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events happen together with the call: conditions on the ways to both. */
#include "site_private.h"
#include "run_private.h"

#include <string.h>

/* Is it one of the guards around the call? */
static bool around_call(run_t *run, const site_t *site, int guard)
{
    int g;

    for (g = run->events[site->event].guard; g >= 0; g = run->guards[g].parent) {
        if (g == guard) {
            return true;
        }
    }
    return false;
}

/* `which == 1`, where MPI_Waitany() set `which`: the call; SIZE_MAX: another condition. */
static size_t set_by_waitany(run_t *run, const run_guard_t *guard)
{
    const c_symbol_t *symbol = NULL;
    size_t i, found = SIZE_MAX;
    int j;

    for (j = 0; guard->n_facts == 1 && guard->facts[0].relation == RUN_EQUAL &&
                j < guard->facts[0].left->count;
         j++) {
        const poly_term_t *term = &guard->facts[0].left->terms[j];

        if (term->degree == 1 && run->atoms[term->atoms[0]].kind == RUN_ATOM_SYMBOL && !symbol) {
            symbol = run->atoms[term->atoms[0]].symbol;
        } else if (term->degree > 0) {
            return SIZE_MAX;
        }
    }
    for (i = 0; symbol && i < run->n_events && !c_contains(guard->condition, run->events[i].node);
         i++) {
        const run_event_t *event = &run->events[i];

        if (event->kind == RUN_MPI && strcmp(c_callee(event->node), "MPI_Waitany") == 0 &&
            event->node->n > 3 && event->arguments[3].kind == RUN_POINTER &&
            run->bases[event->arguments[3].base].symbol == symbol) {
            found = i;
        }
    }
    return found;
}

int site_guard(run_t *run, const site_t *site, int guard)
{
    const run_event_t *call = &run->events[site->event];
    const run_guard_t *known = &run->guards[guard];
    bool all = known->is_fact;
    int i, j;

    if (around_call(run, site, guard) ||
        (site->any != SIZE_MAX && set_by_waitany(run, known) == site->any)) {
        return 1;
    }
    for (j = 0; j < known->n_facts; j++) {
        bool holds = false;

        for (i = 0; i < call->n_facts; i++) {
            if (run_contradicts(run, &call->facts[i], &known->facts[j])) {
                return 0;
            }
            holds = holds || run_implies(run, &call->facts[i], &known->facts[j]);
        }
        all = all && holds;
    }
    return all ? 1 : -1;
}

const poly_t *site_given(run_t *run, const site_t *site, const poly_t *poly)
{
    const run_event_t *call = &run->events[site->event];
    int i, j;

    for (i = 0; poly && i < poly->count; i++) {
        for (j = 0; j < poly->terms[i].degree; j++) {
            int atom = poly->terms[i].atoms[j];
            const run_value_t *choice = run->atoms[atom].choice;
            int taken = choice ? run_decide(run, call->facts, call->n_facts, &choice->fact) : -1;

            if (taken >= 0) { /* nested ones were made before, so this ends */
                return site_given(
                    run, site,
                    poly_substitute(run->space, poly, atom, choice->alternative[taken]->poly));
            }
        }
    }
    return poly;
}

static bool is_of_process(run_t *run, int atom, const void *data)
{
    return poly_depends(run->space, data, atom);
}

/* Would the datatype, or what it is made of, be of a process that is MPI_PROC_NULL? */
static bool needs_process(run_t *run, const site_t *site, const poly_t *peer)
{
    size_t i;
    int loop;

    for (i = 0; i < site->n_copies; i++) {
        const run_event_t *copy = &run->events[site->copies[i]];
        const run_place_t *data = site_data(site, copy);

        if (run_any_atom(run, data->offset, is_of_process, peer) ||
            run_any_atom(run, copy->size, is_of_process, peer) ||
            (data->base >= 0 &&
             run_any_atom(run, run->bases[data->base].offset, is_of_process, peer))) {
            return true;
        }
        for (loop = copy->loop; loop >= 0; loop = run->loops[loop].parent) {
            if (run_any_atom(run, run->loops[loop].trip, is_of_process, peer)) {
                return true;
            }
        }
    }
    return false;
}

bool site_of_message(run_t *run, const site_t *site, int guard)
{
    const run_guard_t *known = &run->guards[guard];
    int argument = site_peer(site);
    const run_value_t *peer = &run->events[site->event].arguments[argument];
    const run_fact_t is_rank = {peer->poly, RUN_NOT_LESS};

    return trusting(run) && argument && peer->kind == RUN_INTEGER && known->loop < 0 &&
           known->is_fact && known->n_facts == 1 && run_implies(run, &is_rank, &known->facts[0]) &&
           !needs_process(run, site, peer->poly);
}

bool site_of_root(run_t *run, const site_t *site, int guard)
{
    const run_guard_t *known = &run->guards[guard];
    const run_value_t *root = &run->events[site->event].arguments[site->function->root];

    return site->function->of_root && root->kind == RUN_INTEGER && known->loop < 0 &&
           known->is_fact && known->n_facts == 1 && known->facts[0].relation == RUN_EQUAL &&
           /* rank - root, or root - rank */
           (run_atom_of(poly_add(run->space, known->facts[0].left, root->poly)) != POLY_NO_ATOM ||
            run_atom_of(poly_subtract(run->space, root->poly, known->facts[0].left)) !=
                POLY_NO_ATOM);
}

/* Is the event certainly not executed together with the call? */
bool site_excluded(run_t *run, const site_t *site, const run_event_t *event)
{
    int guard;

    for (guard = event->guard; guard >= 0; guard = run->guards[guard].parent) {
        const run_guard_t *other = &run->guards[guard];
        int call;

        if (site_guard(run, site, guard) == 0) {
            return true;
        }
        /* the two branches of one `if` */
        for (call = run->events[site->event].guard; call >= 0; call = run->guards[call].parent) {
            if (run->guards[call].condition == other->condition && call != guard &&
                run->guards[call].negated != other->negated) {
                return true;
            }
        }
    }
    return false;
}

static bool guard_implies(run_t *run, const run_guard_t *a, const run_guard_t *b)
{
    int i, j;

    for (j = 0; b->is_fact && j < b->n_facts; j++) {
        for (i = 0; i < a->n_facts && !run_implies(run, &a->facts[i], &b->facts[j]); i++) {
        }
        if (i == a->n_facts) {
            return false;
        }
    }
    return b->is_fact;
}

/* Of several calls of MPI_Waitany() that are followed by the same unpacking, the first stands for
 * all. */
bool site_first_of_any(run_t *run, const run_event_t *event, size_t *first)
{
    int guard;

    for (guard = event->guard; guard >= 0; guard = run->guards[guard].parent) {
        size_t any = set_by_waitany(run, &run->guards[guard]);

        if (any != SIZE_MAX) {
            *first = *first == SIZE_MAX ? any : *first;
            return any == *first;
        }
    }
    return true;
}

/* A copy that a condition decides which the call does not have, outside of loops. */
void site_check_conditions(run_t *run, site_t *site, const run_event_t *copy)
{
    int guard;

    for (guard = copy->guard; guard >= 0; guard = run->guards[guard].parent) {
        if (trusting(run) && site->function->receives &&
            set_by_waitany(run, &run->guards[guard]) != SIZE_MAX) {
            run_assume(run, RUN_ASSUMES_ANY, run->guards[guard].condition,
                       "the request of line %u is complete where this holds",
                       site->call->span.line);
            continue;
        }
        if (site_guard(run, site, guard) != 1 && site_of_message(run, site, guard)) {
            run_assume(run, RUN_ASSUMES_RETURN, run->guards[guard].condition,
                       "this holds wherever a message is %s",
                       site->function->receives ? "received" : "sent");
            continue;
        }
        if (site_guard(run, site, guard) != 1 && site_of_root(run, site, guard)) {
            run_assume(run, RUN_ASSUMES_ROOT, run->guards[guard].condition,
                       "this holds for the root of %s, which alone has its buffer",
                       c_callee(site->call));
            continue;
        }
        if (site_guard(run, site, guard) != 1 && run->guards[guard].loop < 0) {
            site_refuse(site, C_REFUSED_CONDITION, run->guards[guard].condition,
                        "whether this holds where %s is called is not known", c_callee(site->call));
        }
    }
    if (!site->function->receives) {
        return;
    }
    for (guard = run->events[site->event].guard; guard >= 0; guard = run->guards[guard].parent) {
        bool found = false;
        int g;

        for (g = copy->guard; g >= 0 && !found; g = run->guards[g].parent) {
            found = g == guard || guard_implies(run, &run->guards[g], &run->guards[guard]);
        }
        if (!found && trusting(run) && !around_call(run, site, copy->guard) && copy->guard >= 0) {
            run_assume(run, RUN_ASSUMES_RETURN, run->guards[guard].condition,
                       "data is unpacked only where this condition of the receive holds");
        } else if (!found) {
            site_refuse(site, C_REFUSED_CONDITION, copy->node,
                        "this unpacks even when the condition of %s does not hold",
                        c_callee(site->call));
        }
    }
}
