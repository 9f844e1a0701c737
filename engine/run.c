/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "credit.h"

/* ---- Any caller's --------------------------------------------------------------------------- */

static inline void add_counts(dame_thread_t *thread, dame_counter_t counter, dame_work_t work,
                              int64_t n)
{
    dame_cells_add(&thread->cells.count[(int) counter + (int) work], n);
}

static dame_tier_t tier_of(const dame_begin_t *it)
{
    return it->work == DAME_WORK_COPY /* by the interpreter's kernels, which stay */
               ? DAME_TIER_INTERP
               : dame_promote_tier(it->use->layout, (dame_dir_t) it->work, it->is_native);
}

/* Returns where the message's time is to be recorded, or NULL. */
static dame_measured_t *decide_use(dame_thread_t *thread, dame_begin_t *it, bool samples)
{
    dame_measured_t *measured = NULL;
    if (it->work == DAME_WORK_COPY) {
        (void) dame_credit_end(thread, it->use, it->work, samples);
    } else {
        measured = dame_promote_begin(thread, it->use, (dame_dir_t) it->work, (size_t) it->bytes,
                                      samples, it->in_probe);
    }
    it->is_native = it->ops->is_native != NULL && it->ops->is_native(it);
    return measured;
}

static void count_use(const dame_engine_t *engine, dame_thread_t *thread, dame_begin_t *it,
                      bool is_trial)
{
    dame_tally_t *tally = dame_tally_of(it->use);
    if (tally == NULL) {
        return;
    }
    const int64_t use = dame_tally_use(tally, it->work, tier_of(it), it->bytes);
    if (engine->timing.on && !it->in_probe) {
        dame_timing_ask(thread, tally, it->work, tier_of(it));
        it->in_probe =
            !is_trial && it->ops->opens != NULL && it->ops->opens(it, thread, tally, use);
    }
}

static void grant(dame_thread_t *thread, const dame_begin_t *it, bool samples)
{
    if (it->work == DAME_WORK_COPY) {
        dame_credit_grant(thread, it->use, it->work, DAME_TIER_INTERP, DAME_MOST_CREDIT, samples);
    } else {
        dame_promote_grant(thread, it->use, (dame_dir_t) it->work, samples);
    }
}

/* As ops->move_fragment(), or for a sample. */
static int64_t move_fragment(dame_engine_t *engine, dame_thread_t *thread, dame_begin_t *it)
{
    int64_t moved = it->in_probe ? it->ops->sample(it, thread) : -1;
    if (moved >= 0) {
        return moved;
    }
    if (!dame_timing_is_due(&engine->timing, thread)) {
        return it->ops->move(it, thread);
    }
    const int64_t start = dame_timing_begin();
    moved = it->ops->move(it, thread);
    dame_timing_took(&engine->timing, thread, dame_tally_of(it->use), it->work, tier_of(it), start,
                     dame_ns_now(), moved);
    return moved;
}

/* The same, and promotion wants the time of this message, or of its first fragment. */
static __attribute__((noinline)) int64_t move_in_trial(dame_engine_t *engine, dame_thread_t *thread,
                                                       dame_begin_t *it, dame_measured_t *measured)
{
    int64_t ticks;
    const dame_trial_t trial = dame_trial_begin(measured);
    const int64_t moved = move_fragment(engine, thread, it);
    if (dame_trial_counts(&trial, it->use->layout, it->is_native, it->count, it->base, &ticks)) {
        const int repeats =
            it->is_whole && moved == it->bytes ? dame_measured_repeats(measured, ticks) : 0;
        if (repeats > 0) {
            it->ops->repeat(it, thread, repeats);
        }
        dame_trial_end(&trial, ticks, repeats, (size_t) moved, it->is_whole, it->packed);
    }
    return moved;
}

static int64_t count_fragment(dame_thread_t *thread, const dame_begin_t *it, int64_t moved)
{
    if (it->work != DAME_WORK_COPY) {
        add_counts(thread, DAME_COUNT_fragments_packed, it->work, 1);
    }
    add_counts(thread, DAME_COUNT_bytes_packed, it->work, moved);
    return moved;
}

int64_t dame_run_begin(dame_engine_t *engine, dame_thread_t *thread, dame_begin_t *it)
{
    const bool samples = engine->timing.on;
    dame_measured_t *measured = decide_use(thread, it, samples);
    count_use(engine, thread, it, measured != NULL);
    if (measured == NULL && !it->in_probe) {
        grant(thread, it, samples);
    }
    add_counts(thread, DAME_COUNT_messages_packed, it->work, 1);
    return count_fragment(thread, it,
                          measured == NULL ? move_fragment(engine, thread, it)
                                           : move_in_trial(engine, thread, it, measured));
}

int64_t dame_run_continue(dame_engine_t *engine, dame_thread_t *thread, dame_begin_t *it)
{
    return count_fragment(thread, it, move_fragment(engine, thread, it));
}

/* ---- By the layout's program alone ---------------------------------------------------------- */

static inline void move_whole(dame_thread_t *thread, const dame_program_t *program, dame_dir_t dir,
                              uintptr_t base, int64_t count, char *packed)
{
    dame_reader_enter(&thread->reader);
    dame_program_run(program, dir, base, count, packed);
    dame_reader_leave(&thread->reader);
}

static void repeat_whole(dame_begin_t *it, dame_thread_t *thread, int times)
{
    for (int i = 0; i < times; i++) {
        move_whole(thread, it->use->layout->program, (dame_dir_t) it->work, (uintptr_t) it->base,
                   (int64_t) it->count, it->packed);
    }
}

static int64_t run_whole(dame_begin_t *it, dame_thread_t *thread)
{
    repeat_whole(it, thread, 1);
    return it->bytes;
}

static __attribute__((noinline)) void begin_whole(dame_engine_t *engine, dame_thread_t *thread,
                                                  const dame_use_t *use, dame_dir_t dir,
                                                  uintptr_t base, int64_t count, char *packed)
{
    static const dame_begin_ops_t ops = {.move = run_whole, .repeat = repeat_whole};
    dame_begin_t run = dame_begin(&ops, use, (dame_work_t) dir, count * use->layout->program->size,
                                  count, base, packed, true);
    (void) dame_run_begin(engine, thread, &run);
}

void dame_run_whole(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, uintptr_t base, int64_t count, char *packed)
{
    const dame_program_t *program = use->layout->program;
    if (dame_credit_take(thread, use, (dame_work_t) dir, count * program->size)) {
        move_whole(thread, program, dir, base, count, packed);
    } else {
        begin_whole(engine, thread, use, dir, base, count, packed);
    }
}

typedef struct piece {
    dame_begin_t run; /* first */
    dame_cursor_t *cursor;
    int64_t length;
} piece_t;

static int64_t run_piece(dame_begin_t *it, dame_thread_t *thread)
{
    const piece_t *piece = (const piece_t *) it;
    dame_reader_enter(&thread->reader);
    if (it->work == DAME_WORK_PACK) {
        (void) dame_cursor_pack_exact(piece->cursor, it->packed, piece->length);
    } else {
        (void) dame_cursor_unpack(piece->cursor, it->packed, piece->length);
    }
    dame_reader_leave(&thread->reader);
    return piece->length;
}

void dame_run_piece(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, dame_cursor_t *cursor, char *packed, int64_t length)
{
    static const dame_begin_ops_t ops = {.move = run_piece};
    piece_t piece = {dame_begin(&ops, use, (dame_work_t) dir, cursor->total,
                                cursor->frames[0].count, cursor->frames[0].origin, packed, false),
                     cursor, length};
    (void) (cursor->position == 0 ? dame_run_begin : dame_run_continue)(engine, thread, &piece.run);
}

int64_t dame_run_copied(dame_begin_t *it, dame_thread_t *thread)
{
    (void) thread;
    dame_program_copy(it->use->layout->program, (uintptr_t) it->packed, (uintptr_t) it->base,
                      (int64_t) it->count);
    return it->bytes;
}

void dame_run_copy(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                   uintptr_t to, uintptr_t from, int64_t count)
{
    static const dame_begin_ops_t ops = {.move = dame_run_copied};
    const dame_program_t *program = use->layout->program;
    const int64_t bytes = count * program->size;
    if (dame_credit_take(thread, use, DAME_WORK_COPY, bytes)) {
        dame_program_copy(program, to, from, count);
        return;
    }
    dame_begin_t run =
        dame_begin(&ops, use, DAME_WORK_COPY, bytes, count, from, (char *) to, false);
    (void) dame_run_begin(engine, thread, &run);
}
