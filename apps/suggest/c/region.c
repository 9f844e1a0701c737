/* SPDX-License-Identifier: BSD-3-Clause */
/* The region rule: everything between the first packed store and the last use of the buffer is on a
 * whitelist, or the call is refused. For receives: from the call to the end of unpacking. */
#include "site_private.h"

#include <string.h>

static size_t outermost(const run_t *run, int loop)
{
    while (run->loops[loop].parent >= 0) {
        loop = run->loops[loop].parent;
    }
    return (size_t) loop;
}

/* Are both contexts in the same loop, directly below OUTER? */
static bool shares_context(const run_t *run, int a, int b, int outer)
{
    while (a >= 0 && run->contexts[a] != outer) {
        a = run->contexts[a];
    }
    while (b >= 0 && run->contexts[b] != outer) {
        b = run->contexts[b];
    }
    return a >= 0 && a == b;
}

static void find_region(run_t *run, site_t *site, size_t completion)
{
    size_t first = site->event, last = completion, i;

    site->begin = run->events[site->event].time;
    site->end = run->events[completion].time + 1;
    for (i = 0; i < site->n_copies; i++) {
        size_t from = site->copies[i], to = from;
        size_t begin = run->events[from].time, end = begin + 2;

        if (run->events[from].loop >= 0) {
            const run_loop_t *loop = &run->loops[outermost(run, run->events[from].loop)];

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

            outer = site_around(run, other, outer) ? other : outer;
        }
        for (i = 0; i < run->n_events && context != outer; i++) {
            if (site_around(run, outer, run->events[i].context) &&
                run->events[i].context != outer &&
                shares_context(run, run->events[i].context, context, outer)) {
                first = i < first ? i : first;
                last = i > last ? i : last;
            }
        }
    }
    site->first = first;
    site->last = last;
}

static bool is_copy_of(const site_t *site, size_t event)
{
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        if (site->copies[i] == event) {
            return true;
        }
    }
    return false;
}

/* The group's data that a write (read) of PLACE may change (see), or NULL. */
const run_place_t *site_touches(run_t *run, const site_t *site, const run_place_t *place,
                                bool bytes, const run_extent_t *extent, const c_node_t *where)
{
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        const run_place_t *data = site_data(site, &run->events[site->copies[i]]);

        /* one object may hold another type after a store (C11 6.5, 6), and memcpy() has no type */
        bool untyped =
            bytes || place->base == data->base || run->events[site->copies[i]].node->kind == C_CALL;

        if (!run_conflict(run, place->base, untyped ? NULL : place->type, data->base, data->type)) {
            continue;
        }
        if (!trusting(run)) {
            return data;
        }
        if (extent && place->base == data->base) {
            const run_extent_t all = site_extent(run, &run->events[site->copies[i]], data);

            if (!run_meet(run, extent, &all)) {
                run_assume(run, RUN_ASSUMES_PARTS, where, "this is another part of %s than is %s",
                           run_base_name(run, data->base),
                           site->function->receives ? "received" : "sent");
                continue;
            }
        }
        return data;
    }
    return NULL;
}

static const run_place_t *touches(run_t *run, const site_t *site, const run_place_t *place,
                                  bool bytes)
{
    return site_touches(run, site, place, bytes, NULL, NULL);
}

static void check_receive(run_t *run, site_t *site, const run_event_t *event, int base)
{
    const run_place_t place = {.base = base};
    site_function_t function;
    run_extent_t extent = {.base = RUN_ANY};

    if (base == RUN_ANY && trusting(run)) {
        return;
    }
    if (site_receives_into(run, event, base) && site_receiver(run, event->node, &function)) {
        extent = site_call_extent(run, event, &function);
    }
    if (site_touches(run, site, &place, true, &extent, event->node) || base == RUN_ANY) {
        site_refuse(site, C_REFUSED_SOURCE, event->node, "%s may receive into the data",
                    c_callee(event->node));
    } else if (trusting(run) && base == site->buffer && !site_has_slice(run, site, &extent)) {
        return;
    } else if (!run_distinct(run, base, site->buffer)) {
        site_refuse(site, C_REFUSED_ALIAS, event->node, "%s may receive into %s",
                    c_callee(event->node), run_base_name(run, site->buffer));
    }
}

/* Requests that this function alone knows: their receives are among its calls. */
static bool own_requests(run_t *run, const run_event_t *event)
{
    size_t i;
    bool any = false;

    for (i = 1; i < event->node->n; i++) {
        int base = site_argument(event, (int) i);

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
static void check_received(run_t *run, site_t *site, const run_event_t *wait)
{
    size_t i;

    for (i = 0; &run->events[i] < wait; i++) {
        const run_event_t *event = &run->events[i];
        site_function_t function;

        if (event->kind == RUN_MPI && i != site->event &&
            site_receiver(run, event->node, &function) && function.request &&
            !site_excluded(run, site, event) &&
            site_may_complete(wait, &event->arguments[function.request]) &&
            !site_is_complete(run, i, &event->arguments[function.request], wait)) {
            check_receive(run, site, event, site_argument(event, function.buffer));
        }
    }
    if (!own_requests(run, wait)) {
        run_assume(run, RUN_ASSUMES_WAIT, wait->node, "%s completes no receive into %s",
                   c_callee(wait->node),
                   run_base_name(run, site_data(site, &run->events[site->copies[0]])->base));
    }
}

static void check_completion(run_t *run, site_t *site, const run_event_t *event)
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
        const run_event_t *other = &run->events[i];

        if (other->kind == RUN_MPI && starts_more(c_callee(other->node))) {
            site_refuse(site, C_REFUSED_SOURCE, event->node, "%s may complete what %s started",
                        c_callee(event->node), c_callee(other->node));
        }
        if (other->kind == RUN_MPI && strcmp(c_callee(other->node), "MPI_Irecv") == 0 &&
            i != site->event) {
            check_receive(run, site, event, site_argument(other, 1));
        }
    }
}

/* Known by name to touch nothing but what it is handed. */
static bool is_of_library(const char *name)
{
    static const char *const names[] = {
        "printf", "fprintf", "sprintf",       "snprintf", "puts",         "putchar",       "fputs",
        "fflush", "perror",  "time",          "clock",    "gettimeofday", "clock_gettime", "getenv",
        "rand",   "drand48", "omp_get_wtime", "malloc",   "calloc",       "realloc",       "assert",
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names && strcmp(names[i], name) != 0; i++) {
    }
    return i < sizeof names / sizeof *names || strncmp(name, "MPI_", 4) == 0;
}

/* A function that is not followed: what it is handed must be neither the buffer nor the data. */
static void check_call(run_t *run, site_t *site, const run_event_t *event)
{
    const char *name =
        *c_callee(event->node) ? c_callee(event->node) : c_text(run->memory, event->node->child[0]);
    size_t i;

    for (i = 1; i < event->node->n; i++) {
        const c_type_t *type = event->node->child[i]->type;
        bool may_write = type && type->inner && !type->inner->is_const;
        run_place_t place = {.base = site_argument(event, (int) i)};

        if (place.base == RUN_ANY) {
            continue;
        }
        if (place.base == site->buffer) {
            site_refuse(site, may_write ? C_REFUSED_CALL : C_REFUSED_READ, event->node,
                        "%s() may %s %s", name, may_write ? "change" : "read",
                        run_base_name(run, site->buffer));
        } else if ((may_write || site->function->receives) && touches(run, site, &place, true)) {
            site_refuse(site, C_REFUSED_CALL, event->node, "%s() may %s the data that is %s", name,
                        may_write ? "change" : "read",
                        site->function->receives ? "received" : "sent");
        }
    }
    if (!is_of_library(name) && !(event->node->symbol && event->node->symbol->is_foreign)) {
        run_assume(run, RUN_ASSUMES_CALL, event->node, "%s() changes nothing but what it is handed",
                   name);
    }
}

static void check_mpi(run_t *run, site_t *site, size_t at, size_t completion)
{
    const run_event_t *event = &run->events[at];
    const char *name = c_callee(event->node);
    site_function_t functions[2];
    size_t i, n = site_functions(run->level, event->node, functions);
    bool known = site_kind_of(event->node) == KIND_QUERY ||
                 site_kind_of(event->node) == KIND_PROBE ||
                 site_kind_of(event->node) == KIND_IPROBE;

    if (at == site->event) {
        for (i = 0; i < n; i++) { /* the other half of MPI_Sendrecv */
            const run_place_t other = {.base = site_argument(event, functions[i].buffer)};

            if (functions[i].buffer == site->function->buffer) {
                continue;
            }
            if (functions[i].receives) {
                check_receive(run, site, event, other.base);
            } else if (other.base == RUN_ANY || touches(run, site, &other, true)) {
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
    known = known || n > 0;
    for (i = 0; i < n; i++) {
        int base = site_argument(event, functions[i].buffer);

        if (functions[i].receives) {
            check_receive(run, site, event, base);
        } else if (trusting(run) && base == RUN_ANY) {
            continue;
        } else if (site->function->receives) {
            const run_place_t place = {.base = base};
            const run_extent_t extent = site_call_extent(run, event, &functions[i]);

            if (base == RUN_ANY || site_touches(run, site, &place, true, &extent, event->node)) {
                site_refuse(site, C_REFUSED_DESTINATION, event->node,
                            "%s may send the data that is not unpacked yet", name);
            }
        } else if (base == RUN_ANY) {
            site_refuse(site, C_REFUSED_READ, event->node, "%s may read %s", name,
                        run_base_name(run, site->buffer));
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
static bool fills_again(const run_t *run, const site_t *site, const run_event_t *event)
{
    return trusting(run) && !site->function->receives &&
           (event > &run->events[site->event] ||
            event->context != run->events[site->copies[0]].context);
}

static void check_store(run_t *run, site_t *site, const run_event_t *event)
{
    bool bytes = event->node->kind == C_CALL;

    const run_extent_t extent = site_extent(run, event, &event->to);

    if (event->to.base == RUN_ANY || !run_distinct(run, event->to.base, site->buffer)) {
        if (event->to.base == site->buffer &&
            (fills_again(run, site, event) ||
             (trusting(run) && !site_has_slice(run, site, &extent)))) {
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
    if (site_touches(run, site, &event->to, bytes, &extent, event->node)) {
        site_refuse(site, site->function->receives ? C_REFUSED_DESTINATION : C_REFUSED_SOURCE,
                    event->node, "this may change the data that is %s",
                    site->function->receives ? "received" : "sent");
    }
}

static bool may_read(run_t *run, const site_t *site, const run_place_t *from)
{
    const run_event_t *copy = &run->events[site->copies[0]];
    const run_place_t *buffer = site->function->receives ? &copy->from : &copy->to;

    return from->base == site->buffer ||
           run_conflict(run, site->buffer, copy->kind == RUN_COPY ? buffer->type : NULL, from->base,
                        from->type);
}

static void check_load(run_t *run, site_t *site, const run_event_t *event)
{
    const run_place_t *from = &event->from;

    if (trusting(run) && !site->function->receives) {
        site->shared = site->shared || from->base == site->buffer; /* then the packing stays */
    } else if (may_read(run, site, from)) {
        site_refuse(site, C_REFUSED_READ, event->node, "this may read %s",
                    run_base_name(run, site->buffer));
    }
    const run_extent_t extent = site_extent(run, event, from);

    if (site->function->receives && site_touches(run, site, from, false, &extent, event->node)) {
        site_refuse(site, C_REFUSED_DESTINATION, event->node,
                    "this may read the data before it is unpacked");
    }
}

/* Does the flow of control decide which of the copies are made, before the call? */
static bool matters(run_t *run, const site_t *site, const run_event_t *event)
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
        const run_event_t *copy = &run->events[site->copies[i]];

        if (event->node->kind != C_CALL && run_within(run, copy, event->node) &&
            !run_within(run, &run->events[site->event], event->node)) {
            return true;
        }
    }
    return false;
}

static void check_event(run_t *run, site_t *site, size_t at, size_t completion)
{
    const run_event_t *event = &run->events[at];

    if (site_excluded(run, site, event) ||
        (trusting(run) && site->any != SIZE_MAX && !site_first_of_any(run, event, &site->any))) {
        return;
    }
    if (event->irregular && event->kind != RUN_CONTROL &&
        !(trusting(run) && !is_copy_of(site, at))) {
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
            const run_place_t freed = {.base = event->to.base};

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
static const run_event_t *filled_by(run_t *run, size_t reader, int base)
{
    size_t i;

    for (i = reader; i-- > 0 && run->events[i].context == run->events[reader].context;) {
        if (site_stores_into(&run->events[i], base) ||
            site_receives_into(run, &run->events[i], base)) {
            return &run->events[i];
        }
    }
    return NULL;
}

static void check_readers(run_t *run, site_t *site)
{
    size_t i;

    for (i = 0; i < run->n_events; i++) {
        const run_event_t *event = &run->events[i], *filler;

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
static bool read_elsewhere(run_t *run, const c_symbol_t *symbol)
{
    const c_unit_t *unit = run->unit;
    size_t i, j;
    bool found = false;

    for (i = 0; i < unit->n_functions && !found; i++) {
        run_t *other;

        if (&unit->functions[i] == run->function || !c_mentions(unit->functions[i].body, symbol)) {
            continue;
        }
        other = run_function(run->unit, &unit->functions[i], run->level);
        found = other->refused != NULL;
        for (j = 0; j < other->n_events && !found; j++) {
            const run_event_t *event = &other->events[j];
            int base;

            for (base = 0; base < other->n_bases && !found; base++) {
                if (other->bases[base].symbol == symbol &&
                    (other->bases[base].kind != RUN_OBJECT ||
                     symbol->type->kind != C_TYPE_POINTER) &&
                    (site_reads(event, base) ||
                     (site_mentions(event, base) && !site_receives_into(run, event, base)))) {
                    found = filled_by(other, j, base) == NULL;
                }
            }
        }
        run_free(other);
        run_resume(run);
    }
    return found;
}

static void check_shared(run_t *run, site_t *site)
{
    const run_base_t *base = &run->bases[site->buffer];
    const c_symbol_t *symbol = base->symbol;
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
    if (!visible) {
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

static void check_text(run_t *run, site_t *site)
{
    const c_node_t *function = run->frames[site->home].function->body;
    const char *text = function->span.file ? function->span.file->text : "";
    size_t begin = site->at->span.begin, end = site->at->span.end, i;
    const char *line;

    if (function->span.elsewhere || !function->span.file) {
        return;
    }

    for (i = 0; i < site->n_copies; i++) {
        const c_node_t *node = site_statement(run, site, &run->events[site->copies[i]]);

        begin = node->span.begin < begin ? node->span.begin : begin;
        end = node->span.end > end ? node->span.end : end;
    }
    /* also directives right before the first statement */
    while (begin > function->span.begin && text[begin - 1] != ';' && text[begin - 1] != '{' &&
           text[begin - 1] != '}') {
        begin--;
    }
    for (line = text + begin; line && line < text + end;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *at = line;

        while (at > text && at == line && (at[-1] == ' ' || at[-1] == '\t')) {
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
        const char *pragma = strstr(text + begin, "_Pragma");

        if (pragma && pragma < text + end && trusting(run)) {
            site->directive = "there is a _Pragma in between";
        } else if (pragma && pragma < text + end) {
            site_refuse(site, C_REFUSED_TEXT, site->call, "there is a _Pragma in between");
        }
    }
}

/* ---- together ---- */

static void check_copies(run_t *run, site_t *site)
{
    size_t i;

    for (i = 0; i < site->n_copies; i++) {
        const run_event_t *copy = &run->events[site->copies[i]];
        const run_place_t *data = site_data(site, copy);

        if (copy->kind != RUN_COPY) {
            site_refuse(site, C_REFUSED_VALUE, copy->node, "%s",
                        copy->why ? copy->why : "the value is computed");
            continue;
        }
        site_check_conditions(run, site, copy);
        if (data->base == RUN_ANY ? !run_distinct(run, site->buffer, RUN_ANY)
                                  : run_conflict(run, site->buffer, NULL, data->base, NULL)) {
            site_refuse(site, C_REFUSED_ALIAS, copy->node, "%s and %s may share memory",
                        run_base_name(run, site->buffer), run_base_name(run, data->base));
        }
    }
}

/* Writes that left no event of their own, such as those of calls. */
static void check_writes(run_t *run, site_t *site)
{
    size_t i;

    for (i = 0; i < site->n_copies && !site->function->receives && !trusting(run); i++) {
        const run_event_t *copy = &run->events[site->copies[i]];

        if (run_written(run, copy->from.base, copy->from.type, site->begin, site->end)) {
            site_refuse(site, C_REFUSED_SOURCE, copy->node, "%s may change before it is sent",
                        run_base_name(run, copy->from.base));
        }
    }
}

site_kind_t site_region(run_t *run, site_t *site)
{
    const run_event_t *call = &run->events[site->event];
    size_t completion = site->event, i;
    site_kind_t kind;

    site->at = site->call;
    site->home = call->frame;
    site->buffer = site_argument(call, site->function->buffer);
    if (site->buffer == RUN_ANY) {
        return SITE_DIRECT;
    }
    site->slice = site_call_extent(run, call, site->function);
    if (site->function->receives) {
        site_find_unpacking(run, site);
    } else {
        site_find_packing(run, site);
    }
    kind = site_kind_of_buffer(run, site);
    if (kind != SITE_PACKS || site->n_copies == 0) {
        return kind;
    }
    site_find_home(run, site);
    if (site->function->request) {
        completion = site_find_completion(run, site);
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
