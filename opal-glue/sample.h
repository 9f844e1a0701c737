/*
 * Times of some of the fragments, and what Open MPI's own engine would take for some of the
 * messages, while the report is on (the parameter `report`).
 *
 * A time costs two readings of the clock, so fragments that take less are sampled less often: each
 * thread spends about a hundredth of its time on it. The native engine is given a few messages of
 * each tally before DAME is: it packs into memory of our own, and unpacks what DAME then unpacks
 * again. Such a message of DAME's is not timed, since it finds its data in the caches.
 */
#ifndef DT_SAMPLE_H
#define DT_SAMPLE_H

#include "ompi_config.h"

#include "entry.h"
#include "opal/datatype/opal_convertor.h"
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

/* A message begins, the tally's use number `use`: lets the native engine do it first, or not. */
void dt_sample_native(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                      const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov);
void dt_sample_native_copy(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                           const opal_datatype_t *datatype, int32_t count, char *to,
                           const char *from);

#endif
