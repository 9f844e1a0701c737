/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and fragments that need more than to be moved: those that no credit covers
 * (engine/credit.h), those of which promotion wants the time, and, while samples are taken, all
 * that are timed or tried with the native engine (sample.h).
 */
#ifndef DT_COUNTED_H
#define DT_COUNTED_H

#include "abi/abi.h"
#include "entry.h"
#include "thread.h"

/* As fAdvance: the first fragment of a message, or all of it; and another fragment while samples
 * are taken. */
int32_t dt_counted_begin(opal_convertor_t *convertor, dame_dir_t dir, dt_entry_t *entry,
                         struct iovec *iov, uint32_t *out_size, size_t *max_data);
int32_t dt_counted_continue(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                            uint32_t *out_size, size_t *max_data);

/* Work that began at `start` has taken so many nanoseconds, a reading of the clock included. */
void dt_counted_took(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work, dame_tier_t tier,
                     int64_t start, int64_t time, int64_t bytes);

/* Who hears of the time then (dt_glue_options_t); NULL: nobody. While no data moves. */
void dt_counted_tell(void (*hear_time)(int64_t now));

#endif
