/*
 * Times of some of the fragments, and what Open MPI's own engine would take for some of them, while
 * the report is on (the parameter `report`).
 *
 * A time costs two readings of the clock, so fragments that take less are sampled less often: each
 * thread spends about a hundredth of its time on it.
 *
 * Now and then a thread has a window: of so many fragments in a row the native engine moves each
 * before DAME does, from and to the same places, where the caches are as they would be without
 * DAME. Its first fragments, which find its code and its predictions cold, are not counted. DAME
 * then moves the same bytes over them; it finds them in the caches and is not timed meanwhile.
 * Windows come early in the life of each tally and then as often as a small part of the time
 * allows, so that they see all of a run. One thread of a process has a window at a time.
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

/* Is the thread to take the time of this fragment, or has it a window? */
static inline bool dt_sample_due(dt_thread_t *thread)
{
    return __builtin_expect(dt_sample_on, 0) && --thread->until_sample <= 0;
}

/* A message begins, the tally's use number `use`: may a window open? Then: it does, or must wait,
 * because windows have had enough of the time. */
static inline bool dt_sample_window_due(const dt_tally_t *tally, dt_work_t work, int64_t use)
{
    return __builtin_expect(dt_sample_on, 0) &&
           use >= atomic_load_explicit(&tally->next_native[work], memory_order_relaxed);
}
void dt_sample_open_window(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, int64_t use);

/* It was due, and the fragment is about to be moved. Returns dt_now(). */
int64_t dt_sample_begin(dt_thread_t *thread, const opal_convertor_t *convertor, dame_dir_t dir,
                        const struct iovec *iov, uint32_t n);
int64_t dt_sample_begin_copy(dt_thread_t *thread, dt_tally_t *tally,
                             const opal_datatype_t *datatype, int32_t count, char *to,
                             const char *from);

/* It has been moved: `work` on `bytes` took from `start`, by dt_now(), until now. */
void dt_sample_took(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, bool compiled,
                    int64_t start, int64_t bytes);

#endif
