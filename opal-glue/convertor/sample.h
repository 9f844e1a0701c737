/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Open MPI's own engine would take for some fragments, while the report is on (the parameter
 * `report`). The times of DAME's are the engine's (engine/timing.h).
 *
 * Now and then a thread has a probe: Open MPI's own engine moves a number of fragments
 * instead of DAME, of messages that begin in it. So that engine is timed as it works without DAME:
 * all kinds of messages and fragments in their usual order, several under way at the same time,
 * from and to the caches as they are. Each short message that is among the first of its kind, and
 * finds its description and the engine's predictions cold, does not count. Messages under way at
 * the end go on to theirs: their first fragments are not like the last. Any fragment that the
 * engine might get wrong is DAME's.
 *
 * Probes come early in the life of each tally and then as often as a small part of the time
 * allows, so that they see all of a run. One thread of a process has a probe at a time,
 * and keeps it when it moves nothing more, until it ends.
 */
#ifndef DT_SAMPLE_H
#define DT_SAMPLE_H

#include "opal-glue/abi/abi.h"
#include "opal-glue/entry.h"
#include "opal-glue/thread.h"

/* After dame_engine_start(), before the first message; and after the last one. */
void dt_sample_start(void);
void dt_sample_stop(void);

/* A message begins, the tally's use number `use`: may a probe open? Then: it does, or must wait,
 * because probes have had enough of the time. */
static inline bool dt_sample_probe_due(const dame_tally_t *tally, dame_work_t work, int64_t use)
{
    return __builtin_expect(dt_engine.timing.on, 0) &&
           use >= atomic_load_explicit(&tally->times->native[work].next, memory_order_relaxed);
}
void dt_sample_open_probe(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work, int64_t use);

/* Returns whether the thread has a probe. */
static inline bool dt_sample_has_probe(const dt_thread_t *thread)
{
    return __builtin_expect(thread->has_probe, 0);
}

/* It has, and a fragment of `n` pieces is to be moved. True: the native engine has moved *bytes of
 * it, as iov->iov_len says; the convertor knows nothing of that. False: DAME must move all of it.
 */
bool dt_sample_by_native(dt_thread_t *thread, dt_entry_t *entry, const opal_convertor_t *convertor,
                         dame_dir_t dir, struct iovec *iov, uint32_t n, size_t *bytes);

/* It has. True: the native engine has done a local copy. */
bool dt_sample_copy_by_native(dt_thread_t *thread, dame_tally_t *tally,
                              const opal_datatype_t *datatype, int32_t count, char *to,
                              const char *from);

#endif
