/* SPDX-License-Identifier: BSD-3-Clause */
/* C code for types. */
#define _POSIX_C_SOURCE 200809L

#include "code.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ON_STACK = 64 }; /* most blocks in arrays that are not memory of malloc() */

typedef struct emitter {
    access_program_t *program;
    poly_space_t *space;
    FILE *out;
    char *text; /* that goes to it */
    size_t length;
    code_language_t language;
    const char *indent, *prefix;
    int depth;
    int names; /* that were made */
    bool lists;
    bool *addressed; /* bases with their address in a variable */
    bool *symbolic;  /* bases of structs with sizes and members written as sizeof and offsetof */
    bool offsets;
} emitter_t;

/* A datatype in the code: `length` times `text`. */
typedef struct handle {
    const char *text;
    const char *length;
    bool owned; /* to be freed */
} handle_t;

__attribute__((format(printf, 2, 3))) static void line(emitter_t *emitter, const char *format, ...)
{
    fprintf(emitter->out, "%s%*s", emitter->indent, 4 * emitter->depth, "");
    va_list args;
    va_start(args, format);
    vfprintf(emitter->out, format, args);
    va_end(args);
    fputc('\n', emitter->out);
}

static void open_block(emitter_t *emitter)
{
    line(emitter, "{");
    emitter->depth++;
}

static void close_block(emitter_t *emitter)
{
    emitter->depth--;
    line(emitter, "}");
}

__attribute__((format(printf, 2, 3))) static const char *kept(emitter_t *emitter,
                                                              const char *format, ...)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return "";
    }
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fclose(out);
    char *copy = text != NULL ? poly_alloc(emitter->space, length + 1, 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    free(text);
    return copy != NULL ? copy : "";
}

static const char *new_name(emitter_t *emitter, const char *what)
{
    return kept(emitter, "%s%s%d", emitter->prefix, what, emitter->names++);
}

static const char *aint(emitter_t *emitter, const poly_t *a)
{
    return poly_string(emitter->space, a, POLY_AINT, false);
}

/* The count, which is 0 where a clamp is negative. */
static const char *count_text(emitter_t *emitter, const types_node_t *node)
{
    const char *count = poly_string(emitter->space, node->count, POLY_SOURCE, false);
    const char *test = "";
    for (int i = 0; i < node->nclamps; i++) {
        test = kept(emitter, "%s%s%s > 0", test, i > 0 ? " && " : "",
                    poly_string(emitter->space, node->clamps[i], POLY_SOURCE, false));
    }
    return test[0] == '\0' ? count : kept(emitter, "%s ? %s : 0", test, count);
}

/* ---- addresses of bases ---- */

static const char *base_variable(emitter_t *emitter, int base)
{
    return kept(emitter, "%sbase%d", emitter->prefix, base);
}

static void find_bases(emitter_t *emitter, const types_node_t *node, int from)
{
    bool blocks = node->kind == TYPES_STRUCT || node->kind == TYPES_LIST;
    for (int i = 0; i < node->nchildren; i++) {
        int base = node->children[i]->origin.base;
        if (blocks && base != from) {
            emitter->addressed[base] = emitter->addressed[from] = true;
        }
        find_bases(emitter, node->children[i], base);
    }
}

static void declare_bases(emitter_t *emitter)
{
    for (int i = 0; i < emitter->program->nbases; i++) {
        if (emitter->addressed[i]) {
            line(emitter, "MPI_Aint %s;", base_variable(emitter, i));
            line(emitter, "MPI_Get_address(%s, &%s);", emitter->program->bases[i].address,
                 base_variable(emitter, i));
        }
    }
}

/* ---- structs ---- */

/* The part of a constant offset that is less than an element. */
static int64_t within(const access_base_t *base, const poly_t *offset)
{
    const poly_term_t *last = offset->count > 0 ? &offset->terms[offset->count - 1] : NULL;
    int64_t behind = last != NULL && last->degree == 0 ? last->coefficient % base->type.size : 0;
    return behind < 0 ? behind + base->type.size : behind;
}

/* Elements, where all but the constant is whole ones; NULL: it is not. */
static const poly_t *elements_of(emitter_t *emitter, const access_base_t *base,
                                 const poly_t *offset)
{
    poly_space_t *space = emitter->space;
    return poly_divide(space,
                       poly_subtract(space, offset, poly_constant(space, within(base, offset))),
                       poly_constant(space, base->type.size));
}

static const access_field_t *part_at(const access_base_t *base, int64_t at, int64_t length)
{
    for (int i = 0; i < base->nparts; i++) {
        const access_field_t *part = &base->parts[i];
        if (part->offset <= at && length <= part->offset + part->type.size - at) {
            return part;
        }
    }
    return NULL;
}

/* Does each block lie in one member of an element, and does every step go from element to element?
 * Then the code is right for any layout of the struct. */
static bool keeps_to_members(emitter_t *emitter, const types_node_t *node, int base)
{
    const access_base_t *of = &emitter->program->bases[base];
    int64_t count;
    if (node->origin.base == base && node->kind == TYPES_DENSE &&
        !(poly_is_constant(node->count, &count) && count > 0 &&
          count <= of->type.size / node->type.size &&
          elements_of(emitter, of, node->origin.offset) != NULL &&
          part_at(of, within(of, node->origin.offset), count * node->type.size) != NULL)) {
        return false;
    }
    if (node->origin.base == base && node->kind == TYPES_VECTOR &&
        (within(of, node->stride) != 0 || elements_of(emitter, of, node->stride) == NULL)) {
        return false;
    }
    for (int i = 0; i < node->nchildren; i++) {
        if (!keeps_to_members(emitter, node->children[i], base)) {
            return false;
        }
    }
    return true;
}

static const char *whole_elements(emitter_t *emitter, const access_base_t *base,
                                  const poly_t *elements)
{
    int64_t number;
    if (poly_is_constant(elements, &number) && number == 1) {
        return kept(emitter, "(MPI_Aint) sizeof(%s)", base->element);
    }
    return kept(emitter, "(MPI_Aint) sizeof(%s)*%s", base->element,
                poly_string(emitter->space, elements, POLY_AINT, true));
}

/* The bytes before `at` in an element: offsetof(), and the rest in a member that is an array. */
static const char *member_text(emitter_t *emitter, const access_base_t *base, int64_t at)
{
    const access_field_t *part = part_at(base, at, 1);
    if (part == NULL) {
        return kept(emitter, "%" PRId64, at);
    }
    emitter->offsets = true;
    const char *text = kept(emitter, "(MPI_Aint) offsetof(%s, %s)", base->element, part->name);
    return at == part->offset ? text : kept(emitter, "%s + %" PRId64, text, at - part->offset);
}

/* One address of a base less another one. */
static const char *apart_in_struct(emitter_t *emitter, const access_base_t *base, const poly_t *to,
                                   const poly_t *from)
{
    const poly_t *elements = poly_subtract(emitter->space, elements_of(emitter, base, to),
                                           elements_of(emitter, base, from));
    int64_t at = within(base, to), less = within(base, from);
    const char *text = poly_is_zero(elements) ? "" : whole_elements(emitter, base, elements);
    if (at != less && at > 0) {
        text = kept(emitter, "%s%s%s", text, *text != '\0' ? " + " : "",
                    member_text(emitter, base, at));
    }
    if (at != less && less > 0) {
        text = kept(emitter, "%s%s(%s)", text, *text != '\0' ? " - " : "-",
                    member_text(emitter, base, less));
    }
    return *text != '\0' ? text : "0";
}

/* Bytes from one byte to another of a base. */
static const char *bytes_apart(emitter_t *emitter, int base, const poly_t *to, const poly_t *from)
{
    return emitter->symbolic[base]
               ? apart_in_struct(emitter, &emitter->program->bases[base], to, from)
               : aint(emitter, poly_subtract(emitter->space, to, from));
}

static const char *displacement(emitter_t *emitter, types_address_t to, types_address_t from)
{
    const poly_t *zero = poly_constant(emitter->space, 0);
    const poly_t *apart = poly_subtract(emitter->space, to.offset, from.offset);
    if (to.base == from.base) {
        return bytes_apart(emitter, to.base, to.offset, from.offset);
    }
    const char *bases = kept(emitter, "%s - %s", base_variable(emitter, to.base),
                             base_variable(emitter, from.base));
    if (emitter->symbolic[to.base] || emitter->symbolic[from.base]) {
        return kept(emitter, "%s + %s - (%s)", bases,
                    bytes_apart(emitter, to.base, to.offset, zero),
                    bytes_apart(emitter, from.base, from.offset, zero));
    }
    return poly_is_zero(apart) ? bases
                               : kept(emitter, "%s + %s", bases,
                                      poly_string(emitter->space, apart, POLY_AINT,
                                                  apart->terms[0].coefficient < 0));
}

/* What numbers in the code rely on: where the compiler puts the members of structs. */
static void assert_structs(emitter_t *emitter)
{
    const char *word = emitter->language == CODE_CXX ? "static_assert" : "_Static_assert";
    for (int i = 0; i < emitter->program->nbases; i++) {
        const access_base_t *base = &emitter->program->bases[i];
        if (emitter->symbolic[i]) {
            continue;
        }
        for (int j = 0; j < base->nparts; j++) {
            emitter->offsets = true;
            line(emitter, "%s(offsetof(%s, %s) == %" PRId64 ", \"%s has another layout\");", word,
                 base->element, base->parts[j].name, base->parts[j].offset, base->element);
        }
        if (base->nfields > 0 || base->element != NULL ||
            strncmp(base->type.name, "struct ", 7) == 0) {
            line(emitter, "%s(sizeof(%s) == %" PRId64 ", \"%s has another layout\");", word,
                 base->type.name, base->type.size, base->type.name);
        }
    }
}

/* ---- constructors ---- */

static handle_t emit(emitter_t *emitter, const types_node_t *node);

static void free_handle(emitter_t *emitter, handle_t handle)
{
    if (handle.owned) {
        line(emitter, "MPI_Type_free(&%s);", handle.text);
    }
}

static handle_t emit_vector(emitter_t *emitter, const types_node_t *node)
{
    handle_t inner = emit(emitter, node->children[0]);
    const char *name = new_name(emitter, "type");
    line(emitter, "MPI_Datatype %s;", name);
    line(emitter, "MPI_Type_create_hvector(%s, %s, %s, %s, &%s);", count_text(emitter, node),
         inner.length,
         bytes_apart(emitter, node->origin.base, node->stride, poly_constant(emitter->space, 0)),
         inner.text, name);
    free_handle(emitter, inner);
    return (handle_t){name, "1", true};
}

/* ---- lists ---- */

/* Names in the code for one list. */
typedef struct list {
    const types_node_t *node; /* with loops renamed as in the code */
    const char *name, *n, *lengths, *displacements, *types, *made, *nmade;
    bool one_type;      /* all blocks have the type `type`, of one child or of all */
    bool one_length;    /* and the length `length` */
    handle_t *children; /* of those that do not depend on the loops */
    bool *inside;       /* the others */
    bool any_inside;
} list_t;

static bool same_handle(const handle_t *a, const handle_t *b)
{
    return !a->owned && !b->owned && strcmp(a->text, b->text) == 0;
}

/* The node with loops named as variables of the code. */
static const types_node_t *renamed(emitter_t *emitter, const types_node_t *node)
{
    types_node_t *out = poly_alloc(emitter->space, 1, sizeof(*out));
    types_loop_t *loops = poly_alloc(emitter->space, (size_t) node->nloops, sizeof(*loops));
    if (out == NULL || loops == NULL) {
        return node;
    }
    *out = *node;
    for (int i = 0; i < node->nloops; i++) {
        const char *name =
            new_name(emitter, poly_atom_text(emitter->space, node->loops[i].variable));
        poly_atom_t variable = poly_name(emitter->space, name, strlen(name));
        poly_atom_t old = out->loops[i].variable;
        const types_node_t *changed =
            types_substitute(emitter->program, out, old, poly_variable(emitter->space, variable));
        *out = *changed;
        for (int j = 0; j < node->nloops; j++) {
            loops[j] = out->loops[j];
        }
        loops[i].variable = variable;
        types_loop_t *copy = poly_alloc(emitter->space, (size_t) node->nloops, sizeof(*copy));
        if (copy == NULL) {
            return node;
        }
        memcpy(copy, loops, (size_t) node->nloops * sizeof(*copy));
        out->loops = copy;
    }
    return out;
}

static bool form_depends(emitter_t *emitter, const types_node_t *list, const types_node_t *child)
{
    types_node_t form = *types_unguarded(emitter->program, child);
    form.origin.offset = poly_constant(emitter->space, 0);
    if (form.kind == TYPES_VECTOR) { /* its origin is the child's, and no part of its form */
        return form_depends(emitter, list, form.children[0]) ||
               form_depends(emitter, list,
                            &(types_node_t){.kind = TYPES_DENSE,
                                            .origin = form.origin,
                                            .count = form.count,
                                            .stride = form.stride,
                                            .nclamps = form.nclamps,
                                            .clamps = form.clamps});
    }
    for (int i = 0; i < list->nloops; i++) {
        if (types_depends(emitter->program, &form, list->loops[i].variable)) {
            return true;
        }
    }
    return false;
}

static void open_loops(emitter_t *emitter, const types_node_t *node)
{
    for (int i = 0; i < node->nloops; i++) {
        const char *name = poly_atom_text(emitter->space, node->loops[i].variable);
        line(emitter, "for (MPI_Aint %s = 0; %s < %s; %s++) {", name, name,
             aint(emitter, node->loops[i].trip), name);
        emitter->depth++;
    }
}

static void close_loops(emitter_t *emitter, const types_node_t *node)
{
    for (int i = 0; i < node->nloops; i++) {
        close_block(emitter);
    }
}

/* Opens a block that runs where the guard holds. Names of the condition are visible to it only. */
static void open_guard(emitter_t *emitter, const access_guard_t *guard)
{
    const char *holds = new_name(emitter, "holds");
    line(emitter, "int %s;", holds);
    open_block(emitter);
    const char *first = NULL;
    for (int i = 0; i < guard->nbindings; i++) {
        const char *name = new_name(emitter, "value");
        first = first == NULL ? name : first;
        line(emitter, "const MPI_Aint %s = %s;", name, aint(emitter, guard->bindings[i].value));
    }
    int number = emitter->names - guard->nbindings;
    for (int i = 0; i < guard->nbindings; i++) {
        line(emitter, "const MPI_Aint %s = %svalue%d;", guard->bindings[i].name, emitter->prefix,
             number + i);
    }
    line(emitter, "%s = (%s) != 0;", holds, guard->condition);
    close_block(emitter);
    line(emitter, "if (%s) {", holds);
    emitter->depth++;
}

/* C++ does not convert what malloc() returns. */
static void allocate(emitter_t *emitter, const char *type, const char *name, const char *room)
{
    line(emitter, "%s *%s = %smalloc(%s * sizeof(*%s));", type, name,
         emitter->language == CODE_CXX ? kept(emitter, "(%s *) ", type) : "", room, name);
}

static void count_blocks(emitter_t *emitter, const list_t *list)
{
    const char *room = kept(emitter, "%s_room", list->name);
    const types_node_t *node = list->node;
    types_node_t outer = *node; /* the loops that decide the trips of others */
    while (outer.nloops > 0) {
        poly_atom_t variable = node->loops[outer.nloops - 1].variable;
        bool decides = false;
        for (int i = outer.nloops; i < node->nloops; i++) {
            decides |= poly_depends(emitter->space, node->loops[i].trip, variable);
        }
        if (decides) {
            break;
        }
        outer.nloops--;
    }
    const char *blocks = kept(emitter, node->nchildren > 1 ? "%d" : "", node->nchildren);
    for (int i = outer.nloops; i < node->nloops; i++) {
        const char *trip = poly_string(emitter->space, node->loops[i].trip, POLY_AINT, true);
        blocks = kept(emitter, "%s%s(size_t) (%s > 0 ? %s : 0)", blocks,
                      *blocks != '\0' ? " * " : "", trip, trip);
    }
    blocks = *blocks != '\0' ? blocks : "1";
    line(emitter, "size_t %s = %s%s;", room, node->nloops > 0 ? "1" : blocks,
         node->nloops > 0 && outer.nloops == 0 ? kept(emitter, " + %s", blocks) : "");
    if (outer.nloops > 0) {
        open_loops(emitter, &outer);
        line(emitter, "%s += %s;", room, blocks);
        close_loops(emitter, &outer);
    }
    allocate(emitter, "MPI_Aint", list->displacements, room);
    const char *failed = kept(emitter, "%s == NULL", list->displacements);
    if (!list->one_length) {
        allocate(emitter, "int", list->lengths, room);
        failed = kept(emitter, "%s || %s == NULL", failed, list->lengths);
    }
    const char *arrays[] = {!list->one_type ? list->types : NULL,
                            list->any_inside ? list->made : NULL};
    for (int i = 0; i < 2; i++) {
        if (arrays[i] != NULL) {
            allocate(emitter, "MPI_Datatype", arrays[i], room);
            failed = kept(emitter, "%s || %s == NULL", failed, arrays[i]);
        }
    }
    line(emitter, "if (%s) {", failed);
    line(emitter, "    MPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);");
    line(emitter, "}");
    emitter->lists = true;
}

static void declare_arrays(emitter_t *emitter, const list_t *list)
{
    int room = list->node->nchildren;
    line(emitter, "MPI_Aint %s[%d];", list->displacements, room);
    if (!list->one_length) {
        line(emitter, "int %s[%d];", list->lengths, room);
    }
    if (!list->one_type) {
        line(emitter, "MPI_Datatype %s[%d];", list->types, room);
    }
}

static void fill(emitter_t *emitter, list_t *list)
{
    const types_node_t *node = list->node;
    open_loops(emitter, node);
    for (int i = 0; i < node->nchildren; i++) {
        const types_node_t *child = node->children[i];
        bool block = child->guard != NULL || list->inside[i];
        if (block) {
            open_block(emitter);
        }
        if (child->guard != NULL) {
            open_guard(emitter, child->guard);
        }
        handle_t handle = list->inside[i] ? emit(emitter, types_unguarded(emitter->program, child))
                                          : list->children[i];
        if (!list->one_length) {
            line(emitter, "%s[%s] = %s;", list->lengths, list->n, handle.length);
        }
        if (!list->one_type) {
            line(emitter, "%s[%s] = %s;", list->types, list->n, handle.text);
        }
        if (list->inside[i] && handle.owned) {
            line(emitter, "%s[%s++] = %s;", list->made, list->nmade, handle.text);
        }
        line(emitter, "%s[%s++] = %s;", list->displacements, list->n,
             displacement(emitter, child->origin, node->origin));
        if (child->guard != NULL) {
            close_block(emitter);
        }
        if (block) {
            close_block(emitter);
        }
    }
    close_loops(emitter, node);
}

/* Facts before the loops: children's types, and whether they are one. */
static void prepare(emitter_t *emitter, list_t *list)
{
    const types_node_t *node = list->node;
    const types_node_t *first = node->children[0];
    bool one_child = node->nchildren == 1 && !form_depends(emitter, node, first);
    list->one_type = list->one_length = true;
    for (int i = 0; i < node->nchildren; i++) {
        const types_node_t *child = types_unguarded(emitter->program, node->children[i]);
        bool depends = form_depends(emitter, node, node->children[i]);
        bool dense = child->kind == TYPES_DENSE;
        bool alike = i > 0 && !depends && node->children[i]->guard == NULL &&
                     types_alike(emitter->program, first, child);
        list->inside[i] = depends && !dense;
        list->any_inside |= list->inside[i];
        if (alike) {
            list->children[i] = list->children[0];
            list->children[i].owned = false;
            continue;
        }
        if (list->inside[i]) {
            list->one_type = list->one_length = false;
            continue;
        }
        list->children[i] = emit(emitter, child);
        if (i > 0) {
            list->one_type &= same_handle(&list->children[0], &list->children[i]);
            list->one_length &= strcmp(list->children[0].length, list->children[i].length) == 0;
        }
        list->one_length &= !depends;
    }
    list->one_type |= one_child;
    list->one_length &= list->one_type;
}

static void construct(emitter_t *emitter, const list_t *list, const char *name)
{
    handle_t first = list->children[0];
    if (list->one_length) {
        line(emitter, "MPI_Type_create_hindexed_block(%s, %s, %s, %s, &%s);", list->n, first.length,
             list->displacements, first.text, name);
    } else if (list->one_type) {
        line(emitter, "MPI_Type_create_hindexed(%s, %s, %s, %s, &%s);", list->n, list->lengths,
             list->displacements, first.text, name);
    } else {
        line(emitter, "MPI_Type_create_struct(%s, %s, %s, %s, &%s);", list->n, list->lengths,
             list->displacements, list->types, name);
    }
}

static handle_t emit_list(emitter_t *emitter, const types_node_t *node)
{
    const char *name = new_name(emitter, "type");
    list_t list = {.node = renamed(emitter, node), .name = name, .n = kept(emitter, "%s_n", name)};
    list.lengths = kept(emitter, "%s_length", name);
    list.displacements = kept(emitter, "%s_at", name);
    list.types = kept(emitter, "%s_types", name);
    list.made = kept(emitter, "%s_made", name);
    list.nmade = kept(emitter, "%s_nmade", name);
    list.children = poly_alloc(emitter->space, (size_t) node->nchildren, sizeof(handle_t));
    list.inside = poly_alloc(emitter->space, (size_t) node->nchildren, sizeof(bool));
    if (list.children == NULL || list.inside == NULL) {
        return (handle_t){"", "", false};
    }
    prepare(emitter, &list);
    bool heap = node->nloops > 0 || node->nchildren > ON_STACK;
    line(emitter, "MPI_Datatype %s;", name);
    line(emitter, "int %s = 0;", list.n);
    if (list.any_inside) {
        line(emitter, "int %s = 0;", list.nmade);
    }
    if (heap) {
        count_blocks(emitter, &list);
    } else {
        declare_arrays(emitter, &list);
    }
    fill(emitter, &list);
    construct(emitter, &list, name);
    if (list.any_inside) {
        line(emitter, "while (%s > 0) {", list.nmade);
        line(emitter, "    MPI_Type_free(&%s[--%s]);", list.made, list.nmade);
        line(emitter, "}");
    }
    for (int i = 0; i < node->nchildren; i++) {
        if (!list.inside[i]) {
            free_handle(emitter, list.children[i]);
        }
    }
    if (heap) {
        line(emitter, "free(%s);", list.displacements);
        const char *arrays[] = {list.one_length ? NULL : list.lengths,
                                list.one_type ? NULL : list.types,
                                list.any_inside ? list.made : NULL};
        for (int i = 0; i < 3; i++) {
            if (arrays[i] != NULL) {
                line(emitter, "free(%s);", arrays[i]);
            }
        }
    }
    return (handle_t){name, "1", true};
}

static handle_t emit(emitter_t *emitter, const types_node_t *node)
{
    switch (node->kind) {
    case TYPES_DENSE:
        return (handle_t){node->type.name, count_text(emitter, node), false};
    case TYPES_VECTOR:
        return emit_vector(emitter, node);
    default:
        return emit_list(emitter, node);
    }
}

/* One datatype with that extent. */
static handle_t emit_resized(emitter_t *emitter, handle_t handle, const poly_t *extent)
{
    const char *name = new_name(emitter, "type");
    line(emitter, "MPI_Datatype %s;", name);
    if (!handle.owned) {
        const char *one = new_name(emitter, "type");
        line(emitter, "MPI_Datatype %s;", one);
        line(emitter, "MPI_Type_contiguous(%s, %s, &%s);", handle.length, handle.text, one);
        handle = (handle_t){one, "1", true};
    }
    line(emitter, "MPI_Type_create_resized(%s, 0, %s, &%s);", handle.text, aint(emitter, extent),
         name);
    free_handle(emitter, handle);
    return (handle_t){name, "1", true};
}

/* ---- all ---- */

/* A top that has a guard is a struct of one block, or none. */
static const types_node_t *top_of(emitter_t *emitter, const types_node_t *type)
{
    if (type->guard == NULL) {
        return type;
    }
    types_node_t *top = poly_alloc(emitter->space, 1, sizeof(*top));
    const types_node_t **child = poly_alloc(emitter->space, 1, sizeof(*child));
    if (top == NULL || child == NULL) {
        return type;
    }
    *child = type;
    *top = (types_node_t){
        .kind = TYPES_STRUCT, .origin = type->origin, .nchildren = 1, .children = child};
    return top;
}

/* Not an assert(), which NDEBUG removes: a message would lose data in silence. */
static void compare_count(emitter_t *emitter, const handle_t *handle)
{
    const access_call_t *call = &emitter->program->call;
    const char *sent = aint(emitter, poly_scale(emitter->space, call->count, call->type.size));
    const char *size = new_name(emitter, "size");
    line(emitter, "MPI_Count %s;", size);
    line(emitter, "MPI_Type_size_x(%s, &%s);", handle->text, size);
    line(emitter, "if (%s * (%s) != %s) {", size, handle->length, sent);
    line(emitter,
         "    fprintf(stderr, \"%%s:%%d: the message has other bytes than its loop copies\\n\", "
         "__FILE__, __LINE__);");
    line(emitter, "    MPI_Abort(MPI_COMM_WORLD, 1);");
    line(emitter, "}");
}

static const char *address_text(emitter_t *emitter, types_address_t address)
{
    const access_base_t *base = &emitter->program->bases[address.base];
    if (!emitter->symbolic[address.base] || poly_is_zero(address.offset) || base->nfields > 0) {
        return types_address_text(emitter->program, address);
    }
    return kept(
        emitter, "(char *) (%s) + %s", base->address,
        bytes_apart(emitter, address.base, address.offset, poly_constant(emitter->space, 0)));
}

/* A stream for lines, whose text is taken by take_lines(). */
static bool open_lines(emitter_t *emitter)
{
    emitter->out = open_memstream(&emitter->text, &emitter->length);
    return emitter->out != NULL;
}

static const char *take_lines(emitter_t *emitter)
{
    fclose(emitter->out);
    const char *text = kept(emitter, "%s", emitter->text != NULL ? emitter->text : "");
    free(emitter->text);
    emitter->text = NULL;
    return text;
}

code_t code_make(access_program_t *program, const shape_t *shape, code_language_t language,
                 const char *indent, const char *prefix)
{
    emitter_t emitter = {.program = program,
                         .space = program->space,
                         .language = language,
                         .indent = indent,
                         .prefix = prefix};
    code_t code = {
        .make = "", .comparison = "", .address = "", .count = "", .type = "", .release = ""};
    emitter.addressed = poly_alloc(program->space, (size_t) program->nbases, sizeof(bool));
    emitter.symbolic = poly_alloc(program->space, (size_t) program->nbases, sizeof(bool));
    if (emitter.addressed == NULL || emitter.symbolic == NULL || !open_lines(&emitter)) {
        return code;
    }
    const types_node_t *top = top_of(&emitter, shape->type);
    find_bases(&emitter, top, top->origin.base);
    for (int i = 0; i < program->nbases; i++) {
        emitter.symbolic[i] =
            program->bases[i].element != NULL && keeps_to_members(&emitter, top, i);
    }
    if (top->kind != TYPES_DENSE) {
        assert_structs(&emitter);
    }
    declare_bases(&emitter);
    handle_t handle = emit(&emitter, top);
    if (shape->extent != NULL) {
        handle = emit_resized(&emitter, handle, shape->extent);
    }
    if (handle.owned) {
        line(&emitter, "MPI_Type_commit(&%s);", handle.text);
    }
    code.make = take_lines(&emitter);
    if (shape->count == SHAPE_COUNT_ASSERTED && open_lines(&emitter)) {
        compare_count(&emitter, &handle);
        code.comparison = take_lines(&emitter);
    }
    code.address = address_text(&emitter, top->origin);
    code.offsets = emitter.offsets;
    code.count = handle.length;
    code.type = handle.text;
    code.lists = emitter.lists;
    code.release =
        handle.owned ? kept(&emitter, "%sMPI_Type_free(&%s);\n", indent, handle.text) : "";
    return code;
}
