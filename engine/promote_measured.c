/* SPDX-License-Identifier: BSD-3-Clause */
#include "promote_measured.h"

#include <stdio.h>

#include "hints.h"

/* The uses that the user expects; 0: not known. */
static double promised(const dame_layout_t *layout)
{
    const dame_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    return hints == NULL ? 0 : atomic_load_explicit(&hints->uses, memory_order_relaxed);
}

/* Does not look again before it has been used some more. */
static bool is_early(const dame_promoter_t *promoter, const dame_layout_t *layout,
                     dame_promotion_t *state, size_t bytes)
{
    if (state->measured != NULL || promised(layout) > 0) {
        return false;
    }
    const int32_t more = dame_measured_more(&promoter->costs, (int64_t) bytes, state->period);
    state->period += more;
    dame_countdown_set(&state->countdown, dame_countdown_uses(more));
    return more > 0;
}

static bool has_measured(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                         size_t bytes)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    if (state->measured == NULL) {
        state->measured = dame_measured_new(&promoter->costs, use->layout->program, dir,
                                            (int64_t) bytes, 0.01 * *promoter->options.explore,
                                            promoter->options.native != NULL &&
                                                dame_use_trust(use) < DAME_TRUST_DENIED);
    }
    if (state->measured != NULL) {
        dame_measured_promise(state->measured, promised(use->layout));
    }
    return state->measured != NULL;
}

/*
 * A use that is to be timed is the next one: this one spends its time here, and the CPU work that
 * it leaves behind would be missing from its time.
 */
static void schedule(dame_promotion_t *state, const dame_measured_result_t *result)
{
    const bool looks_for_order =
        state->is_ordered && (result->settled || result->uses > DAME_ORDERED_USES);
    dame_countdown_value_t next;
    if (result->sample) {
        atomic_store_explicit(&state->after, result->uses, memory_order_relaxed);
        state->period = result->uses + 1;
        next = DAME_COUNTDOWN_TIMED;
    } else if (result->settled && !looks_for_order) { /* until its code is evicted, or by a tick */
        state->period = 1;
        next = dame_countdown_without_code(dame_measured_has_code(state->measured));
    } else {
        state->period = looks_for_order ? DAME_ORDERED_USES : result->uses;
        next = dame_countdown_uses(state->period);
    }
    dame_countdown_set(&state->countdown, next);
}

_Static_assert((int) DAME_COSTS >= (int) DAME_POLICY_ARMS, "the cost of each arm can be reported");

static void tell_costs(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir)
{
    const dame_measured_t *measured = use->layout->promotions[dir].measured;
    char name[DAME_CANDIDATE_NAME];
    dame_code_cost_t costs[DAME_COSTS] = {{0}};
    int32_t n = 0;
    for (int32_t arm = 0; arm < measured->policy.narms; arm++) {
        costs[n].ticks = dame_measured_cost(measured, arm);
        if (costs[n].ticks > 0) {
            (void) snprintf(costs[n++].code, DAME_CODE_NAME, "%.*s", DAME_CODE_NAME - 1,
                            dame_measured_name(&promoter->costs, measured, arm, name));
        }
    }
    dame_promoter_tell(
        promoter,
        &(dame_event_t){
            .kind = DAME_EVENT_COSTS, .use = use, .dir = dir, .costs = costs, .ncosts = n});
}

/* Credit was to be counted for what ran before. */
static void give_to_native(dame_layout_t *layout, dame_dir_t dir, bool native)
{
    if (native != atomic_load_explicit(&layout->by_native[dir], memory_order_relaxed)) {
        atomic_store_explicit(&layout->by_native[dir], native, memory_order_relaxed);
        dame_layout_revoke_credits(layout);
    }
}

void dame_promote_end_measuring(dame_layout_t *layout, dame_dir_t dir)
{
    give_to_native(layout, dir, false);
    dame_countdown_set(&layout->promotions[dir].countdown, DAME_COUNTDOWN_OFF);
}

/* For messages and the report: the first promotion, and the arm that stays when the search is
 * over. */
static void tell_choice(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                        bool settled)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    const dame_policy_t *policy = &state->measured->policy;
    const int32_t arm = policy->current, native = policy->native, before = state->reported_arm;
    char name[DAME_CANDIDATE_NAME];
    atomic_store_explicit(&state->runs_code, dame_measured_has_code(state->measured),
                          memory_order_relaxed);
    if (arm == before || ((before != 0 || arm == native) && !settled)) {
        return;
    }
    if (arm != native && before != native && (arm == 0 || before == 0)) {
        dame_count(promoter->counts, arm == 0 ? DAME_COUNT_demoted : DAME_COUNT_promoted, 1);
    }
    state->reported_arm = arm;
    dame_event_t event = {.kind = DAME_EVENT_RUNS, .use = use, .dir = dir};
    event.tier = arm == native ? DAME_TIER_NATIVE : arm == 0 ? DAME_TIER_INTERP : DAME_TIER_CODE;
    event.code = dame_measured_name(&promoter->costs, state->measured, arm, name);
    dame_promoter_tell(promoter, &event);
    tell_costs(promoter, use, dir);
}

/* Asks the policy. */
static void ask(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir, size_t bytes,
                int32_t uses)
{
    dame_layout_t *layout = use->layout;
    dame_promotion_t *state = &layout->promotions[dir];
    char room[DAME_LONGEST_CODE_NAME];
    if (!has_measured(promoter, use, dir, bytes)) {
        dame_promoter_failed(promoter, DAME_ERR_NOMEM);
        state->period = dame_period_doubled(state->period);
        dame_countdown_set(&state->countdown, dame_countdown_uses(state->period));
        return;
    }
    const char *name = dame_promoter_name_code(promoter, use, room);
    const int64_t start = dame_ns_now();
    const dame_measured_result_t result =
        dame_measured_event(&promoter->costs, state->measured, layout->program, dir, name, uses);
    if (result.compiled) {
        dame_promoter_compiled(promoter, use, dir, dame_ns_now() - start);
    }
    give_to_native(layout, dir, result.native);
    tell_choice(promoter, use, dir, result.settled);
    if (result.status != DAME_OK && result.status != DAME_ERR_BUSY) {
        dame_promoter_failed(promoter, result.status);
    }
    schedule(state, &result);
    if (result.orders && !dame_orders_place(&promoter->orders, layout, dir, &result.order)) {
        dame_measured_order_done(&promoter->costs, state->measured, &result.order, DAME_ERR_BUSY, 0,
                                 0);
    }
}

void dame_promote_at_measured_use(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                                  size_t bytes, int32_t settled)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    if (settled > 0) {
        if (state->measured != NULL) {
            ask(promoter, use, dir, bytes, settled);
        }
    } else if (!is_early(promoter, use->layout, state, bytes)) {
        ask(promoter, use, dir, bytes, state->period);
    }
}

dame_measured_t *dame_promote_begin_timed(const dame_promoter_t *promoter, dame_promotion_t *state)
{
    atomic_thread_fence(memory_order_acquire); /* after the load that found this to be timed */
    const int32_t after = atomic_load_explicit(&state->after, memory_order_relaxed);
    if (!dame_countdown_change(&state->countdown, DAME_COUNTDOWN_TIMED,
                               dame_countdown_uses(after))) {
        return NULL;
    }
    dame_count(promoter->counts, DAME_COUNT_samples, 1);
    return state->measured;
}
