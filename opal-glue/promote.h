/*
 * Promotion: when the programs of layouts are compiled to machine code (jit/), each direction on
 * its own. A use is a message packed, or unpacked, whole or in fragments.
 *
 * Measured: the policy of measure/policy.h decides, for which some uses are timed. At a fixed use:
 * each direction is compiled at its promotion_threshold-th use, its first candidate, once.
 *
 * The thread whose use brings an event compiles, for some microseconds; one thread of the process
 * at a time. The others go on with what runs and never wait. A program that cannot be compiled
 * stays with the interpreter.
 */
#ifndef DT_PROMOTE_H
#define DT_PROMOTE_H

#include <stdint.h>

#include "entry.h"
#include "glue.h"
#include "thread.h"

/* Once a process, before the first datatype is entered. If dame_jit_create() rejects the options,
 * logs why and leaves promotion disabled. Copies the options, but not their strings. */
void dt_promote_start(const dt_promote_options_t *options);

/* Before the last layouts end: nothing is compiled any more, and no order holds a layout. */
void dt_promote_settle(void);

/* After the last dt_promote_layout_release(), with no thread inside. What was counted stays. */
void dt_promote_stop(void);

/* A datatype was entered, and may be used often: reads the profile and the names of files with
 * code, once a process, so that no message waits for that. No lock is held. */
void dt_promote_prepare(void);

/* A new layout: it has not been used yet. */
void dt_promote_layout_init(dt_layout_t *layout);

/* A layout that no thread uses any more: its machine code is freed. Any thread. */
void dt_promote_layout_release(dt_layout_t *layout);

/* The layout, which the caller holds, has new hints: the next use of it is looked at. Any thread,
 * with no lock held. */
void dt_promote_hinted(dt_layout_t *layout);

/* Of all machine code made so far. Any thread. */
void dt_promote_stats(dame_jit_stats_t *stats);

/* The datatype of this file ends: what other datatypes of its layout have had compiled goes to
 * files beside it (NULL: it has no file). The caller holds the layout, and no lock. */
void dt_promote_dump_code(struct dt_dump *dump, const dt_layout_t *layout);

/* From now on nothing is compiled any more, and so nothing is taken away from programs that live:
 * they keep the kernels that they have. Returns when no thread compiles. Any thread. */
void dt_promote_disable(void);

/* For dt_promote_use() only: decides, unless another thread does. Returns what it returns. */
struct dame_measured *dt_promote_event(dt_entry_t *entry, dame_dir_t dir, size_t bytes,
                                       int32_t countdown);
void dt_promote_tick(dt_thread_t *thread, dt_entry_t *entry, dame_dir_t dir, size_t bytes);

/* What dt_promote_may_skip() allowed has been made use of, so many times. */
void dt_promote_skipped(dt_entry_t *entry, dame_dir_t dir, size_t bytes, int32_t uses);

/* Does the program run machine code? */
static inline bool dt_promote_is_compiled(const dt_layout_t *layout, dame_dir_t dir)
{
    return 0 != atomic_load_explicit(&layout->promotions[dir].runs_code, memory_order_relaxed) &&
           NULL != atomic_load_explicit(&layout->program->codes[dir], memory_order_relaxed);
}

/* Are whole messages of this layout left to the native engine, if it may move them? */
static inline bool dt_promote_is_native(const dt_layout_t *layout, dame_dir_t dir)
{
    return __builtin_expect(atomic_load_explicit(&layout->by_native[dir], memory_order_relaxed), 0);
}

/* What moves a message; `native`: the native engine does. */
static inline dt_tier_t dt_promote_tier(const dt_layout_t *layout, dame_dir_t dir, bool native)
{
    return native ? DT_OPAL : dt_promote_is_compiled(layout, dir) ? DT_CODE : DT_INTERP;
}

/* Does no decision wait for uses of this layout to be counted? */
static inline bool dt_promote_rests(const dt_layout_t *layout, dame_dir_t dir)
{
    const int32_t uses =
        atomic_load_explicit(&layout->promotions[dir].countdown, memory_order_relaxed);
    return uses >= 0 && (0 == uses || NULL != atomic_load_explicit(&layout->program->codes[dir],
                                                                   memory_order_relaxed));
}

/* Does each use count, whoever moves it, because a fixed one compiles? */
static inline bool dt_promote_counts_each(const dt_layout_t *layout, dame_dir_t dir)
{
    return atomic_load_explicit(&layout->promotions[dir].countdown, memory_order_relaxed) > 0;
}

/* Uses that may begin without dt_promote_use(), at most `most`, and be told all at once. What is
 * compiled at a fixed use counts each. */
static inline int32_t dt_promote_may_skip(const dt_layout_t *layout, dame_dir_t dir, int32_t most)
{
    const int32_t countdown =
        atomic_load_explicit(&layout->promotions[dir].countdown, memory_order_relaxed);
    if (dt_promote_rests(layout, dir)) {
        return most;
    }
    return countdown >= -1 || DT_TIMED == countdown ? 0
           : -1 - countdown < most                  ? -1 - countdown
                                                    : most;
}

/*
 * A message of so many bytes begins. The caller holds the datatype, which DAME moves data of, and
 * is not inside its reader. Lost counts of threads that use one datatype at the same time do not
 * matter. Not NULL: the message is to be timed for it.
 */
static inline struct dame_measured *dt_promote_use(dt_thread_t *thread, dt_entry_t *entry,
                                                   dame_dir_t dir, size_t bytes)
{
    dt_layout_t *layout = entry->layout;
    _Atomic int32_t *countdown = &layout->promotions[dir].countdown;
    const int32_t uses = atomic_load_explicit(countdown, memory_order_relaxed);
    if (uses >= 0 && (0 == uses || NULL != atomic_load_explicit(&layout->program->codes[dir],
                                                                memory_order_relaxed))) {
        if (__builtin_expect(--thread->tick < 0, 0)) {
            dt_promote_tick(thread, entry, dir, bytes);
        }
    } else if (uses > 1) {
        atomic_store_explicit(countdown, uses - 1, memory_order_relaxed);
    } else if (uses < -1 && DT_TIMED != uses) {
        atomic_store_explicit(countdown, uses + 1, memory_order_relaxed);
    } else {
        return dt_promote_event(entry, dir, bytes, uses);
    }
    return NULL;
}

#endif
