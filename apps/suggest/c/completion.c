/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the request of a call is complete. */
#include "site_private.h"

#include <string.h>

static bool same_request(const run_value_t *a, const run_value_t *b)
{
    return a->kind == RUN_POINTER && b->kind == RUN_POINTER && a->base == b->base &&
           poly_equal(a->poly, b->poly);
}

/* Does MPI_Waitall(count, array) surely include the request? */
static bool in_array(run_t *run, const run_event_t *wait, const run_value_t *request)
{
    int64_t offset, count, size;
    const run_value_t *array = &wait->arguments[2], *number = &wait->arguments[1];
    const c_type_t *type = request->pointee;

    if (request->kind != RUN_POINTER || array->kind != RUN_POINTER ||
        array->base != request->base || !type || type->size <= 0) {
        return false;
    }
    size = type->size;
    return number->kind == RUN_INTEGER && poly_is_constant(number->poly, &count) &&
           poly_is_constant(poly_subtract(run->space, request->poly, array->poly), &offset) &&
           offset >= 0 && offset % size == 0 && offset / size < count;
}

static bool uses_request(const run_event_t *event, const run_value_t *request)
{
    size_t i;

    for (i = 1; i < event->node->n; i++) {
        if (same_request(&event->arguments[i], request)) {
            return true;
        }
    }
    return false;
}

/* Does a call of MPI_Wait and its kin complete the request, or one of its array? */
bool site_may_complete(const run_event_t *event, const run_value_t *request)
{
    size_t i;

    if (event->kind != RUN_MPI || mpi_function(c_callee(event->node))->kind != KIND_WAIT ||
        request->base == RUN_ANY || request->kind == RUN_INTEGER) {
        return false;
    }
    for (i = 1; i < event->node->n; i++) {
        if (event->arguments[i].kind != RUN_INTEGER && event->arguments[i].base == request->base) {
            return true;
        }
    }
    return false;
}

/* MPI_Waitall of so few that the request is not among them. */
static bool completes_another(run_t *run, const run_event_t *event, const run_value_t *request)
{
    int64_t offset, count;

    return site_may_complete(event, request) && strcmp(c_callee(event->node), "MPI_Waitall") == 0 &&
           request->kind == RUN_POINTER && request->pointee &&
           event->arguments[2].kind == RUN_POINTER && event->arguments[1].kind == RUN_INTEGER &&
           poly_is_constant(event->arguments[1].poly, &count) &&
           poly_is_constant(poly_subtract(run->space, request->poly, event->arguments[2].poly),
                            &offset) &&
           (offset < 0 || offset >= count * request->pointee->size);
}

/* A request that is copied away, or used by another call, is not the same at the next call of
 * MPI_Wait. */
static bool changes_request(const run_event_t *event, const run_value_t *request)
{
    if (event->kind == RUN_MPI) {
        return request->kind == RUN_POINTER && uses_request(event, request);
    }
    return (event->kind == RUN_COPY || event->kind == RUN_STORE) && request->kind == RUN_POINTER &&
           event->to.base == request->base && event->to.offset &&
           poly_equal(event->to.offset, request->poly);
}

/* The first call behind this one that may complete the request; where none is seen, the buffer's
 * next use. */
static size_t find_trusted_completion(run_t *run, site_t *site)
{
    const run_event_t *call = &run->events[site->event];
    const run_value_t *request = &call->arguments[site->function->request];
    size_t i, last = site->event;

    for (i = site->event + 1; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i];

        if (site_excluded(run, site, event)) {
            continue;
        }
        if (completes_another(run, event, request)) {
            continue;
        }
        if (site_may_complete(event, request)) {
            if (!(event->node->n > 1 && same_request(&event->arguments[1], request)) &&
                !(event->node->n > 2 && in_array(run, event, request)) &&
                strcmp(c_callee(event->node), "MPI_Waitany") != 0) {
                run_assume(run, RUN_ASSUMES_WAIT, event->node,
                           "%s completes the request of line %u", c_callee(event->node),
                           site->call->span.line);
            }
            return i;
        }
        if (changes_request(event, request)) {
            site_refuse(site, C_REFUSED_WAIT, event->node, "the request may be changed here");
            return site->event;
        }
        if (site_stores_into(event, site->buffer) || site_reads(event, site->buffer) ||
            site_receives_into(run, event, site->buffer) ||
            (event->kind == RUN_FREE && event->to.base == site->buffer)) {
            break;
        }
        last = i;
    }
    run_assume(run, RUN_ASSUMES_WAIT, site->call,
               site->function->receives
                   ? "the request of this call is complete where %s is unpacked"
                   : "the data sent from %s does not change until the request is complete",
               run_base_name(run, site->buffer));
    return site->function->receives ? site->event : last;
}

static size_t find_strict_completion(run_t *run, site_t *site)
{
    const run_event_t *call = &run->events[site->event];
    const run_value_t *request = &call->arguments[site->function->request];
    size_t i;

    for (i = site->event + 1; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i];
        const char *name = event->kind == RUN_MPI ? c_callee(event->node) : "";
        int guard;

        if (site_excluded(run, site, event)) {
            continue;
        }
        if ((event->kind == RUN_COPY || event->kind == RUN_STORE) &&
            !run_distinct(run, event->to.base, request->base)) {
            site_refuse(site, C_REFUSED_WAIT, event->node, "the request may be changed here");
            return site->event;
        }
        if (event->kind == RUN_MPI && strncmp(name, "MPI_Wait", 8) != 0 &&
            uses_request(event, request)) {
            site_refuse(site, C_REFUSED_WAIT, event->node, "%s may change the request", name);
            return site->event;
        }
        if (event->context != call->context) {
            continue;
        }
        if (!(strcmp(name, "MPI_Wait") == 0 && event->node->n > 1 &&
              same_request(&event->arguments[1], request)) &&
            !(strcmp(name, "MPI_Waitall") == 0 && event->node->n > 2 &&
              in_array(run, event, request))) {
            continue;
        }
        for (guard = event->guard; guard >= 0; guard = run->guards[guard].parent) {
            if (site_guard(run, site, guard) != 1) {
                site_refuse(site, C_REFUSED_WAIT, event->node,
                            "the request is only completed under a condition");
                return site->event;
            }
        }
        return i;
    }
    site_refuse(site, C_REFUSED_WAIT, site->call,
                "no MPI_Wait() or MPI_Waitall() with this request follows in the same block");
    return site->event;
}

/* MPI_Wait() of the request, MPI_Waitall() of its array, or the last of as many calls of
 * MPI_Waitany() as the array has; *ANY counts these. */
static bool completes(run_t *run, const run_event_t *event, const run_value_t *request,
                      int64_t *any)
{
    const char *name = c_callee(event->node);
    int64_t count;

    if (strcmp(name, "MPI_Wait") == 0) {
        return event->node->n > 1 && same_request(&event->arguments[1], request);
    }
    if (event->node->n <= 2 || !in_array(run, event, request)) {
        return false;
    }
    return strcmp(name, "MPI_Waitall") == 0 ||
           (strcmp(name, "MPI_Waitany") == 0 && event->arguments[1].kind == RUN_INTEGER &&
            poly_is_constant(event->arguments[1].poly, &count) && ++*any == count);
}

/* Is the request of event AT complete before that call? */
bool site_is_complete(run_t *run, size_t at, const run_value_t *request, const run_event_t *wait)
{
    int64_t any = 0;
    size_t i;

    for (i = at + 1; &run->events[i] < wait; i++) {
        const run_event_t *event = &run->events[i];

        if (event->kind == RUN_MPI && event->guard == run->events[at].guard &&
            event->context == run->events[at].context && completes(run, event, request, &any)) {
            return true;
        }
    }
    return false;
}

size_t site_find_completion(run_t *run, site_t *site)
{
    return trusting(run) ? find_trusted_completion(run, site) : find_strict_completion(run, site);
}
