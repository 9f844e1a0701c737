/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local copies: from one buffer to another of the same datatype, without a packed stream between.
 * Collectives copy a process's own part so (opal_datatype_copy_content_same_ddt()).
 */
#ifndef DT_COPY_H
#define DT_COPY_H

#include "opal-glue/abi/abi.h"
#include "opal-glue/entry.h"

/*
 * Returns whether Open MPI's own loop is at least as fast. Finding the program takes about 15
 * ns. Native copies three blocks in that time; and it copies long blocks, as DAME does, with a
 * memcpy() each. Decided by what the datatype says itself, where it is one item. (Emerald
 * Rapids, DAME's speed over native's: 2 blocks of 8 bytes 0.78, 3 0.90, 4 1.03, 6 1.25, 16 2.1;
 * 2 contiguous elements of 64 bytes with gaps 0.51; 4 blocks of 1 KiB 0.82, 12 0.97, 32 1.00.)
 */
static inline bool dt_copy_is_faster_native(const opal_datatype_t *datatype, int32_t count)
{
    enum { FEW_BLOCKS = 3, LONG_BLOCK = 256 };
    size_t blocks = 1; /* of an element */
    if (!(datatype->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS)) {
        if (datatype->opt_desc.used != 1) {
            return false;
        }
        const ddt_elem_desc_t *item = &datatype->opt_desc.desc->elem;
        if (!(item->common.flags & OPAL_DATATYPE_FLAG_DATA)) {
            return false;
        }
        blocks = item->count;
    }
    return (size_t) count * blocks <= FEW_BLOCKS || datatype->size > LONG_BLOCK * blocks;
}

/*
 * Copies `count` elements of the entry's datatype, which DAME moves data of, from `from` to `to`.
 * Nothing is copied, and false returned, when a byte may be both read and written: then the result
 * depends on the native engine's order.
 */
bool dt_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
             const char *from);

#endif
