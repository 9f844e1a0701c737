/* SPDX-License-Identifier: BSD-3-Clause */
#include "struct_check.h"
#include "struct_made.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 20 };

/* One value of a basic type. */
typedef struct element {
    int64_t offset, size;
    const c_datatype_t *type;
    size_t owner; /* the member, or the block */
    bool is_matched;
} element_t;

typedef struct elements {
    element_t *element;
    size_t n, room;
    bool is_too_many;
} elements_t;

typedef struct comparison {
    FILE *out;
    c_unit_t *unit;
    const layout_t *layout;
    const made_call_t *made;
    elements_t members, blocks;
    size_t differences;
} comparison_t;

static void add_element(elements_t *elements, element_t element)
{
    if (elements->n == MOST_ELEMENTS) {
        elements->is_too_many = true;
        return;
    }
    if (elements->n == elements->room) {
        elements->room = elements->room ? 2 * elements->room : 64;
        elements->element = c_resize(elements->element, elements->room, sizeof *elements->element);
    }
    elements->element[elements->n++] = element;
}

/* Members that cannot be sent have no elements. OWNER SIZE_MAX: each member is its own. */
static void add_layout(elements_t *elements, const layout_t *layout, int64_t at, size_t owner)
{
    size_t i;
    int64_t j;

    for (i = 0; i < layout->n; i++) {
        const layout_member_t *member = &layout->members[i];

        for (j = 0; !member->why && j < member->count && !elements->is_too_many; j++) {
            int64_t offset = at + member->offset + j * member->size;
            size_t mine = owner == SIZE_MAX ? i : owner;

            if (member->nested) {
                add_layout(elements, member->nested, offset, mine);
            } else {
                add_element(elements, (element_t){offset, member->size,
                                                  c_named_datatype(member->mpi), mine, false});
            }
        }
    }
}

static void add_made(elements_t *elements, const made_t *made, int64_t at, size_t owner)
{
    size_t i;
    int64_t j;

    if (made->basic) {
        add_element(elements, (element_t){at, made->basic->size, made->basic, owner, false});
        return;
    }
    for (i = 0; i < made->n; i++) {
        const made_block_t *block = &made->blocks[i];

        for (j = 0; j < block->length && !elements->is_too_many; j++) {
            add_made(elements, block->type, at + block->displacement + j * block->type->extent,
                     owner == SIZE_MAX ? i : owner);
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const element_t *x = a, *y = b;

    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                  : (x->owner > y->owner) - (x->owner < y->owner);
}

/* ---- messages ---- */

static void say(comparison_t *comparison, const char *kind, const char *text)
{
    const c_node_t *call = comparison->made->call;

    fprintf(comparison->out, "%s:%u:%u: %s: %s: %s\n",
            call->span.file ? call->span.file->path : comparison->unit->path, call->span.line,
            call->span.column, kind, c_callee(call), text);
}

static void differs(comparison_t *comparison, const char *text)
{
    comparison->differences++;
    say(comparison, "warning", text);
}

/* ---- elements ---- */

static bool is_bytes(const element_t *element)
{
    return !element->type->c;
}

/* The first that does not lie before the offset. */
static size_t first_from(const elements_t *elements, int64_t offset)
{
    size_t low = 0, high = elements->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (elements->element[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Does the datatype send this value of a member? As bytes it may. */
static bool match_elements(elements_t *blocks, const element_t *member)
{
    size_t first = first_from(blocks, member->offset), i;
    element_t *found = &blocks->element[first];

    for (; first < blocks->n && found->offset == member->offset; first++, found++) {
        if (!found->is_matched && !is_bytes(found) && c_same_datatype(found->type, member->type)) {
            return found->is_matched = true;
        }
    }
    first = first_from(blocks, member->offset);
    for (i = first; i < blocks->n && i - first < (size_t) member->size; i++) {
        if (!is_bytes(&blocks->element[i]) || blocks->element[i].is_matched ||
            blocks->element[i].offset != member->offset + (int64_t) (i - first)) {
            return false;
        }
    }
    if (i - first != (size_t) member->size) {
        return false;
    }
    while (i > first) {
        blocks->element[--i].is_matched = true;
    }
    return true;
}

static const element_t *at_offset(const elements_t *elements, int64_t offset)
{
    size_t i = first_from(elements, offset);

    return i < elements->n && elements->element[i].offset == offset ? &elements->element[i] : NULL;
}

/* Blocks and members correspond by their order where there are as many. */
static bool in_order(const comparison_t *comparison)
{
    return comparison->made->type->n == comparison->layout->n;
}

/* ---- differences ---- */

/* MEMBER is not sent as it is: its elements from FIRST on; MATCHED of TOTAL are sent. */
static void report_member(comparison_t *comparison, size_t index, const element_t *first,
                          size_t matched, size_t total, bool *block_named)
{
    const layout_member_t *member = &comparison->layout->members[index];
    const made_t *made = comparison->made->type;
    const element_t *there = at_offset(&comparison->blocks, first->offset);
    c_memory_t *memory = comparison->unit->memory;

    if (there && !there->is_matched) {
        block_named[there->owner] = true;
        differs(comparison, c_format(memory, "%s is sent as %s, and is %s", member->path,
                                     there->type->mpi, first->type->mpi));
    } else if (matched > 0) {
        differs(comparison, c_format(memory, "%zu of %zu elements of %s are sent", matched, total,
                                     member->path));
    } else if (in_order(comparison) &&
               !at_offset(&comparison->members, made->blocks[index].displacement)) {
        block_named[index] = true;
        differs(comparison,
                c_format(memory, "the displacement for %s is %lld, and offsetof(%s, %s) is %lld",
                         member->path, (long long) made->blocks[index].displacement,
                         comparison->layout->type, member->path, (long long) member->offset));
    } else {
        differs(comparison, c_format(memory, "%s is not sent", member->path));
    }
}

static void find_missing(comparison_t *comparison, bool *block_named)
{
    const layout_t *layout = comparison->layout;
    elements_t *members = &comparison->members;
    size_t *total = c_checked(calloc(layout->n + 1, sizeof *total)), i;
    size_t *matched = c_checked(calloc(layout->n + 1, sizeof *matched));
    element_t **first = c_checked(calloc(layout->n + 1, sizeof *first));

    for (i = 0; i < members->n; i++) {
        element_t *element = &members->element[i];

        total[element->owner]++;
        element->is_matched = match_elements(&comparison->blocks, element);
        matched[element->owner] += element->is_matched;
        if (!element->is_matched && !first[element->owner]) {
            first[element->owner] = element;
        }
    }
    for (i = 0; i < layout->n; i++) {
        if (first[i]) {
            report_member(comparison, i, first[i], matched[i], total[i], block_named);
        }
    }
    free(total);
    free(matched);
    free(first);
}

/* The member that has this byte, or NULL: padding, or outside of the struct. */
static const layout_member_t *member_at(const layout_t *layout, int64_t offset)
{
    const layout_member_t *member, *found = NULL;

    for (member = layout->members; member < layout->members + layout->n; member++) {
        if (member->offset >= 0 && member->offset <= offset &&
            (!found || member->offset > found->offset)) {
            found = member;
        }
    }
    return found && (found->why || offset < found->offset + found->count * found->size) ? found
                                                                                        : NULL;
}

/* Values that the datatype sends and that are no member's, or were sent before: a line a block.
 * Padding may be sent as bytes. */
static void find_extra(comparison_t *comparison, bool *block_named)
{
    size_t i;

    for (i = 0; i < comparison->blocks.n; i++) {
        const element_t *element = &comparison->blocks.element[i];
        const layout_member_t *member = member_at(comparison->layout, element->offset);
        c_memory_t *memory = comparison->unit->memory;

        if (element->is_matched || block_named[element->owner] ||
            (is_bytes(element) && !member && element->offset >= 0 &&
             element->offset < comparison->layout->size)) {
            continue;
        }
        block_named[element->owner] = true;
        if (member && member->why && member->offset == element->offset) {
            differs(comparison,
                    c_format(memory, "%s is sent, and cannot be: %s", member->path, member->why));
        } else {
            const element_t *there = at_offset(&comparison->members, element->offset);

            differs(comparison,
                    member && there && there->is_matched
                        ? c_format(memory, "block %zu sends %s a second time", element->owner,
                                   member->path)
                        : c_format(memory,
                                   "block %zu sends %s at displacement %lld, where %s has %s",
                                   element->owner, element->type->mpi, (long long) element->offset,
                                   comparison->layout->type, member ? member->path : "no member"));
        }
    }
}

static void compare_extents(comparison_t *comparison)
{
    const made_t *made =
        comparison->made->resized ? comparison->made->resized : comparison->made->type;
    const layout_t *layout = comparison->layout;
    c_memory_t *memory = comparison->unit->memory;

    if (made->unknown) {
        say(comparison, "note", "its extent is not known here");
    } else if (!made->is_absolute && made->extent != layout->size) {
        differs(comparison,
                c_format(memory,
                         "its extent is %lld, and sizeof(%s) is %lld, so the second of several "
                         "is sent from a wrong address: MPI_Type_create_resized(type, 0, "
                         "sizeof(%s), &resized)",
                         (long long) made->extent, layout->type, (long long) layout->size,
                         layout->type));
    }
}

static bool has_offsets(const layout_t *layout)
{
    size_t i;

    for (i = 0; i < layout->n; i++) {
        const layout_member_t *member = &layout->members[i];

        if (!member->why &&
            (member->offset < 0 || (!member->nested && !c_named_datatype(member->mpi)) ||
             (member->nested && !has_offsets(member->nested)))) {
            return false;
        }
    }
    return true;
}

static void compare_elements(comparison_t *comparison)
{
    const made_t *made = comparison->made->type;
    bool *block_named = c_checked(calloc(made->n + 1, sizeof *block_named));

    add_layout(&comparison->members, comparison->layout, 0, SIZE_MAX);
    add_made(&comparison->blocks, made, 0, SIZE_MAX);
    if (comparison->members.is_too_many || comparison->blocks.is_too_many ||
        !has_offsets(comparison->layout)) {
        say(comparison, "note", "not compared: the struct is too large, or its layout not known");
    } else {
        if (comparison->members.n > 0) {
            qsort(comparison->members.element, comparison->members.n,
                  sizeof *comparison->members.element, by_offset);
        }
        if (comparison->blocks.n > 0) {
            qsort(comparison->blocks.element, comparison->blocks.n,
                  sizeof *comparison->blocks.element, by_offset);
        }
        find_missing(comparison, block_named);
        find_extra(comparison, block_named);
        compare_extents(comparison);
        if (comparison->differences == 0) {
            say(comparison, "note",
                c_format(comparison->unit->memory, "this is the datatype of %s%s",
                         comparison->layout->type,
                         made->is_absolute ? ", at the address of one object" : ""));
        }
    }
    free(block_named);
    free(comparison->members.element);
    free(comparison->blocks.element);
}

/* ---- which datatypes ---- */

static bool points_to(const c_node_t *argument, const char *canonical)
{
    const c_type_t *type = c_bare(argument)->type;

    type = type && type->kind == C_TYPE_POINTER ? type->inner : type;
    type = c_element_of(type);
    return type && type->kind == C_TYPE_RECORD && strcmp(type->name, canonical) == 0;
}

/* Does a call of MPI use the variable together with an object of the struct? */
static bool is_used_for(const c_node_t *node, const c_symbol_t *variable, const char *canonical)
{
    bool has_variable = false, has_struct = false;
    size_t i;

    if (!node) {
        return false;
    }
    for (i = 0; i < node->n; i++) {
        if (is_used_for(node->child[i], variable, canonical)) {
            return true;
        }
        if (node->kind == C_CALL && i > 0 && c_is_mpi(node)) {
            has_variable = has_variable || c_mentions(node->child[i], variable);
            has_struct = has_struct || points_to(node->child[i], canonical);
        }
    }
    return has_variable && has_struct;
}

/* Are its blocks those of the struct's members, most of them in their order? */
static bool is_like(const made_t *made, const layout_t *layout)
{
    size_t i, n = 0, sent = 0;

    for (i = 0; i < layout->n; i++) {
        const c_datatype_t *type =
            layout->members[i].mpi ? c_named_datatype(layout->members[i].mpi) : NULL;

        sent += !layout->members[i].why;
        if (n < made->n && type && made->blocks[n].type->basic &&
            c_same_datatype(made->blocks[n].type->basic, type)) {
            n++;
        }
    }
    return n > 0 && n == made->n && 2 * n > sent;
}

/* Is the datatype one of this struct? By its displacements, its extent, its use, or what it has. */
static bool is_about(const c_unit_t *unit, const made_call_t *made, const layout_t *layout)
{
    made_about_t about = made->type->about;
    size_t i;

    if (made->resized && about == MADE_ABOUT_NOTHING) {
        about = made->resized->about;
    }
    for (i = 0; about == MADE_ABOUT_NOTHING && made->variable && i < unit->n_functions; i++) {
        if (is_used_for(unit->functions[i].body, made->variable, layout->canonical)) {
            about = MADE_ABOUT_STRUCT;
        }
    }
    if (about == MADE_ABOUT_NOTHING && !made->type->unknown && is_like(made->type, layout)) {
        about = MADE_ABOUT_STRUCT;
    }
    return about == MADE_ABOUT_STRUCT;
}

/* Is it a block of another one? It is compared with that one. */
static bool is_part(const made_call_t *calls, const made_call_t *made)
{
    size_t i;

    for (; calls; calls = calls->next) {
        for (i = 0; !calls->type->unknown && i < calls->type->n; i++) {
            const made_t *type = calls->type->blocks[i].type;

            if (type == made->type || type == made->resized) {
                return true;
            }
        }
    }
    return false;
}

static bool may_be_about(const made_call_t *made)
{
    return made->type->about == MADE_ABOUT_NOTHING &&
           !(made->resized && made->resized->about == MADE_ABOUT_OTHER);
}

size_t struct_check(FILE *out, c_unit_t *unit, const layout_t *layout)
{
    const made_call_t *calls, *made;
    size_t wrong = 0, compared = 0, left = 0;

    c_find_uses(unit);
    calls = made_find(unit, layout->canonical);
    for (made = calls; made; made = made->next) {
        comparison_t comparison = {.out = out, .unit = unit, .layout = layout, .made = made};
        bool about = is_about(unit, made, layout);

        if ((!about && !may_be_about(made)) || is_part(calls, made)) {
            continue; /* of another struct */
        }
        left++;
        if (made->type->unknown || made->differs) {
            say(&comparison, "note",
                c_format(unit->memory, "not compared: %s not known here",
                         made->differs ? "which of several datatypes it makes is"
                                       : made->type->unknown));
        } else if (!about) {
            say(&comparison, "note", "not compared: nothing here says which struct it is of");
        } else {
            compared++;
            compare_elements(&comparison);
            wrong += comparison.differences > 0;
        }
    }
    return left > 0 && compared == 0 ? left : wrong;
}
