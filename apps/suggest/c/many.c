/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that send or receive piece by piece: could one message have all of them? */
#include "site_private.h"
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

static bool is_newer(struct run *run, int atom, const void *data)
{
    (void) run;
    return atom >= ((const struct run_context *) data)->n_atoms;
}

/* Was everything in it there before the loop? */
static bool is_fixed(struct run *run, const struct run_context *context, const poly_t *poly)
{
    return poly && !run_any_atom(run, poly, is_newer, context);
}

/* A value at iteration number t of the loop; NULL: not linear in it. */
static const poly_t *in_iterations(struct run *run, const struct run_context *context,
                                   const poly_t *poly)
{
    const poly_t *slope, *rest;

    if (!poly_linear(run->space, poly, context->counter, &slope, &rest) ||
        !is_fixed(run, context, slope) || !is_fixed(run, context, rest)) {
        return NULL;
    }
    return poly_add(run->space, rest, poly_multiply(run->space, slope, context->value));
}

/* The bytes that a buffer of a call has in all iterations. */
static struct run_extent all_pieces(struct run *run, const struct run_context *context,
                                    const struct run_event *event,
                                    const struct site_function *function)
{
    struct run_extent extent = site_call_extent(run, event, function);

    extent.offset = extent.base >= 0 ? in_iterations(run, context, extent.offset) : NULL;
    extent.size = is_fixed(run, context, extent.size) ? extent.size : NULL;
    extent.loop = context->id;
    return extent;
}

/* Does the loop change the communicator, that of each iteration perhaps? */
static bool has_one_communicator(const struct run_context *context, const struct site *site)
{
    const struct c_node *node = site->call->child[site_communicator(site)];
    struct c_symbol **symbols;
    size_t n = run_assigned(context->loop, &symbols), i;
    bool one = run_is_pure(node);

    for (i = 0; i < n && one; i++) {
        one = !c_mentions(node, symbols[i]);
    }
    free(symbols);
    return one;
}

/* Do all messages go to one process? */
static bool has_one_peer(struct run *run, const struct run_context *context,
                         const struct site *site)
{
    int argument = site_peer(site);
    const struct run_value *peer = &run->events[site->event].arguments[argument];
    int64_t number; /* MPI_ANY_SOURCE is negative */

    return argument && peer->kind == RUN_INTEGER && is_fixed(run, context, peer->poly) &&
           !(poly_is_constant(peer->poly, &number) && number < 0);
}

static bool may_meet(struct run *run, const struct run_place *place, const struct run_extent *all)
{
    return place->base == RUN_ANY || run_conflict(run, place->base, place->type, all->base, NULL);
}

/* A call that touches no data, or completes the request of the site. */
static bool is_harmless(const struct run *run, const struct site *site,
                        const struct run_event *event)
{
    const struct run_value *request = &run->events[site->event].arguments[site->function->request];
    mpi_kind_t kind = site_kind_of(event->node);
    int i = kind == KIND_WAIT && strcmp(c_callee(event->node), "MPI_Wait") != 0 ? 2 : 1;

    return kind == KIND_QUERY || strcmp(c_callee(event->node), "MPI_Barrier") == 0 ||
           (kind == KIND_WAIT && site->function->request && (size_t) i < event->node->n &&
            request->base != RUN_ANY && event->arguments[i].base == request->base);
}

/* Does other code of the loop use the data? */
static bool uses_data(struct run *run, const struct run_context *context, const struct site *site,
                      const struct run_extent *all)
{
    bool receives = site->function->receives;
    struct site_function functions[2];
    size_t i, j, n;

    for (i = 0; i < run->n_events; i++) {
        const struct run_event *event = &run->events[i];

        if (i == site->event || !c_contains(context->loop, event->node)) {
            continue;
        }
        switch (event->kind) {
        case RUN_COPY:
        case RUN_STORE:
            if (!event->to.scalar && may_meet(run, &event->to, all)) {
                return true;
            }
            if (event->kind == RUN_STORE || !receives || !may_meet(run, &event->from, all)) {
                break;
            }
            return true;
        case RUN_LOAD:
            if (receives && may_meet(run, &event->from, all)) {
                return true;
            }
            break;
        case RUN_MPI:
            n = site_functions(run->level, event->node, functions);
            if (n == 0 && !is_harmless(run, site, event)) {
                return true;
            }
            for (j = 0; j < n; j++) {
                const struct run_extent other = all_pieces(run, context, event, &functions[j]);

                if ((receives || functions[j].receives) && run_meet(run, all, &other)) {
                    return true;
                }
            }
            break;
        case RUN_CALL:
        case RUN_FREE:
            return true;
        case RUN_CONTROL:
            break;
        }
    }
    return false;
}

/* Two events at the end, of one message: a copy of all pieces, and a call that has their sum. */
static void add_events(struct run *run, struct site *site, const struct run_extent *all,
                       const poly_t *count)
{
    const struct site_function *function = site->function;
    struct run_event call = run->events[site->event], copy = call;
    struct run_place *data = function->receives ? &copy.to : &copy.from;
    struct run_place *buffer = function->receives ? &copy.from : &copy.to;
    const struct run_loop *loop = &run->loops[all->loop];
    const struct c_type *address = c_bare(site->call->child[function->buffer])->type;

    *data = (struct run_place){
        .base = all->base, .offset = all->offset, .type = address ? address->inner : NULL};
    *buffer = (struct run_place){
        .base = all->base,
        .offset = poly_multiply(run->space, poly_variable(run->space, loop->atom), all->size),
        .type = data->type};
    copy.kind = RUN_COPY;
    copy.size = all->size;
    copy.loop = all->loop;
    call.arguments = c_allocate(run->memory, call.node->n * sizeof *call.arguments);
    memcpy(call.arguments, run->events[site->event].arguments,
           call.node->n * sizeof *call.arguments);
    call.arguments[function->count].poly = count;
    call.arguments[function->buffer].poly = poly_constant(run->space, 0);
    run->events = c_resize(run->events, run->n_events + 2, sizeof *run->events);
    site->copies = c_checked(malloc(sizeof *site->copies));
    run->events_room = run->n_events + 2;
    site->copies[0] = run->n_events;
    site->n_copies = 1;
    run->events[run->n_events++] = copy;
    site->event = run->n_events;
    run->events[run->n_events++] = call;
}

void site_find_many(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    const struct run_context *context = &run->contexts[call->context];
    struct run_extent all;
    const poly_t *count, *slope, *rest;
    struct site one = *site;
    int guard;

    if (site->kind != SITE_DIRECT || call->context == 0 || context->id < 0 || call->frame != 0 ||
        site->function->processes || !c_contains(context->loop, site->call) ||
        !has_one_peer(run, context, site) || !has_one_communicator(context, site)) {
        return;
    }
    for (guard = call->guard; guard >= 0; guard = run->guards[guard].parent) {
        if (c_contains(context->loop, run->guards[guard].condition)) {
            return;
        }
    }
    all = all_pieces(run, context, call, site->function);
    run->needs = &one.needs;
    if (!all.offset || !all.size ||
        !poly_linear(run->space, all.offset, run->loops[context->id].atom, &slope, &rest) ||
        poly_is_zero(slope) || uses_data(run, context, site, &all)) {
        run->needs = NULL;
        free(one.needs.index);
        return;
    }
    count = poly_multiply(run->space, call->arguments[site->function->count].poly,
                          run->loops[context->id].trip);
    add_events(run, &one, &all, count);
    site_program(run, &one);
    run->needs = NULL;
    run->n_events -= 2;
    if (one.refusal) {
        site_free(&one);
        return;
    }
    one.event = site->event;
    one.n_copies = 0;
    one.kind = SITE_MANY;
    one.loop = context->loop;
    *site = one;
}
