/* SPDX-License-Identifier: BSD-3-Clause */
#include "referee.h"

#include <stdint.h>
#include <string.h>

#include "opal-glue/abi/openmpi.h"

/* How far it has come. */
typedef struct walk {
    size_t skip; /* packed bytes before the first that is wanted */
    size_t left; /* .. that are wanted */
    char *to;    /* packing: where the next ones go; else NULL */
    const char *from;
} walk_t;

static void move_block(walk_t *walk, uintptr_t address, size_t length)
{
    if (walk->skip >= length) {
        walk->skip -= length;
        return;
    }
    const size_t rest = length - walk->skip, n = rest < walk->left ? rest : walk->left;
    char *user = (char *) (address + walk->skip);
    if (walk->to != NULL) {
        memcpy(walk->to, user, n);
        walk->to += n;
    } else {
        memcpy(user, walk->from, n);
        walk->from += n;
    }
    walk->skip = 0;
    walk->left -= n;
}

/* The items from `item` up to `end`, with displacements from `origin`. */
static void move_items(walk_t *walk, const dt_elem_desc_t *item, const dt_elem_desc_t *end,
                       uintptr_t origin)
{
    for (; item < end && walk->left > 0; item++) {
        if (item->elem.common.type == OPAL_DATATYPE_LOOP) {
            for (size_t i = 0; i < item->loop.loops && walk->left > 0; i++) {
                move_items(walk, item + 1, item + item->loop.items,
                           origin + i * (uintptr_t) item->loop.extent);
            }
            item += item->loop.items;
        } else if (item->elem.common.flags & OPAL_DATATYPE_FLAG_DATA) {
            const size_t length =
                item->elem.blocklen * opal_datatype_basicDatatypes[item->elem.common.type]->size;
            for (size_t i = 0; i < item->elem.count && walk->left > 0; i++) {
                move_block(walk,
                           origin + (uintptr_t) item->elem.disp + i * (uintptr_t) item->elem.extent,
                           length);
            }
        }
    }
}

static void move(walk_t walk, const opal_convertor_t *convertor)
{
    const opal_datatype_t *datatype = convertor->pDesc;
    const uintptr_t extent = (uintptr_t) (datatype->ub - datatype->lb);
    size_t element = walk.skip / datatype->size;
    walk.skip %= datatype->size;
    for (; walk.left > 0 && element < convertor->count; element++) {
        move_items(&walk, datatype->desc.desc, datatype->desc.desc + datatype->desc.used,
                   (uintptr_t) convertor->pBaseBuf + element * extent);
    }
}

void dt_referee_pack(const struct opal_convertor_t *convertor, size_t position, char *packed,
                     size_t length)
{
    move((walk_t){.skip = position, .left = length, .to = packed}, convertor);
}

void dt_referee_unpack(const struct opal_convertor_t *convertor, size_t position,
                       const char *packed, size_t length)
{
    move((walk_t){.skip = position, .left = length, .from = packed}, convertor);
}
