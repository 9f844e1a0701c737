/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advance functions that count the messages and bytes of each datatype (parameter dump), and the
 * hardware events meanwhile (parameter papi_events). They pass on to those that move it.
 */
#ifndef DT_USES_H
#define DT_USES_H

#include "abi/abi.h"

/* The functions that move data, packing and unpacking, and whether to count hardware events. Before
 * the first use. */
void dt_uses_start(convertor_advance_fct_t pack, convertor_advance_fct_t unpack, bool events);

int32_t dt_uses_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                     size_t *max_data);
int32_t dt_uses_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data);

#endif
