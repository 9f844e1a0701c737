/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that move data for Open MPI's convertor (opal/datatype/opal_convertor.h).
 *
 * Contract of convertor->fAdvance: for each of *out_size iovecs move up to iov_len bytes between
 * iov_base and user memory; set every iov_len to the bytes moved, *out_size to the iovecs used,
 * *max_data to the sum; advance bConverted; at the end set CONVERTOR_COMPLETED and return 1, else
 * return 0.
 *
 * No state is kept in the convertor but bConverted, so it can be cloned, moved to another thread,
 * set to any position or abandoned at will.
 */
#ifndef DT_ADVANCE_H
#define DT_ADVANCE_H

#include "opal-glue/abi/abi.h"

int32_t dt_advance_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                        size_t *max_data);
int32_t dt_advance_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                          size_t *max_data);

/* What opal_convertor_set_position_nocheck does: a receiver may be set to any byte, a sender goes
 * back to a boundary of a basic element and says so in *position. */
void dt_advance_set_position(opal_convertor_t *convertor, size_t *position);

/* What opal_convertor_raw does, for a convertor that these functions move data for: lists pieces of
 * user memory instead of copying them. */
int32_t dt_advance_raw(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                       size_t *length);

#endif
