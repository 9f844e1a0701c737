/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that need no decision; their cost besides the move is two counts in the thread's own
 * memory. (To find the program, a caller also looks into its table; the program's code is compared
 * with that of the credit; and the thread's reader is entered and left.)
 *
 * When promotion has nothing to ask of a layout for a while, a thread is granted credit for its
 * next uses: messages, which it counts down without reading memory that other threads write. The
 * same holds while the policy waits for uses to pass. With them it counts their bytes. Credit ends
 * with its last use, when the program gets or loses machine code, or when it is revoked
 * (dame_layout_revoke_credits()); then uses and bytes go to the counters and to the tally, and are
 * reported to promotion. While samples are taken, no credit goes beyond the next one (timing.h).
 * Layouts in use, or their datatypes of one name where each name has a tally, have a dame_credit_t
 * each in every thread that uses them, up to DAME_MOST_CREDITS.
 */
#ifndef DAME_CREDIT_H
#define DAME_CREDIT_H

#include "thread.h"
#include "use.h"

/* Which of a thread's credits a datatype's messages are counted in, if it has as many: use->slot.
 * Datatypes that are counted together share it. It is kept in the handle because each message waits
 * for it, and would else wait for the layout's epoch first. */
static inline uint16_t dame_credit_slot(const dame_use_t *use)
{
    return (uint16_t) (dame_use_epoch(use) % DAME_MOST_CREDITS);
}

/* Where the datatype's messages are counted, if they are. The thread is enlisted. */
static inline dame_credit_t *dame_credit_of(dame_thread_t *thread, const dame_use_t *use)
{
    return &thread->cells.credits[use->slot & thread->cells.credit_mask];
}

static inline bool dame_credit_has_left(const dame_credit_t *credit, const dame_use_t *use,
                                        dame_work_t work)
{
    return credit->epoch == dame_use_epoch(use) &&
           (uint32_t) atomic_load_explicit(&credit->uses[work], memory_order_relaxed) != 0;
}

/* Returns whether the program runs the code that it ran when its uses were granted. */
static inline bool dame_credit_is_current(const dame_credit_t *credit, const dame_use_t *use,
                                          dame_dir_t dir)
{
    return credit->codes[dir] ==
           atomic_load_explicit(&use->layout->program->codes[dir], memory_order_relaxed);
}

/* Returns whether the datatype's next message goes without a decision. */
static inline bool dame_credit_may(const dame_credit_t *credit, const dame_use_t *use,
                                   dame_dir_t dir)
{
    return dame_credit_has_left(credit, use, (dame_work_t) dir) &&
           dame_credit_is_current(credit, use, dir);
}

/* Whether the datatype's next message, of this work, goes without a question; then it is counted. A
 * thread that is not enlisted has no grants. */
static inline bool dame_credit_take(dame_thread_t *thread, const dame_use_t *use, dame_work_t work,
                                    int64_t bytes)
{
    if (thread->cells.credits == NULL) {
        return false;
    }
    const uint64_t epoch = dame_use_epoch(use);
    dame_credit_t *credit = dame_credit_of(thread, use);
    const uint64_t uses = atomic_load_explicit(&credit->uses[work], memory_order_relaxed);
    if (credit->epoch != epoch || (uint32_t) uses == 0 ||
        (work != DAME_WORK_COPY && !dame_credit_is_current(credit, use, (dame_dir_t) work))) {
        return false;
    }
    atomic_store_explicit(&credit->uses[work], uses - 1, memory_order_relaxed);
    dame_cells_add(&credit->bytes[work], bytes);
    return true;
}

/* A message begins that may not: settles credit that has ended. Returns the uses not yet reported
 * to promotion. `samples`: are samples taken? */
int32_t dame_credit_end(dame_thread_t *thread, const dame_use_t *use, dame_work_t work,
                        bool samples);

/* Grants credit for the next uses for this work, at most `most`, which tier `tier` moves.
 * `samples`: are samples taken, so that it ends with the next one? */
void dame_credit_grant(dame_thread_t *thread, const dame_use_t *use, dame_work_t work,
                       dame_tier_t tier, int32_t most, bool samples);

enum { DAME_MOST_CREDIT = 1021 }; /* uses */

/* All of the thread's credits end with the uses that they have had. */
void dame_credit_end_all(dame_thread_t *thread);

#endif
