/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies that fill the buffer of a call, or empty it. */
#include "site_private.h"

#include <string.h>

bool site_receiver(const run_t *run, const c_node_t *call, site_function_t *function)
{
    site_function_t functions[2];
    size_t i, n = site_functions(run->level, call, functions);

    for (i = 0; i < n; i++) {
        if (functions[i].receives) {
            *function = functions[i];
            return true;
        }
    }
    return false;
}

int site_argument(const run_event_t *event, int argument)
{
    if ((size_t) argument >= event->node->n || event->arguments[argument].kind != RUN_POINTER) {
        return RUN_ANY;
    }
    return event->arguments[argument].base;
}

bool site_receives_into(const run_t *run, const run_event_t *event, int base)
{
    site_function_t function;

    return event->kind == RUN_MPI && site_receiver(run, event->node, &function) &&
           site_argument(event, function.buffer) == base;
}

bool site_mentions(const run_event_t *event, int base)
{
    size_t i;

    for (i = 1; event->kind == RUN_MPI && i < event->node->n; i++) {
        if (event->arguments[i].kind == RUN_POINTER && event->arguments[i].base == base) {
            return true;
        }
    }
    return false;
}

bool site_stores_into(const run_event_t *event, int base)
{
    return (event->kind == RUN_COPY || event->kind == RUN_STORE) && event->to.base == base;
}

bool site_reads(const run_event_t *event, int base)
{
    return (event->kind == RUN_COPY || event->kind == RUN_LOAD) && event->from.base == base;
}

static void add_copy(site_t *site, size_t event)
{
    site->copies = c_resize(site->copies, site->n_copies + 1, sizeof *site->copies);
    site->copies[site->n_copies++] = event;
}

/* It is not looked into. */
static bool is_mpi_pack(const run_event_t *event)
{
    return event->kind == RUN_MPI && strcmp(c_callee(event->node), "MPI_Pack") == 0;
}

/* Is context A the context B, or one around it? */
bool site_around(const run_t *run, int a, int b)
{
    while (b >= 0 && b != a) {
        b = run->contexts[b];
    }
    return b == a;
}

/* What a call of MPI reads or writes: COUNT elements of a basic type at the buffer. */
run_extent_t site_call_extent(run_t *run, const run_event_t *event, const site_function_t *function)
{
    run_extent_t extent = {.base = RUN_ANY, .loop = event->loop, .irregular = event->irregular};
    const run_value_t *address = &event->arguments[function->buffer];
    const run_value_t *n = &event->arguments[function->count];
    const c_datatype_t *basic;

    if (address->kind != RUN_POINTER || (function->count && n->kind != RUN_INTEGER)) {
        return extent;
    }
    extent.base = address->base;
    extent.offset = address->poly;
    if (function->count && !function->processes) {
        basic = c_find_datatype(run->unit, event->node->child[function->type]);
        extent.size = basic ? poly_scale(run->space, n->poly, basic->size) : NULL;
    }
    return extent;
}

/* Is it at a position that a loop changes irregularly, and the call does not name? */
static bool is_anywhere(const run_t *run, const run_extent_t *slice, const run_extent_t *extent)
{
    int i, j;

    for (i = 0; extent->offset && slice->offset && i < extent->offset->count; i++) {
        for (j = 0; j < extent->offset->terms[i].degree; j++) {
            int atom = extent->offset->terms[i].atoms[j];

            if (run->atoms[atom].irregular && !poly_depends(run->space, slice->offset, atom)) {
                return true;
            }
        }
    }
    return false;
}

/* What the call sends, or receives, of its buffer. */
bool site_has_slice(run_t *run, const site_t *site, const run_extent_t *extent)
{
    run_extent_t slice = site->slice, other = *extent;

    slice.offset = site_given(run, site, slice.offset);
    slice.size = site_given(run, site, slice.size);
    other.offset = site_given(run, site, other.offset);
    other.size = site_given(run, site, other.size);
    return is_anywhere(run, &slice, &other) || run_meet(run, &slice, &other);
}

run_extent_t site_extent(run_t *run, const run_event_t *event, const run_place_t *place)
{
    return (run_extent_t){place->base, place->offset,
                          event->kind == RUN_LOAD ? run_size(run, place->type)
                                                  : event->size, /* NULL: not known */
                          event->loop, event->irregular};
}

/* Does the event receive into the bytes that this call moves? */
static bool receives_slice(run_t *run, const site_t *site, const run_event_t *event)
{
    site_function_t function;
    run_extent_t extent;

    if (!site_receives_into(run, event, site->buffer) ||
        !site_receiver(run, event->node, &function)) {
        return false;
    }
    extent = site_call_extent(run, event, &function);
    return site_has_slice(run, site, &extent);
}

/* Does the event use the bytes that this call sends? What uses others filled them earlier. */
static bool sends_slice(run_t *run, const site_t *site, const run_event_t *event)
{
    site_function_t functions[2];
    size_t j, n = site_functions(run->level, event->node, functions);

    for (j = 0; j < n; j++) {
        if (site_argument(event, functions[j].buffer) == site->buffer) {
            const run_extent_t extent = site_call_extent(run, event, &functions[j]);

            return site_has_slice(run, site, &extent);
        }
    }
    return false;
}

/* Is the buffer handed to a function that may fill it: not one of MPI's whose buffers are known? */
static bool may_fill(run_t *run, const site_t *site, const run_event_t *event)
{
    site_function_t functions[2];
    size_t i;

    if (event->kind != RUN_CALL) {
        return site_mentions(event, site->buffer) &&
               site_functions(run->level, event->node, functions) == 0;
    }
    for (i = 1; event->arguments && i < event->node->n; i++) {
        if (event->arguments[i].kind == RUN_POINTER && event->arguments[i].base == site->buffer) {
            return true;
        }
    }
    return false;
}

/* Copies into the buffer before the call, in the same loops with calls or outside of them: one
 * buffer may be sent several times. Those that other code of such a loop makes are not seen. */
static void find_trusted_packing(run_t *run, site_t *site)
{
    const run_event_t *call = &run->events[site->event];
    size_t i;

    for (i = site->event; i-- > 0;) {
        const run_event_t *event = &run->events[i];

        if (site_excluded(run, site, event)) {
            continue;
        }
        if (is_mpi_pack(event) && site_mentions(event, site->buffer)) {
            site_refuse(site, C_REFUSED_DATATYPE, event->node, "MPI_Pack fills the buffer");
            break;
        }
        if (site_stores_into(event, site->buffer)) {
            const run_extent_t extent = site_extent(run, event, &event->to);

            if (!site_has_slice(run, site, &extent)) {
                continue;
            }
            if (!site_around(run, event->context, call->context)) {
                site->elsewhere = site->earlier = event->node;
                break;
            }
            if (site->n_copies > 0 && run->events[site->copies[0]].context != event->context) {
                site->earlier = event->node; /* filled before the loop, and again in it */
                break;
            }
            add_copy(site, i);
        } else if (receives_slice(run, site, event) ||
                   (site->n_copies > 0 && site_mentions(event, site->buffer) &&
                    sends_slice(run, site, event))) {
            site->earlier = event->node;
            break;
        } else if (site->n_copies > 0 && may_fill(run, site, event)) {
            site->earlier = event->node;
        }
    }
}

/* Copies into the buffer before the call, back to the buffer's last use. */
void site_find_packing(run_t *run, site_t *site)
{
    const run_event_t *call = &run->events[site->event];
    bool left = false; /* the call's context */
    size_t i, n;

    if (trusting(run)) {
        find_trusted_packing(run, site);
    }
    for (i = site->event; !trusting(run) && i-- > 0 && !(left && site->n_copies > 0);) {
        const run_event_t *event = &run->events[i];

        if (is_mpi_pack(event) && site_mentions(event, site->buffer)) {
            site_refuse(site, C_REFUSED_DATATYPE, event->node, "MPI_Pack fills the buffer");
            break;
        }
        left = left || event->context != call->context;
        if (left || site_excluded(run, site, event)) {
            continue;
        }
        if (site_stores_into(event, site->buffer)) {
            add_copy(site, i);
        } else if (site_receives_into(run, event, site->buffer) ||
                   (site->n_copies > 0 && site_mentions(event, site->buffer))) {
            break;
        }
    }
    for (i = 0, n = site->n_copies; i < n / 2; i++) {
        size_t swap = site->copies[i];

        site->copies[i] = site->copies[n - 1 - i];
        site->copies[n - 1 - i] = swap;
    }
}

/* Copies out of the buffer behind the call, until the buffer is filled again. */
void site_find_unpacking(run_t *run, site_t *site)
{
    const run_event_t *call = &run->events[site->event];
    size_t i;

    for (i = site->event + 1; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i];

        if (site_excluded(run, site, event) ||
            (trusting(run) && !site_first_of_any(run, event, &site->any))) {
            continue;
        }
        if (event->context != call->context &&
            !(trusting(run) && site_around(run, event->context, call->context))) {
            if (trusting(run) && event->kind == RUN_COPY && event->from.base == site->buffer) {
                site->elsewhere = event->node;
            } else if (site_reads(event, site->buffer) || site_mentions(event, site->buffer)) {
                site_refuse(site, C_REFUSED_READ, event->node,
                            "%s is read here, in another loop than that of the receive",
                            run_base_name(run, site->buffer));
            }
            continue;
        }
        if (trusting(run) && site_reads(event, site->buffer)) {
            const run_extent_t extent = site_extent(run, event, &event->from);

            if (!site_has_slice(run, site, &extent)) {
                continue;
            }
        }
        if (trusting(run) && event->kind == RUN_MPI && site_mentions(event, site->buffer) &&
            !receives_slice(run, site, event) && !sends_slice(run, site, event)) {
            continue;
        }
        if (event->kind == RUN_COPY && event->from.base == site->buffer) {
            add_copy(site, i);
        } else if (event->kind == RUN_LOAD && event->from.base == site->buffer) {
            site_refuse(site, C_REFUSED_READ, event->node,
                        "%s is read here for something other than unpacking",
                        run_base_name(run, site->buffer));
        } else if (site_receives_into(run, event, site->buffer) ||
                   site_stores_into(event, site->buffer)) {
            break;
        } else if (site_mentions(event, site->buffer)) {
            site_refuse(site, C_REFUSED_READ, event->node, "%s is used here before it is unpacked",
                        run_base_name(run, site->buffer));
        }
    }
}

/* ---- what kind of buffer it is, and which function has both ---- */

/* A buffer that is filled with zeros first, and then packed: only the copies count, and they must
 * be all of it. */
static void drop_fills(run_t *run, site_t *site)
{
    size_t i, n = 0;

    for (i = 0; i < site->n_copies; i++) {
        const run_event_t *event = &run->events[site->copies[i]];

        if (event->kind == RUN_COPY ||
            (event->node->kind != C_VARIABLE && event->node->kind != C_CALL)) {
            site->copies[n++] = site->copies[i];
        } else {
            site->earlier = event->node;
        }
    }
    site->n_copies = n;
}

site_kind_t site_kind_of_buffer(run_t *run, site_t *site)
{
    const run_base_t *base = &run->bases[site->buffer];
    size_t i;

    if (!trusting(run)) {
        return site->n_copies > 0 || site->refusal == C_REFUSED_DATATYPE ? SITE_PACKS : SITE_DIRECT;
    }
    drop_fills(run, site);
    if (site->n_copies == 0 && !site->elsewhere && site->refusal != C_REFUSED_DATATYPE) {
        site->refusal = 0; /* a receive buffer that is used as it is */
        return SITE_DIRECT;
    }
    if (base->kind == RUN_OBJECT && base->type && base->type->kind != C_TYPE_ARRAY) {
        return SITE_DIRECT;
    }
    for (i = 0; i < site->n_copies; i++) {
        if (run->events[site->copies[i]].kind == RUN_COPY) {
            return SITE_PACKS;
        }
    }
    if (site->n_copies > 0) {
        return SITE_COMPUTED;
    }
    if (site->elsewhere && !site->refusal) {
        site_refuse(site, C_REFUSED_CONTROL, site->elsewhere,
                    "%s is %s in another loop with calls than that of this one",
                    run_base_name(run, site->buffer), site->function->receives ? "read" : "filled");
    }
    return site->refusal ? SITE_PACKS : SITE_DIRECT;
}

static int common_frame(const run_t *run, int a, int b)
{
    int frame;

    for (; a >= 0; a = run->frames[a].parent) {
        for (frame = b; frame >= 0; frame = run->frames[frame].parent) {
            if (frame == a) {
                return a;
            }
        }
    }
    return 0;
}

void site_find_home(run_t *run, site_t *site)
{
    size_t i;

    site->home = run->events[site->event].frame;
    for (i = 0; i < site->n_copies; i++) {
        site->home = common_frame(run, site->home, run->events[site->copies[i]].frame);
    }
    site->at = run_node_in(run, site->home, &run->events[site->event]);
}

const c_node_t *site_statement(const run_t *run, const site_t *site, const run_event_t *copy)
{
    const c_node_t *found = run_node_in(run, site->home, copy);
    int loop;

    for (loop = copy->loop; loop >= 0; loop = run->loops[loop].parent) {
        if (run->loops[loop].frame == site->home) {
            found = run->loops[loop].node;
        }
    }
    return found;
}
