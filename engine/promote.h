/*
 * Promotion: when the programs of layouts are compiled to machine code (jit/), each direction on
 * its own. A use is a message packed, or unpacked, whole or in fragments.
 *
 * Measured: the policy of measure/policy.h decides, for which some uses are timed. At a fixed use:
 * each direction is compiled at its threshold-th use, its first candidate, once.
 *
 * The thread whose use brings an event compiles, for some microseconds; one thread of the process
 * at a time. The others go on with what runs and never wait. A program that cannot be compiled
 * stays with the interpreter.
 *
 * Unless noted, the caller holds a datatype of the layout, and no lock.
 */
#ifndef DAME_PROMOTE_H
#define DAME_PROMOTE_H

#include <stdint.h>

#include "promoter.h"
#include "thread.h"

/* A new layout: it has not been used yet. With the lock of dame_layout_new() held. */
void dame_promote_layout_init(dame_promoter_t *promoter, dame_layout_t *layout);

/* The layout has new hints: the next use of it is looked at. Any thread. */
void dame_promote_hinted(dame_layout_t *layout);

/* For dame_promote_use() only: decides, unless another thread does. Returns what it returns. */
struct dame_measured *dame_promote_event(const dame_use_t *use, dame_dir_t dir, size_t bytes,
                                         int32_t countdown);
void dame_promote_tick(dame_thread_t *thread, const dame_use_t *use, dame_dir_t dir, size_t bytes);

/* `uses` messages ran without dame_promote_use(), as dame_promote_may_skip() allowed. */
void dame_promote_skipped(const dame_use_t *use, dame_dir_t dir, size_t bytes, int32_t uses);

/* Does the program run machine code? */
static inline bool dame_promote_is_compiled(const dame_layout_t *layout, dame_dir_t dir)
{
    return 0 != atomic_load_explicit(&layout->promotions[dir].runs_code, memory_order_relaxed) &&
           NULL != atomic_load_explicit(&layout->program->codes[dir], memory_order_relaxed);
}

/* Are whole messages of this layout left to the other engine, if it may move them? */
static inline bool dame_promote_is_native(const dame_layout_t *layout, dame_dir_t dir)
{
    return __builtin_expect(atomic_load_explicit(&layout->by_native[dir], memory_order_relaxed), 0);
}

/* What moves a message; `native`: the other engine does. */
static inline dame_tier_t dame_promote_tier(const dame_layout_t *layout, dame_dir_t dir,
                                            bool native)
{
    return native                                  ? DAME_TIER_NATIVE
           : dame_promote_is_compiled(layout, dir) ? DAME_TIER_CODE
                                                   : DAME_TIER_INTERP;
}

/* Does no decision wait for uses of this layout to be counted? */
static inline bool dame_promote_is_settled(const dame_layout_t *layout, dame_dir_t dir)
{
    const int32_t uses =
        atomic_load_explicit(&layout->promotions[dir].countdown, memory_order_relaxed);
    return uses >= 0 && (0 == uses || NULL != atomic_load_explicit(&layout->program->codes[dir],
                                                                   memory_order_relaxed));
}

/* Does each use count, whoever moves it, because a fixed one compiles? */
static inline bool dame_promote_counts_each(const dame_layout_t *layout, dame_dir_t dir)
{
    return atomic_load_explicit(&layout->promotions[dir].countdown, memory_order_relaxed) > 0;
}

/* Uses that may begin without dame_promote_use(), at most `most`, and be told all at once. What is
 * compiled at a fixed use counts each. */
static inline int32_t dame_promote_may_skip(const dame_layout_t *layout, dame_dir_t dir,
                                            int32_t most)
{
    const int32_t countdown =
        atomic_load_explicit(&layout->promotions[dir].countdown, memory_order_relaxed);
    if (dame_promote_is_settled(layout, dir)) {
        return most;
    }
    return countdown >= -1 || DAME_TIMED == countdown ? 0
           : -1 - countdown < most                    ? -1 - countdown
                                                      : most;
}

/*
 * A message of so many bytes begins. The caller holds the datatype, which DAME moves data of, and
 * is not inside its reader. Lost counts of threads that use one datatype at the same time do not
 * matter. Returns where this message's time is to be recorded (timing.h), or NULL.
 */
static inline struct dame_measured *dame_promote_use(dame_thread_t *thread, const dame_use_t *use,
                                                     dame_dir_t dir, size_t bytes)
{
    dame_layout_t *layout = use->layout;
    _Atomic int32_t *countdown = &layout->promotions[dir].countdown;
    const int32_t uses = atomic_load_explicit(countdown, memory_order_relaxed);
    if (uses >= 0 && (0 == uses || NULL != atomic_load_explicit(&layout->program->codes[dir],
                                                                memory_order_relaxed))) {
        if (__builtin_expect(--thread->tick < 0, 0)) {
            dame_promote_tick(thread, use, dir, bytes);
        }
    } else if (uses > 1) {
        atomic_store_explicit(countdown, uses - 1, memory_order_relaxed);
    } else if (uses < -1 && DAME_TIMED != uses) {
        atomic_store_explicit(countdown, uses + 1, memory_order_relaxed);
    } else {
        return dame_promote_event(use, dir, bytes, uses);
    }
    return NULL;
}

#endif
