/*
 * What is true of Open MPI 4.1 and may not be of another series: the layout of the convertor, and
 * the meaning of its flags. glue.c is written in these terms.
 */
#ifndef DT_OPENMPI_4_1_H
#define DT_OPENMPI_4_1_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>

#include "glue.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

#if OMPI_MAJOR_VERSION != 4 || OMPI_MINOR_VERSION != 1
#error "this file knows the convertor of Open MPI 4.1; another series needs a file of its own"
#endif

/* Fields that this room reads or writes; a release that moves them must be looked at first. */
_Static_assert(24 == offsetof(opal_convertor_t, local_size), "opal_convertor_t changed");
_Static_assert(40 == offsetof(opal_convertor_t, pDesc), "opal_convertor_t changed");
_Static_assert(72 == offsetof(opal_convertor_t, pBaseBuf), "opal_convertor_t changed");
_Static_assert(88 == offsetof(opal_convertor_t, fAdvance), "opal_convertor_t changed");
_Static_assert(120 == offsetof(opal_convertor_t, bConverted), "opal_convertor_t changed");

enum {
    DT_OPENMPI_DEVICE = CONVERTOR_CUDA | CONVERTOR_CUDA_ASYNC | CONVERTOR_CUDA_UNIFIED,
    DT_OPENMPI_STATE = CONVERTOR_NO_OP | CONVERTOR_COMPLETED | CONVERTOR_WITH_CHECKSUM |
                       CONVERTOR_HOMOGENEOUS | DT_OPENMPI_DEVICE
};

/* The convertor as Open MPI has just prepared it: homogeneous, in host memory, without checksum,
 * and with something to convert? */
static inline bool dt_openmpi_is_plain(const opal_convertor_t *convertor)
{
    return CONVERTOR_HOMOGENEOUS == (convertor->flags & DT_OPENMPI_STATE);
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

/* What the original prepare would mark NO_OP: contiguous data does not pay for being looked at. */
static inline bool dt_openmpi_is_contiguous(const opal_datatype_t *datatype, size_t count)
{
    return (datatype->flags & OPAL_DATATYPE_FLAG_NO_GAPS) ||
           (1 == count && (datatype->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS));
}

#endif
