/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds access programs, and checks them. */
#include "access.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN = 2 * ACCESS_NESTING };

typedef struct access_private {
    const char *error;
    char message[240];
    int rooms[4];   /* of bases, loops, guards, copies */
    int open[OPEN]; /* as in access_path() */
    int nopen;
    int loop, guard;     /* the innermost open ones, or -1 */
    int nloops, nguards; /* that are open */
    const poly_t *zero;
} access_private_t;

access_program_t *access_new(void)
{
    access_program_t *program = calloc(1, sizeof(*program));
    poly_space_t *space = poly_space_new();
    access_private_t *more = calloc(1, sizeof(*more));
    if (program == NULL || space == NULL || more == NULL) {
        free(program);
        poly_space_free(space);
        free(more);
        return NULL;
    }
    *more = (access_private_t){.loop = -1, .guard = -1, .zero = poly_constant(space, 0)};
    *program = (access_program_t){.space = space, .name = "", .more = more};
    return program;
}

void access_free(access_program_t *program)
{
    if (program == NULL) {
        return;
    }
    free(program->bases);
    free(program->loops);
    free(program->guards);
    free(program->copies);
    poly_space_free(program->space);
    free(program->more);
    free(program);
}

const char *access_error(const access_program_t *program)
{
    if (program->more->error == NULL && poly_error(program->space) != POLY_OK) {
        return poly_error_text(poly_error(program->space));
    }
    return program->more->error;
}

__attribute__((format(printf, 2, 3))) static int fail(access_program_t *program, const char *format,
                                                      ...)
{
    if (access_error(program) == NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(program->more->message, sizeof(program->more->message), format, args);
        va_end(args);
        program->more->error = program->more->message;
    }
    return -1;
}

/* ---- checks ---- */

/* A copy of the text that belongs to the program. */
static const char *kept(access_program_t *program, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((unsigned char) *at < ' ' || *at == 127) {
            fail(program, "a text has a control character, byte %d", (unsigned char) *at);
            return "";
        }
    }
    return poly_text(program->space, text, strlen(text));
}

static access_place_t kept_place(access_program_t *program, access_place_t place)
{
    place.file = kept(program, place.file != NULL ? place.file : "");
    if (place.line < 0 || place.column < 0) {
        fail(program, "a place has a negative line or column");
    }
    return place;
}

static access_type_t kept_type(access_program_t *program, access_type_t type)
{
    if (type.size < 1 || type.size > (int64_t) 1 << 40) {
        fail(program, "type %.60s has %lld bytes; 1 to 2^40 are allowed", type.name,
             (long long) type.size);
    }
    type.name = kept(program, type.name);
    return type;
}

static const char *loop_name(const access_program_t *program, int loop)
{
    return poly_atom_text(program->space, program->loops[loop].variable);
}

/* Are the iteration numbers in it those of open loops, and none of its names that of one? */
static void check_names(access_program_t *program, const poly_t *a);

static void check_atom(access_program_t *program, poly_atom_t atom)
{
    poly_kind_t kind = poly_kind(program->space, atom);
    const char *text = poly_atom_text(program->space, atom);
    bool around = false;
    for (int loop = program->more->loop; loop >= 0; loop = program->loops[loop].parent) {
        around |= program->loops[loop].variable == atom;
        if (kind == POLY_NAME && strcmp(loop_name(program, loop), text) == 0) {
            fail(program, "'%.60s' is a size and a loop around it", text);
        }
    }
    if (kind == POLY_LOOP && !around) {
        fail(program, "the loop '%.60s' is not around its use", text);
    }
    int count;
    const poly_t *const *subscripts = poly_subscripts(program->space, atom, &count);
    for (int i = 0; i < count; i++) {
        check_names(program, subscripts[i]);
    }
}

static void check_names(access_program_t *program, const poly_t *a)
{
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < a->terms[i].degree; j++) {
            check_atom(program, a->terms[i].atoms[j]);
        }
    }
}

/* Room for one item more in one of the four arrays. */
static void *grown(access_program_t *program, void *items, int count, int which, int most,
                   size_t size)
{
    int *room = &program->more->rooms[which];
    if (access_error(program) != NULL) {
        return NULL;
    }
    if (count >= most) {
        static const char *const names[] = {"bases", "loops", "guards", "copies"};
        fail(program, "more than %d %s", most, names[which]);
        return NULL;
    }
    if (count < *room) {
        return items;
    }
    int more = *room > 0 ? 2 * *room : 16;
    void *larger = realloc(items, (size_t) more * size);
    if (larger == NULL) {
        fail(program, "out of memory");
        return NULL;
    }
    *room = more;
    return larger;
}

/* ---- the head ---- */

void access_name(access_program_t *program, const char *name)
{
    program->name = kept(program, name);
}

void access_set_call(access_program_t *program, const access_call_t *call)
{
    if (program->has_call) {
        fail(program, "a second call");
        return;
    }
    program->call = *call;
    program->call.start = call->start != NULL ? call->start : program->more->zero;
    program->call.type = kept_type(program, call->type);
    program->call.place = kept_place(program, call->place);
    program->has_call = true;
    if (poly_depends_on_loops(program->space, call->count) ||
        poly_depends_on_loops(program->space, program->call.start)) {
        fail(program, "the call's count or start depends on a loop");
    }
}

static void keep_parts(access_program_t *program, access_base_t *base)
{
    access_field_t *parts = poly_alloc(program->space, (size_t) base->nparts, sizeof(*parts));
    for (int i = 0; parts != NULL && i < base->nparts; i++) {
        parts[i] = base->parts[i];
        parts[i].name = kept(program, parts[i].name);
        parts[i].type = kept_type(program, parts[i].type);
    }
    base->nparts = parts != NULL ? base->nparts : 0;
    base->parts = parts;
    base->element = base->element != NULL ? kept(program, base->element) : NULL;
}

static void keep_fields(access_program_t *program, access_base_t *base)
{
    if (base->nfields < 0 || base->nfields > ACCESS_BASES) {
        fail(program, "a base has more than %d fields", ACCESS_BASES);
        base->nfields = 0;
    }
    access_field_t *fields =
        poly_alloc(program->space, (size_t) base->nfields, sizeof(*base->fields));
    for (int i = 0; fields != NULL && i < base->nfields; i++) {
        fields[i] = base->fields[i];
        fields[i].name = kept(program, fields[i].name);
        fields[i].type = kept_type(program, fields[i].type);
        if (fields[i].offset < 0 || fields[i].offset >= base->type.size) {
            fail(program, "field '%.60s' is at %lld; the element has %lld bytes", fields[i].name,
                 (long long) fields[i].offset, (long long) base->type.size);
        }
    }
    base->fields = fields;
}

static void keep_dimensions(access_program_t *program, access_base_t *base)
{
    if (base->ndims < 0 || base->ndims > ACCESS_DIMENSIONS) {
        fail(program, "base '%.60s' has %d dimensions, at most %d are allowed", base->name,
             base->ndims, ACCESS_DIMENSIONS);
        base->ndims = 0;
    }
    const poly_t **dims = poly_alloc(program->space, (size_t) base->ndims, sizeof(*base->dims));
    for (int i = 0; dims != NULL && i < base->ndims; i++) {
        dims[i] = base->dims[i];
        if (dims[i] == NULL && i > 0) {
            fail(program, "base '%.60s': only the first dimension may be unknown", base->name);
        } else if (dims[i] != NULL && poly_depends_on_loops(program->space, dims[i])) {
            fail(program, "base '%.60s': a dimension depends on a loop", base->name);
        } else if (dims[i] != NULL) {
            poly_note(program->space, dims[i]);
        }
    }
    base->dims = dims;
}

int access_add_base(access_program_t *program, const access_base_t *base)
{
    for (int i = 0; i < program->nbases; i++) {
        if (strcmp(program->bases[i].name, base->name) == 0) {
            return fail(program, "a second base '%.60s'", base->name);
        }
    }
    access_base_t *bases =
        grown(program, program->bases, program->nbases, 0, ACCESS_BASES, sizeof(*program->bases));
    if (bases == NULL) {
        return -1;
    }
    program->bases = bases;
    access_base_t *added = &bases[program->nbases];
    *added = *base;
    added->name = kept(program, base->name);
    added->address = base->address != NULL ? kept(program, base->address) : added->name;
    added->type = kept_type(program, base->type);
    keep_fields(program, added);
    keep_parts(program, added);
    keep_dimensions(program, added);
    return access_error(program) == NULL ? program->nbases++ : -1;
}

/* ---- the body ---- */

static int opened(access_program_t *program, int item)
{
    access_private_t *more = program->more;
    if (access_error(program) != NULL) {
        return -1;
    }
    if (more->nloops > ACCESS_NESTING || more->nguards > ACCESS_NESTING) {
        return fail(program, "more than %d loops or guards around each other", ACCESS_NESTING);
    }
    more->open[more->nopen++] = item;
    return 0;
}

int access_open_loop(access_program_t *program, const char *name, const poly_t *trip,
                     access_place_t place)
{
    access_private_t *more = program->more;
    for (int loop = more->loop; loop >= 0; loop = program->loops[loop].parent) {
        if (strcmp(loop_name(program, loop), name) == 0) {
            return fail(program, "a loop '%.60s' in a loop of that name", name);
        }
    }
    access_loop_t *loops =
        grown(program, program->loops, program->nloops, 1, ACCESS_ITEMS, sizeof(*program->loops));
    if (loops == NULL) {
        return -1;
    }
    program->loops = loops;
    check_names(program, trip);
    poly_note(program->space, trip);
    name = kept(program, name);
    loops[program->nloops] =
        (access_loop_t){.variable = poly_loop(program->space, name, strlen(name)),
                        .trip = trip,
                        .parent = more->loop,
                        .place = kept_place(program, place)};
    more->nloops++;
    if (opened(program, program->nloops) != 0) {
        return -1;
    }
    more->loop = program->nloops;
    return program->nloops++;
}

int access_open_guard(access_program_t *program, const char *condition, int nbindings,
                      const access_binding_t *bindings)
{
    access_private_t *more = program->more;
    access_guard_t *guards = grown(program, program->guards, program->nguards, 2, ACCESS_ITEMS,
                                   sizeof(*program->guards));
    if (guards == NULL) {
        return -1;
    }
    program->guards = guards;
    if (nbindings < 0 || nbindings > ACCESS_BASES) {
        return fail(program, "a guard has more than %d bindings", ACCESS_BASES);
    }
    access_binding_t *copy = poly_alloc(program->space, (size_t) nbindings, sizeof(*copy));
    for (int i = 0; copy != NULL && i < nbindings; i++) {
        copy[i] = (access_binding_t){kept(program, bindings[i].name), bindings[i].value};
        check_names(program, bindings[i].value);
    }
    guards[program->nguards] = (access_guard_t){.condition = kept(program, condition),
                                                .nbindings = nbindings,
                                                .bindings = copy,
                                                .parent = more->guard,
                                                .loop = more->loop};
    more->nguards++;
    if (opened(program, ACCESS_GUARD(program->nguards)) != 0) {
        return -1;
    }
    more->guard = program->nguards;
    return program->nguards++;
}

void access_close(access_program_t *program)
{
    access_private_t *more = program->more;
    if (access_error(program) != NULL) {
        return;
    }
    if (more->nopen == 0) {
        fail(program, "nothing is open that could be closed");
        return;
    }
    int item = more->open[--more->nopen];
    if (item >= 0) {
        more->loop = program->loops[item].parent;
        more->nloops--;
    } else {
        more->guard = program->guards[ACCESS_GUARD(item)].parent;
        more->nguards--;
    }
}

int access_add_copy(access_program_t *program, const access_copy_t *copy)
{
    access_copy_t *copies = grown(program, program->copies, program->ncopies, 3, ACCESS_ITEMS,
                                  sizeof(*program->copies));
    if (copies == NULL) {
        return -1;
    }
    program->copies = copies;
    if (copy->base < 0 || copy->base >= program->nbases) {
        return fail(program, "a copy has no base");
    }
    access_copy_t *added = &copies[program->ncopies];
    *added = *copy;
    added->type = kept_type(program, copy->type);
    added->place = kept_place(program, copy->place);
    added->loop = program->more->loop;
    added->guard = program->more->guard;
    if (copy->position != NULL) {
        check_names(program, copy->position);
    }
    check_names(program, copy->offset);
    check_names(program, copy->size);
    int64_t size;
    if (access_error(program) == NULL && poly_is_constant(copy->size, &size) &&
        (size < 0 || size % copy->type.size != 0)) {
        return fail(program, "a copy of %lld bytes of %.60s, which has %lld", (long long) size,
                    copy->type.name, (long long) copy->type.size);
    }
    return access_error(program) == NULL ? program->ncopies++ : -1;
}

int access_finish(access_program_t *program)
{
    if (program->more->nopen > 0) {
        fail(program, "a loop or guard is not closed");
    } else if (!program->has_call) {
        fail(program, "no call");
    } else if (program->ncopies == 0) {
        fail(program, "no copy");
    }
    return access_error(program) == NULL ? 0 : -1;
}

int access_open(const access_program_t *program)
{
    return program->more->loop;
}

int access_path(const access_program_t *program, int copy, int *path)
{
    int n = 0, loop = program->copies[copy].loop, guard = program->copies[copy].guard;
    while (loop >= 0 || guard >= 0) {
        if (guard >= 0 && program->guards[guard].loop == loop) {
            path[n++] = ACCESS_GUARD(guard);
            guard = program->guards[guard].parent;
        } else {
            path[n++] = loop;
            loop = program->loops[loop].parent;
        }
    }
    for (int i = 0; i < n / 2; i++) {
        int item = path[i];
        path[i] = path[n - 1 - i];
        path[n - 1 - i] = item;
    }
    return n;
}
