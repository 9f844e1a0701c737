#include "copy.h"

#include "recent.h"
#include "sample.h"
#include "thread.h"

bool dt_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
             const char *from)
{
    const dame_program_t *program = entry->layout->program;
    if (!dame_program_is_apart(program, count, (int64_t) ((uintptr_t) to - (uintptr_t) from))) {
        return false;
    }
    dt_thread_t *thread = dt_thread();
    const int64_t bytes = count * program->size;
    if (dt_recent_take(thread, entry, DT_COPY, bytes)) {
        dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, count);
        return true;
    }
    dt_recent_end(thread, entry, DT_COPY, (size_t) bytes);
    dt_tally_t *tally = dt_entry_tally(entry);
    if (NULL != tally) {
        const int64_t n = dt_tally_use(tally, DT_COPY, DT_INTERP, bytes);
        if (dt_sample_on) {
            dt_sample_ask(thread, &tally->moved[DT_COPY][DT_INTERP]);
        }
        if (dt_sample_window_due(tally, DT_COPY, n)) {
            dt_sample_open_window(thread, tally, DT_COPY, n);
        }
    }
    _Atomic int64_t *counts = thread->stats.count;
    dt_stats_add(&counts[DT_COUNT_messages_copied], 1);
    dt_stats_add(&counts[DT_COUNT_bytes_copied], bytes);
    if (dt_sample_has_window(thread) &&
        dt_sample_copy_by_native(thread, tally, datatype, count, to, from)) {
        return true;
    }
    const bool timed = dt_sample_due(thread);
    const int64_t start = timed ? dt_sample_begin() : 0;
    dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, count);
    if (timed) {
        dt_sample_took(thread, tally, DT_COPY, false, dt_now() - start, bytes);
    }
    if (!dt_sample_has_window(thread)) {
        dt_recent_grant(thread, entry, DT_COPY);
    }
    return true;
}
