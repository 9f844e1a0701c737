/* SPDX-License-Identifier: BSD-3-Clause */
#include "copy.h"

#include "counted.h"
#include "engine/credit.h"
#include "sample.h"
#include "thread.h"

bool dt_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
             const char *from)
{
    const dame_program_t *program = entry->use.layout->program;
    if (!dame_program_is_apart(program, count, (int64_t) ((uintptr_t) to - (uintptr_t) from))) {
        return false;
    }
    dt_thread_t *thread = dt_thread();
    const int64_t bytes = count * program->size;
    const dame_use_t *use = &entry->use;
    if (dame_credit_take(&thread->base, use, DAME_WORK_COPY, bytes)) {
        dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, count);
        return true;
    }
    const bool samples = dt_engine.timing.on;
    (void) dame_credit_end(&thread->base, use, DAME_WORK_COPY, samples);
    dame_tally_t *tally = dame_tally_of(use);
    if (NULL != tally) {
        const int64_t n = dame_tally_use(tally, DAME_WORK_COPY, DAME_TIER_INTERP, bytes);
        if (samples && !thread->has_window) {
            dame_timing_ask(&thread->base, tally, DAME_WORK_COPY, DAME_TIER_INTERP);
        }
        if (dt_sample_window_due(tally, DAME_WORK_COPY, n)) {
            dt_sample_open_window(thread, tally, DAME_WORK_COPY, n);
        }
    }
    dt_thread_add(thread, DT_COUNT_messages_copied, 1);
    dt_thread_add(thread, DT_COUNT_bytes_copied, bytes);
    if (dt_sample_has_window(thread) &&
        dt_sample_copy_by_native(thread, tally, datatype, count, to, from)) {
        return true;
    }
    const bool timed = dame_timing_is_due(&dt_engine.timing, &thread->base);
    const int64_t start = timed ? dame_timing_begin() : 0;
    dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, count);
    if (timed) {
        dt_counted_took(thread, tally, DAME_WORK_COPY, DAME_TIER_INTERP, start,
                        dame_ns_now() - start, bytes);
    }
    if (!dt_sample_has_window(thread)) {
        dame_credit_grant(&thread->base, use, DAME_WORK_COPY, DAME_TIER_INTERP, DAME_MOST_CREDIT,
                          samples);
    }
    return true;
}
