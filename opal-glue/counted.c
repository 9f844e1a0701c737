/* SPDX-License-Identifier: BSD-3-Clause */
#include "counted.h"

#include "move.h"
#include "sample.h"

static void (*hear)(int64_t now);

void dt_counted_tell(void (*hear_time)(int64_t now))
{
    hear = hear_time;
}

void dt_counted_took(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work, dame_tier_t tier,
                     int64_t start, int64_t time, int64_t bytes)
{
    dame_timing_took(&dt_engine.timing, &thread->base, tally, work, tier, time, bytes);
    if (NULL != hear) {
        hear(start + time);
    }
}

/* A message begins. `may_open`: a window may begin with the next one. */
static void tally_use(dt_thread_t *thread, const dt_entry_t *entry,
                      const opal_convertor_t *convertor, dame_dir_t dir, bool native, bool may_open)
{
    dame_tally_t *tally = dame_tally_of(&entry->use);
    if (NULL == tally) {
        return;
    }
    const dame_tier_t tier = dame_promote_tier(entry->use.layout, dir, native);
    const int64_t n =
        dame_tally_use(tally, (dame_work_t) dir, tier, (int64_t) convertor->local_size);
    if (dt_engine.timing.on && !thread->has_window) {
        dame_timing_ask(&thread->base, tally, (dame_work_t) dir, tier);
    }
    if (may_open && dt_sample_window_due(tally, (dame_work_t) dir, n)) {
        dt_sample_open_window(thread, tally, (dame_work_t) dir, n);
    }
}

/* Moves what fits, and takes its time. `whole`: as dt_move() takes the entry. */
static __attribute__((noinline)) size_t move_timed(dt_thread_t *thread, opal_convertor_t *convertor,
                                                   dame_dir_t dir, dt_entry_t *whole,
                                                   struct iovec *iov, uint32_t *out_size)
{
    const bool native = NULL != whole && dt_move_is_native(whole, dir, convertor, iov, out_size);
    const int64_t start = dame_timing_begin();
    const size_t moved = dt_move(thread, convertor, dir, whole, iov, out_size);
    const int64_t time = dame_ns_now() - start;
    const dt_entry_t *entry = NULL != whole ? whole : dt_table_get(convertor->pDesc);
    dt_counted_took(thread, dame_tally_of(&entry->use), (dame_work_t) dir,
                    dame_promote_tier(entry->use.layout, dir, native), start, time,
                    (int64_t) moved);
    return moved;
}

/* Moves what fits, or has the native engine move it for a sample, and counts that. `begins`: the
 * entry, if that is the beginning of a message, else NULL. */
static inline int32_t move_and_count(dt_thread_t *thread, opal_convertor_t *convertor,
                                     dame_dir_t dir, dt_entry_t *begins, struct iovec *iov,
                                     uint32_t *out_size, size_t *max_data)
{
    _Atomic int64_t *count = thread->base.cells.count;
    size_t moved;
    if (!dt_sample_has_window(thread) ||
        !dt_sample_by_native(thread, NULL != begins ? begins : dt_table_get(convertor->pDesc),
                             convertor, dir, iov, *out_size, &moved)) {
        moved = dame_timing_is_due(&dt_engine.timing, &thread->base)
                    ? move_timed(thread, convertor, dir, begins, iov, out_size)
                    : dt_move(thread, convertor, dir, begins, iov, out_size);
    }
    dame_cells_add(&count[DT_COUNT_messages_packed + dir], NULL != begins);
    dame_cells_add(&count[DT_COUNT_fragments_packed + dir], 1);
    dame_cells_add(&count[DT_COUNT_bytes_packed + dir], (int64_t) moved);
    return dt_move_end(convertor, moved, max_data);
}

/* Moves a whole message, which has been moved, as often again. The bytes stay the same. */
static void repeat(dt_thread_t *thread, opal_convertor_t *convertor, dame_dir_t dir,
                   const dame_program_t *program, bool native, char *packed, int times)
{
    const uint32_t flags = convertor->flags;
    for (int i = 0; i < times; i++) {
        struct iovec iov = {.iov_base = packed, .iov_len = convertor->local_size};
        uint32_t one = 1;
        if (native) {
            convertor->flags &= ~(uint32_t) CONVERTOR_COMPLETED;
            convertor->bConverted = 0;
            (void) dt_native_move(convertor, dir, &iov);
        } else {
            (void) dt_move_whole(thread, convertor, dir, program, &iov, &one);
        }
    }
    convertor->flags = flags;
    convertor->bConverted = convertor->local_size;
}

/* Promotion wants the time of this message, or of its first fragment. Not in line, so that others
 * do not pay for its registers. */
static __attribute__((noinline)) int32_t
begin_trial(dt_thread_t *thread, opal_convertor_t *convertor, dame_dir_t dir, dt_entry_t *entry,
            struct iovec *iov, uint32_t *out_size, size_t *max_data, dame_measured_t *measured)
{
    const bool whole = dt_move_is_whole(convertor, iov, out_size);
    char *packed = *out_size > 0 ? iov[0].iov_base : NULL;
    const bool native = dt_move_is_native(entry, dir, convertor, iov, out_size);
    const dame_layout_t *layout = entry->use.layout;
    int64_t ticks;
    const dame_trial_t trial = dame_trial_begin(measured);
    const int32_t rc = move_and_count(thread, convertor, dir, entry, iov, out_size, max_data);
    if (!dame_trial_counts(&trial, layout, native, convertor->count, convertor->pBaseBuf, &ticks)) {
        return rc;
    }
    const int repeats = whole && 1 == rc ? dame_measured_repeats(measured, ticks) : 0;
    if (repeats > 0) {
        repeat(thread, convertor, dir, layout->program, native, packed, repeats);
    }
    dame_trial_end(&trial, ticks, repeats, *max_data, whole, packed);
    return rc;
}

int32_t dt_counted_begin(opal_convertor_t *convertor, dame_dir_t dir, dt_entry_t *entry,
                         struct iovec *iov, uint32_t *out_size, size_t *max_data)
{
    dt_thread_t *thread = dt_thread();
    const dame_use_t *use = &entry->use;
    const bool samples = dt_engine.timing.on;
    const bool in_window = dt_sample_has_window(thread);
    dame_measured_t *measured =
        dame_promote_begin(&thread->base, use, dir, convertor->local_size, samples, in_window);
    const bool native = dt_move_is_native(entry, dir, convertor, iov, out_size);
    tally_use(thread, entry, convertor, dir, native, !in_window && NULL == measured);
    if (__builtin_expect(NULL != measured, 0)) {
        return begin_trial(thread, convertor, dir, entry, iov, out_size, max_data, measured);
    }
    if (!dt_sample_has_window(thread)) {
        dame_promote_grant(&thread->base, use, dir, samples);
    }
    return move_and_count(thread, convertor, dir, entry, iov, out_size, max_data);
}

int32_t dt_counted_continue(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                            uint32_t *out_size, size_t *max_data)
{
    return move_and_count(dt_thread(), convertor, dir, NULL, iov, out_size, max_data);
}
