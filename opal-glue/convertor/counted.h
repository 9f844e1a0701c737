/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages, fragments and local copies that need more than to be moved (engine/run.h): those that
 * no credit covers, and, while samples are taken, all.
 */
#ifndef DT_COUNTED_H
#define DT_COUNTED_H

#include "opal-glue/abi/abi.h"
#include "opal-glue/entry.h"
#include "opal-glue/thread.h"

/* As fAdvance: the first fragment of a message, or all of it; and another fragment while samples
 * are taken. */
int32_t dt_counted_begin(opal_convertor_t *convertor, dame_dir_t dir, dt_entry_t *entry,
                         struct iovec *iov, uint32_t *out_size, size_t *max_data);
int32_t dt_counted_continue(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                            uint32_t *out_size, size_t *max_data);

/* A local copy of `count` elements; dame_program_is_apart() holds. */
void dt_counted_copy(const dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count,
                     char *to, const char *from);

#endif
