/*
 * What DAME asks of Open MPI and what is answered in another way in each series. glue.c is written
 * in these terms. Here: what is the same in all; openmpi_<series>.h: the rest.
 */
#ifndef DT_OPENMPI_H
#define DT_OPENMPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "abi/abi.h"
#include "glue.h"

/* ---- Objects -------------------------------------------------------------------------------- */

static inline void dt_object_construct(void *object, opal_class_t *class)
{
    opal_object_t *o = object;
    opal_class_initialize(class);
    o->obj_class = class;
    o->obj_reference_count = 1;
    for (opal_construct_t *construct = class->cls_construct_array; NULL != *construct;
         construct++) {
        (*construct)(o);
    }
}

/* Of one that was not allocated. A convertor may then be prepared again. */
static inline void dt_object_destruct(void *object)
{
    opal_object_t *o = object;
    for (opal_destruct_t *destruct = o->obj_class->cls_destruct_array; NULL != *destruct;
         destruct++) {
        (*destruct)(o);
    }
}

/* NULL: out of memory. */
static inline void *dt_object_new(opal_class_t *class)
{
    void *object = malloc(class->cls_sizeof);
    if (NULL != object) {
        dt_object_construct(object, class);
    }
    return object;
}

/* ---- Convertors ----------------------------------------------------------------------------- */

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
           (1 == count && (datatype->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS));
}

#if OMPI_MAJOR_VERSION == 4
#include "openmpi_4_1.h"
#elif OMPI_MAJOR_VERSION == 5
#include "openmpi_5_0.h"
#else
#include "openmpi_6_0.h"
#endif

/* The convertor as Open MPI has just prepared it: homogeneous, in host memory, without checksum,
 * and with something to convert? */
static inline bool dt_openmpi_is_plain(const opal_convertor_t *convertor)
{
    const uint32_t state = CONVERTOR_NO_OP | CONVERTOR_COMPLETED | CONVERTOR_HOMOGENEOUS |
                           DT_OPENMPI_CHECKSUM | DT_OPENMPI_DEVICE;
    return CONVERTOR_HOMOGENEOUS == (convertor->flags & state);
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
