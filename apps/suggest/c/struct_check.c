/* SPDX-License-Identifier: BSD-3-Clause */
#include "struct_check.h"
#include "struct_made.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 20 };

/* One value of a basic type. */
struct element {
    int64_t offset, size;
    const struct c_datatype *type;
    size_t owner; /* the member, or the block */
    bool is_matched;
};

struct elements {
    struct element *element;
    size_t n, room;
    bool is_too_many;
};

struct comparison {
    FILE *out;
    struct c_unit *unit;
    const struct layout *layout;
    const struct made_call *made;
    struct elements members, blocks;
    size_t differences;
};

static void add(struct elements *elements, struct element element)
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
static void add_layout(struct elements *elements, const struct layout *layout, int64_t at,
                       size_t owner)
{
    size_t i;
    int64_t j;

    for (i = 0; i < layout->n; i++) {
        const struct layout_member *member = &layout->members[i];

        for (j = 0; !member->why && j < member->count && !elements->is_too_many; j++) {
            int64_t offset = at + member->offset + j * member->size;
            size_t mine = owner == SIZE_MAX ? i : owner;

            if (member->nested) {
                add_layout(elements, member->nested, offset, mine);
            } else {
                add(elements, (struct element){offset, member->size, c_named_datatype(member->mpi),
                                               mine, false});
            }
        }
    }
}

static void add_made(struct elements *elements, const struct made *made, int64_t at, size_t owner)
{
    size_t i;
    int64_t j;

    if (made->basic) {
        add(elements, (struct element){at, made->basic->size, made->basic, owner, false});
        return;
    }
    for (i = 0; i < made->n; i++) {
        const struct made_block *block = &made->blocks[i];

        for (j = 0; j < block->length && !elements->is_too_many; j++) {
            add_made(elements, block->type, at + block->displacement + j * block->type->extent,
                     owner == SIZE_MAX ? i : owner);
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct element *x = a, *y = b;

    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                  : (x->owner > y->owner) - (x->owner < y->owner);
}

/* ---- messages ---- */

static void say(struct comparison *comparison, const char *kind, const char *text)
{
    const struct c_node *call = comparison->made->call;

    fprintf(comparison->out, "%s:%u:%u: %s: %s: %s\n",
            call->span.file ? call->span.file->path : comparison->unit->path, call->span.line,
            call->span.column, kind, c_callee(call), text);
}

static void differs(struct comparison *comparison, const char *text)
{
    comparison->differences++;
    say(comparison, "warning", text);
}

/* ---- elements ---- */

static bool is_bytes(const struct element *element)
{
    return !element->type->c;
}

/* The first that does not lie before the offset. */
static size_t first_from(const struct elements *elements, int64_t offset)
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
static bool match(struct elements *blocks, const struct element *member)
{
    size_t first = first_from(blocks, member->offset), i;
    struct element *found = &blocks->element[first];

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

static const struct element *at_offset(const struct elements *elements, int64_t offset)
{
    size_t i = first_from(elements, offset);

    return i < elements->n && elements->element[i].offset == offset ? &elements->element[i] : NULL;
}

/* Blocks and members correspond by their order where there are as many. */
static bool in_order(const struct comparison *comparison)
{
    return comparison->made->type->n == comparison->layout->n;
}

/* ---- differences ---- */

/* MEMBER is not sent as it is: its elements from FIRST on; MATCHED of TOTAL are sent. */
static void report_member(struct comparison *comparison, size_t index, const struct element *first,
                          size_t matched, size_t total, bool *block_named)
{
    const struct layout_member *member = &comparison->layout->members[index];
    const struct made *made = comparison->made->type;
    const struct element *there = at_offset(&comparison->blocks, first->offset);
    struct c_memory *memory = comparison->unit->memory;

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

static void find_missing(struct comparison *comparison, bool *block_named)
{
    const struct layout *layout = comparison->layout;
    struct elements *members = &comparison->members;
    size_t *total = c_checked(calloc(layout->n + 1, sizeof *total)), i;
    size_t *matched = c_checked(calloc(layout->n + 1, sizeof *matched));
    struct element **first = c_checked(calloc(layout->n + 1, sizeof *first));

    for (i = 0; i < members->n; i++) {
        struct element *element = &members->element[i];

        total[element->owner]++;
        element->is_matched = match(&comparison->blocks, element);
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
static const struct layout_member *member_at(const struct layout *layout, int64_t offset)
{
    const struct layout_member *member, *found = NULL;

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
static void find_extra(struct comparison *comparison, bool *block_named)
{
    size_t i;

    for (i = 0; i < comparison->blocks.n; i++) {
        const struct element *element = &comparison->blocks.element[i];
        const struct layout_member *member = member_at(comparison->layout, element->offset);
        struct c_memory *memory = comparison->unit->memory;

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
            const struct element *there = at_offset(&comparison->members, element->offset);

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

static void compare_extents(struct comparison *comparison)
{
    const struct made *made =
        comparison->made->resized ? comparison->made->resized : comparison->made->type;
    const struct layout *layout = comparison->layout;
    struct c_memory *memory = comparison->unit->memory;

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

static bool has_offsets(const struct layout *layout)
{
    size_t i;

    for (i = 0; i < layout->n; i++) {
        const struct layout_member *member = &layout->members[i];

        if (!member->why &&
            (member->offset < 0 || (!member->nested && !c_named_datatype(member->mpi)) ||
             (member->nested && !has_offsets(member->nested)))) {
            return false;
        }
    }
    return true;
}

static void compare(struct comparison *comparison)
{
    const struct made *made = comparison->made->type;
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

static bool points_to(const struct c_node *argument, const char *canonical)
{
    const struct c_type *type = c_bare(argument)->type;

    type = type && type->kind == C_TYPE_POINTER ? type->inner : type;
    type = c_element_of(type);
    return type && type->kind == C_TYPE_RECORD && strcmp(type->name, canonical) == 0;
}

/* Does a call of MPI use the variable together with an object of the struct? */
static bool is_used_for(const struct c_node *node, const struct c_symbol *variable,
                        const char *canonical)
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
static bool is_like(const struct made *made, const struct layout *layout)
{
    size_t i, n = 0, sent = 0;

    for (i = 0; i < layout->n; i++) {
        const struct c_datatype *type =
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
static bool is_about(const struct c_unit *unit, const struct made_call *made,
                     const struct layout *layout)
{
    enum made_about about = made->type->about;
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
static bool is_part(const struct made_call *calls, const struct made_call *made)
{
    size_t i;

    for (; calls; calls = calls->next) {
        for (i = 0; !calls->type->unknown && i < calls->type->n; i++) {
            const struct made *type = calls->type->blocks[i].type;

            if (type == made->type || type == made->resized) {
                return true;
            }
        }
    }
    return false;
}

static bool may_be_about(const struct made_call *made)
{
    return made->type->about == MADE_ABOUT_NOTHING &&
           !(made->resized && made->resized->about == MADE_ABOUT_OTHER);
}

size_t struct_check(FILE *out, struct c_unit *unit, const struct layout *layout)
{
    const struct made_call *calls, *made;
    size_t wrong = 0, compared = 0, left = 0;

    c_find_uses(unit);
    calls = made_find(unit, layout->canonical);
    for (made = calls; made; made = made->next) {
        struct comparison comparison = {.out = out, .unit = unit, .layout = layout, .made = made};
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
            compare(&comparison);
            wrong += comparison.differences > 0;
        }
    }
    return left > 0 && compared == 0 ? left : wrong;
}
