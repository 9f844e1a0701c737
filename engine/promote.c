#include "promote.h"

#include <stdio.h>

#include "dame/heap.h"
#include "hints.h"
#include "jit/lock.h"

enum {
    NAME_ROOM = 160,   /* bytes of a code's name */
    ORDERED_USES = 64, /* between looks for code that was ordered */
    TICK = 1021 /* uses of layouts that are settled, of a thread; prime, lest one of several that
                   take turns is never met */
};

/* ---- Compiling ------------------------------------------------------------------------------ */

/* Of the machine code, for perf and GDB, which read it up to the end of the line; NULL: nobody
 * wants it. */
static const char *name_code(const dame_promoter_t *promoter, const dame_use_t *use,
                             char name[NAME_ROOM])
{
    const dame_observer_t *observer = dame_promoter_observer(promoter);
    if (NULL == promoter->options.jit.perf_map && !promoter->options.jit.gdb) {
        return NULL;
    }
    *name = '\0';
    if (NULL != observer->name) {
        observer->name(observer->argument, use, name, NAME_ROOM);
    }
    if ('\0' == *name) {
        (void) snprintf(name, NAME_ROOM, "datatype %llu",
                        (unsigned long long) dame_layout_number(use->layout));
    }
    return name;
}

/* A program runs other machine code than before, made in `ns`. */
static void tell_compiled(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                          int64_t ns)
{
    const void *code;
    dame_count(promoter->counts, DAME_COUNT_compile_bytes,
               (int64_t) dame_jit_code(use->layout->program, dir, &code));
    dame_promoter_tell(
        promoter, &(dame_event_t){.kind = DAME_EVENT_COMPILED, .use = use, .dir = dir, .ns = ns});
}

static dame_status_t compile(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir)
{
    char room[NAME_ROOM];
    dame_layout_t *layout = use->layout;
    const char *name = name_code(promoter, use, room);
    const int64_t start = dame_ns_now();
    const dame_status_t status = dame_orders_are_first(&promoter->orders, layout->program, dir)
                                     ? dame_orders_compile(&promoter->orders, layout, dir, name)
                                     : dame_jit_compile(promoter->jit, layout->program, dir, name);
    dame_event_t event = {.use = use, .dir = dir, .status = status};
    if (DAME_OK == status) {
        tell_compiled(promoter, use, dir, dame_ns_now() - start);
        atomic_store_explicit(&layout->promotions[dir].runs_code, 1, memory_order_relaxed);
        dame_count(promoter->counts, DAME_COUNT_promoted, 1);
        event.kind = DAME_EVENT_RUNS;
        event.code = "x";
        dame_promoter_tell(promoter, &event);
    } else if (DAME_ERR_BUSY != status) {
        event.kind = DAME_EVENT_NOT;
        dame_promoter_tell(promoter, &event);
    }
    return status;
}

static int32_t twice(int32_t uses)
{
    return uses > INT32_MAX / 2 ? INT32_MAX : 2 * uses;
}

static void set_countdown(dame_promotion_t *state, int32_t countdown)
{
    atomic_store_explicit(&state->countdown, countdown, memory_order_release);
}

static void count_failure(const dame_promoter_t *promoter, dame_status_t status)
{
    dame_count(promoter->counts,
               DAME_ERR_FULL == status     ? DAME_COUNT_compile_full
               : DAME_ERR_DENIED == status ? DAME_COUNT_compile_denied
               : DAME_ERR_NOMEM == status  ? DAME_COUNT_compile_memory
                                           : DAME_COUNT_compile_unsupported,
               1);
}

/* Sets the uses until the next attempt, after one that ended with `status`. If its code is evicted,
 * or there was no room, it waits twice as long each time: where the programs in use do not fit the
 * code cache, compiling them again gains little. */
static void schedule_attempt(const dame_promoter_t *promoter, dame_promotion_t *state,
                             dame_status_t status)
{
    const bool again = DAME_OK == status || DAME_ERR_FULL == status || DAME_ERR_BUSY == status;
    if (DAME_OK != status && DAME_ERR_BUSY != status) {
        count_failure(promoter, status);
    }
    if (state->is_ordered) {
        set_countdown(state, ORDERED_USES);
        return;
    }
    set_countdown(state, again ? state->period : 0);
    state->period = again ? twice(state->period) : 0;
}

/* At a fixed use. With the gate's lock held. */
static void try_to_compile(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    if (0 == state->period) { /* tried before; another thread's late count has brought it back */
        set_countdown(state, 0);
    } else if (0 == atomic_load_explicit(&state->runs_code, memory_order_relaxed) ||
               NULL ==
                   atomic_load_explicit(&use->layout->program->codes[dir], memory_order_relaxed)) {
        const dame_status_t status = compile(promoter, use, dir);
        schedule_attempt(promoter, state, status);
        dame_promoter_check(promoter, status);
    }
}

/* ---- Measuring ------------------------------------------------------------------------------ */

/* The uses that the user expects; 0: not known. */
static double promised(const dame_layout_t *layout)
{
    const dame_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    return NULL == hints ? 0 : atomic_load_explicit(&hints->uses, memory_order_relaxed);
}

/* Does not look again before it has been used some more. */
static bool is_early(const dame_promoter_t *promoter, const dame_layout_t *layout,
                     dame_promotion_t *state, size_t bytes)
{
    if (NULL != state->measured || promised(layout) > 0) {
        return false;
    }
    const int32_t more = dame_measured_more(&promoter->costs, (int64_t) bytes, state->period);
    state->period += more;
    set_countdown(state, -more);
    return more > 0;
}

static bool has_measured(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                         size_t bytes)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    if (NULL == state->measured) {
        state->measured = dame_measured_new(&promoter->costs, use->layout->program, dir,
                                            (int64_t) bytes, 0.01 * *promoter->options.explore,
                                            NULL != promoter->options.native &&
                                                DAME_TRUST_DENIED != dame_use_trust(use));
    }
    if (NULL != state->measured) {
        dame_measured_promise(state->measured, promised(use->layout));
    }
    return NULL != state->measured;
}

/*
 * Sets the uses until the next event. A use that is to be timed is the next one: this one spends
 * its time here, and what it leaves to do to the CPU would be missing from its time.
 */
static void schedule_event(dame_promotion_t *state, const dame_measured_result_t *result)
{
    if (result->sample) {
        atomic_store_explicit(&state->after, result->uses, memory_order_relaxed);
        state->period = result->uses + 1;
        set_countdown(state, DAME_TIMED);
    } else if (state->is_ordered && (result->rests || result->uses > ORDERED_USES)) {
        state->period = ORDERED_USES;
        set_countdown(state, -ORDERED_USES);
    } else if (result->rests) { /* asked again when its code is evicted, or by a tick */
        state->period = 1;
        set_countdown(state, dame_measured_has_code(state->measured));
    } else {
        state->period = result->uses;
        set_countdown(state, -result->uses);
    }
}

_Static_assert((int) DAME_COSTS >= (int) DAME_POLICY_ARMS, "what each arm costs can be told");

static void tell_costs(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir)
{
    const dame_measured_t *measured = use->layout->promotions[dir].measured;
    char name[DAME_CANDIDATE_NAME];
    dame_code_cost_t costs[DAME_COSTS];
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

/* Nobody will ask the policy any more. */
static void end_trial(dame_layout_t *layout, dame_dir_t dir)
{
    give_to_native(layout, dir, false);
    set_countdown(&layout->promotions[dir], 0);
}

/* For messages and the report: what is promoted first, and what stays when the search is over. */
static void tell_choice(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                        bool settled)
{
    dame_promotion_t *state = &use->layout->promotions[dir];
    const dame_policy_t *policy = &state->measured->policy;
    const int32_t arm = policy->current, native = policy->native, before = state->reported_arm;
    char name[DAME_CANDIDATE_NAME];
    atomic_store_explicit(&state->runs_code, dame_measured_has_code(state->measured),
                          memory_order_relaxed);
    if (arm == before || ((0 != before || arm == native) && !settled)) {
        return;
    }
    if (arm != native && before != native && (0 == arm || 0 == before)) {
        dame_count(promoter->counts, 0 == arm ? DAME_COUNT_demoted : DAME_COUNT_promoted, 1);
    }
    state->reported_arm = arm;
    dame_event_t event = {.kind = DAME_EVENT_RUNS, .use = use, .dir = dir};
    event.code = dame_measured_name(&promoter->costs, state->measured, arm, name);
    dame_promoter_tell(promoter, &event);
    tell_costs(promoter, use, dir);
}

/* Asks the policy. With the gate's lock held. */
static void measure(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir, size_t bytes,
                    int32_t uses)
{
    dame_layout_t *layout = use->layout;
    dame_promotion_t *state = &layout->promotions[dir];
    char room[NAME_ROOM];
    if (!has_measured(promoter, use, dir, bytes)) {
        count_failure(promoter, DAME_ERR_NOMEM);
        set_countdown(state, 0);
        return;
    }
    const char *name = name_code(promoter, use, room);
    const int64_t start = dame_ns_now();
    const dame_measured_result_t result =
        dame_measured_event(&promoter->costs, state->measured, layout->program, dir, name, uses);
    if (result.compiled) {
        tell_compiled(promoter, use, dir, dame_ns_now() - start);
    }
    give_to_native(layout, dir, result.native);
    tell_choice(promoter, use, dir, result.rests);
    if (DAME_OK != result.status) {
        count_failure(promoter, result.status);
        dame_promoter_check(promoter, result.status);
    }
    schedule_event(state, &result);
    if (result.orders && !dame_orders_place(&promoter->orders, layout, dir, &result.order)) {
        dame_measured_order_done(&promoter->costs, state->measured, &result.order, DAME_ERR_BUSY, 0,
                                 0);
    }
}

/* ---- Events --------------------------------------------------------------------------------- */

/* `uses`: of a tick, 0: of an event. */
static void decide(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir, size_t bytes,
                   int32_t uses)
{
    dame_layout_t *layout = use->layout, *surplus = NULL;
    dame_promotion_t *state = &layout->promotions[dir];
    if (!dame_trylock(DAME_LOCK_GATE)) {
        return;
    }
    bytes = dame_hints_bytes(layout, bytes);
    dame_order_t *done = dame_orders_collect(&promoter->orders);
    if (!atomic_load_explicit(&promoter->compiles, memory_order_relaxed)) {
        end_trial(layout, dir);
    } else if (promoter->options.threshold > 0) {
        try_to_compile(promoter, use, dir);
    } else if (0 != uses) {
        if (NULL != state->measured) {
            measure(promoter, use, dir, bytes, uses);
        }
    } else if (!is_early(promoter, layout, state, bytes)) {
        measure(promoter, use, dir, bytes, state->period);
    }
    dame_unlock(DAME_LOCK_GATE);
    dame_orders_release(&promoter->orders, done, &surplus);
    dame_promoter_free(promoter, surplus);
    dame_orders_flush_messages(&promoter->orders);
}

/* The use that begins is to be timed, unless it was another thread's. */
static dame_measured_t *begin_timed(const dame_promoter_t *promoter, dame_promotion_t *state)
{
    const int32_t after = atomic_load_explicit(&state->after, memory_order_relaxed);
    int32_t timed = DAME_TIMED;
    if (!atomic_compare_exchange_strong_explicit(&state->countdown, &timed, -after,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        return NULL;
    }
    dame_count(promoter->counts, DAME_COUNT_samples, 1);
    return state->measured;
}

dame_measured_t *dame_promote_event(const dame_use_t *use, dame_dir_t dir, size_t bytes,
                                    int32_t countdown)
{
    dame_promoter_t *promoter = use->layout->promoter;
    dame_promotion_t *state = &use->layout->promotions[dir];
    if (!atomic_load_explicit(&promoter->compiles, memory_order_acquire)) {
        end_trial(use->layout, dir);
    } else if (DAME_TIMED == countdown) {
        return begin_timed(promoter, state);
    } else {
        decide(promoter, use, dir, bytes, 0);
    }
    return NULL;
}

static void tell_settled(const dame_use_t *use, dame_dir_t dir, size_t bytes, int32_t uses)
{
    dame_promoter_t *promoter = use->layout->promoter;
    if (promoter->options.threshold < 0 &&
        atomic_load_explicit(&promoter->compiles, memory_order_acquire)) {
        decide(promoter, use, dir, bytes, uses);
    }
}

/* The next use is an event, if these were all that were left. */
void dame_promote_skipped(const dame_use_t *use, dame_dir_t dir, size_t bytes, int32_t uses)
{
    _Atomic int32_t *countdown = &use->layout->promotions[dir].countdown;
    int32_t left = atomic_load_explicit(countdown, memory_order_relaxed);
    if (dame_promote_is_settled(use->layout, dir)) {
        tell_settled(use, dir, bytes, uses);
    } else if (left < -1 && DAME_TIMED != left) {
        (void) atomic_compare_exchange_strong_explicit(countdown, &left,
                                                       left < -1 - uses ? left + uses : -1,
                                                       memory_order_relaxed, memory_order_relaxed);
    }
}

/* One of TICK uses of layouts that are settled is this one's, so it stands for as many. */
void dame_promote_tick(dame_thread_t *thread, const dame_use_t *use, dame_dir_t dir, size_t bytes)
{
    thread->tick = TICK - 1;
    tell_settled(use, dir, bytes, TICK);
}

/* ---- Layouts -------------------------------------------------------------------------------- */

void dame_promote_layout_init(dame_promoter_t *promoter, dame_layout_t *layout)
{
    int32_t uses = atomic_load_explicit(&promoter->threshold, memory_order_relaxed);
    layout->promoter = promoter;
    if (uses < 0 && NULL != layout->program) {
        uses = -dame_measured_first(layout->program->size);
    }
    for (int dir = 0; dir < 2; dir++) {
        layout->promotions[dir] = (dame_promotion_t){.period = uses < 0 ? -uses : uses};
        set_countdown(&layout->promotions[dir], uses);
    }
}

/* The next use is an event. The period was to end later, or what rests was to be asked no more. */
static void bring_forward(dame_promotion_t *state)
{
    int32_t countdown = atomic_load_explicit(&state->countdown, memory_order_relaxed);
    const bool rests = countdown >= 0 && NULL != state->measured;
    if ((rests || (countdown < -1 && DAME_TIMED != countdown)) &&
        atomic_compare_exchange_strong(&state->countdown, &countdown, -1)) {
        state->period = rests ? 1 : state->period + countdown + 1;
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
