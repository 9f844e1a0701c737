/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that calls make. */
#include "struct_values.h"

#include <string.h>

enum { MOST_BLOCKS = 1000 };

static made_t *new_made(maker_t *maker)
{
    return c_allocate(maker->unit->memory, sizeof(made_t));
}

const made_t *made_basic(maker_t *maker, const c_datatype_t *basic)
{
    made_t *made = new_made(maker);

    made->basic = basic;
    made->extent = basic->size;
    return made;
}

static int64_t alignment(const made_t *made)
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
static int64_t natural_extent(const made_t *made)
{
    int64_t lowest = INT64_MAX, highest = INT64_MIN, align = alignment(made);
    size_t i;

    for (i = 0; i < made->n; i++) {
        const made_block_t *block = &made->blocks[i];
        int64_t end = block->displacement + block->length * block->type->extent;

        if (block->length > 0) {
            lowest = block->displacement < lowest ? block->displacement : lowest;
            highest = end > highest ? end : highest;
        }
    }
    return highest < lowest ? 0 : (highest - lowest + align - 1) / align * align;
}

static value_t load_at(maker_t *maker, value_t array, const c_node_t *argument, size_t i)
{
    const c_type_t *type = argument->type;

    if (!array.is_known || !array.base || !type || !type->inner || type->inner->size <= 0) {
        return made_unknown;
    }
    array.number += (int64_t) i * type->inner->size;
    return made_load(maker, array, type->inner);
}

made_t *made_struct(maker_t *maker, value_t count, const value_t *arrays,
                    const c_node_t *const *arguments)
{
    made_t *made = new_made(maker);
    value_t base = made_unknown;
    size_t i;

    if (!made_is_number(count) || count.number < 0 || count.number > MOST_BLOCKS) {
        made->unknown = "the number of blocks is";
        return made;
    }
    made->n = (size_t) count.number;
    made->blocks = c_allocate(maker->unit->memory, (made->n + 1) * sizeof *made->blocks);
    for (i = 0; i < made->n; i++) {
        value_t length = load_at(maker, arrays[0], arguments[0], i);
        value_t displacement = load_at(maker, arrays[1], arguments[1], i);
        value_t type = load_at(maker, arrays[2], arguments[2], i);

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
            made->blocks[i] = (made_block_t){length.number, displacement.number, type.type};
        }
        base = i == 0 ? displacement : base;
    }
    made->is_absolute = base.base != NULL;
    made->extent = made->unknown ? 0 : natural_extent(made);
    return made;
}

made_t *made_contiguous(maker_t *maker, value_t count, value_t old)
{
    made_t *made = new_made(maker);

    if (!made_is_number(count) || count.number < 0 || !old.is_known || !old.type ||
        old.type->unknown) {
        made->unknown = "the datatype of a block is";
        return made;
    }
    made->n = 1;
    made->blocks = c_allocate(maker->unit->memory, sizeof *made->blocks);
    made->blocks[0] = (made_block_t){count.number, 0, old.type};
    made->extent = count.number * old.type->extent;
    return made;
}

made_t *made_resized(maker_t *maker, value_t old, value_t extent)
{
    made_t *made = new_made(maker);

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
        made_block_t *block = c_allocate(maker->unit->memory, sizeof *block);

        *block = (made_block_t){1, 0, old.type};
        made->basic = NULL;
        made->blocks = block;
        made->n = 1;
    }
    return made;
}

static bool same_made(const made_t *a, const made_t *b)
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

void made_remember(maker_t *maker, const c_node_t *call, const made_t *made,
                   const c_symbol_t *variable)
{
    made_call_t **at = &maker->calls;

    for (; *at && (*at)->call != call; at = &(*at)->next) {
    }
    if (*at) {
        (*at)->differs = (*at)->differs || !same_made((*at)->type, made);
        (*at)->type = made;
        return;
    }
    *at = c_allocate(maker->unit->memory, sizeof **at);
    **at = (made_call_t){.call = call, .variable = variable, .type = made};
}

void made_remember_resized(maker_t *maker, const made_t *old, const made_t *made)
{
    made_call_t *call;

    for (call = maker->calls; call; call = call->next) {
        if (call->type == old) {
            call->resized = made;
        }
    }
}
