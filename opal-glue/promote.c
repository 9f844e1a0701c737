#include "promote.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contents.h"
#include "dump.h"
#include "dame/heap.h"
#include "hints.h"
#include "history.h"
#include "jit/lock.h"
#include "jit/whole_file.h"
#include "log.h"
#include "measure/measured.h"
#include "order.h"

/* The holder of DAME_LOCK_GATE compiles while this is true. Between dt_promote_start() and
 * dt_promote_stop() only the holder changes it, and only to false. */
static atomic_bool compiles;

static struct {
    dame_jit_t *jit;    /* NULL: nothing is compiled */
    dame_costs_t costs; /* of the jit */
    dt_promote_options_t options;
    dame_profile_t *profile;   /* NULL: none */
    atomic_bool is_prepared;   /* what is kept from job to job was looked for, or need not be */
    _Atomic int32_t threshold; /* of new layouts */
    bool must_stay;            /* a thread is at work with jit that could not be stopped */
    dame_jit_stats_t last;     /* when jit was destroyed */
} promotion = {.is_prepared = true, .last = {.vector_name = ""}};

enum {
    NAME_ROOM = 160,   /* bytes of a code's name */
    ORDERED_USES = 64, /* between looks for code that was ordered */
    TICK = 1021 /* uses of layouts that rest, of a thread; prime, lest one of several that take
                   turns is never met */
};

/* ---- Compiling ------------------------------------------------------------------------------ */

/* Of the machine code, for perf and GDB: they read it up to the end of the line. */
static void name_code(const dt_entry_t *entry, char *name, size_t room)
{
    const struct opal_datatype_t *datatype =
        atomic_load_explicit(&entry->key, memory_order_relaxed);
    const char *given = dt_contents_name(datatype);
    if ('\0' != *given) {
        (void) dt_name_text(given, name, room);
    } else {
        (void) snprintf(name, room, "datatype %llu", (unsigned long long) entry->serial);
    }
}

static bool code_has_names(void)
{
    return NULL != promotion.options.jit.perf_map || promotion.options.jit.gdb;
}

/* A program runs other machine code than before. */
static void note_code(dt_entry_t *entry, dame_dir_t dir)
{
    const void *code;
    const dame_program_t *program = entry->layout->program;
    dt_count(DT_COUNT_compile_bytes, (int64_t) dame_jit_code(program, dir, &code));
    if (promotion.options.code_files) {
        dt_dump_code(dt_entry_dump(entry), program, dir);
    }
}

static dame_status_t compile(dt_entry_t *entry, dame_dir_t dir)
{
    char name[NAME_ROOM] = "";
    if (code_has_names()) {
        name_code(entry, name, sizeof(name));
    }
    const int64_t start = dt_now();
    const char *label = '\0' != *name ? name : NULL;
    const dame_status_t status =
        dt_order_is_first(entry->layout->program, dir)
            ? dt_order_compile(entry->layout, dir, label)
            : dame_jit_compile(promotion.jit, entry->layout->program, dir, label);
    if (DAME_OK == status) {
        note_code(entry, dir);
        atomic_store_explicit(&entry->layout->promotions[dir].runs_code, 1, memory_order_relaxed);
        dt_count(DT_COUNT_promoted, 1);
        dt_history_compiled(entry, dir, dt_now() - start);
        dt_history_runs(entry, dir, "x");
    } else if (DAME_ERR_BUSY != status && dt_log_wants(DT_LOG_SETUP)) {
        dt_log_of(DT_LOG_SETUP,
                  dt_contents_name(atomic_load_explicit(&entry->key, memory_order_relaxed)),
                  "not compiled to %s: %s", DAME_PACK == dir ? "pack" : "unpack",
                  dame_status_text(status));
    }
    return status;
}

static int32_t twice(int32_t uses)
{
    return uses > INT32_MAX / 2 ? INT32_MAX : 2 * uses;
}

static void set_countdown(dt_promotion_t *state, int32_t countdown)
{
    atomic_store_explicit(&state->countdown, countdown, memory_order_release);
}

static void count_failure(dame_status_t status)
{
    dt_count(DAME_ERR_FULL == status     ? DT_COUNT_compile_full
             : DAME_ERR_DENIED == status ? DT_COUNT_compile_denied
             : DAME_ERR_NOMEM == status  ? DT_COUNT_compile_memory
                                         : DT_COUNT_compile_unsupported,
             1);
}

/* Sets the uses until the next attempt, after one that ended with `status`. If its code is evicted,
 * or there was no room, it waits twice as long each time: where the programs in use do not fit the
 * code cache, compiling them again gains little. */
static void schedule_attempt(dt_promotion_t *state, dame_status_t status)
{
    const bool again = DAME_OK == status || DAME_ERR_FULL == status || DAME_ERR_BUSY == status;
    if (DAME_OK != status && DAME_ERR_BUSY != status) {
        count_failure(status);
    }
    if (state->is_ordered) {
        set_countdown(state, ORDERED_USES);
        return;
    }
    set_countdown(state, again ? state->period : 0);
    state->period = again ? twice(state->period) : 0;
}

static void log_denied(void)
{
    dame_jit_stats_t stats;
    dame_jit_stats(promotion.jit, &stats);
    if (DAME_JIT_MEMORY_NONE != stats.memory) { /* a clone() of a process that may */
        return;
    }
    dt_log_once_a_node(
        "this system does not let a process execute machine code that it makes (%s). DAME's "
        "interpreter moves all data instead: slower, but the same bytes. Allow it (SELinux: the "
        "permission execmem), or set dt_dame_promotion_threshold to 0 to silence this message.",
        0 != stats.memory_errno ? strerror(stats.memory_errno) : "no reason given");
}

static void stop_compiling(void)
{
    atomic_store_explicit(&compiles, false, memory_order_relaxed);
    atomic_store_explicit(&promotion.threshold, 0, memory_order_relaxed);
}

static void stop_if_denied(dame_status_t status)
{
    if (DAME_ERR_DENIED == status) {
        stop_compiling();
        log_denied();
    }
}

/* At a fixed use. With the gate's lock held. */
static void try_to_compile(dt_entry_t *entry, dame_dir_t dir)
{
    dt_promotion_t *state = &entry->layout->promotions[dir];
    if (0 == state->period) { /* tried before; another thread's late count has brought it back */
        set_countdown(state, 0);
    } else if (0 == atomic_load_explicit(&state->runs_code, memory_order_relaxed) ||
               NULL == atomic_load_explicit(&entry->layout->program->codes[dir],
                                            memory_order_relaxed)) {
        const dame_status_t status = compile(entry, dir);
        schedule_attempt(state, status);
        stop_if_denied(status);
    }
}

/* ---- Measuring ------------------------------------------------------------------------------ */

/* The uses that the user expects; 0: not known. */
static double promised(const dt_layout_t *layout)
{
    const dt_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    return NULL == hints ? 0 : atomic_load_explicit(&hints->uses, memory_order_relaxed);
}

/* Does not look again before it has been used some more. */
static bool is_early(const dt_layout_t *layout, dt_promotion_t *state, size_t bytes)
{
    if (NULL != state->measured || promised(layout) > 0) {
        return false;
    }
    const int32_t more = dame_measured_more(&promotion.costs, (int64_t) bytes, state->period);
    state->period += more;
    set_countdown(state, -more);
    return more > 0;
}

/* About the profile; a user who did not ask for one need not hear of it. */
static void tell(const char *text, int trouble)
{
    if (!trouble || 0 == strcmp("auto", promotion.options.profile)) {
        dt_log("%s", text);
    } else {
        dt_log_once_a_node("%s", text);
    }
}

/* With the gate's lock held. */
static void find_profile(void)
{
    char cpu[128];
    const char *where = promotion.options.profile;
    if (promotion.options.threshold > 0 || NULL == where || '\0' == *where) {
        return;
    }
    dame_profile_cpu(cpu, sizeof(cpu));
    promotion.profile = dame_profile_new(where, cpu, tell);
    if (NULL != promotion.profile) {
        dame_profile_load(promotion.profile);
        promotion.costs.profile = promotion.profile;
    }
}

void dt_promote_prepare(void)
{
    if (atomic_load_explicit(&promotion.is_prepared, memory_order_relaxed)) {
        return;
    }
    dame_lock(DAME_LOCK_GATE);
    if (!atomic_load_explicit(&promotion.is_prepared, memory_order_relaxed)) {
        find_profile();
        dt_order_look();
        atomic_store_explicit(&promotion.is_prepared, true, memory_order_relaxed);
    }
    dame_unlock(DAME_LOCK_GATE);
    dt_order_tell();
}

/* As far as known. */
static bool is_native_right(const dt_entry_t *entry)
{
    return DT_TRUST_DENIED != atomic_load_explicit(&entry->trust, memory_order_relaxed);
}

static bool has_measured(dt_entry_t *entry, dame_dir_t dir, size_t bytes)
{
    dt_promotion_t *state = &entry->layout->promotions[dir];
    if (NULL == state->measured) {
        state->measured = dame_measured_new(&promotion.costs, entry->layout->program, dir,
                                            (int64_t) bytes, 0.01 * *promotion.options.explore,
                                            promotion.options.native && is_native_right(entry));
    }
    if (NULL != state->measured) {
        dame_measured_promise(state->measured, promised(entry->layout));
    }
    return NULL != state->measured;
}

/*
 * Sets the uses until the next event. A use that is to be timed is the next one: this one spends
 * its time here, and what it leaves to do to the CPU would be missing from its time.
 */
static void schedule_event(dt_promotion_t *state, const dame_measured_result_t *result)
{
    if (result->sample) {
        atomic_store_explicit(&state->after, result->uses, memory_order_relaxed);
        state->period = result->uses + 1;
        set_countdown(state, DT_TIMED);
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

_Static_assert((int) DT_COSTS >= (int) DAME_POLICY_ARMS, "what each arm costs can be told");

static void note_costs(dt_entry_t *entry, dame_dir_t dir)
{
    const dame_measured_t *measured = entry->layout->promotions[dir].measured;
    char name[DAME_CANDIDATE_NAME];
    dt_code_cost_t costs[DT_COSTS];
    int32_t n = 0;
    for (int32_t arm = 0; arm < measured->policy.narms; arm++) {
        costs[n].ticks = dame_measured_cost(measured, arm);
        if (costs[n].ticks > 0) {
            (void) snprintf(costs[n++].code, DT_CODE_NAME, "%.*s", DT_CODE_NAME - 1,
                            dame_measured_name(&promotion.costs, measured, arm, name));
        }
    }
    dt_history_costs(entry, dir, costs, n);
}

/* Granted uses were to be counted for what ran before. */
static void give_to_native(dt_layout_t *layout, dame_dir_t dir, bool native)
{
    if (native != atomic_load_explicit(&layout->by_native[dir], memory_order_relaxed)) {
        atomic_store_explicit(&layout->by_native[dir], native, memory_order_relaxed);
        dt_layout_call_in(layout);
    }
}

/* Nobody will ask the policy any more. */
static void end_trial(dt_layout_t *layout, dame_dir_t dir)
{
    give_to_native(layout, dir, false);
    set_countdown(&layout->promotions[dir], 0);
}

/* For messages and the report: what is promoted first, and what stays when the search is over. */
static void note_choice(dt_entry_t *entry, dame_dir_t dir, bool rests)
{
    dt_promotion_t *state = &entry->layout->promotions[dir];
    const int32_t arm = state->measured->policy.current, native = state->measured->policy.native;
    char name[DAME_CANDIDATE_NAME];
    atomic_store_explicit(&state->runs_code, dame_measured_has_code(state->measured),
                          memory_order_relaxed);
    if (arm == state->noted || ((0 != state->noted || arm == native) && !rests)) {
        return;
    }
    if (arm != native && state->noted != native && (0 == arm || 0 == state->noted)) {
        dt_count(0 == arm ? DT_COUNT_undone : DT_COUNT_promoted, 1);
    }
    state->noted = arm;
    dt_history_runs(entry, dir, dame_measured_name(&promotion.costs, state->measured, arm, name));
    note_costs(entry, dir);
}

/* Asks the policy. With the gate's lock held. */
static void measure(dt_entry_t *entry, dame_dir_t dir, size_t bytes, int32_t uses)
{
    dt_promotion_t *state = &entry->layout->promotions[dir];
    char name[NAME_ROOM] = "";
    if (!has_measured(entry, dir, bytes)) {
        count_failure(DAME_ERR_NOMEM);
        set_countdown(state, 0);
        return;
    }
    if (code_has_names()) {
        name_code(entry, name, sizeof(name));
    }
    const int64_t start = dt_now();
    const dame_measured_result_t result =
        dame_measured_event(&promotion.costs, state->measured, entry->layout->program, dir,
                            '\0' != *name ? name : NULL, uses);
    if (result.compiled) {
        note_code(entry, dir);
        dt_history_compiled(entry, dir, dt_now() - start);
    }
    give_to_native(entry->layout, dir, result.native);
    note_choice(entry, dir, result.rests);
    if (DAME_OK != result.status) {
        count_failure(result.status);
        stop_if_denied(result.status);
    }
    schedule_event(state, &result);
    if (result.orders && !dt_order_place(entry->layout, dir, &result.order)) {
        dame_measured_order_done(&promotion.costs, state->measured, &result.order, DAME_ERR_BUSY, 0,
                                 0);
    }
}

/* `uses`: of a tick, 0: of an event. */
static void decide(dt_entry_t *entry, dame_dir_t dir, size_t bytes, int32_t uses)
{
    dt_promotion_t *state = &entry->layout->promotions[dir];
    if (!dame_trylock(DAME_LOCK_GATE)) {
        return;
    }
    bytes = dt_hints_bytes(entry->layout, bytes);
    struct dame_order *come = dt_order_come();
    if (!atomic_load_explicit(&compiles, memory_order_relaxed)) {
        end_trial(entry->layout, dir);
    } else if (promotion.options.threshold > 0) {
        try_to_compile(entry, dir);
    } else if (0 != uses) {
        if (NULL != state->measured) {
            measure(entry, dir, bytes, uses);
        }
    } else if (!is_early(entry->layout, state, bytes)) {
        measure(entry, dir, bytes, state->period);
    }
    dame_unlock(DAME_LOCK_GATE);
    dt_order_end(come);
    dt_order_tell();
}

/* The use that begins is to be timed, unless it was another thread's. */
static dame_measured_t *begin_timed(dt_promotion_t *state)
{
    const int32_t after = atomic_load_explicit(&state->after, memory_order_relaxed);
    int32_t timed = DT_TIMED;
    if (!atomic_compare_exchange_strong_explicit(&state->countdown, &timed, -after,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        return NULL;
    }
    dt_count(DT_COUNT_samples, 1);
    return state->measured;
}

dame_measured_t *dt_promote_event(dt_entry_t *entry, dame_dir_t dir, size_t bytes,
                                  int32_t countdown)
{
    dt_promotion_t *state = &entry->layout->promotions[dir];
    if (!atomic_load_explicit(&compiles, memory_order_acquire)) {
        end_trial(entry->layout, dir);
    } else if (DT_TIMED == countdown) {
        return begin_timed(state);
    } else {
        decide(entry, dir, bytes, 0);
    }
    return NULL;
}

static void tell_rested(dt_entry_t *entry, dame_dir_t dir, size_t bytes, int32_t uses)
{
    if (promotion.options.threshold < 0 && atomic_load_explicit(&compiles, memory_order_acquire)) {
        decide(entry, dir, bytes, uses);
    }
}

/* The next use is an event, if these were all that were left. */
void dt_promote_skipped(dt_entry_t *entry, dame_dir_t dir, size_t bytes, int32_t uses)
{
    _Atomic int32_t *countdown = &entry->layout->promotions[dir].countdown;
    int32_t left = atomic_load_explicit(countdown, memory_order_relaxed);
    if (dt_promote_rests(entry->layout, dir)) {
        tell_rested(entry, dir, bytes, uses);
    } else if (left < -1 && DT_TIMED != left) {
        (void) atomic_compare_exchange_strong_explicit(countdown, &left,
                                                       left < -1 - uses ? left + uses : -1,
                                                       memory_order_relaxed, memory_order_relaxed);
    }
}

/* One of TICK uses of layouts that rest is this one's, so it stands for as many. */
void dt_promote_tick(dt_thread_t *thread, dt_entry_t *entry, dame_dir_t dir, size_t bytes)
{
    thread->tick = TICK - 1;
    tell_rested(entry, dir, bytes, TICK);
}

void dt_promote_disable(void)
{
    dame_lock(DAME_LOCK_GATE);
    if (atomic_exchange_explicit(&compiles, false, memory_order_relaxed)) {
        dt_log("a thread whose end DAME cannot detect uses MPI: no more programs are compiled");
    }
    dame_unlock(DAME_LOCK_GATE);
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

void dt_promote_layout_init(dt_layout_t *layout)
{
    int32_t uses = atomic_load_explicit(&promotion.threshold, memory_order_relaxed);
    if (uses < 0 && NULL != layout->program) {
        uses = -dame_measured_first(layout->program->size);
    }
    for (int dir = 0; dir < 2; dir++) {
        layout->promotions[dir] = (dt_promotion_t){.period = uses < 0 ? -uses : uses};
        set_countdown(&layout->promotions[dir], uses);
    }
}

/* The next use is an event. The period was to end later, or what rests was to be asked no more. */
static void bring_forward(dt_promotion_t *state)
{
    int32_t countdown = atomic_load_explicit(&state->countdown, memory_order_relaxed);
    const bool rests = countdown >= 0 && NULL != state->measured;
    if ((rests || (countdown < -1 && DT_TIMED != countdown)) &&
        atomic_compare_exchange_strong(&state->countdown, &countdown, -1)) {
        state->period = rests ? 1 : state->period + countdown + 1;
    }
}

void dt_promote_hinted(dt_layout_t *layout)
{
    dame_lock(DAME_LOCK_GATE);
    for (int dir = 0; dir < 2; dir++) {
        bring_forward(&layout->promotions[dir]);
    }
    dt_layout_call_in(layout);
    dame_unlock(DAME_LOCK_GATE);
}

void dt_promote_layout_release(dt_layout_t *layout)
{
    for (int dir = 0; NULL != promotion.jit && dir < 2; dir++) {
        if (NULL != layout->promotions[dir].measured) {
            dame_measured_learn(&promotion.costs, layout->promotions[dir].measured, layout->program,
                                (dame_dir_t) dir);
        }
    }
    if (NULL != promotion.jit && NULL != layout->program) {
        dame_jit_release(promotion.jit, layout->program);
    }
    for (int dir = 0; dir < 2; dir++) {
        dame_heap_free(layout->promotions[dir].measured);
        layout->promotions[dir].measured = NULL;
    }
}

void dt_promote_dump_code(dt_dump_t *dump, const dt_layout_t *layout)
{
    if (NULL == dump || !promotion.options.code_files) {
        return;
    }
    dame_lock(DAME_LOCK_GATE); /* so that nothing is evicted meanwhile */
    for (int dir = 0; dir < 2; dir++) {
        if (NULL == atomic_load_explicit(&dump->code[dir], memory_order_relaxed)) {
            dt_dump_code(dump, layout->program, (dame_dir_t) dir);
        }
    }
    dame_unlock(DAME_LOCK_GATE);
}

void dt_promote_stats(dame_jit_stats_t *stats)
{
    *stats = promotion.last;
    if (NULL != promotion.jit) {
        dame_jit_stats(promotion.jit, stats);
    }
}

/* ---- Start and stop ------------------------------------------------------------------------- */

static void log_plan(const dt_promote_options_t *options)
{
    if (options->threshold > 0) {
        dt_log("programs are compiled to machine code (%s) at use %d", dt_code_vectors(),
               (int) options->threshold);
    } else if (!options->jit.without_x || NULL != options->llvm) {
        dt_log("programs are compiled to machine code (%s) when that is measured to pay",
               dt_code_vectors());
    } else {
        dt_log("no programs are compiled; Open MPI's own engine moves what it is measured to move "
               "faster");
    }
}

void dt_promote_start(const dt_promote_options_t *options)
{
    promotion.options = *options;
    if (0 == options->threshold) {
        return;
    }
    promotion.options.jit.complain = dt_order_complain;
    dame_status_t status = dame_jit_create(&promotion.options.jit, &promotion.jit);
    /* The programs of a child of fork() are the interpreter's (jit/jit.h). */
    if (DAME_OK == status && !dame_lock_at_fork(DAME_LOCK_GATE, stop_compiling)) {
        dame_jit_destroy(promotion.jit);
        promotion.jit = NULL;
        status = DAME_ERR_NOMEM;
    }
    if (DAME_OK != status) {
        dt_log("nothing is compiled to machine code: %s", dame_status_text(status));
        return;
    }
    atomic_store_explicit(&promotion.is_prepared, false, memory_order_relaxed);
    dame_costs_init(&promotion.costs, promotion.jit, DT_NATIVE_ARM);
    dt_order_start(&promotion.costs, options);
    dt_order_tell();
    atomic_store_explicit(&promotion.threshold, options->threshold, memory_order_relaxed);
    atomic_store_explicit(&compiles, true, memory_order_release);
    log_plan(options);
}

/* 0: all is well. */
static void log_perf_map_error(int error)
{
    if (0 != error) {
        dt_log_once_a_node("the names of machine code could not be written to %s/perf-%ld.map: %s",
                           promotion.options.jit.perf_map, (long) getpid(),
                           dame_file_error_text(error));
    }
}

static void save_profile(void)
{
    if (NULL != promotion.profile) {
        if (dt_log_speaks_for_node()) { /* what others have learnt is alike, and they need not wait
                                         */
            (void) dame_profile_save(promotion.profile);
        }
        promotion.costs.profile = NULL;
        dame_profile_free(promotion.profile);
        promotion.profile = NULL;
    }
    atomic_store_explicit(&promotion.is_prepared, true, memory_order_relaxed);
}

void dt_promote_settle(void)
{
    stop_compiling();
    promotion.must_stay |= !dt_order_stop();
}

void dt_promote_stop(void)
{
    dt_promote_settle();
    save_profile();
    if (NULL != promotion.jit) {
        dame_jit_stats(promotion.jit, &promotion.last);
        log_perf_map_error(promotion.last.perf_map_errno);
        if (!promotion.must_stay) {
            dame_jit_destroy(promotion.jit);
        }
        promotion.jit = NULL;
    }
}
