#include "copy.h"

#include "thread.h"

static bool take_times;

void dt_copy_take_times(bool on)
{
    take_times = on;
}

bool dt_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
             const char *from)
{
    (void) datatype;
    const dame_program_t *program = entry->layout->program;
    if (!dame_program_is_apart(program, count, (int64_t) ((uintptr_t) to - (uintptr_t) from))) {
        return false;
    }
    dt_thread_t *thread = dt_thread();
    const int64_t start = take_times ? dt_now() : 0;
    dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, count);
    _Atomic int64_t *counts = thread->stats.count;
    dt_stats_add(&counts[DT_COUNT_messages_copied], 1);
    dt_stats_add(&counts[DT_COUNT_bytes_copied], count * program->size);
    if (take_times) {
        dt_stats_add(&counts[DT_COUNT_copy_ns], dt_now() - start);
    }
    return true;
}
