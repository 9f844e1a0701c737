/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that calls make. */
#include "struct_values.h"

#include <string.h>

enum { MOST_BLOCKS = 1000 };

static struct made *new_made(struct maker *maker)
{
    return c_allocate(maker->unit->memory, sizeof(struct made));
}

const struct made *made_basic(struct maker *maker, const struct c_datatype *basic)
{
    struct made *made = new_made(maker);

    made->basic = basic;
    made->extent = basic->size;
    return made;
}

static int64_t alignment(const struct made *made)
{
    int64_t most = 1;
    size_t i;

    if (made->basic) {
        return made->basic->c && strstr(made->basic->c, "omplex") ? made->basic->size / 2
                                                                  : made->basic->size;
    }
    for (i = 0; i < made->n; i++) {
        int64_t one = made->blocks[i].length > 0 ? alignment(made->blocks[i].type) : 1;

        most = one > most ? one : most;
    }
    return most;
}

/* From the lowest to the highest byte, rounded up to the strictest alignment (MPI-4.0, 5.1.6). */
static int64_t natural_extent(const struct made *made)
{
    int64_t lowest = INT64_MAX, highest = INT64_MIN, align = alignment(made);
    size_t i;

    for (i = 0; i < made->n; i++) {
        const struct made_block *block = &made->blocks[i];
        int64_t end = block->displacement + block->length * block->type->extent;

        if (block->length > 0) {
            lowest = block->displacement < lowest ? block->displacement : lowest;
            highest = end > highest ? end : highest;
        }
    }
    return highest < lowest ? 0 : (highest - lowest + align - 1) / align * align;
}

static struct value load_at(struct maker *maker, struct value array, const struct c_node *argument,
                            size_t i)
{
    const struct c_type *type = argument->type;

    if (!array.is_known || !array.base || !type || !type->inner || type->inner->size <= 0) {
        return made_unknown;
    }
    array.number += (int64_t) i * type->inner->size;
    return made_load(maker, array, type->inner);
}

struct made *made_struct(struct maker *maker, struct value count, const struct value *arrays,
                         const struct c_node *const *arguments)
{
    struct made *made = new_made(maker);
    struct value base = made_unknown;
    size_t i;

    if (!made_is_number(count) || count.number < 0 || count.number > MOST_BLOCKS) {
        made->unknown = "the number of blocks is";
        return made;
    }
    made->n = (size_t) count.number;
    made->blocks = c_allocate(maker->unit->memory, (made->n + 1) * sizeof *made->blocks);
    for (i = 0; i < made->n; i++) {
        struct value length = load_at(maker, arrays[0], arguments[0], i);
        struct value displacement = load_at(maker, arrays[1], arguments[1], i);
        struct value type = load_at(maker, arrays[2], arguments[2], i);

        made->about = made_both_about(made->about, displacement.about);
        made->about = made_both_about(made->about, length.about);
        if (!made_is_number(length) || length.number < 0) {
            made->unknown = "a block length is";
        } else if (!displacement.is_known || displacement.is_vague || displacement.type) {
            made->unknown = "a displacement is";
        } else if (!type.is_known || !type.type || type.type->unknown) {
            made->unknown = "the datatype of a block is";
        } else if (i > 0 && !made_same_object(displacement, base)) {
            made->unknown = "the distance of two displacements is";
        } else {
            made->blocks[i] = (struct made_block){length.number, displacement.number, type.type};
        }
        base = i == 0 ? displacement : base;
    }
    made->is_absolute = base.base != NULL;
    made->extent = made->unknown ? 0 : natural_extent(made);
    return made;
}

struct made *made_contiguous(struct maker *maker, struct value count, struct value old)
{
    struct made *made = new_made(maker);

    if (!made_is_number(count) || count.number < 0 || !old.is_known || !old.type ||
        old.type->unknown) {
        made->unknown = "the datatype of a block is";
        return made;
    }
    made->n = 1;
    made->blocks = c_allocate(maker->unit->memory, sizeof *made->blocks);
    made->blocks[0] = (struct made_block){count.number, 0, old.type};
    made->extent = count.number * old.type->extent;
    return made;
}

struct made *made_resized(struct maker *maker, struct value old, struct value extent)
{
    struct made *made = new_made(maker);

    if (!old.is_known || !old.type) {
        made->unknown = "the datatype of a block is";
        return made;
    }
    *made = *old.type;
    made->is_resized = true;
    made->about = made_both_about(made->about, extent.about);
    made->extent = extent.number;
    if (!made_is_number(extent)) {
        made->unknown = "the extent is";
    }
    if (made->basic) {
        struct made_block *block = c_allocate(maker->unit->memory, sizeof *block);

        *block = (struct made_block){1, 0, old.type};
        made->basic = NULL;
        made->blocks = block;
        made->n = 1;
    }
    return made;
}

static bool same_made(const struct made *a, const struct made *b)
{
    size_t i;

    if (a->basic != b->basic || a->unknown != b->unknown || a->n != b->n ||
        a->extent != b->extent) {
        return false;
    }
    for (i = 0; i < a->n; i++) {
        if (!a->unknown && (a->blocks[i].length != b->blocks[i].length ||
                            a->blocks[i].displacement != b->blocks[i].displacement ||
                            !same_made(a->blocks[i].type, b->blocks[i].type))) {
            return false;
        }
    }
    return true;
}

void made_remember(struct maker *maker, const struct c_node *call, const struct made *made,
                   const struct c_symbol *variable)
{
    struct made_call **at = &maker->calls;

    for (; *at && (*at)->call != call; at = &(*at)->next) {
    }
    if (*at) {
        (*at)->differs = (*at)->differs || !same_made((*at)->type, made);
        (*at)->type = made;
        return;
    }
    *at = c_allocate(maker->unit->memory, sizeof **at);
    **at = (struct made_call){.call = call, .variable = variable, .type = made};
}

void made_remember_resized(struct maker *maker, const struct made *old, const struct made *made)
{
    struct made_call *call;

    for (call = maker->calls; call; call = call->next) {
        if (call->type == old) {
            call->resized = made;
        }
    }
}
