/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 5.0; see openmpi.h, which includes this. */
#ifndef DT_OPENMPI_5_0_H
#define DT_OPENMPI_5_0_H

enum {
    DT_OPENMPI_CHECKSUM = CONVERTOR_WITH_CHECKSUM,
    DT_OPENMPI_DEVICE =
        CONVERTOR_ACCELERATOR | CONVERTOR_ACCELERATOR_ASYNC | CONVERTOR_ACCELERATOR_UNIFIED
};

/* Does the native engine move every byte of an item of a description, with elements of `size`
 * bytes, in a whole message? Short blocks it moves number by number, and from one block to the next
 * it goes by the numbers that fit in between; a complex one need not stand at a multiple of its
 * size. */
static inline bool dt_openmpi_moves_right(const ddt_elem_desc_t *item, size_t size)
{
    return !dt_openmpi_is_short(item) ||
           (!dt_openmpi_has_padding(item->common.type) &&
            (1 == item->count || 0 == item->extent % (ptrdiff_t) size));
}

#endif
