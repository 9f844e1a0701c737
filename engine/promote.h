/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Promotion: when the programs of layouts are compiled to machine code (jit/), each direction on
 * its own. A use is a message packed, or unpacked, whole or in fragments.
 *
 * Either the policy of measure/policy.h decides, for which some uses are timed
 * (promote_measured.c); or each direction is compiled at its threshold-th use (promote_fixed.c).
 *
 * The thread that starts the use compiles, for some microseconds; one thread of the process at a
 * time. The others go on with what runs and never wait. A program that cannot be compiled stays
 * with the interpreter.
 *
 * Unless noted, the caller holds a datatype of the layout, and no lock.
 */
#ifndef DAME_PROMOTE_H
#define DAME_PROMOTE_H

#include <stdint.h>

#include "credit.h"
#include "promoter.h"

/* A new layout: it has not been used yet. With the lock of dame_layout_new() held. */
void dame_promote_layout_init(dame_promoter_t *promoter, dame_layout_t *layout);

/* The layout has new hints: the next use of it is looked at. Any thread. */
void dame_promote_hinted(dame_layout_t *layout);

/* Returns whether the program runs machine code. */
static inline bool dame_promote_is_compiled(const dame_layout_t *layout, dame_dir_t dir)
{
    return atomic_load_explicit(&layout->promotions[dir].runs_code, memory_order_relaxed) != 0 &&
           atomic_load_explicit(&layout->program->codes[dir], memory_order_relaxed) != NULL;
}

/* Returns whether whole messages of this layout are left to the other engine, if it may move them.
 * */
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

/*
 * A message of `bytes` bytes begins that credit does not cover: ends the layout's credit, and
 * counts this use and those not yet reported to promotion. If a decision is due, it is taken here,
 * one at most. `samples`: are samples taken (timing.h)? `natively`: the other engine moves the
 * message for a sample, so only a fixed use counts it, and nothing else is decided. Lost counts of
 * threads that use one datatype at the same time do not matter.
 *
 * The caller holds the datatype, which DAME moves data of, and is not inside its reader. Returns
 * where this message's time is to be recorded (timing.h), or NULL.
 */
struct dame_measured *dame_promote_begin(dame_thread_t *thread, const dame_use_t *use,
                                         dame_dir_t dir, size_t bytes, bool samples, bool natively);

/* After that, if it returned NULL: grants credit for the next uses, as far as no decision waits for
 * them to be counted. */
void dame_promote_grant(dame_thread_t *thread, const dame_use_t *use, dame_dir_t dir, bool samples);

#endif
