/* SPDX-License-Identifier: BSD-3-Clause */
#include "promote_fixed.h"

/* By DAME-L, if it is its turn. */
static dame_status_t compile_direction(dame_promoter_t *promoter, const dame_use_t *use,
                                       dame_dir_t dir)
{
    char room[DAME_LONGEST_CODE_NAME];
    dame_layout_t *layout = use->layout;
    const char *name = dame_promoter_name_code(promoter, use, room);
    const int64_t start = dame_ns_now();
    const bool is_l = dame_orders_provide_first(&promoter->orders, layout->program, dir);
    const bool by_l = dame_orders_are_first(&promoter->orders, layout->program, dir);
    const dame_status_t status = by_l ? dame_orders_compile(&promoter->orders, layout, dir, name)
                                      : dame_jit_compile(promoter->jit, layout->program, dir, name);
    dame_event_t event = {.use = use, .dir = dir, .status = status};
    if (status == DAME_OK) {
        dame_promoter_compiled(promoter, use, dir, dame_ns_now() - start);
        atomic_store_explicit(&layout->promotions[dir].runs_code, 1, memory_order_relaxed);
        dame_count(promoter->counts, DAME_COUNT_promoted, 1);
        event.kind = DAME_EVENT_RUNS;
        event.tier = DAME_TIER_CODE;
        event.code = is_l ? "l" : "x";
        dame_promoter_tell(promoter, &event);
    } else if (status != DAME_ERR_BUSY) {
        event.kind = DAME_EVENT_NOT;
        dame_promoter_tell(promoter, &event);
    }
    return status;
}

/* After an attempt that ended with `status`: the next one is for code that was evicted, or found no
 * room or memory. */
static void schedule(dame_promotion_t *state, dame_status_t status)
{
    if (state->is_ordered) {
        dame_countdown_set(&state->countdown, dame_countdown_without_code(DAME_ORDERED_USES));
    } else if (status == DAME_OK || status == DAME_ERR_FULL || status == DAME_ERR_BUSY ||
               status == DAME_ERR_NOMEM) {
        dame_promotion_back_off(state);
    } else {
        dame_countdown_set(&state->countdown, DAME_COUNTDOWN_OFF);
        state->period = 0;
    }
}

void dame_promote_at_fixed_use(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    if (state->period == 0) { /* tried before; another thread's late count has brought it back */
        dame_countdown_set(&state->countdown, DAME_COUNTDOWN_OFF);
    } else if (dame_countdown_waits(dame_countdown_load(&state->countdown))) {
        return; /* its order has just come back, and is tried again later */
    } else if (atomic_load_explicit(&state->runs_code, memory_order_relaxed) == 0 ||
               atomic_load_explicit(&use->layout->program->codes[dir], memory_order_relaxed) ==
                   NULL) {
        const dame_status_t status = compile_direction(promoter, use, dir);
        schedule(state, status);
        if (status != DAME_OK && status != DAME_ERR_BUSY) {
            dame_promoter_failed(promoter, status);
        }
    }
}
