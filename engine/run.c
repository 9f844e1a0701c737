/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "credit.h"

static inline void run(dame_thread_t *thread, const dame_program_t *program, dame_dir_t dir,
                       uintptr_t base, int64_t count, char *packed)
{
    dame_reader_enter(&thread->reader);
    dame_program_run(program, dir, base, count, packed);
    dame_reader_leave(&thread->reader);
}

static void move_piece(dame_thread_t *thread, dame_dir_t dir, dame_cursor_t *cursor, char *packed,
                       int64_t length)
{
    dame_reader_enter(&thread->reader);
    if (DAME_PACK == dir) {
        (void) dame_cursor_pack_exact(cursor, packed, length);
    } else {
        (void) dame_cursor_unpack(cursor, packed, length);
    }
    dame_reader_leave(&thread->reader);
}

static void add(dame_thread_t *thread, dame_counter_t counter, dame_dir_t dir, int64_t n)
{
    dame_cells_add(&thread->cells.count[(int) counter + (int) dir], n);
}

/* A message of `bytes` bytes begins that credit does not cover. Returns where its time is to be
 * recorded, or NULL. */
static dame_measured_t *begin(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                              dame_dir_t dir, int64_t bytes)
{
    dame_measured_t *measured =
        dame_promote_begin(thread, use, dir, (size_t) bytes, engine->timing.on, false);
    if (NULL != use->amounts) {
        dame_amounts_add(use->amounts, (dame_work_t) dir,
                         dame_promote_tier(use->layout, dir, false), 1, bytes);
    }
    add(thread, DAME_COUNT_messages_packed, dir, 1);
    return measured;
}

static void run_timed(dame_thread_t *thread, const dame_use_t *use, dame_dir_t dir, uintptr_t base,
                      int64_t count, char *packed, dame_measured_t *measured)
{
    const dame_layout_t *layout = use->layout;
    int64_t ticks;
    const dame_trial_t trial = dame_trial_begin(measured);
    run(thread, layout->program, dir, base, count, packed);
    if (dame_trial_counts(&trial, layout, false, (size_t) count, (const void *) base, &ticks)) {
        const int repeats = dame_measured_repeats(measured, ticks);
        for (int i = 0; i < repeats; i++) {
            run(thread, layout->program, dir, base, count, packed);
        }
        dame_trial_end(&trial, ticks, repeats, (size_t) (count * layout->program->size), true,
                       packed);
    }
}

static __attribute__((noinline)) void run_counted(dame_engine_t *engine, dame_thread_t *thread,
                                                  const dame_use_t *use, dame_dir_t dir,
                                                  uintptr_t base, int64_t count, char *packed)
{
    const dame_layout_t *layout = use->layout;
    const int64_t bytes = count * layout->program->size;
    dame_measured_t *measured = begin(engine, thread, use, dir, bytes);
    add(thread, DAME_COUNT_fragments_packed, dir, 1);
    add(thread, DAME_COUNT_bytes_packed, dir, bytes);
    if (NULL != measured) {
        run_timed(thread, use, dir, base, count, packed, measured);
        return;
    }
    dame_promote_grant(thread, use, dir, engine->timing.on);
    run(thread, layout->program, dir, base, count, packed);
}

void dame_run_whole(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, uintptr_t base, int64_t count, char *packed)
{
    const dame_program_t *program = use->layout->program;
    if (dame_credit_take(thread, use, (dame_work_t) dir, count * program->size)) {
        run(thread, program, dir, base, count, packed);
    } else {
        run_counted(engine, thread, use, dir, base, count, packed);
    }
}

void dame_run_piece(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, dame_cursor_t *cursor, char *packed, int64_t length)
{
    dame_measured_t *measured =
        0 == cursor->position ? begin(engine, thread, use, dir, cursor->total) : NULL;
    add(thread, DAME_COUNT_fragments_packed, dir, 1);
    add(thread, DAME_COUNT_bytes_packed, dir, length);
    if (NULL == measured) {
        move_piece(thread, dir, cursor, packed, length);
        return;
    }
    const dame_trial_t trial = dame_trial_begin(measured);
    const void *base = (const void *) cursor->frames[0].origin;
    int64_t ticks;
    move_piece(thread, dir, cursor, packed, length);
    if (dame_trial_counts(&trial, use->layout, false, (size_t) cursor->frames[0].count, base,
                          &ticks)) {
        dame_trial_end(&trial, ticks, 0, (size_t) length, false, packed);
    }
}

void dame_run_copy(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                   uintptr_t to, uintptr_t from, int64_t count)
{
    const dame_program_t *program = use->layout->program;
    const int64_t bytes = count * program->size;
    if (!dame_credit_take(thread, use, DAME_WORK_COPY, bytes)) {
        (void) dame_credit_end(thread, use, DAME_WORK_COPY, engine->timing.on);
        dame_cells_add(&thread->cells.count[DAME_COUNT_messages_copied], 1);
        dame_cells_add(&thread->cells.count[DAME_COUNT_bytes_copied], bytes);
        dame_credit_grant(thread, use, DAME_WORK_COPY, DAME_TIER_INTERP, DAME_MOST_CREDIT,
                          engine->timing.on);
    }
    dame_program_copy(program, to, from, count); /* by the interpreter's kernels, which stay */
}
