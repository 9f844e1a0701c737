/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions in place of those of advance.h and copy.h that compare every fragment (bytes and
 * amount), every position and every local copy with Open MPI's own engine (parameter verify).
 *
 * A difference is reported with the program's text, the native result stays, and the datatype is
 * declined from then on.
 */
#ifndef DT_VERIFY_NATIVE_H
#define DT_VERIFY_NATIVE_H

#include "opal-glue/abi/abi.h"
#include "opal-glue/entry.h"

int32_t dt_verify_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data);
int32_t dt_verify_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                         size_t *max_data);
void dt_verify_set_position(opal_convertor_t *convertor, size_t *position);

/* As dt_copy(). */
bool dt_verify_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
                    const char *from);

#endif
