/*
 * Times of some of the fragments, and what Open MPI's own engine would take for some of the
 * messages, while the report is on (the parameter `report`).
 *
 * A time costs two readings of the clock, so fragments that take less are sampled less often: each
 * thread spends about a hundredth of its time on it. Of a few messages of each tally, the native
 * engine moves the first fragment before DAME does, from and to the same places, where the caches
 * are as they would be without DAME; DAME then moves the same bytes over them. Such a fragment of
 * DAME's is not timed, since it finds its data in the caches.
 */
#ifndef DT_SAMPLE_H
#define DT_SAMPLE_H

#include "abi/abi.h"
#include "entry.h"
#include "tally.h"
#include "thread.h"

/* Before the first message. */
void dt_sample_start(bool on);
void dt_sample_stop(void);

extern bool dt_sample_on;

/* Is the thread to take the time of this fragment? */
static inline bool dt_sample_due(dt_thread_t *thread)
{
    return __builtin_expect(dt_sample_on, 0) && --thread->until_sample <= 0;
}

/* It did: `work` on `bytes` took from `start`, by dt_now(), until now. */
void dt_sample_took(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, bool compiled,
                    int64_t start, int64_t bytes);

/* A message begins, the tally's use number `use`: is the native engine to do it first, perhaps? */
static inline bool dt_sample_native_due(const dt_tally_t *tally, dt_work_t work, int64_t use)
{
    return __builtin_expect(dt_sample_on, 0) &&
           use >= atomic_load_explicit(&tally->next_native[work], memory_order_relaxed);
}

/* Then: it does, or must wait, because it has had enough of the time. Returns whether it moved
 * anything. */
bool dt_sample_native(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                      const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov);
void dt_sample_native_copy(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                           const opal_datatype_t *datatype, int32_t count, char *to,
                           const char *from);

#endif
