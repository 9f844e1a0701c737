/* SPDX-License-Identifier: BSD-3-Clause */
/* From the copies of a site to an access program. Its names and texts are those of the source and
 * have the same values where the call is. */
#include "builder.h"
#include "suggest/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the call ---- */

/* A datatype that is a variable is that of the elements which are copied. */
static const c_datatype_t *assumed_datatype(builder_t *builder, const c_node_t *argument)
{
    run_t *run = builder->run;
    const site_t *site = builder->site;
    const run_event_t *copy = &run->events[site->copies[0]];
    const c_type_t *element =
        c_element_of(site->function->receives ? copy->to.type : copy->from.type);
    const c_datatype_t *named;
    c_datatype_t *assumed;
    const char *text =
        site->home == run->events[site->event].frame ? c_text(run->memory, argument) : NULL;

    if (!element || element->size <= 0) {
        return NULL;
    }
    named = c_datatype_of(element);
    text = text && builder_names_in_scope(builder, argument) ? text : named ? named->mpi : NULL;
    if (!text) {
        return NULL;
    }
    assumed = c_allocate(run->memory, sizeof *assumed);
    *assumed = (c_datatype_t){text, element->name, element->size, 0};
    run_assume(run, RUN_ASSUMES_DATATYPE, argument, "%s is %s", c_text(run->memory, argument),
               named ? named->mpi : element->name);
    return assumed;
}

/* The call's count where the call is; a count that is not known keeps its text, and is compared
 * where it runs. */
static const poly_t *count_of(builder_t *builder, const run_value_t *count)
{
    run_t *run = builder->run;
    site_t *site = builder->site;
    const c_node_t *argument = site->call->child[site->function->count];
    int refusal = site->refusal;
    const poly_t *known =
        count->kind == RUN_INTEGER ? builder_translate(builder, count->poly) : NULL;
    const char *text;

    if (run->level < RUN_TRUSTING || (known && !site->refusal) || site->function->processes ||
        site->kind == SITE_DIRECT) {
        return known;
    }
    site->refusal = refusal;
    if (site->at != site->call || !run_is_pure(argument) ||
        !builder_names_in_scope(builder, argument)) {
        return NULL;
    }
    text = c_text(run->memory, argument);
    return poly_variable(builder->program->space,
                         poly_opaque(builder->program->space, text, strlen(text)));
}

static void set_call(builder_t *builder)
{
    site_t *site = builder->site;
    const run_event_t *call = &builder->run->events[site->event];
    const run_value_t *count = &call->arguments[site->function->count];
    const run_value_t *buffer = &call->arguments[site->function->buffer];
    const c_node_t *type_node = site->call->child[site->function->type];
    access_call_t access = {.receives = site->function->receives,
                            .place = builder_place(builder, site->call)};

    if (site->function->count == 0) {
        site_refuse(site, C_REFUSED_PROCESSES, site->call,
                    "the counts differ between processes: MPI_Alltoallw, with a datatype for each, "
                    "sends such data");
        return;
    }
    builder->basic = c_find_datatype(builder->run->unit, type_node);
    if (!builder->basic && builder->run->level == RUN_TRUSTING) {
        builder->basic = assumed_datatype(builder, type_node);
    }
    if (!builder->basic) {
        site_refuse(site, C_REFUSED_DATATYPE, type_node, "%s is not a known basic datatype",
                    c_text(builder->run->memory, type_node));
        return;
    }
    access.count = count_of(builder, count);
    if (!access.count) {
        site_refuse(site, C_REFUSED_COUNT, site->call->child[site->function->count], "%s",
                    count->why ? count->why : "the count is not known");
        return;
    }
    builder->type = (access_type_t){builder->basic->mpi, builder->basic->size};
    access.type = builder->type;
    access.start = builder_translate(builder, buffer->poly);
    if (!site->refusal) {
        access_set_call(builder->program, &access);
    }
}

/* ---- bases ---- */

static void add_fields(builder_t *builder, access_base_t *base, int number)
{
    access_field_t *fields =
        c_allocate(builder->run->memory, (builder->site->n_copies + 1) * sizeof *fields);
    size_t i;
    int j;

    for (i = 0; i < builder->site->n_copies; i++) {
        const run_event_t *copy = &builder->run->events[builder->site->copies[i]];
        const run_place_t *data = builder->site->function->receives ? &copy->to : &copy->from;
        const c_node_t *node = data->subscripts;

        if (data->base != number || !node || node->kind != C_MEMBER || node->value < 0 ||
            !node->type || node->type->size <= 0 ||
            node->value + node->type->size > base->type.size || node->child[0]->kind == C_MEMBER) {
            continue;
        }
        for (j = 0; j < base->nfields && strcmp(fields[j].name, node->name) != 0; j++) {
        }
        if (j == base->nfields) {
            fields[base->nfields++] =
                (access_field_t){node->name, node->value, {node->type->name, node->type->size}};
        }
    }
    base->fields = fields;
}

/* The member of the struct of SIZE bytes that the place is in: of `p[i].in[k].x[d]`, `in`. */
static const c_node_t *outermost_member(const c_node_t *node, int64_t size)
{
    const c_node_t *found = NULL;

    for (; node && node->n > 0; node = c_bare(node->child[0])) {
        if (node->kind == C_MEMBER) {
            found = node;
        }
        if ((node->kind != C_MEMBER && node->kind != C_SUBSCRIPT) || node->arrow ||
            (node->kind == C_SUBSCRIPT && c_bare(node->child[0])->type &&
             c_bare(node->child[0])->type->kind == C_TYPE_POINTER)) {
            break;
        }
    }
    return found && found->value >= 0 && found->type && found->type->size > 0 &&
                   found->value + found->type->size <= size
               ? found
               : NULL;
}

static void add_parts(builder_t *builder, access_base_t *base, int number)
{
    access_field_t *parts =
        c_allocate(builder->run->memory, (builder->site->n_copies + 1) * sizeof *parts);
    size_t i;
    int j;

    if (strchr(base->type.name, '(')) { /* it has no name */
        return;
    }
    base->element = base->type.name;
    base->parts = parts;
    for (i = 0; i < builder->site->n_copies; i++) {
        const run_event_t *copy = &builder->run->events[builder->site->copies[i]];
        const run_place_t *data = builder->site->function->receives ? &copy->to : &copy->from;
        const c_node_t *node =
            data->base == number ? outermost_member(data->subscripts, base->type.size) : NULL;

        for (j = 0; node && j < base->nparts && strcmp(parts[j].name, node->name) != 0; j++) {
        }
        if (node && j == base->nparts) {
            parts[base->nparts++] =
                (access_field_t){node->name, node->value, {node->type->name, node->type->size}};
        }
    }
}

static int add_base(builder_t *builder, const run_event_t *copy, const run_place_t *place)
{
    run_t *run = builder->run;
    const run_base_t *known = &run->bases[place->base];
    const c_type_t *type = known->type, *element;
    const poly_t *dims[ACCESS_DIMENSIONS];
    access_base_t base = {0};

    if (builder->bases[place->base] >= 0) {
        return builder->bases[place->base];
    }
    if (known->kind == RUN_OBJECT) {
        if (!builder_in_scope(builder, known->symbol)) {
            site_refuse(builder->site, C_REFUSED_SIZES, copy->node,
                        "%s is not declared where the call is", known->symbol->name);
            return -1;
        }
        base.name = known->symbol->name;
        base.address =
            type->kind == C_TYPE_ARRAY ? base.name : c_format(run->memory, "&%s", base.name);
    } else if (known->kind == RUN_ROWS) {
        base.name = known->text.text;
        base.address = "MPI_BOTTOM"; /* offsets are addresses */
    } else {
        base.name = builder_pointer_text(builder, place->base);
        base.address = base.name;
        if (!base.name) {
            builder_not_at_call(builder,
                                known->symbol ? known->symbol->name : "the address of the data");
            return -1;
        }
        if (known->kind == RUN_FRESH && !type) {
            type = known->symbol ? known->symbol->type->inner : NULL;
        }
        if (type && type->kind == C_TYPE_ARRAY) {
            dims[base.ndims++] = NULL;
        }
    }
    element = c_element_of(type);
    while (type && type->kind == C_TYPE_ARRAY && base.ndims < ACCESS_DIMENSIONS) {
        const poly_t *whole = run_size(run, type), *inner = run_size(run, type->inner);
        const poly_t *length = whole && inner ? poly_divide(run->space, whole, inner) : NULL;

        if (!length && base.ndims > 0) {
            base.ndims = 0;
            break;
        }
        dims[base.ndims++] = length ? builder_translate(builder, length) : NULL;
        type = type->inner;
    }
    if (!element || element->size <= 0) {
        element = place->type && place->type->size > 0 ? c_element_of(place->type) : NULL;
        base.ndims = 0;
    }
    if (!element || element->size <= 0) {
        site_refuse(builder->site, C_REFUSED_PLACE, copy->node,
                    "the type of what %s leads to is not known", base.name);
        return -1;
    }
    base.type = (access_type_t){element->name, element->size};
    base.dims = dims;
    if (element->kind == C_TYPE_RECORD && known->kind != RUN_ROWS) {
        add_fields(builder, &base, place->base);
        add_parts(builder, &base, place->base);
    }
    if (builder->site->refusal) {
        return -1;
    }
    builder->bases[place->base] = access_add_base(builder->program, &base);
    return builder->bases[place->base];
}

/* ---- loops and guards ---- */

static int scopes_of(builder_t *builder, const run_event_t *copy, scope_t *scopes)
{
    run_t *run = builder->run;
    scope_t reversed[MOST_SCOPES];
    int loop = copy->loop, guard = copy->guard, n = 0, i;

    while ((loop >= 0 || guard >= 0) && n < MOST_SCOPES) {
        if (guard >= 0 && (site_guard(run, builder->site, guard) == 1 ||
                           site_of_message(run, builder->site, guard) ||
                           site_of_root(run, builder->site, guard))) {
            guard = run->guards[guard].parent;
        } else if (guard >= 0 && run->guards[guard].loop == loop) {
            reversed[n++] = (scope_t){true, guard};
            guard = run->guards[guard].parent;
        } else if (loop >= 0) {
            reversed[n++] = (scope_t){false, loop};
            loop = run->loops[loop].parent;
        } else {
            guard = run->guards[guard].parent; /* refused already */
        }
    }
    for (i = 0; i < n; i++) {
        scopes[i] = reversed[n - 1 - i];
    }
    return n;
}

static void open_guard(builder_t *builder, int id)
{
    run_t *run = builder->run;
    const run_guard_t *guard = &run->guards[id];
    access_binding_t *bindings;
    const char *text;
    int i;

    if (!guard->bound || guard->condition->span.elsewhere) {
        site_refuse(builder->site, C_REFUSED_PLACE, guard->condition,
                    "this condition cannot be evaluated where the call is");
        return;
    }
    bindings = c_allocate(run->memory, (size_t) (guard->text.n_bindings + 1) * sizeof *bindings);
    for (i = 0; i < guard->text.n_bindings; i++) {
        const run_binding_t *known = &guard->text.bindings[i];

        if (known->base != RUN_ANY) {
            if (!builder_holds(builder, known->symbol, known->value, known->base)) {
                builder_not_at_call(builder, known->symbol->name);
            }
            bindings[i].value = NULL;
        } else if (guard->frame != builder->site->home) {
            site_refuse(builder->site, C_REFUSED_PLACE, guard->condition,
                        "this condition cannot be evaluated where the call is");
            return;
        } else {
            bindings[i].value = builder_translate(builder, known->value);
        }
        bindings[i].name = known->symbol->name;
    }
    text = guard->negated ? c_format(run->memory, "!(%s)", guard->text.text) : guard->text.text;
    {
        access_binding_t *known =
            c_allocate(run->memory, (size_t) (guard->text.n_bindings + 1) * sizeof *known);
        int n = 0, j;

        for (i = 0; i < guard->text.n_bindings; i++) {
            for (j = 0; j < n && strcmp(known[j].name, bindings[i].name) != 0; j++) {
            }
            if (bindings[i].value && j == n) {
                known[n++] = bindings[i];
            }
        }
        if (!builder->site->refusal) {
            access_open_guard(builder->program, text, n, known);
        }
    }
}

/* A failed allocation or a limit leaves no atom. */
static bool is_called(const poly_space_t *space, int atom, const char *text)
{
    return atom >= 0 && atom < poly_atoms(space) && strcmp(poly_atom_text(space, atom), text) == 0;
}

static const char *loop_name(builder_t *builder, int id)
{
    const c_node_t *node = builder->run->loops[id].node;
    const c_node_t *condition = node->kind == C_FOR ? node->child[1]
                                : node->n           ? node->child[0]
                                                    : NULL;
    const c_node_t *name;
    char *text;
    int i;

    name = condition && condition->n == 2 ? c_bare(condition->child[0]) : NULL;
    text = c_format(builder->run->memory, "%s",
                    name && name->kind == C_NAME ? name->symbol->name : "t");
    /* not that of a loop around it, and not of a variable of the program that sizes use */
    for (i = 0; i < builder->n_open; i++) {
        if (!builder->open[i].is_guard &&
            is_called(builder->program->space, builder->loops[builder->open[i].id], text)) {
            return c_format(builder->run->memory, "%s_%d", text, id);
        }
    }
    for (i = 0; i < poly_atoms(builder->program->space); i++) {
        if (poly_kind(builder->program->space, i) == POLY_NAME &&
            is_called(builder->program->space, i, text)) {
            return c_format(builder->run->memory, "%s_%d", text, id);
        }
    }
    return text;
}

static void open_loop(builder_t *builder, int id)
{
    const run_loop_t *loop = &builder->run->loops[id];
    const poly_t *trip =
        builder_translate(builder, builder->trips[id] ? builder->trips[id] : loop->trip);
    int index;

    if (builder->site->refusal) {
        return;
    }
    index = access_open_loop(builder->program, loop_name(builder, id), trip,
                             builder_place(builder, loop->node));
    if (index >= 0) {
        builder->loops[id] = builder->program->loops[index].variable;
    }
}

static void enter(builder_t *builder, const run_event_t *copy)
{
    scope_t scopes[MOST_SCOPES];
    int n = scopes_of(builder, copy, scopes), common = 0;

    while (common < n && common < builder->n_open &&
           scopes[common].is_guard == builder->open[common].is_guard &&
           scopes[common].id == builder->open[common].id) {
        common++;
    }
    for (; builder->n_open > common; builder->n_open--) {
        access_close(builder->program);
    }
    for (; builder->n_open < n && !builder->site->refusal; builder->n_open++) {
        if (scopes[builder->n_open].is_guard) {
            open_guard(builder, scopes[builder->n_open].id);
        } else {
            open_loop(builder, scopes[builder->n_open].id);
        }
        builder->open[builder->n_open] = scopes[builder->n_open];
    }
}

/* ---- collective calls ---- */

/* `count` elements for each process: the program is that of the first one. */
static void split_by_process(builder_t *builder)
{
    run_t *run = builder->run;
    site_t *site = builder->site;
    const run_event_t *call = &run->events[site->event];
    const c_node_t *communicator = site->call->child[site->function->processes];
    const poly_t *times, *extent;
    int64_t number;
    bool once;
    int loop = site_split(
        run, site,
        poly_scale(run->space, call->arguments[site->function->count].poly, builder->type.size),
        builder->trips, &extent);

    if (loop < 0) {
        return;
    }
    times = builder_translate(builder, builder->trips[loop]);
    once = poly_is_constant(times, &number) && number == 1;
    run_assume(run, RUN_ASSUMES_COUNT, run->loops[loop].node,
               "this loop runs %s%s for each process of %s",
               once ? "once" : poly_string(builder->program->space, times, POLY_SOURCE, true),
               once ? "" : " times", c_text(run->memory, communicator));
    builder->extent = builder_translate(builder, extent);
    if (site->function->receives) {
        run_assume(run, RUN_ASSUMES_PARTS, site->call,
                   "the data of one process does not meet that of another");
    }
}

/* ---- copies ---- */

/* Trips that are taken not to be negative, except those of the copy's own nest: with a negative one
 * it is not executed. */
static bool assumes_more(run_t *run, const run_event_t *copy, const run_place_t *place)
{
    int i, loop;

    for (i = 0; i < place->n_assumed; i++) {
        bool own = false;

        for (loop = copy->loop; loop >= 0 && !own; loop = run->loops[loop].parent) {
            own = poly_equal(run->loops[loop].trip, place->assumed[i]);
        }
        if (!own) {
            return true;
        }
    }
    return false;
}

static void add_copy(builder_t *builder, const run_event_t *copy)
{
    site_t *site = builder->site;
    bool receives = site->function->receives;
    const run_place_t *data = receives ? &copy->to : &copy->from;
    const run_place_t *buffer = receives ? &copy->from : &copy->to;
    access_copy_t access = {.type = builder->type, .place = builder_place(builder, copy->node)};

    if (data->base == RUN_ANY || !data->offset || !buffer->offset || !copy->size) {
        site_refuse(site, C_REFUSED_PLACE, copy->node, "%s",
                    !buffer->offset && buffer->why ? buffer->why
                    : data->why                    ? data->why
                    : copy->why                    ? copy->why
                                                   : "the place is not known");
        return;
    }
    if (builder->run->level < RUN_TRUSTING && assumes_more(builder->run, copy, data)) {
        site_refuse(site, C_REFUSED_SIZES, copy->node,
                    "the place depends on an earlier loop with a number of iterations that may be "
                    "negative");
        return;
    }
    if (!c_datatype_fits(builder->basic, data->type) ||
        !c_datatype_fits(builder->basic, buffer->type)) {
        site_refuse(site, C_REFUSED_DATATYPE, copy->node,
                    "%s does not describe elements of type %s", builder->basic->mpi,
                    data->type ? c_element_of(data->type)->name : "unknown");
        return;
    }
    enter(builder, copy);
    access.base = add_base(builder, copy, data);
    if (site->refusal) {
        return;
    }
    access.position = builder_translate(builder, buffer->offset);
    access.offset = builder_translate(builder, data->offset);
    access.size = builder_translate(builder, copy->size);
    if (!site->refusal) {
        access_add_copy(builder->program, &access);
    }
}

/* ---- no byte twice, by subscripts ---- */

static bool has_loop(run_t *run, const poly_t *poly, int loop)
{
    return poly_depends(run->space, poly, run->loops[loop].atom);
}

/* Does the loop, and no other, decide one of the subscripts? */
static bool decides(run_t *run, const run_event_t *copy, int loop)
{
    int i, other;

    for (i = 0; i < copy->to.n_index; i++) {
        const poly_t *slope, *rest;
        int64_t value;
        bool alone = has_loop(run, copy->to.index[i], loop);

        for (other = copy->loop; other >= 0; other = run->loops[other].parent) {
            alone = alone && (other == loop || !has_loop(run, copy->to.index[i], other));
        }
        if (alone &&
            poly_linear(run->space, copy->to.index[i], run->loops[loop].atom, &slope, &rest) &&
            poly_is_constant(slope, &value) && value != 0) {
            return true;
        }
    }
    return false;
}

/* Do two copies to one array differ in a subscript, by a constant? */
static bool apart(run_t *run, const run_event_t *a, const run_event_t *b)
{
    int i;

    for (i = 0; i < a->to.n_index && a->to.n_index == b->to.n_index; i++) {
        int64_t distance;

        if (!poly_depends_on_loops(run->space, a->to.index[i]) &&
            !poly_depends_on_loops(run->space, b->to.index[i]) &&
            poly_is_constant(poly_subtract(run->space, a->to.index[i], b->to.index[i]),
                             &distance) &&
            distance != 0) {
            return true;
        }
    }
    return false;
}

/* Subscripts are within the declared bounds of their arrays (C11 6.5.6, 8), so different ones are
 * different elements. */
static bool no_byte_twice(run_t *run, const site_t *site)
{
    size_t i, j;
    int loop;

    for (i = 0; i < site->n_copies; i++) {
        const run_event_t *copy = &run->events[site->copies[i]];

        if (copy->to.n_index == 0) {
            return false;
        }
        for (loop = copy->loop; loop >= 0; loop = run->loops[loop].parent) {
            if (!decides(run, copy, loop)) {
                return false;
            }
        }
        for (j = 0; j < i; j++) {
            const run_event_t *other = &run->events[site->copies[j]];

            if (!run_distinct(run, copy->to.base, other->to.base) && !apart(run, copy, other)) {
                return false;
            }
        }
    }
    return true;
}

enum { RANDOM_SIZES = 40 };

static void assume_shape(run_t *run, const site_t *site)
{
    const c_node_t *count = site->call->child[site->function->count];
    int i;

    if (site->shape.count != SHAPE_COUNT_PROVED) {
        run_assume(run, RUN_ASSUMES_COUNT, count, "%s is the number of elements that are %s",
                   c_text(run->memory, count), site->function->receives ? "unpacked" : "packed");
    }
    for (i = 0;
         i < site->shape.nconditions && site->function->receives && !no_byte_twice(run, site);
         i++) {
        run_assume(run, RUN_ASSUMES_PARTS, site->call, "%s", site->shape.conditions[i]);
    }
}

static void find_shape(run_t *run, site_t *site, const poly_t *extent)
{
    eval_t check;
    const char *error = access_finish(site->program) == 0 ? NULL : access_error(site->program);

    if (error) {
        site_refuse(site, SHAPE_REFUSED_LIMIT, site->call, "%s", error);
        return;
    }
    site->shape = shape_find(site->program);
    site->shape.extent = extent;
    if (site->shape.refusal != SHAPE_DECIDED) {
        site->refusal = (int) site->shape.refusal;
        site->reason = site->shape.reason;
        site->where = site->call;
        return;
    }
    if (site->earlier && site->shape.count != SHAPE_COUNT_PROVED) {
        site_refuse(site, SHAPE_REFUSED_COUNT, site->earlier,
                    "%s is also filled here, and it is not known that as much as is sent is packed "
                    "anew",
                    run_base_name(run, site->buffer));
        return;
    }
    if (run->level == RUN_TRUSTING) {
        assume_shape(run, site);
    } else if (site->function->receives && site->shape.nconditions > 0 &&
               !no_byte_twice(run, site)) {
        site_refuse(site, SHAPE_REFUSED_OVERLAP, site->call, "it is not known that %s",
                    site->shape.conditions[0]);
        return;
    }
    if (site->shape.count != SHAPE_COUNT_PROVED && run->level < RUN_TRUSTING) {
        site_refuse(site, SHAPE_REFUSED_COUNT, site->call,
                    "it is not known that the call's count equals the copied elements");
        return;
    }
    check = eval_identity(site->program, site->shape.type);
    if (check.verdict != EVAL_WRONG) {
        site->checks[0] = check.verdict;
        check = eval_random(site->program, &site->shape, RANDOM_SIZES, 1);
        site->checks[1] = check.verdict;
    }
    if (check.verdict == EVAL_WRONG) {
        site_refuse(site, SHAPE_REFUSED_CHECK, site->call, "%s", check.message);
    } else if (site->checks[0] == EVAL_UNKNOWN && site->checks[1] == EVAL_UNKNOWN) {
        site_refuse(site, SHAPE_REFUSED_CHECK, site->call, "no check could decide: %s",
                    check.message);
    }
}

void site_program(run_t *run, site_t *site)
{
    builder_t builder = {.run = run, .site = site};
    size_t i;

    if (site->refusal) {
        return;
    }
    site->program = builder.program = c_checked(access_new());
    builder.bases = c_resize(NULL, run->n_bases + 1, sizeof *builder.bases);
    builder.loops = c_resize(NULL, run->n_loops + 1, sizeof *builder.loops);
    builder.trips = c_checked(calloc((size_t) run->n_loops + 1, sizeof *builder.trips));
    for (i = 0; i < (size_t) run->n_bases; i++) {
        builder.bases[i] = -1;
    }
    for (i = 0; i < (size_t) run->n_loops; i++) {
        builder.loops[i] = POLY_NO_ATOM;
    }
    access_name(builder.program, run->frames[site->home].function->name);
    builder_note_sums(&builder);
    set_call(&builder);
    if (site->function->processes && !site->refusal) {
        split_by_process(&builder);
    }
    /* bases come before loops */
    for (i = 0; i < site->n_copies && !site->refusal; i++) {
        const run_event_t *copy = &run->events[site->copies[i]];
        const run_place_t *data = site->function->receives ? &copy->to : &copy->from;

        if (data->base != RUN_ANY) {
            add_base(&builder, copy, data);
        }
    }
    for (i = 0; i < site->n_copies && !site->refusal; i++) {
        add_copy(&builder, &run->events[site->copies[i]]);
    }
    for (; builder.n_open > 0 && !site->refusal; builder.n_open--) {
        access_close(builder.program);
    }
    if (!site->refusal) {
        find_shape(run, site, builder.extent);
    }
    free(builder.bases);
    free(builder.loops);
    free(builder.trips);
}

void site_free(site_t *site)
{
    access_free(site->program);
    free(site->needs.index);
    free(site->copies);
}

const char *site_type_text(const site_t *site)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const char *copy;

    if (!file) {
        return "";
    }
    if (site->shape.extent) {
        fprintf(file, "resized(");
    }
    types_print(site->program, site->shape.type, file);
    if (site->shape.extent) {
        fprintf(file, ", 0, %s)",
                poly_string(site->program->space, site->shape.extent, POLY_SOURCE, false));
    }
    copy = fclose(file) == 0 ? c_copy(site->run->memory, text) : "";
    free(text);
    return copy;
}
