/* SPDX-License-Identifier: BSD-3-Clause */
/* The region rule: everything between the first packed store and the last use of the buffer is on a
 * whitelist, or the call is refused. For receives: from the call to the end of unpacking. */
#include "datatype.h"
#include "site.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct site_function functions[] = {
    {KIND_SEND, 1, 2, 3, 0, false},     {KIND_ISEND, 1, 2, 3, 7, false},
    {KIND_RECV, 1, 2, 3, 0, true},      {KIND_IRECV, 1, 2, 3, 7, true},
    {KIND_SENDRECV, 1, 2, 3, 0, false}, {KIND_SENDRECV, 6, 7, 8, 0, true},
};

static mpi_kind_t kind_of(const struct c_node *call)
{
    return mpi_function(c_callee(call))->kind;
}

void site_refuse(struct site *site, int number, const struct c_node *where, const char *format, ...)
{
    char text[600];
    va_list arguments;

    if (site->refusal) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    site->refusal = number;
    site->reason = c_copy(site->run->memory, text);
    site->where = where ? where : site->call;
}

const char *site_refusal_text(int number)
{
    switch (number) {
#define C_REFUSAL(number, name, text)                                                              \
    case number:                                                                                   \
        return text;
#include "refusals.def"
#undef C_REFUSAL
    default:
        return shape_refusal_text((shape_refusal_t) number);
    }
}

static bool trusting(const struct run *run)
{
    return run->level == RUN_TRUSTING;
}

/* ---- conditions ---- */

bool site_around_call(struct run *run, const struct site *site, int guard)
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
static size_t set_by_waitany(struct run *run, const struct run_guard *guard)
{
    const struct c_symbol *symbol = NULL;
    size_t i, found = SIZE_MAX;
    int j;

    for (j = 0; guard->n_facts == 1 && guard->facts[0].relation == RUN_EQUAL && j < guard->facts[0].left->count; j++) {
        const poly_term_t *term = &guard->facts[0].left->terms[j];

        if (term->degree == 1 && run->atoms[term->atoms[0]].kind == RUN_ATOM_SYMBOL && !symbol) {
            symbol = run->atoms[term->atoms[0]].symbol;
        } else if (term->degree > 0) {
            return SIZE_MAX;
        }
    }
    for (i = 0; symbol && i < run->n_events && !c_contains(guard->condition, run->events[i].node); i++) {
        const struct run_event *event = &run->events[i];

        if (event->kind == RUN_MPI && strcmp(c_callee(event->node), "MPI_Waitany") == 0 && event->node->n > 3 &&
            event->arguments[3].kind == RUN_POINTER && run->bases[event->arguments[3].base].symbol == symbol) {
            found = i;
        }
    }
    return found;
}

int site_guard(struct run *run, const struct site *site, int guard)
{
    const struct run_event *call = &run->events[site->event];
    const struct run_guard *known = &run->guards[guard];
    bool all = known->is_fact;
    int i, j;

    if (site_around_call(run, site, guard) ||
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

/* Is the event certainly not executed together with the call? */
static bool excluded(struct run *run, const struct site *site, const struct run_event *event)
{
    int guard;

    for (guard = event->guard; guard >= 0; guard = run->guards[guard].parent) {
        const struct run_guard *other = &run->guards[guard];
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

static bool guard_implies(struct run *run, const struct run_guard *a, const struct run_guard *b)
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

/* Of several calls of MPI_Waitany() that are followed by the same unpacking, the first stands for all. */
static bool is_first_of_any(struct run *run, const struct run_event *event, size_t *first)
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
static void check_conditions(struct run *run, struct site *site, const struct run_event *copy)
{
    int guard;

    for (guard = copy->guard; guard >= 0; guard = run->guards[guard].parent) {
        if (trusting(run) && site->function->receives && set_by_waitany(run, &run->guards[guard]) != SIZE_MAX) {
            run_assume(run, RUN_ASSUMES_ANY, run->guards[guard].condition,
                       "the request of line %u is complete where this holds", site->call->span.line);
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
        if (!found && trusting(run) && !site_around_call(run, site, copy->guard) && copy->guard >= 0) {
            run_assume(run, RUN_ASSUMES_RETURN, run->guards[guard].condition,
                       "data is unpacked only where this condition of the receive holds");
        } else if (!found) {
            site_refuse(site, C_REFUSED_CONDITION, copy->node,
                        "this unpacks even when the condition of %s does not hold",
                        c_callee(site->call));
        }
    }
}

/* ---- what events do to a base ---- */

static const struct site_function *receiver(const struct c_node *call)
{
    size_t i;

    for (i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (functions[i].receives && functions[i].kind == kind_of(call)) {
            return &functions[i];
        }
    }
    return NULL;
}

static int argument_base(const struct run_event *event, int argument)
{
    if ((size_t) argument >= event->node->n || event->arguments[argument].kind != RUN_POINTER) {
        return RUN_ANY;
    }
    return event->arguments[argument].base;
}

static bool receives_into(const struct run_event *event, int base)
{
    const struct site_function *function;

    if (event->kind != RUN_MPI) {
        return false;
    }
    function = receiver(event->node);
    return function && argument_base(event, function->buffer) == base;
}

static bool mentions(const struct run_event *event, int base)
{
    size_t i;

    for (i = 1; event->kind == RUN_MPI && i < event->node->n; i++) {
        if (event->arguments[i].kind == RUN_POINTER && event->arguments[i].base == base) {
            return true;
        }
    }
    return false;
}

static bool stores_into(const struct run_event *event, int base)
{
    return (event->kind == RUN_COPY || event->kind == RUN_STORE) && event->to.base == base;
}

static bool reads(const struct run_event *event, int base)
{
    return (event->kind == RUN_COPY || event->kind == RUN_LOAD) && event->from.base == base;
}

static void add_copy(struct site *site, size_t event)
{
    site->copies = realloc(site->copies, (site->n_copies + 1) * sizeof *site->copies);
    if (!site->copies) {
        fprintf(stderr, "dame suggest: out of memory\n");
        exit(3);
    }
    site->copies[site->n_copies++] = event;
}

/* Those of basic datatypes were lowered to copies. */
static bool is_opaque_pack(const struct run_event *event)
{
    return event->kind == RUN_MPI && strcmp(c_callee(event->node), "MPI_Pack") == 0;
}

/* Is context A the context B, or one around it? */
static bool around(const struct run *run, int a, int b)
{
    while (b >= 0 && b != a) {
        b = run->contexts[b].parent;
    }
    return b == a;
}

/* What a call of MPI reads or writes: COUNT elements of a basic type at the buffer. */
static struct run_extent extent_of_call(struct run *run, const struct run_event *event, int buffer,
                                        int count, int type)
{
    struct run_extent extent = {.base = RUN_ANY, .loop = event->loop, .irregular = event->irregular};
    const struct run_value *address = &event->arguments[buffer], *n = &event->arguments[count];
    const struct c_datatype *basic;

    if ((size_t) type >= event->node->n || address->kind != RUN_POINTER || n->kind != RUN_INTEGER) {
        return extent;
    }
    basic = c_find_datatype(run->unit, event->node->child[type]);
    extent.base = address->base;
    extent.offset = address->poly;
    extent.size = basic ? poly_scale(run->space, n->poly, basic->size) : NULL;
    return extent;
}

/* What the call sends, or receives, of its buffer. */
static bool is_of_slice(struct run *run, const struct site *site, const struct run_extent *extent)
{
    return run_meet(run, &site->slice, extent);
}

static struct run_extent extent_of(const struct run_event *event, const struct run_place *place)
{
    return (struct run_extent){place->base, place->offset, event->size, event->loop, event->irregular};
}

/* Does the event receive into the bytes that this call moves? */
static bool receives_slice(struct run *run, const struct site *site, const struct run_event *event)
{
    const struct site_function *function = receives_into(event, site->buffer) ? receiver(event->node) : NULL;
    struct run_extent extent;

    if (!function) {
        return false;
    }
    extent = extent_of_call(run, event, function->buffer, function->count, function->type);
    return is_of_slice(run, site, &extent);
}

/* Does the event use the bytes that this call sends? What uses others filled them earlier. */
static bool sends_slice(struct run *run, const struct site *site, const struct run_event *event)
{
    size_t j;

    for (j = 0; j < sizeof functions / sizeof *functions; j++) {
        if (functions[j].kind == kind_of(event->node) &&
            argument_base(event, functions[j].buffer) == site->buffer) {
            const struct run_extent extent =
                extent_of_call(run, event, functions[j].buffer, functions[j].count, functions[j].type);

            return is_of_slice(run, site, &extent);
        }
    }
    return false;
}

/* Copies into the buffer before the call, in the same loops with calls or outside of them: one buffer may be sent several
 * times. Those that other code of such a loop makes are not seen. */
static void find_trusted_packing(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    size_t i;

    for (i = site->event; i-- > 0;) {
        const struct run_event *event = &run->events[i];

        if (excluded(run, site, event)) {
            continue;
        }
        if (is_opaque_pack(event) && mentions(event, site->buffer)) {
            site_refuse(site, C_REFUSED_DATATYPE, event->node,
                        "MPI_Pack of a datatype that is not known here");
            break;
        }
        if (stores_into(event, site->buffer)) {
            const struct run_extent extent = extent_of(event, &event->to);

            if (!is_of_slice(run, site, &extent)) {
                continue;
            }
            if (!around(run, event->context, call->context)) {
                site->elsewhere = event->node;
                break;
            }
            if (site->n_copies > 0 && run->events[site->copies[0]].context != event->context) {
                break; /* filled before the loop, and again in it */
            }
            add_copy(site, i);
        } else if (receives_slice(run, site, event) ||
                   (site->n_copies > 0 && mentions(event, site->buffer) &&
                    sends_slice(run, site, event))) {
            break;
        }
    }
}

/* Copies into the buffer before the call, back to the buffer's last use. */
static void find_packing(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    bool left = false; /* the call's context */
    size_t i, n;

    if (trusting(run)) {
        find_trusted_packing(run, site);
    }
    for (i = site->event; !trusting(run) && i-- > 0 && !(left && site->n_copies > 0);) {
        const struct run_event *event = &run->events[i];

        if (is_opaque_pack(event) && mentions(event, site->buffer)) {
            site_refuse(site, C_REFUSED_DATATYPE, event->node,
                        "MPI_Pack of a datatype that is not known here");
            break;
        }
        left = left || event->context != call->context;
        if (left || excluded(run, site, event)) {
            continue;
        }
        if (stores_into(event, site->buffer)) {
            add_copy(site, i);
        } else if (receives_into(event, site->buffer) ||
                   (site->n_copies > 0 && mentions(event, site->buffer))) {
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
static void find_unpacking(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    size_t i;

    for (i = site->event + 1; i < run->n_events; i++) {
        const struct run_event *event = &run->events[i];

        if (excluded(run, site, event) || (trusting(run) && !is_first_of_any(run, event, &site->any))) {
            continue;
        }
        if (event->context != call->context &&
            !(trusting(run) && around(run, event->context, call->context))) {
            if (trusting(run) && reads(event, site->buffer)) {
                site->elsewhere = event->node;
            } else if (reads(event, site->buffer) || mentions(event, site->buffer)) {
                site_refuse(site, C_REFUSED_READ, event->node,
                            "%s is read here, in another loop than that of the receive",
                            run_base_name(run, site->buffer));
            }
            continue;
        }
        if (trusting(run) && reads(event, site->buffer)) {
            const struct run_extent extent = {event->from.base, event->from.offset,
                                              event->size ? event->size : run_size(run, event->from.type),
                                              event->loop, event->irregular};

            if (!is_of_slice(run, site, &extent)) {
                continue;
            }
        }
        if (trusting(run) && event->kind == RUN_MPI && mentions(event, site->buffer) &&
            !receives_slice(run, site, event) && !sends_slice(run, site, event)) {
            continue;
        }
        if (event->kind == RUN_COPY && event->from.base == site->buffer) {
            add_copy(site, i);
        } else if (event->kind == RUN_LOAD && event->from.base == site->buffer) {
            site_refuse(site, C_REFUSED_READ, event->node,
                        "%s is read here for something other than unpacking",
                        run_base_name(run, site->buffer));
        } else if (receives_into(event, site->buffer) || stores_into(event, site->buffer)) {
            break;
        } else if (mentions(event, site->buffer)) {
            site_refuse(site, C_REFUSED_READ, event->node, "%s is used here before it is unpacked",
                        run_base_name(run, site->buffer));
        }
    }
}

/* ---- requests ---- */

static bool same_request(struct run *run, const struct run_value *a, const struct run_value *b)
{
    (void) run;
    return a->kind == RUN_POINTER && b->kind == RUN_POINTER && a->base == b->base &&
           poly_equal(a->poly, b->poly);
}

/* Does MPI_Waitall(count, array) surely include the request? */
static bool in_array(struct run *run, const struct run_event *wait, const struct run_value *request)
{
    int64_t offset, count, size;
    const struct run_value *array = &wait->arguments[2], *number = &wait->arguments[1];
    const struct c_type *type = request->pointee;

    (void) run;
    if (request->kind != RUN_POINTER || array->kind != RUN_POINTER ||
        array->base != request->base || !type || type->size <= 0) {
        return false;
    }
    size = type->size;
    return number->kind == RUN_INTEGER && poly_is_constant(number->poly, &count) &&
           poly_is_constant(poly_subtract(run->space, request->poly, array->poly), &offset) &&
           offset >= 0 && offset % size == 0 && offset / size < count;
}

static bool uses_request(struct run *run, const struct run_event *event,
                         const struct run_value *request)
{
    size_t i;

    for (i = 1; i < event->node->n; i++) {
        if (same_request(run, &event->arguments[i], request)) {
            return true;
        }
    }
    return false;
}

/* Does a call of MPI_Wait and its kin complete the request, or one of its array? */
static bool may_complete(const struct run_event *event, const struct run_value *request)
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
static bool completes_another(struct run *run, const struct run_event *event,
                              const struct run_value *request)
{
    int64_t offset, count;

    return may_complete(event, request) && strcmp(c_callee(event->node), "MPI_Waitall") == 0 &&
           request->kind == RUN_POINTER && request->pointee && event->arguments[2].kind == RUN_POINTER &&
           event->arguments[1].kind == RUN_INTEGER &&
           poly_is_constant(event->arguments[1].poly, &count) &&
           poly_is_constant(poly_subtract(run->space, request->poly, event->arguments[2].poly), &offset) &&
           (offset < 0 || offset >= count * request->pointee->size);
}

/* A request that is copied away, or used by another call, is not the same at the next call of MPI_Wait. */
static bool changes_request(struct run *run, const struct run_event *event,
                            const struct run_value *request)
{
    if (event->kind == RUN_MPI) {
        return request->kind == RUN_POINTER && uses_request(run, event, request);
    }
    return (event->kind == RUN_COPY || event->kind == RUN_STORE) && request->kind == RUN_POINTER &&
           event->to.base == request->base && event->to.offset &&
           poly_equal(event->to.offset, request->poly);
}

/* The first call behind this one that may complete the request; where none is seen, the buffer's next use. */
static size_t find_trusted_completion(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    const struct run_value *request = &call->arguments[site->function->request];
    size_t i, last = site->event;

    for (i = site->event + 1; i < run->n_events; i++) {
        const struct run_event *event = &run->events[i];

        if (excluded(run, site, event)) {
            continue;
        }
        if (completes_another(run, event, request)) {
            continue;
        }
        if (may_complete(event, request)) {
            if (!(event->node->n > 1 && same_request(run, &event->arguments[1], request)) &&
                !(event->node->n > 2 && in_array(run, event, request)) &&
                strcmp(c_callee(event->node), "MPI_Waitany") != 0) {
                run_assume(run, RUN_ASSUMES_WAIT, event->node, "%s completes the request of line %u",
                           c_callee(event->node), site->call->span.line);
            }
            return i;
        }
        if (changes_request(run, event, request)) {
            site_refuse(site, C_REFUSED_WAIT, event->node, "the request may be changed here");
            return site->event;
        }
        if (stores_into(event, site->buffer) || reads(event, site->buffer) ||
            receives_into(event, site->buffer) ||
            (event->kind == RUN_FREE && event->to.base == site->buffer)) {
            break;
        }
        last = i;
    }
    run_assume(run, RUN_ASSUMES_WAIT, site->call,
               site->function->receives ? "the request of this call is complete where %s is unpacked"
                                        : "the data sent from %s does not change until the request is complete",
               run_base_name(run, site->buffer));
    return site->function->receives ? site->event : last;
}

static size_t find_completion(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    const struct run_value *request = &call->arguments[site->function->request];
    size_t i;

    for (i = site->event + 1; i < run->n_events; i++) {
        const struct run_event *event = &run->events[i];
        const char *name = event->kind == RUN_MPI ? c_callee(event->node) : "";
        int guard;

        if (excluded(run, site, event)) {
            continue;
        }
        if ((event->kind == RUN_COPY || event->kind == RUN_STORE) &&
            !run_distinct(run, event->to.base, request->base)) {
            site_refuse(site, C_REFUSED_WAIT, event->node, "the request may be changed here");
            return site->event;
        }
        if (event->kind == RUN_MPI && strncmp(name, "MPI_Wait", 8) != 0 &&
            uses_request(run, event, request)) {
            site_refuse(site, C_REFUSED_WAIT, event->node, "%s may change the request", name);
            return site->event;
        }
        if (event->context != call->context) {
            continue;
        }
        if (!(strcmp(name, "MPI_Wait") == 0 && event->node->n > 1 &&
              same_request(run, &event->arguments[1], request)) &&
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

/* ---- the function that a site is in ---- */

static int common_frame(const struct run *run, int a, int b)
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

static void find_home(struct run *run, struct site *site)
{
    size_t i;

    site->home = run->events[site->event].frame;
    for (i = 0; i < site->n_copies; i++) {
        site->home = common_frame(run, site->home, run->events[site->copies[i]].frame);
    }
    site->at = run_node_in(run, site->home, &run->events[site->event]);
}

const struct c_node *site_statement(const struct run *run, const struct site *site,
                                    const struct run_event *copy)
{
    const struct c_node *found = run_node_in(run, site->home, copy);
    int loop;

    for (loop = copy->loop; loop >= 0; loop = run->loops[loop].parent) {
        if (run->loops[loop].frame == site->home) {
            found = run->loops[loop].node;
        }
    }
    return found;
}

/* ---- the region ---- */

static size_t outermost(const struct run *run, int loop)
{
    while (run->loops[loop].parent >= 0) {
        loop = run->loops[loop].parent;
    }
    return (size_t) loop;
}

/* Are both contexts in the same loop, directly below OUTER? */
static bool shares_context(const struct run *run, int a, int b, int outer)
{
    while (a >= 0 && run->contexts[a].parent != outer) {
        a = run->contexts[a].parent;
    }
    while (b >= 0 && run->contexts[b].parent != outer) {
        b = run->contexts[b].parent;
    }
    return a >= 0 && a == b;
}

static void find_region(struct run *run, struct site *site, size_t completion)
{
    size_t first = site->event, last = completion, i;

    site->begin = run->events[site->event].time;
    site->end = run->events[completion].time + 1;
    for (i = 0; i < site->n_copies; i++) {
        size_t from = site->copies[i], to = from;
        size_t begin = run->events[from].time, end = begin + 2;

        if (run->events[from].loop >= 0) {
            const struct run_loop *loop = &run->loops[outermost(run, run->events[from].loop)];

            from = loop->first;
            to = loop->last - 1;
            begin = loop->begin;
            end = loop->end;
        }
        first = from < first ? from : first;
        last = to > last ? to : last;
        site->begin = begin < site->begin ? begin : site->begin;
        site->end = end > site->end ? end : site->end;
    }
    if (trusting(run)) { /* a loop with calls runs again before the region ends */
        int context = run->events[site->event].context, outer = run->events[last].context;

        for (i = 0; i < site->n_copies; i++) {
            int other = run->events[site->copies[i]].context;

            outer = around(run, other, outer) ? other : outer;
        }
        for (i = 0; i < run->n_events && context != outer; i++) {
            if (around(run, outer, run->events[i].context) && run->events[i].context != outer &&
                shares_context(run, run->events[i].context, context, outer)) {
                first = i < first ? i : first;
                last = i > last ? i : last;
            }
        }
    }
    site->first = first;
    site->last = last;
}

static bool is_copy_of(const struct site *site, size_t event)
{
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        if (site->copies[i] == event) {
            return true;
        }
    }
    return false;
}

/* The side of a copy that is not the buffer. */
static const struct run_place *data_of(const struct site *site, const struct run_event *event)
{
    return site->function->receives ? &event->to : &event->from;
}

/* The group's data that a write (read) of PLACE may change (see), or NULL. */
static const struct run_place *touches_part(struct run *run, const struct site *site,
                                            const struct run_place *place, bool bytes,
                                            const struct run_extent *extent,
                                            const struct c_node *where)
{
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        const struct run_place *data = data_of(site, &run->events[site->copies[i]]);

        /* one object may hold another type after a store (C11 6.5, 6), and memcpy() has no type */
        bool untyped = bytes || place->base == data->base ||
                       run->events[site->copies[i]].node->kind == C_CALL;

        if (!run_conflict(run, place->base, untyped ? NULL : place->type, data->base, data->type)) {
            continue;
        }
        if (!trusting(run)) {
            return data;
        }
        if (extent && place->base == data->base) {
            const struct run_extent all = {data->base, data->offset,
                                           run->events[site->copies[i]].size,
                                           run->events[site->copies[i]].loop,
                                           run->events[site->copies[i]].irregular};

            if (!run_meet(run, extent, &all)) {
                run_assume(run, RUN_ASSUMES_PARTS, where, "this is another part of %s than is %s", run_base_name(run, data->base),
                           site->function->receives ? "received" : "sent");
                continue;
            }
        }
        return data;
    }
    return NULL;
}

static const struct run_place *touches(struct run *run, const struct site *site,
                                       const struct run_place *place, bool bytes)
{
    return touches_part(run, site, place, bytes, NULL, NULL);
}

static void check_receive(struct run *run, struct site *site, const struct run_event *event,
                          int base)
{
    const struct run_place place = {.base = base};
    const struct site_function *function = receiver(event->node);
    struct run_extent extent = {.base = RUN_ANY};

    if (base == RUN_ANY && trusting(run)) {
        return;
    }
    if (function && argument_base(event, function->buffer) == base) {
        extent = extent_of_call(run, event, function->buffer, function->count, function->type);
    }
    if (touches_part(run, site, &place, true, &extent, event->node) || base == RUN_ANY) {
        site_refuse(site, C_REFUSED_SOURCE, event->node, "%s may receive into the data",
                    c_callee(event->node));
    } else if (trusting(run) && base == site->buffer && !is_of_slice(run, site, &extent)) {
        return;
    } else if (!run_distinct(run, base, site->buffer)) {
        site_refuse(site, C_REFUSED_ALIAS, event->node, "%s may receive into %s",
                    c_callee(event->node), run_base_name(run, site->buffer));
    }
}

/* Requests that this function alone knows: their receives are among its calls. */
static bool own_requests(struct run *run, const struct run_event *event)
{
    size_t i;
    bool any = false;

    for (i = 1; i < event->node->n; i++) {
        int base = argument_base(event, (int) i);

        if (base == RUN_ANY) {
            continue;
        }
        if (run->bases[base].kind != RUN_OBJECT || run->bases[base].symbol->escapes ||
            run->bases[base].symbol->kind != C_SYMBOL_LOCAL) {
            return false;
        }
        any = true;
    }
    return any;
}

/* Does it start an operation that may write until its completion, other than MPI_Irecv()? */
static bool starts_more(const char *name)
{
    switch (mpi_function(name)->kind) {
    case KIND_SEND_INIT:
    case KIND_RECV_INIT:
    case KIND_START:
    case KIND_ICOLLECTIVE:
        return true;
    case KIND_UNKNOWN:
        return strncmp(name, "MPI_I", 5) == 0 || strncmp(name, "MPI_R", 5) == 0 ||
               strstr(name, "_init") || strstr(name, "Start");
    default:
        return false;
    }
}

/* Receives that started before and that this call may complete. */
static void check_received(struct run *run, struct site *site, const struct run_event *wait)
{
    size_t i;

    for (i = 0; &run->events[i] < wait; i++) {
        const struct run_event *event = &run->events[i];
        const struct site_function *function =
            event->kind == RUN_MPI && i != site->event ? receiver(event->node) : NULL;

        if (function && excluded(run, site, event)) {
            continue;
        }
        if (function && function->request && (size_t) function->request < event->node->n &&
            may_complete(wait, &event->arguments[function->request])) {
            check_receive(run, site, event, argument_base(event, function->buffer));
        }
    }
    if (!own_requests(run, wait)) {
        run_assume(run, RUN_ASSUMES_WAIT, wait->node, "%s completes no receive into %s",
                   c_callee(wait->node),
                   run_base_name(run, data_of(site, &run->events[site->copies[0]])->base));
    }
}

static void check_completion(struct run *run, struct site *site, const struct run_event *event)
{
    size_t i;

    if (trusting(run)) {
        check_received(run, site, event);
        return;
    }
    if (!own_requests(run, event)) {
        site_refuse(site, C_REFUSED_SOURCE, event->node,
                    "%s may complete a receive that another function posted",
                    c_callee(event->node));
        return;
    }
    for (i = 0; i < run->n_events; i++) {
        const struct run_event *other = &run->events[i];

        if (other->kind == RUN_MPI && starts_more(c_callee(other->node))) {
            site_refuse(site, C_REFUSED_SOURCE, event->node, "%s may complete what %s started",
                        c_callee(event->node), c_callee(other->node));
        }
        if (other->kind == RUN_MPI && strcmp(c_callee(other->node), "MPI_Irecv") == 0 &&
            i != site->event) {
            check_receive(run, site, event, argument_base(other, 1));
        }
    }
}

/* Known by name to touch nothing but what it is handed. */
static bool is_of_library(const char *name)
{
    static const char *const names[] = {
        "printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fputs", "fflush", "perror", "time", "clock",
        "gettimeofday", "clock_gettime", "getenv", "rand", "drand48", "omp_get_wtime", "malloc", "calloc", "realloc", "assert",
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names && strcmp(names[i], name) != 0; i++) {
    }
    return i < sizeof names / sizeof *names || strncmp(name, "MPI_", 4) == 0;
}

/* A function that is not followed: what it is handed must be neither the buffer nor the data. */
static void check_call(struct run *run, struct site *site, const struct run_event *event)
{
    const char *name = *c_callee(event->node) ? c_callee(event->node)
                                             : c_text(run->memory, run->unit, event->node->child[0]);
    size_t i;

    for (i = 1; i < event->node->n; i++) {
        const struct c_type *type = event->node->child[i]->type;
        bool may_write = type && type->inner && !type->inner->is_const;
        struct run_place place = {.base = argument_base(event, (int) i)};

        if (place.base == RUN_ANY) {
            continue;
        }
        if (place.base == site->buffer) {
            site_refuse(site, may_write ? C_REFUSED_CALL : C_REFUSED_READ, event->node,
                        "%s() may %s %s", name, may_write ? "change" : "read",
                        run_base_name(run, site->buffer));
        } else if ((may_write || site->function->receives) && touches(run, site, &place, true)) {
            site_refuse(site, C_REFUSED_CALL, event->node, "%s() may %s the data that is %s", name,
                        may_write ? "change" : "read", site->function->receives ? "received" : "sent");
        }
    }
    if (!is_of_library(name) && !(event->node->symbol && event->node->symbol->is_foreign)) {
        run_assume(run, RUN_ASSUMES_CALL, event->node, "%s() changes nothing but what it is handed", name);
    }
}

static void check_mpi(struct run *run, struct site *site, size_t at, size_t completion)
{
    const struct run_event *event = &run->events[at];
    const char *name = c_callee(event->node);
    const struct site_function *function = receiver(event->node);
    bool known = kind_of(event->node) == KIND_QUERY || kind_of(event->node) == KIND_PROBE ||
                 kind_of(event->node) == KIND_IPROBE;
    size_t i;

    if (at == site->event) {
        if (function && !site->function->receives) { /* MPI_Sendrecv */
            check_receive(run, site, event, argument_base(event, function->buffer));
        }
        if (site->function->receives && kind_of(event->node) == KIND_SENDRECV) {
            const struct run_place sent = {.base = argument_base(event, 1)};

            if (sent.base == RUN_ANY || touches(run, site, &sent, true)) {
                site_refuse(site, C_REFUSED_DESTINATION, event->node,
                            "the same call may send the data");
            }
        }
        return;
    }
    if (strncmp(name, "MPI_Wait", 8) == 0) {
        if (trusting(run) || at != completion || strcmp(name, "MPI_Wait") != 0) {
            check_completion(run, site, event);
        }
        return;
    }
    for (i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (functions[i].kind == kind_of(event->node)) {
            int base = argument_base(event, functions[i].buffer);

            known = true;
            if (functions[i].receives) {
                check_receive(run, site, event, base);
            } else if (trusting(run) && base == RUN_ANY) {
                continue;
            } else if (site->function->receives) {
                const struct run_place place = {.base = base};
                const struct run_extent extent =
                    extent_of_call(run, event, functions[i].buffer, functions[i].count, functions[i].type);

                if (base == RUN_ANY || touches_part(run, site, &place, true, &extent, event->node)) {
                    site_refuse(site, C_REFUSED_DESTINATION, event->node,
                                "%s may send the data that is not unpacked yet", name);
                }
            } else if (base == RUN_ANY) {
                site_refuse(site, C_REFUSED_READ, event->node, "%s may read %s", name,
                            run_base_name(run, site->buffer));
            }
        }
    }
    if (!known && trusting(run)) {
        check_call(run, site, event);
    } else if (!known) {
        site_refuse(site, C_REFUSED_CALL, event->node, "what %s() does to the data is not known",
                    name);
    }
}

/* Behind the call, or for another one of the same loop: the datatype does not read the buffer. */
static bool fills_again(const struct run *run, const struct site *site,
                        const struct run_event *event)
{
    return trusting(run) && !site->function->receives &&
           (event > &run->events[site->event] ||
            event->context != run->events[site->copies[0]].context);
}

static void check_store(struct run *run, struct site *site, const struct run_event *event)
{
    bool bytes = event->node->kind == C_CALL;

    const struct run_extent extent = extent_of(event, &event->to);

    if (event->to.base == RUN_ANY || !run_distinct(run, event->to.base, site->buffer)) {
        if (event->to.base == site->buffer &&
            (fills_again(run, site, event) || (trusting(run) && !is_of_slice(run, site, &extent)))) {
            return;
        }
        if (event->to.base == site->buffer) {
            site_refuse(site, C_REFUSED_SOURCE, event->node, "%s is written here",
                        run_base_name(run, site->buffer));
        } else if (run_conflict(run, event->to.base, bytes ? NULL : event->to.type, site->buffer,
                                NULL)) {
            site_refuse(site, C_REFUSED_ALIAS, event->node, "this may write to %s",
                        run_base_name(run, site->buffer));
        }
    }
    if (touches_part(run, site, &event->to, bytes, &extent, event->node)) {
        site_refuse(site, site->function->receives ? C_REFUSED_DESTINATION : C_REFUSED_SOURCE,
                    event->node, "this may change the data that is %s",
                    site->function->receives ? "received" : "sent");
    }
}

static bool may_read(struct run *run, const struct site *site, const struct run_place *from)
{
    const struct run_event *copy = &run->events[site->copies[0]];
    const struct run_place *buffer = site->function->receives ? &copy->from : &copy->to;

    return from->base == site->buffer ||
           run_conflict(run, site->buffer, copy->kind == RUN_COPY ? buffer->type : NULL, from->base,
                        from->type);
}

static void check_load(struct run *run, struct site *site, const struct run_event *event)
{
    const struct run_place *from = &event->from;

    if (trusting(run) && !site->function->receives) {
        site->shared = site->shared || from->base == site->buffer; /* then the packing stays */
    } else if (may_read(run, site, from)) {
        site_refuse(site, C_REFUSED_READ, event->node, "this may read %s",
                    run_base_name(run, site->buffer));
    }
    const struct run_extent extent = {from->base, from->offset,
                                      event->size ? event->size : run_size(run, from->type), event->loop,
                                      event->irregular};

    if (site->function->receives && touches_part(run, site, from, false, &extent, event->node)) {
        site_refuse(site, C_REFUSED_DESTINATION, event->node,
                    "this may read the data before it is unpacked");
    }
}

/* Does the flow of control decide which of the copies are made, before the call? */
static bool matters(struct run *run, const struct site *site, const struct run_event *event)
{
    size_t i;

    if (strcmp(event->why, "a label") == 0) {
        return true;
    }
    if (strcmp(event->why, "a return") == 0 || strcmp(event->why, "a goto") == 0) {
        if (site->function->receives) {
            run_assume(run, RUN_ASSUMES_RETURN, event->node,
                       "the function does not end here, before all is unpacked");
        }
        return false;
    }
    for (i = 0; i < site->n_copies; i++) {
        const struct run_event *copy = &run->events[site->copies[i]];

        if (event->node->kind != C_CALL && run_within(run, copy, event->node) &&
            !run_within(run, &run->events[site->event], event->node)) {
            return true;
        }
    }
    return false;
}

static void check_event(struct run *run, struct site *site, size_t at, size_t completion)
{
    const struct run_event *event = &run->events[at];

    if (excluded(run, site, event) ||
        (trusting(run) && site->any != SIZE_MAX && !is_first_of_any(run, event, &site->any))) {
        return;
    }
    if (event->irregular && event->kind != RUN_CONTROL && !(trusting(run) && !is_copy_of(site, at))) {
        site_refuse(site, C_REFUSED_CONTROL, event->node, "this is in a loop that is not followed");
    }
    switch (event->kind) {
    case RUN_COPY:
    case RUN_STORE:
        if (!is_copy_of(site, at)) {
            check_store(run, site, event);
            if (event->kind == RUN_COPY) {
                check_load(run, site, event);
            }
        }
        break;
    case RUN_LOAD:
        check_load(run, site, event);
        break;
    case RUN_CALL:
        if (trusting(run)) {
            check_call(run, site, event);
            break;
        }
        site_refuse(site, C_REFUSED_CALL, event->node, "what %s() changes is not known",
                    event->why);
        break;
    case RUN_MPI:
        check_mpi(run, site, at, completion);
        break;
    case RUN_CONTROL:
        if (trusting(run) && !matters(run, site, event)) {
            break;
        }
        site_refuse(site, C_REFUSED_CONTROL, event->node, "%s", event->why);
        break;
    case RUN_FREE:
        if (trusting(run)) {
            const struct run_place freed = {.base = event->to.base};

            if (freed.base == RUN_ANY || at > site->event || !touches(run, site, &freed, true)) {
                break;
            }
        }
        site_refuse(site, C_REFUSED_CALL, event->node, "memory is freed here");
        break;
    }
}

/* ---- the buffer's other readers ---- */

/* What fills the buffer that an event reads: an event before it in the same context. */
static const struct run_event *filled_by(struct run *run, size_t reader, int base)
{
    size_t i;

    for (i = reader; i-- > 0 && run->events[i].context == run->events[reader].context;) {
        if (stores_into(&run->events[i], base) || receives_into(&run->events[i], base)) {
            return &run->events[i];
        }
    }
    return NULL;
}

static void check_readers(struct run *run, struct site *site)
{
    size_t i;

    for (i = 0; i < run->n_events; i++) {
        const struct run_event *event = &run->events[i], *filler;

        if (is_copy_of(site, i) || (event->kind != RUN_COPY && event->kind != RUN_LOAD)) {
            continue;
        }
        if (event->from.base != site->buffer) {
            if (!site->shared && may_read(run, site, &event->from)) {
                site_refuse(site, C_REFUSED_READ, event->node, "this may read %s",
                            run_base_name(run, site->buffer));
            }
            continue;
        }
        filler = filled_by(run, i, site->buffer);
        if (trusting(run) && !site->function->receives) {
            if (filler && filler->kind != RUN_MPI && i > site->event) {
                site->shared = true; /* the datatype is right, and the packing stays */
            }
        } else if (!filler || filler->kind != RUN_MPI) {
            site_refuse(site, C_REFUSED_READ, event->node,
                        filler ? "%s is read here after it was packed"
                               : "%s is read here before it is filled",
                        run_base_name(run, site->buffer));
        }
    }
}

/* Does another function read a static buffer that it did not fill, or send it? */
static bool read_elsewhere(struct run *run, const struct c_symbol *symbol)
{
    const struct c_unit *unit = run->unit;
    size_t i, j;
    bool found = false;

    for (i = 0; i < unit->n_functions && !found; i++) {
        struct run *other;

        if (&unit->functions[i] == run->function || !c_mentions(unit->functions[i].body, symbol)) {
            continue;
        }
        other = run_function(run->unit, &unit->functions[i], run->level);
        found = other->refused != NULL;
        for (j = 0; j < other->n_events && !found; j++) {
            const struct run_event *event = &other->events[j];
            int base;

            for (base = 0; base < other->n_bases && !found; base++) {
                if (other->bases[base].symbol == symbol &&
                    (other->bases[base].kind != RUN_OBJECT ||
                     symbol->type->kind != C_TYPE_POINTER) &&
                    (reads(event, base) ||
                     (mentions(event, base) && !receives_into(event, base)))) {
                    found = filled_by(other, j, base) == NULL;
                }
            }
        }
        run_free(other);
        run_resume(run);
    }
    return found;
}

static void check_shared(struct run *run, struct site *site)
{
    const struct run_base *base = &run->bases[site->buffer];
    const struct c_symbol *symbol = base->symbol;
    bool visible = true;
    size_t i;

    if (symbol && !symbol->escapes && symbol->kind != C_SYMBOL_GLOBAL) {
        if (base->kind == RUN_OBJECT &&
            (symbol->kind == C_SYMBOL_LOCAL || symbol->kind == C_SYMBOL_PARAMETER)) {
            visible = false;
        } else if (base->kind == RUN_FRESH && symbol->kind == C_SYMBOL_LOCAL &&
                   symbol->only_allocated) {
            visible = false;
        } else if (base->kind == RUN_POINTEE && symbol->kind == C_SYMBOL_LOCAL &&
                   symbol->only_allocated) {
            visible = false;
        } else if (symbol->kind == C_SYMBOL_STATIC &&
                   (base->kind == RUN_OBJECT || symbol->only_allocated)) {
            visible = symbol->n_flows > 0 || trusting(run) || read_elsewhere(run, symbol);
        }
        for (i = 0; i < symbol->n_flows; i++) {
            visible = visible || symbol->flows[i]->kind != C_SYMBOL_LOCAL;
        }
    }
    if (!visible || run->level == RUN_DISTINCT) {
        return;
    }
    if (trusting(run)) {
        run_assume(run, RUN_ASSUMES_SHARED, site->call, "no other code reads %s",
                   run_base_name(run, site->buffer));
        return;
    }
    site->shared = true;
    if (site->function->receives) {
        site_refuse(site, C_REFUSED_SHARED, site->call,
                    "%s may be read by other code, which would miss the received data",
                    run_base_name(run, site->buffer));
    }
}

/* ---- text ---- */

static void check_text(struct run *run, struct site *site)
{
    const struct c_unit *unit = run->unit;
    const struct c_node *function = run->frames[site->home].function->body;
    size_t begin = site->at->span.begin, end = site->at->span.end, i;
    const char *line;

    if (function->span.elsewhere) {
        return;
    }

    for (i = 0; i < site->n_copies; i++) {
        const struct c_node *node = site_statement(run, site, &run->events[site->copies[i]]);

        begin = node->span.begin < begin ? node->span.begin : begin;
        end = node->span.end > end ? node->span.end : end;
    }
    /* also directives right before the first statement */
    while (begin > function->span.begin && unit->text[begin - 1] != ';' &&
           unit->text[begin - 1] != '{' && unit->text[begin - 1] != '}') {
        begin--;
    }
    for (line = unit->text + begin; line && line < unit->text + end;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *at = line;

        while (at > unit->text && at == line && (at[-1] == ' ' || at[-1] == '\t')) {
            line--;
            at = line;
        }
        at += strspn(at, " \t");
        if (*at == '#') {
            at += 1 + strspn(at + 1, " \t");
            if (trusting(run)) {
                site->directive = c_format(run->memory, "there is a #%.*s in between",
                                           (int) strspn(at, "abcdefghijklmnopqrstuvwxyz"), at);
                continue;
            }
            site_refuse(site, C_REFUSED_TEXT, site->call, "there is a #%.*s in between",
                        (int) strspn(at, "abcdefghijklmnopqrstuvwxyz"), at);
        }
    }
    {
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a unit has a text */
        const char *pragma = strstr(unit->text + begin, "_Pragma");

        if (pragma && pragma < unit->text + end && trusting(run)) {
            site->directive = "there is a _Pragma in between";
        } else if (pragma && pragma < unit->text + end) {
            site_refuse(site, C_REFUSED_TEXT, site->call, "there is a _Pragma in between");
        }
    }
}

/* ---- together ---- */

static void check_copies(struct run *run, struct site *site)
{
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        const struct run_event *copy = &run->events[site->copies[i]];
        const struct run_place *data = data_of(site, copy);

        if (copy->kind != RUN_COPY) {
            site_refuse(site, C_REFUSED_VALUE, copy->node, "%s",
                        copy->why ? copy->why : "the value is computed");
            continue;
        }
        check_conditions(run, site, copy);
        if (data->base == RUN_ANY ? !run_distinct(run, site->buffer, RUN_ANY)
                                  : run_conflict(run, site->buffer, NULL, data->base, NULL)) {
            site_refuse(site, C_REFUSED_ALIAS, copy->node, "%s and %s may share memory",
                        run_base_name(run, site->buffer), run_base_name(run, data->base));
        }
    }
}

/* Writes that left no event of their own, such as those of calls. */
static void check_writes(struct run *run, struct site *site)
{
    size_t i;

    for (i = 0; i < site->n_copies && !site->function->receives && !trusting(run); i++) {
        const struct run_event *copy = &run->events[site->copies[i]];

        if (run_written(run, copy->from.base, copy->from.type, site->begin, site->end)) {
            site_refuse(site, C_REFUSED_SOURCE, copy->node, "%s may change before it is sent",
                        run_base_name(run, copy->from.base));
        }
    }
}

/* A buffer that is filled with zeros first, and then packed: only the copies count. */
static void drop_fills(struct run *run, struct site *site)
{
    size_t i, n = 0;

    for (i = 0; i < site->n_copies; i++) {
        const struct run_event *event = &run->events[site->copies[i]];

        if (event->kind == RUN_COPY || (event->node->kind != C_VARIABLE && event->node->kind != C_CALL)) {
            site->copies[n++] = site->copies[i];
        }
    }
    site->n_copies = n;
}

static enum site_kind kind_of_site(struct run *run, struct site *site)
{
    const struct run_base *base = &run->bases[site->buffer];
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

enum site_kind site_region(struct run *run, struct site *site)
{
    const struct run_event *call = &run->events[site->event];
    size_t completion = site->event, i;
    enum site_kind kind;

    site->at = site->call;
    site->home = call->frame;
    site->buffer = argument_base(call, site->function->buffer);
    if (site->buffer == RUN_ANY) {
        return SITE_DIRECT;
    }
    site->slice = extent_of_call(run, call, site->function->buffer, site->function->count, site->function->type);
    if (site->function->receives) {
        find_unpacking(run, site);
    } else {
        find_packing(run, site);
    }
    kind = kind_of_site(run, site);
    if (kind != SITE_PACKS || site->n_copies == 0) {
        return kind;
    }
    find_home(run, site);
    if (site->function->request) {
        completion = trusting(run) ? find_trusted_completion(run, site) : find_completion(run, site);
    }
    find_region(run, site, completion);
    if (site->function->receives && completion > site->copies[0]) {
        site_refuse(site, C_REFUSED_READ, run->events[site->copies[0]].node,
                    "the buffer is read before the request is complete");
    }
    if (site->function->receives && run->events[site->copies[0]].loop >= 0 &&
        run->loops[outermost(run, run->events[site->copies[0]].loop)].first < completion) {
        site_refuse(site, C_REFUSED_CONTROL, site->call, "the call is in the loop that unpacks");
    }
    check_copies(run, site);
    for (i = site->first; i <= site->last && i < run->n_events; i++) {
        check_event(run, site, i, completion);
    }
    check_writes(run, site);
    check_shared(run, site);
    check_readers(run, site);
    check_text(run, site);
    if (site->directive) {
        run_assume(run, RUN_ASSUMES_TEXT, site->at, "%s, which changes nothing", site->directive);
    }
    return SITE_PACKS;
}

void site_free(struct site *site)
{
    access_free(site->program);
    free(site->needs.index);
    free(site->copies);
    free(site->statements);
}

/* Two decided calls that are under way together, or are one, must not share data when one receives.
 */
static void check_pairs(struct run *run, struct site *sites, size_t n)
{
    size_t i, j, k;

    for (i = 0; i < n; i++) {
        for (j = 0; j < n && !sites[i].refusal; j++) {
            if (i == j || sites[j].refusal || sites[i].kind != SITE_PACKS || sites[j].kind != SITE_PACKS || !sites[i].function->receives ||
                sites[i].first > sites[j].last || sites[j].first > sites[i].last) {
                continue;
            }
            for (k = 0; k < sites[j].n_copies; k++) {
                const struct run_event *copy = &run->events[sites[j].copies[k]];
                const struct run_place *data = data_of(&sites[j], copy);
                const struct run_extent extent = extent_of(copy, data);

                run->needs = &sites[i].needs;
                if (touches_part(run, &sites[i], data, true, &extent, copy->node)) {
                    site_refuse(&sites[i], C_REFUSED_DESTINATION,
                                run->events[sites[j].copies[k]].node,
                                "%s is part of another message that is under way with this one",
                                run_base_name(run, data->base));
                }
            }
        }
    }
}

/* Does the loop copy, and another copy come behind it? */
static bool decides_position(const struct run *run, const struct site *site, const struct run_assumption *trip)
{
    size_t i;

    for (i = 0; i < site->n_copies && !run_within(run, &run->events[site->copies[i]], trip->where); i++) {
    }
    return i < site->n_copies && site->copies[site->n_copies - 1] >= trip->event;
}

/* The names of all memory that must be different, in one sentence: the buffer first. */
static void note_distinct(struct run *run, struct site *site)
{
    int bases[RUN_NAMES] = {site->buffer}, n = 1, more = 0, j, k;
    char text[500] = "";
    size_t i, kept = 0;

    for (i = 0; i < site->needs.n; i++) {
        const struct run_assumption *known = &run->assumptions[site->needs.index[i]];

        if (known->bases[0] == RUN_ANY) {
            site->needs.index[kept++] = site->needs.index[i];
            continue;
        }
        for (k = 0; k < 2; k++) {
            for (j = 0; j < n && strcmp(run_base_name(run, bases[j]), run_base_name(run, known->bases[k])) != 0; j++) {
            }
            if (j == n && n < RUN_NAMES) {
                bases[n++] = known->bases[k];
            } else if (j == n) {
                more++;
            }
        }
    }
    site->needs.n = kept;
    if (n < 2) {
        return;
    }
    for (j = 0; j < n; j++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 j == 0 ? "" : j == n - 1 && more == 0 ? " and " : ", ", run_base_name(run, bases[j]));
    }
    run_assume(run, RUN_ASSUMES_DISTINCT, site->call, "%s%s are different memory", text,
               more ? " and others in between" : "");
}

/* Besides those that the site asked for: what the run assumed while its data was packed. */
static void note_assumptions(struct run *run, struct site *site)
{
    size_t i;

    for (i = 0; i < run->n_assumptions; i++) {
        const struct run_assumption *known = &run->assumptions[i];

        if (known->number == RUN_ASSUMES_TRIP && !decides_position(run, site, known)) {
            continue;
        }
        if (known->first != (size_t) -1 && known->first < site->end && known->last >= site->begin) {
            run_need(&site->needs, i);
        }
    }
    note_distinct(run, site);
}

static const struct site_function *function_of(const struct run_event *event, size_t j)
{
    return event->kind == RUN_MPI && functions[j].kind == kind_of(event->node) &&
                   event->node->n > (size_t) functions[j].type
               ? &functions[j]
               : NULL;
}

size_t site_find(struct run *run, struct site **sites)
{
    size_t i, j, n = 0;

    *sites = NULL;
    for (i = 0; i < run->n_events; i++) {
        for (j = 0; j < sizeof functions / sizeof *functions; j++) {
            struct site site = {.run = run, .function = function_of(&run->events[i], j), .event = i, .any = SIZE_MAX};

            if (!site.function) {
                continue;
            }
            run->needs = &site.needs;
            site.call = run->events[i].node;
            site.kind = site_region(run, &site);
            if (site.kind != SITE_PACKS && !trusting(run)) {
                site_free(&site);
                continue;
            }
            if (site.kind == SITE_PACKS) {
                site_program(run, &site);
                note_assumptions(run, &site);
            }
            run->needs = NULL;
            *sites = realloc(*sites, (n + 1) * sizeof **sites);
            if (!*sites) {
                fprintf(stderr, "dame suggest: out of memory\n");
                exit(3);
            }
            (*sites)[n++] = site;
        }
    }
    check_pairs(run, *sites, n);
    run->needs = NULL;
    return n;
}

size_t site_calls(const struct c_node *node)
{
    size_t i, n = 0;

    for (i = 0; node && node->kind == C_CALL && i < sizeof functions / sizeof *functions; i++) {
        n += functions[i].kind == kind_of(node);
    }
    for (i = 0; node && i < node->n; i++) {
        n += site_calls(node->child[i]);
    }
    return n;
}
