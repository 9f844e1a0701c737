/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 6.0; see openmpi.h, which includes this. */
#ifndef DT_OPENMPI_6_0_H
#define DT_OPENMPI_6_0_H

#include <limits.h>

enum {
    DT_OPENMPI_CHECKSUM = 0, /* not in this series */
    DT_OPENMPI_DEVICE =
        CONVERTOR_ACCELERATOR | CONVERTOR_ACCELERATOR_ASYNC | CONVERTOR_ACCELERATOR_UNIFIED
};

/* Does the native engine move every byte of an item of a description, with elements of `size`
 * bytes, in a whole message? Short blocks it moves number by number. */
static inline bool dt_openmpi_moves_right(const ddt_elem_desc_t *item, size_t size)
{
    (void) size;
    return !dt_openmpi_is_short(item) || !dt_openmpi_has_padding(item->common.type);
}

/* A convertor has a function that positions it, as it has one that moves its data. */
#define DT_OPENMPI_POSITION_IN_GOT 0

typedef convertor_position_fct_t dt_openmpi_position_t;

static inline void dt_openmpi_take(opal_convertor_t *convertor, convertor_advance_fct_t advance,
                                   dt_openmpi_position_t position)
{
    convertor->fAdvance = advance;
    convertor->fPosition = position;
}

/* `position` is called in place of the native engine's. */
static inline void dt_openmpi_watch(opal_convertor_t *convertor, dt_openmpi_position_t position)
{
    convertor->fPosition = position;
}

/* What positions a convertor of the native engine. */
static inline dt_openmpi_position_t dt_openmpi_position_of(const opal_convertor_t *native)
{
    return native->fPosition;
}

static inline int32_t dt_openmpi_jump(opal_convertor_t *convertor, size_t *position)
{
    if (NULL == convertor->fPosition) {
        convertor->bConverted = *position;
        return OPAL_SUCCESS;
    }
    return convertor->fPosition(convertor, position);
}

/* The constructor of a datatype and its arguments; see MPI_Type_get_envelope() for `which` 0 and
 * MPI_Type_get_contents() for 1. False: they are not to be had, for instance because a constructor
 * with large counts has made it. */
static inline bool dt_openmpi_get_args(const ompi_datatype_t *datatype, int which, int *n_ints,
                                       int *ints, int *n_aints, ptrdiff_t *aints, int *n_types,
                                       ompi_datatype_t **types, int *combiner)
{
    size_t n[4] = {(size_t) *n_ints, 0, (size_t) *n_aints, (size_t) *n_types};
    if (OMPI_SUCCESS != ompi_datatype_get_args(datatype, which, &n[0], ints, &n[1], NULL, &n[2],
                                               aints, &n[3], types, combiner) ||
        0 != n[1] || n[0] > INT_MAX || n[2] > INT_MAX || n[3] > INT_MAX) {
        return false;
    }
    *n_ints = (int) n[0];
    *n_aints = (int) n[2];
    *n_types = (int) n[3];
    return true;
}

#endif
