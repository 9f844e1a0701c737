/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the type of an access program. */
#define _POSIX_C_SOURCE 200809L

#include "shape.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "overlap.h"

/* A piece that is contiguous in the buffer, once for each iteration of the loops that are left. */
typedef struct piece {
    const poly_t *position;
    const poly_t *size;
    const types_node_t *node;
    int nloops;
    types_loop_t loops[ACCESS_NESTING];
    access_place_t place;
} piece_t;

typedef struct builder {
    access_program_t *program;
    poly_space_t *space;
    shape_t *shape;
    piece_t *pieces;
    int npieces;
    types_loop_t canonical[ACCESS_NESTING]; /* that loops of pieces are renamed to; see rename() */
    const poly_t *slopes[ACCESS_NESTING];   /* theirs, in the buffer */
    int ncanonical;
} builder_t;

const char *shape_refusal_text(shape_refusal_t refusal)
{
    switch (refusal) {
#define SHAPE_REFUSAL(number, name, text)                                                          \
    case SHAPE_REFUSED_##name:                                                                     \
        return text;
#include "refusals.def"
#undef SHAPE_REFUSAL
    default:
        return "decided";
    }
}

static void *zeroed(int count, size_t size)
{
    return calloc(count > 0 ? (size_t) count : 1, size);
}

/* Refuses, once, and returns false. */
__attribute__((format(printf, 4, 5))) static bool
refuse(builder_t *builder, shape_refusal_t refusal, access_place_t place, const char *format, ...)
{
    if (builder->shape->refusal != SHAPE_DECIDED) {
        return false;
    }
    char text[POLY_TEXT / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    builder->shape->refusal = refusal;
    builder->shape->reason = poly_text(builder->space, text, strlen(text));
    builder->shape->place = place;
    return false;
}

static const char *text(const builder_t *builder, const poly_t *a)
{
    return poly_string(builder->space, a, POLY_SOURCE, false);
}

static const char *loop_name(const builder_t *builder, const types_loop_t *loop)
{
    return poly_atom_text(builder->space, loop->variable);
}

/* ---- a statement ---- */

/* The basic type that the elements of a copy have in the message. */
static bool element_type(builder_t *builder, const access_copy_t *copy, access_type_t *type)
{
    const access_type_t *sent = &builder->program->call.type;
    *type = copy->type;
    if (strcmp(sent->name, "MPI_PACKED") == 0 ||
        (strcmp(sent->name, copy->type.name) == 0 && sent->size == copy->type.size)) {
        return true;
    }
    if (strcmp(sent->name, "MPI_BYTE") == 0) {
        *type = *sent;
        return true;
    }
    return refuse(builder, SHAPE_REFUSED_TYPE, copy->place,
                  "elements of %s, %lld bytes, are sent as %s, %lld bytes", copy->type.name,
                  (long long) copy->type.size, sent->name, (long long) sent->size);
}

static const types_node_t *statement(builder_t *builder, const access_copy_t *copy)
{
    access_type_t type;
    if (!element_type(builder, copy, &type)) {
        return NULL;
    }
    const types_node_t *node = types_dense(
        builder->program, (types_address_t){copy->base, copy->offset}, copy->size, type);
    if (node == NULL) {
        refuse(builder, SHAPE_REFUSED_ELEMENTS, copy->place,
               "%s bytes are copied, no multiple of the %lld of %s", text(builder, copy->size),
               (long long) type.size, type.name);
    }
    return node;
}

/* ---- positions are given ---- */

static bool depends_on_piece_loops(const builder_t *builder, const piece_t *piece, const poly_t *a,
                                   const types_loop_t **loop)
{
    for (int i = 0; i < piece->nloops; i++) {
        if (poly_depends(builder->space, a, piece->loops[i].variable)) {
            *loop = &piece->loops[i];
            return true;
        }
    }
    return false;
}

/* A statement as a piece, with all its loops. */
static bool first_piece(builder_t *builder, const access_copy_t *copy, int index, piece_t *piece)
{
    const access_program_t *program = builder->program;
    *piece = (piece_t){.position = copy->position, .size = copy->size, .place = copy->place};
    piece->node = statement(builder, copy);
    if (piece->node == NULL) {
        return false;
    }
    if (copy->guard >= 0) {
        return refuse(builder, SHAPE_REFUSED_GUARD, copy->place,
                      "the buffer has a hole where '%s' does not hold; it would have to hold "
                      "always, or the position in the buffer to go on only where it does",
                      program->guards[copy->guard].condition);
    }
    int path[2 * ACCESS_NESTING];
    int64_t number;
    int n = access_path(program, index, path);
    for (int i = 0; i < n; i++) {
        const access_loop_t *loop = &program->loops[path[i]];
        const poly_t *trip = poly_is_constant(loop->trip, &number) && number < 0
                                 ? poly_constant(builder->space, 0)
                                 : loop->trip;
        piece->loops[piece->nloops++] = (types_loop_t){loop->variable, trip};
    }
    const types_loop_t *outer;
    for (int i = 0; i < piece->nloops; i++) {
        if (depends_on_piece_loops(builder, piece, piece->loops[i].trip, &outer)) {
            return refuse(builder, SHAPE_REFUSED_TRIP, copy->place,
                          "loop %s runs %s times, which depends on loop %s",
                          loop_name(builder, &piece->loops[i]), text(builder, piece->loops[i].trip),
                          loop_name(builder, outer));
        }
    }
    if (depends_on_piece_loops(builder, piece, copy->size, &outer)) {
        return refuse(builder, SHAPE_REFUSED_ROWS, copy->place,
                      "%s bytes are copied, which depends on loop %s", text(builder, copy->size),
                      loop_name(builder, outer));
    }
    return true;
}

static void remove_loop(piece_t *piece, int index)
{
    piece->nloops--;
    memmove(&piece->loops[index], &piece->loops[index + 1],
            (size_t) (piece->nloops - index) * sizeof(piece->loops[0]));
}

/* Counts a loop from its other end. */
static void reverse_loop(builder_t *builder, piece_t *piece, const types_loop_t *loop)
{
    poly_space_t *space = builder->space;
    const poly_t *last = poly_subtract(space, loop->trip, poly_constant(space, 1));
    const poly_t *down = poly_subtract(space, last, poly_variable(space, loop->variable));
    piece->position = poly_substitute(space, piece->position, loop->variable, down);
    piece->node = types_substitute(builder->program, piece->node, loop->variable, down);
}

/* Makes the piece all iterations of one of its loops, when these are neighbours in the buffer. */
static bool absorb_loop(builder_t *builder, piece_t *piece, int index)
{
    poly_space_t *space = builder->space;
    const types_loop_t loop = piece->loops[index];
    const poly_t *slope, *rest;
    int64_t trip;
    if (poly_is_constant(loop.trip, &trip) && trip == 0) {
        piece->size = loop.trip; /* see drop_empty() */
        piece->nloops = 0;
        return true;
    }
    if (poly_is_constant(loop.trip, &trip) && trip == 1) {
        const poly_t *zero = poly_constant(space, 0);
        piece->position = poly_substitute(space, piece->position, loop.variable, zero);
        piece->node = types_substitute(builder->program, piece->node, loop.variable, zero);
        remove_loop(piece, index);
        return true;
    }
    if (!poly_linear(space, piece->position, loop.variable, &slope, &rest)) {
        return false;
    }
    if (!poly_equal(slope, piece->size)) {
        if (!poly_equal(slope, poly_negate(space, piece->size)) || poly_is_zero(slope)) {
            return false;
        }
        reverse_loop(builder, piece, &loop);
        poly_linear(space, piece->position, loop.variable, &slope, &rest);
    }
    piece->node = types_repeat(builder->program, loop.variable, loop.trip, piece->node);
    piece->position = rest;
    piece->size = poly_multiply(space, piece->size, loop.trip);
    remove_loop(piece, index);
    return true;
}

static bool absorb(builder_t *builder)
{
    bool progress = false;
    for (int i = 0; i < builder->npieces; i++) {
        for (int j = 0; j < builder->pieces[i].nloops;) {
            if (absorb_loop(builder, &builder->pieces[i], j)) {
                progress = true;
                j = 0;
            } else {
                j++;
            }
        }
    }
    return progress;
}

/* ---- neighbours ---- */

/* The canonical loop with that slope and trip that the piece does not use yet. */
static int canonical_loop(builder_t *builder, const types_loop_t *loop, const poly_t *slope,
                          uint32_t used)
{
    for (int i = 0; i < builder->ncanonical; i++) {
        if ((used >> i & 1) == 0 && poly_equal(builder->slopes[i], slope) &&
            poly_equal(builder->canonical[i].trip, loop->trip)) {
            return i;
        }
    }
    if (builder->ncanonical == ACCESS_NESTING) {
        return -1;
    }
    const char *name = loop_name(builder, loop);
    builder->canonical[builder->ncanonical] =
        (types_loop_t){poly_loop(builder->space, name, strlen(name)), loop->trip};
    builder->slopes[builder->ncanonical] = slope;
    return builder->ncanonical++;
}

/* Renames loops, so that those of equal trips and strides in the buffer have one variable, and
 * reverses those that go down in the buffer. */
static void rename_loops(builder_t *builder, piece_t *piece)
{
    uint32_t used = 0;
    for (int i = 0; i < piece->nloops; i++) {
        types_loop_t *loop = &piece->loops[i];
        const poly_t *slope, *rest;
        if (!poly_linear(builder->space, piece->position, loop->variable, &slope, &rest)) {
            continue;
        }
        if (slope->count > 0 && slope->terms[0].coefficient < 0) {
            reverse_loop(builder, piece, loop);
            slope = poly_negate(builder->space, slope);
        }
        int to = canonical_loop(builder, loop, slope, used);
        if (to < 0) {
            continue;
        }
        used |= (uint32_t) 1 << to;
        poly_atom_t variable = builder->canonical[to].variable;
        if (variable != loop->variable) {
            const poly_t *by = poly_variable(builder->space, variable);
            piece->position = poly_substitute(builder->space, piece->position, loop->variable, by);
            piece->node = types_substitute(builder->program, piece->node, loop->variable, by);
            loop->variable = variable;
        }
    }
}

/* A table of pieces by position: open addressing, 0 is free, else index + 1. */
typedef struct table {
    int *slots;
    size_t mask;
} table_t;

static int *slot_of(const builder_t *builder, const table_t *table, const poly_t *position)
{
    for (size_t at = poly_hash(position);; at++) {
        int *slot = &table->slots[at & table->mask];
        if (*slot == 0 || poly_equal(builder->pieces[*slot - 1].position, position)) {
            return slot;
        }
    }
}

static bool same_loops(const piece_t *a, const piece_t *b)
{
    int found = 0;
    for (int i = 0; i < a->nloops; i++) {
        for (int j = 0; j < b->nloops; j++) {
            found += a->loops[i].variable == b->loops[j].variable;
        }
    }
    return found == a->nloops && found == b->nloops;
}

/* Sets next[i] to the piece behind piece i, or -1, and has[i] where there is one before it. */
static bool find_neighbours(builder_t *builder, table_t *table, int *next, bool *has)
{
    for (int i = 0; i < builder->npieces; i++) {
        rename_loops(builder, &builder->pieces[i]);
    }
    for (int i = 0; i < builder->npieces; i++) {
        int *slot = slot_of(builder, table, builder->pieces[i].position);
        if (*slot != 0) {
            return refuse(builder, SHAPE_REFUSED_TWICE, builder->pieces[i].place,
                          "position %s in the buffer is also written at line %lld",
                          text(builder, builder->pieces[i].position),
                          (long long) builder->pieces[*slot - 1].place.line);
        }
        *slot = i + 1;
    }
    for (int i = 0; i < builder->npieces; i++) {
        const piece_t *piece = &builder->pieces[i];
        const poly_t *end = poly_add(builder->space, piece->position, piece->size);
        int found = *slot_of(builder, table, end) - 1;
        next[i] =
            found >= 0 && found != i && same_loops(piece, &builder->pieces[found]) ? found : -1;
        if (next[i] >= 0) {
            has[next[i]] = true;
        }
    }
    return true;
}

/* Makes one piece of each chain of neighbours; true: there was one. */
static bool join_chains(builder_t *builder, const int *next, const bool *has)
{
    const types_node_t **nodes = zeroed(builder->npieces, sizeof(*nodes));
    piece_t *joined = zeroed(builder->npieces, sizeof(*joined));
    int kept = 0, visited = 0;
    bool progress = false;
    for (int i = 0; i < builder->npieces && nodes != NULL && joined != NULL; i++) {
        if (has[i]) {
            continue;
        }
        piece_t *piece = &joined[kept++];
        *piece = builder->pieces[i];
        int n = 0;
        piece->size = poly_constant(builder->space, 0);
        for (int at = i; at >= 0; at = next[at]) {
            piece->size = poly_add(builder->space, piece->size, builder->pieces[at].size);
            nodes[n++] = builder->pieces[at].node;
        }
        piece->node = types_sequence(builder->program, n, nodes);
        progress |= n > 1;
        visited += n;
    }
    progress &= visited == builder->npieces; /* a circle: sizes of different signs cancel out */
    if (progress) {
        memcpy(builder->pieces, joined, (size_t) kept * sizeof(*joined));
        builder->npieces = kept;
    }
    free(nodes);
    free(joined);
    return progress;
}

/* What a loop of no iteration packs is nowhere. */
static void drop_empty(builder_t *builder)
{
    int kept = 0;
    for (int i = 0; i < builder->npieces; i++) {
        if (!poly_is_zero(builder->pieces[i].size)) {
            builder->pieces[kept++] = builder->pieces[i];
        }
    }
    builder->npieces = kept > 0 ? kept : 1;
}

static bool fuse(builder_t *builder)
{
    size_t slots = 8;
    while (slots < (size_t) builder->npieces * 2) {
        slots *= 2;
    }
    table_t table = {calloc(slots, sizeof(int)), slots - 1};
    int *next = zeroed(builder->npieces, sizeof(*next));
    bool *has = zeroed(builder->npieces, sizeof(*has));
    builder->ncanonical = 0;
    bool progress = table.slots != NULL && next != NULL && has != NULL &&
                    find_neighbours(builder, &table, next, has) && join_chains(builder, next, has);
    free(table.slots);
    free(next);
    free(has);
    return progress;
}

/* ---- why it does not go on ---- */

static bool explain_loop(builder_t *builder, const piece_t *piece)
{
    const types_loop_t *loop = &piece->loops[0];
    const poly_t *slope, *rest;
    if (!poly_linear(builder->space, piece->position, loop->variable, &slope, &rest)) {
        return refuse(builder, SHAPE_REFUSED_POSITION, piece->place,
                      "position %s in the buffer is not linear in loop %s",
                      text(builder, piece->position), loop_name(builder, loop));
    }
    return refuse(builder, SHAPE_REFUSED_STRIDE, piece->place,
                  "one iteration of loop %s moves %s bytes on in the buffer and packs %s; the two "
                  "would have to be equal",
                  loop_name(builder, loop), text(builder, slope), text(builder, piece->size));
}

static bool explain_stop(builder_t *builder)
{
    for (int i = 0; i < builder->npieces; i++) {
        if (builder->pieces[i].nloops > 0) {
            return explain_loop(builder, &builder->pieces[i]);
        }
    }
    const piece_t *first = &builder->pieces[0], *second = &builder->pieces[1];
    const poly_t *end = poly_add(builder->space, first->position, first->size);
    return refuse(builder, SHAPE_REFUSED_GAP, second->place,
                  "one part of the buffer ends at %s, and no statement goes on there; another "
                  "part starts at %s",
                  text(builder, end), text(builder, second->position));
}

static bool find_by_position(builder_t *builder, const types_node_t **out)
{
    const access_program_t *program = builder->program;
    builder->pieces = zeroed(program->ncopies, sizeof(*builder->pieces));
    if (builder->pieces == NULL) {
        return refuse(builder, SHAPE_REFUSED_LIMIT, program->call.place, "out of memory");
    }
    for (int i = 0; i < program->ncopies; i++) {
        if (!first_piece(builder, &program->copies[i], i, &builder->pieces[builder->npieces])) {
            return false;
        }
        builder->npieces++;
    }
    for (bool progress = true; progress;) {
        progress = absorb(builder);
        drop_empty(builder);
        progress |= builder->npieces > 1 && fuse(builder);
        if (builder->shape->refusal != SHAPE_DECIDED || poly_error(builder->space) != POLY_OK) {
            return false;
        }
    }
    const piece_t *piece = &builder->pieces[0];
    if (builder->npieces > 1 || piece->nloops > 0) {
        return explain_stop(builder);
    }
    if (poly_is_zero(piece->size)) {
        return refuse(builder, SHAPE_REFUSED_NOTHING, program->call.place, "no loop runs");
    }
    if (!poly_equal(piece->position, program->call.start)) {
        return refuse(builder, SHAPE_REFUSED_START, piece->place,
                      "the first packed byte is at %s of the buffer, and the call starts at %s",
                      text(builder, piece->position), text(builder, program->call.start));
    }
    *out = piece->node;
    return true;
}

/* ---- the position goes on ---- */

/* The copies first to end - 1, which have `depth` loops and guards in common, in order. */
static const types_node_t *find_in_order(builder_t *builder, int first, int end, int depth)
{
    access_program_t *program = builder->program;
    const types_node_t **nodes = zeroed(end - first, sizeof(*nodes));
    int n = 0;
    bool good = nodes != NULL;
    for (int i = first; i < end && good;) {
        int path[2 * ACCESS_NESTING], other[2 * ACCESS_NESTING];
        int length = access_path(program, i, path), stop = i + 1;
        const types_node_t *node = NULL;
        if (length == depth) {
            node = statement(builder, &program->copies[i]);
        } else {
            int item = path[depth];
            while (stop < end && access_path(program, stop, other) > depth &&
                   other[depth] == item) {
                stop++;
            }
            node = find_in_order(builder, i, stop, depth + 1);
            if (node != NULL && item >= 0) {
                node = types_repeat(program, program->loops[item].variable,
                                    program->loops[item].trip, node);
            } else if (node != NULL) {
                node = types_guarded(program, &program->guards[ACCESS_GUARD(item)], node);
            }
        }
        good = node != NULL;
        nodes[n++] = node;
        i = stop;
    }
    const types_node_t *out = good ? types_sequence(program, n, nodes) : NULL;
    free(nodes);
    return out;
}

/* ---- the count ---- */

static bool compare_count(builder_t *builder)
{
    const access_program_t *program = builder->program;
    const access_call_t *call = &program->call;
    poly_space_t *space = builder->space;
    shape_t *shape = builder->shape;
    shape->size = types_size(builder->program, shape->type);
    shape->count = SHAPE_COUNT_ASSERTED;
    if (shape->size == NULL) {
        return true;
    }
    int64_t size;
    if (poly_is_constant(shape->size, &size) && size <= 0) {
        return refuse(builder, SHAPE_REFUSED_NOTHING, call->place, "%lld bytes are packed",
                      (long long) size);
    }
    const poly_t *sent = poly_scale(space, call->count, call->type.size);
    const poly_t *apart = poly_subtract(space, sent, shape->size);
    if (poly_is_zero(apart)) {
        shape->count = SHAPE_COUNT_PROVED;
        return true;
    }
    if (poly_at_least(space, apart, 1) || poly_at_least(space, poly_negate(space, apart), 1)) {
        return refuse(
            builder, SHAPE_REFUSED_COUNT, call->place,
            "%s bytes are packed, and %s %s: %s bytes %s", text(builder, shape->size),
            text(builder, sent), call->receives ? "are received" : "are sent",
            text(builder, poly_at_least(space, apart, 1) ? apart : poly_negate(space, apart)),
            poly_at_least(space, apart, 1) ? "more" : "fewer");
    }
    return true;
}

/* ---- all ---- */

static bool find_type(builder_t *builder)
{
    access_program_t *program = builder->program;
    int next = 0;
    for (int i = 0; i < program->ncopies; i++) {
        next += program->copies[i].position == NULL;
    }
    if (next > 0 && next < program->ncopies) {
        return refuse(builder, SHAPE_REFUSED_MIXED, program->call.place,
                      "%d of %d statements have a position in the buffer", program->ncopies - next,
                      program->ncopies);
    }
    const types_node_t *type = NULL;
    if (next > 0) {
        type = find_in_order(builder, 0, program->ncopies, 0);
    } else if (!find_by_position(builder, &type)) {
        return false;
    }
    builder->shape->type = type;
    if (type == NULL || !compare_count(builder)) {
        return false;
    }
    return true;
}

shape_t shape_find(access_program_t *program)
{
    shape_t shape = {.refusal = SHAPE_DECIDED, .reason = ""};
    builder_t builder = {.program = program, .space = program->space, .shape = &shape};
    bool found = find_type(&builder);
    if (found && program->call.receives) {
        overlap_t overlap = overlap_find(program, shape.type);
        shape.nconditions = overlap.nconditions;
        shape.conditions = overlap.conditions;
        if (overlap.certain) {
            refuse(&builder, SHAPE_REFUSED_OVERLAP, program->call.place, "%s",
                   overlap.conditions[0]);
        }
    }
    if (poly_error(program->space) != POLY_OK) {
        shape.refusal = SHAPE_REFUSED_LIMIT;
        shape.reason = poly_error_text(poly_error(program->space));
        shape.place = program->call.place;
    }
    free(builder.pieces);
    return shape;
}
