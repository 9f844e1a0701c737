/* SPDX-License-Identifier: BSD-3-Clause */
#include "promote.h"

#include "hints.h"
#include "base/lock.h"
#include "promote_fixed.h"
#include "promote_measured.h"

/* A thread's uses of settled layouts between two looks at one; prime, so that layouts used in
 * rotation are all sampled. */
enum { TICK = 1021 };

/* ---- Decisions ------------------------------------------------------------------------------ */

/* As dame_promote_at_measured_use(). Does nothing while another thread decides. */
static void decide_layout(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                          size_t bytes, int32_t settled)
{
    dame_layout_t *layout = use->layout, *surplus = NULL;
    if (!dame_trylock(DAME_LOCK_GATE)) {
        return;
    }
    const bool compiles = atomic_load_explicit(&promoter->compiles, memory_order_relaxed);
    dame_order_t *done = compiles ? dame_orders_collect(&promoter->orders) : NULL;
    if (!compiles) {
        dame_promote_end_measuring(layout, dir);
    } else if (promoter->options.threshold > 0) {
        dame_promote_at_fixed_use(promoter, use, dir);
    } else {
        dame_promote_at_measured_use(promoter, use, dir, dame_hints_bytes(layout, bytes), settled);
    }
    dame_unlock(DAME_LOCK_GATE);
    dame_orders_release(&promoter->orders, done, &surplus);
    dame_promoter_free(promoter, surplus);
    dame_orders_flush_messages(&promoter->orders);
}

/* At the start of a use that ends the countdown or that is to be timed. */
static struct dame_measured *meet(const dame_use_t *use, dame_dir_t dir, size_t bytes,
                                  dame_countdown_value_t value)
{
    dame_promoter_t *promoter = use->layout->promoter;
    if (!atomic_load_explicit(&promoter->compiles, memory_order_acquire)) {
        dame_promote_end_measuring(use->layout, dir);
    } else if (value == DAME_COUNTDOWN_TIMED) {
        return dame_promote_begin_timed(promoter, &use->layout->promotions[dir]);
    } else {
        decide_layout(promoter, use, dir, bytes, 0);
    }
    return NULL;
}

/* At the start of a use of a settled direction. `unreported`: earlier uses that promotion has not
 * counted yet. If it is 0, one use in TICK is reported, as TICK uses. */
static void count_settled_use(dame_thread_t *thread, const dame_use_t *use, dame_dir_t dir,
                              size_t bytes, int32_t unreported)
{
    dame_promoter_t *promoter = use->layout->promoter;
    const bool ticks = unreported == 0 && --thread->tick < 0;
    if (ticks) {
        thread->tick = TICK - 1;
    }
    if ((ticks || unreported > 0) && promoter->options.threshold < 0 &&
        atomic_load_explicit(&promoter->compiles, memory_order_acquire)) {
        decide_layout(promoter, use, dir, bytes, unreported + (ticks ? TICK : 1));
    }
}

struct dame_measured *dame_promote_begin(dame_thread_t *thread, const dame_use_t *use,
                                         dame_dir_t dir, size_t bytes, bool samples, bool natively)
{
    dame_layout_t *layout = use->layout;
    dame_countdown_t *countdown = &layout->promotions[dir].countdown;
    const int32_t unreported = dame_credit_end(thread, use, (dame_work_t) dir, samples);
    if (unreported > 0) {
        dame_countdown_skip(countdown, unreported);
    }
    const dame_countdown_value_t value = dame_countdown_load(countdown);
    if (dame_countdown_is_settled(value, &layout->program->codes[dir])) {
        if (!natively) {
            count_settled_use(thread, use, dir, bytes, unreported);
        }
        return NULL;
    }
    if ((natively && !dame_countdown_is_without_code(value)) ||
        dame_countdown_pass(countdown, value)) {
        return NULL;
    }
    return meet(use, dir, bytes, value);
}

void dame_promote_grant(dame_thread_t *thread, const dame_use_t *use, dame_dir_t dir, bool samples)
{
    const dame_layout_t *layout = use->layout;
    const dame_countdown_value_t value = dame_countdown_load(&layout->promotions[dir].countdown);
    int32_t most = DAME_MOST_CREDIT;
    if (!dame_countdown_is_settled(value, &layout->program->codes[dir])) {
        const int32_t uses = dame_countdown_may_skip(value);
        most = uses < most ? uses : most;
    }
    dame_credit_grant(thread, use, (dame_work_t) dir,
                      dame_promote_tier(layout, dir, dame_promote_is_native(layout, dir)), most,
                      samples);
}

/* ---- Layouts -------------------------------------------------------------------------------- */

void dame_promote_layout_init(dame_promoter_t *promoter, dame_layout_t *layout)
{
    const int32_t threshold = atomic_load_explicit(&promoter->threshold, memory_order_relaxed);
    const bool measured = threshold < 0;
    const int32_t uses = layout->program == NULL ? 0
                         : measured              ? dame_measured_first(layout->program->size)
                                                 : threshold;
    layout->promoter = promoter;
    for (int dir = 0; dir < 2; dir++) {
        layout->promotions[dir] = (dame_promotion_t){.period = uses};
        dame_countdown_set(&layout->promotions[dir].countdown,
                           measured ? dame_countdown_uses(uses)
                                    : dame_countdown_without_code(uses));
    }
}

/* The next use is an event. The period was to end later, or nothing was to be asked any more. */
static void bring_forward(dame_promotion_t *state)
{
    const dame_countdown_value_t value = dame_countdown_load(&state->countdown);
    const bool counts = dame_countdown_may_skip(value) > 0;
    const bool is_settled =
        state->measured != NULL && value != DAME_COUNTDOWN_TIMED && !dame_countdown_is_uses(value);
    if ((counts || is_settled) &&
        dame_countdown_change(&state->countdown, value, dame_countdown_uses(1))) {
        state->period = counts ? state->period + 1 - dame_countdown_left(value) : 1;
    }
}

void dame_promote_hinted(dame_layout_t *layout)
{
    dame_lock(DAME_LOCK_GATE);
    for (int dir = 0; dir < 2; dir++) {
        bring_forward(&layout->promotions[dir]);
    }
    dame_layout_revoke_credits(layout);
    dame_unlock(DAME_LOCK_GATE);
}
