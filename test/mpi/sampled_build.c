/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DAME with endless samples of Open MPI's own engine (opal-glue/sample.h): while the report is
 * on, that engine moves most fragments. Functions are wrapped by the linker (--wrap): a window may
 * open at each use, costs nothing, and every third fragment of it is DAME's nevertheless, wherever
 * in a message that is. SAMPLED_UNWATCHED=1: the ends of threads cannot be noticed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "opal-glue/convertor/sample.h"

__typeof__(dame_tally_open) __real_dame_tally_open;
__typeof__(dame_tally_open) __wrap_dame_tally_open;
void __real_dt_sample_open_window(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work,
                                  int64_t use);
void __wrap_dt_sample_open_window(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work,
                                  int64_t use);
bool __real_dt_sample_by_native(dt_thread_t *thread, const dt_entry_t *entry,
                                const opal_convertor_t *convertor, dame_dir_t dir,
                                struct iovec *iov, uint32_t n, size_t *bytes);
bool __wrap_dt_sample_by_native(dt_thread_t *thread, const dt_entry_t *entry,
                                const opal_convertor_t *convertor, dame_dir_t dir,
                                struct iovec *iov, uint32_t n, size_t *bytes);

__typeof__(pthread_setspecific) __real_pthread_setspecific, __wrap_pthread_setspecific;

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
    return getenv("SAMPLED_UNWATCHED") != NULL ? ENOMEM : __real_pthread_setspecific(key, value);
}

static void let_open(dame_tally_t *tally, int work)
{
    atomic_store_explicit(&tally->times->native[work].next, 0, memory_order_relaxed);
    atomic_store_explicit(&tally->times->native[work].samples.count, 0, memory_order_relaxed);
}

void __wrap_dame_tally_open(dame_tallies_t *tallies, dame_use_t *use, const char *name, bool own)
{
    __real_dame_tally_open(tallies, use, name, own);
    for (int work = 0; dame_tally_of(use) != NULL && work < DAME_WORKS; work++) {
        let_open(dame_tally_of(use), work);
    }
}

void __wrap_dt_sample_open_window(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work,
                                  int64_t use)
{
    let_open(tally, work);
    __real_dt_sample_open_window(thread, tally, work, use);
    let_open(tally, work);
}

bool __wrap_dt_sample_by_native(dt_thread_t *thread, const dt_entry_t *entry,
                                const opal_convertor_t *convertor, dame_dir_t dir,
                                struct iovec *iov, uint32_t n, size_t *bytes)
{
    static _Thread_local unsigned fragments;
    return 0 != ++fragments % 3 &&
           __real_dt_sample_by_native(thread, entry, convertor, dir, iov, n, bytes);
}
