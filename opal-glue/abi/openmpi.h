/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions to Open MPI that each series answers in another way. glue.c is written in these terms.
 */
#ifndef DT_OPENMPI_H
#define DT_OPENMPI_H

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "abi.h"
#include "opal-glue/types.h"

/* ---- Objects -------------------------------------------------------------------------------- */

static inline void dt_object_construct(void *object, opal_class_t *class)
{
    opal_object_t *o = object;
    opal_class_initialize(class);
    o->obj_class = class;
    o->obj_reference_count = 1;
    for (opal_construct_t *construct = class->cls_construct_array; *construct != NULL;
         construct++) {
        (*construct)(o);
    }
}

/* Ends an object that was not allocated. A convertor may then be prepared again. */
static inline void dt_object_destruct(void *object)
{
    opal_object_t *o = object;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): callers have one */
    for (opal_destruct_t *destruct = o->obj_class->cls_destruct_array; *destruct != NULL;
         destruct++) {
        (*destruct)(o);
    }
}

/* NULL: out of memory. */
static inline void *dt_object_new(opal_class_t *class)
{
    void *object = malloc(class->cls_sizeof);
    if (object != NULL) {
        dt_object_construct(object, class);
    }
    return object;
}

/* ---- Convertors ----------------------------------------------------------------------------- */

enum {
#if OMPI_MAJOR_VERSION <= 5
    DT_OPENMPI_CHECKSUM = CONVERTOR_WITH_CHECKSUM,
#else
    DT_OPENMPI_CHECKSUM = 0, /* not in this series */
#endif
    DT_OPENMPI_DEVICE =
        CONVERTOR_ACCELERATOR | CONVERTOR_ACCELERATOR_ASYNC | CONVERTOR_ACCELERATOR_UNIFIED
};

/* Makes a convertor one to the same peer as another. It can then be prepared. */
static inline void dt_openmpi_same_peer(opal_convertor_t *convertor, const opal_convertor_t *other)
{
    convertor->remoteArch = other->remoteArch;
    convertor->master = other->master;
    convertor->flags = other->flags;
}

/* What the original prepare would mark NO_OP: contiguous data does not pay for being looked at. */
static inline bool dt_openmpi_is_contiguous(const opal_datatype_t *datatype, size_t count)
{
    return (datatype->flags & OPAL_DATATYPE_FLAG_NO_GAPS) ||
           (count == 1 && (datatype->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS));
}

#if OMPI_MAJOR_VERSION >= 5
/* What the native engine's loops for short blocks are for, instead of memcpy(). */
static inline bool dt_openmpi_is_short(const ddt_elem_desc_t *item)
{
    enum { LONGEST = 8 }; /* elements */
    return item->blocklen <= LONGEST;
}

/* The kind of the elements of a predefined datatype; 5.0 and 6.0 have different ones for long
 * double. */
static inline uint16_t dt_openmpi_kind(MPI_Datatype predefined)
{
    return ((const opal_datatype_t *) predefined)->desc.desc->elem.common.type;
}

/* Returns whether numbers of this kind have bytes that assigning them leaves behind. */
static inline bool dt_openmpi_has_padding(uint16_t kind)
{
    enum { X87_DIGITS = 64 };
    return X87_DIGITS == LDBL_MANT_DIG && (dt_openmpi_kind(MPI_LONG_DOUBLE) == kind ||
                                           dt_openmpi_kind(MPI_C_LONG_DOUBLE_COMPLEX) == kind);
}
#endif

/* Returns whether the native engine moves every byte of an item of a description, with elements of
 * `size` bytes, in a whole message. From 5.0 on it moves short blocks number by number; 5.0 goes
 * from one block to the next by the numbers that fit in between, and a complex one need not stand
 * at a multiple of its size. */
static inline bool dt_openmpi_moves_right(const ddt_elem_desc_t *item, size_t size)
{
#if OMPI_MAJOR_VERSION == 4
    (void) item;
    (void) size;
    return true;
#else
    const bool skips =
        OMPI_MAJOR_VERSION == 5 && item->count != 1 && item->extent % (ptrdiff_t) size != 0;
    return !dt_openmpi_is_short(item) || (!dt_openmpi_has_padding(item->common.type) && !skips);
#endif
}

#if OMPI_MAJOR_VERSION <= 5
/* Every caller positions a convertor through a function in its GOT, which glue.c replaces. */
#define DT_OPENMPI_POSITION_IN_GOT 1

static inline void dt_openmpi_take(opal_convertor_t *convertor, convertor_advance_fct_t advance,
                                   convertor_position_fct_t position)
{
    (void) position;
    convertor->fAdvance = advance;
}

/* `position` is called in place of the native engine's. */
static inline void dt_openmpi_watch(opal_convertor_t *convertor, convertor_position_fct_t position)
{
    (void) convertor; /* it is, for all convertors */
    (void) position;
}

/* What positions a convertor of the native engine. */
static inline convertor_position_fct_t dt_openmpi_position_of(const opal_convertor_t *native)
{
    (void) native;
    return opal_convertor_set_position_nocheck;
}

static inline int32_t dt_openmpi_jump(opal_convertor_t *convertor, size_t *position)
{
    if ((convertor->flags & OPAL_DATATYPE_FLAG_NO_GAPS) &&
        (convertor->flags & (CONVERTOR_SEND | CONVERTOR_HOMOGENEOUS))) {
        convertor->bConverted = *position;
        return OPAL_SUCCESS;
    }
    return opal_convertor_set_position_nocheck(convertor, position);
}

/* The constructor of a datatype and its arguments; see MPI_Type_get_envelope() for `which` 0 and
 * MPI_Type_get_contents() for 1. False: they are not to be had. */
static inline bool dt_openmpi_get_args(const ompi_datatype_t *datatype, int which, int *n_ints,
                                       int *ints, int *n_aints, ptrdiff_t *aints, int *n_types,
                                       ompi_datatype_t **types, int *combiner)
{
    return ompi_datatype_get_args(datatype, which, n_ints, ints, n_aints, aints, n_types, types,
                                  combiner) == OMPI_SUCCESS;
}
#else
/* A convertor has a function that positions it, as it has one that moves its data. */
#define DT_OPENMPI_POSITION_IN_GOT 0

static inline void dt_openmpi_take(opal_convertor_t *convertor, convertor_advance_fct_t advance,
                                   convertor_position_fct_t position)
{
    convertor->fAdvance = advance;
    convertor->fPosition = position;
}

/* `position` is called in place of the native engine's. */
static inline void dt_openmpi_watch(opal_convertor_t *convertor, convertor_position_fct_t position)
{
    convertor->fPosition = position;
}

/* What positions a convertor of the native engine. */
static inline convertor_position_fct_t dt_openmpi_position_of(const opal_convertor_t *native)
{
    return native->fPosition;
}

static inline int32_t dt_openmpi_jump(opal_convertor_t *convertor, size_t *position)
{
    if (convertor->fPosition == NULL) {
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
    if (ompi_datatype_get_args(datatype, which, &n[0], ints, &n[1], NULL, &n[2], aints, &n[3],
                               types, combiner) != OMPI_SUCCESS ||
        n[1] != 0 || n[0] > INT_MAX || n[2] > INT_MAX || n[3] > INT_MAX) {
        return false;
    }
    *n_ints = (int) n[0];
    *n_aints = (int) n[2];
    *n_types = (int) n[3];
    return true;
}
#endif

/* What Open MPI's inline opal_convertor_set_position() does. */
static inline int32_t dt_openmpi_set_position(opal_convertor_t *convertor, size_t *position)
{
    if (*position >= convertor->local_size) {
        convertor->flags |= CONVERTOR_COMPLETED;
        convertor->bConverted = *position = convertor->local_size;
        return OPAL_SUCCESS;
    }
    if (*position == convertor->bConverted) {
        return OPAL_SUCCESS;
    }
    convertor->flags &= ~(uint32_t) CONVERTOR_COMPLETED;
    return dt_openmpi_jump(convertor, position);
}

#if OMPI_MAJOR_VERSION == 4
/* Only there in an Open MPI with CUDA. */
extern bool opal_cuda_check_bufs(char *to, char *from) __attribute__((weak));

/* With CUDA, the first convertor that is prepared decides for good whether there are devices, and
 * the components that know are opened after us. May we prepare one of our own now? */
static inline bool dt_openmpi_may_convert_early(void)
{
    return opal_cuda_check_bufs == NULL;
}

/* Returns whether one of the buffers of a local copy is device memory. */
static inline bool dt_openmpi_on_device(char *to, char *from)
{
    return opal_cuda_check_bufs != NULL && opal_cuda_check_bufs(to, from);
}
#else
/* Returns whether one of the buffers of a local copy is device memory. */
static inline bool dt_openmpi_on_device(const char *to, const char *from)
{
    int device;
    uint64_t flags;
    return opal_accelerator.check_addr(to, &device, &flags) > 0 ||
           opal_accelerator.check_addr(from, &device, &flags) > 0;
}

/* Returns whether we may prepare a convertor of our own before all components are open. */
static inline bool dt_openmpi_may_convert_early(void)
{
    return true;
}
#endif

/* The convertor as Open MPI has just prepared it: homogeneous, in host memory, without checksum,
 * and with something to convert? */
static inline bool dt_openmpi_is_plain(const opal_convertor_t *convertor)
{
    const uint32_t state = CONVERTOR_NO_OP | CONVERTOR_COMPLETED | CONVERTOR_HOMOGENEOUS |
                           DT_OPENMPI_CHECKSUM | DT_OPENMPI_DEVICE;
    return (convertor->flags & state) == CONVERTOR_HOMOGENEOUS;
}

/* Why a convertor that is not plain is declined; DT_DECLINE_NONE: there is nothing to convert. */
static inline dt_decline_t dt_openmpi_declined(const opal_convertor_t *convertor)
{
    const uint32_t flags = convertor->flags;
    return flags & (CONVERTOR_NO_OP | CONVERTOR_COMPLETED) ? DT_DECLINE_NONE
           : !(flags & CONVERTOR_HOMOGENEOUS)              ? DT_DECLINE_HETEROGENEOUS
           : flags & DT_OPENMPI_DEVICE                     ? DT_DECLINE_DEVICE
                                                           : DT_DECLINE_CHECKSUM;
}

#endif
