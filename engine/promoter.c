/* SPDX-License-Identifier: BSD-3-Clause */
#include "promoter.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/lock.h"
#include "base/whole_file.h"

/* The promoters of all engines, for fork() alone. Under the gate's lock. */
static dame_promoter_t *all;

static void stop_compiling(dame_promoter_t *promoter)
{
    atomic_store_explicit(&promoter->compiles, false, memory_order_relaxed);
    atomic_store_explicit(&promoter->threshold, 0, memory_order_relaxed);
}

/* The programs of a child of fork() are the interpreter's (jit/jit.h). */
static void promoter_in_child(void)
{
    for (dame_promoter_t *promoter = all; promoter != NULL; promoter = promoter->next) {
        stop_compiling(promoter);
    }
}

/* ---- What became of compiling --------------------------------------------------------------- */

void dame_promoter_tell(const dame_promoter_t *promoter, const dame_event_t *event)
{
    for (int i = 0; i < 2; i++) {
        const dame_observer_t *observer = promoter->observers[i];
        if (observer != NULL && observer->event != NULL) {
            observer->event(observer->argument, event);
        }
    }
}

const char *dame_promoter_name_code(const dame_promoter_t *promoter, const dame_use_t *use,
                                    char name[DAME_LONGEST_CODE_NAME])
{
    const dame_observer_t *observer = dame_promoter_observer(promoter);
    if (promoter->options.jit.perf_map == NULL && !promoter->options.jit.gdb) {
        return NULL;
    }
    *name = '\0';
    if (observer->name != NULL) {
        observer->name(observer->argument, use, name, DAME_LONGEST_CODE_NAME);
    }
    if (*name == '\0') {
        (void) snprintf(name, DAME_LONGEST_CODE_NAME, "datatype %llu",
                        (unsigned long long) dame_layout_number(use->layout));
    }
    return name;
}

void dame_promoter_compiled(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                            int64_t ns)
{
    const void *code;
    dame_count(promoter->counts, DAME_COUNT_compile_bytes,
               (int64_t) dame_jit_code(use->layout->program, dir, &code));
    dame_promoter_tell(
        promoter, &(dame_event_t){.kind = DAME_EVENT_COMPILED, .use = use, .dir = dir, .ns = ns});
}

static void say_denied(dame_promoter_t *promoter)
{
    dame_jit_stats_t stats;
    dame_jit_stats(promoter->jit, &stats);
    if (stats.memory == DAME_JIT_MEMORY_NONE) { /* else it is a clone() of a process that may */
        dame_promoter_tell(promoter,
                           &(dame_event_t){.kind = DAME_EVENT_DENIED, .error = stats.memory_errno});
    }
}

void dame_promoter_failed(dame_promoter_t *promoter, dame_status_t status)
{
    dame_count(promoter->counts,
               status == DAME_ERR_FULL     ? DAME_COUNT_compile_full
               : status == DAME_ERR_DENIED ? DAME_COUNT_compile_denied
               : status == DAME_ERR_NOMEM  ? DAME_COUNT_compile_memory
                                           : DAME_COUNT_compile_unsupported,
               1);
    if (status == DAME_ERR_DENIED) {
        stop_compiling(promoter);
        say_denied(promoter);
    }
}

void dame_promoter_with_code(const dame_layout_t *layout, void *argument,
                             void (*visit)(void *argument, const dame_program_t *program,
                                           dame_dir_t dir))
{
    dame_lock(DAME_LOCK_GATE);
    for (int dir = 0; dir < 2; dir++) {
        visit(argument, layout->program, (dame_dir_t) dir);
    }
    dame_unlock(DAME_LOCK_GATE);
}

/* ---- Data kept from job to job -------------------------------------------------------------- */

/* Logs a message about the profile: as a problem only if the user asked for a profile. */
static void tell_of_profile(void *argument, const char *text, int trouble)
{
    const dame_promoter_t *promoter = argument;
    const bool is_detail = !trouble || strcmp("auto", promoter->options.profile) == 0;
    dame_observer_log(dame_promoter_observer(promoter),
                      is_detail ? DAME_LOG_DETAIL : DAME_LOG_PROBLEM, "%s", text);
}

/* With the gate's lock held. */
static void find_profile(dame_promoter_t *promoter)
{
    char cpu[128];
    const char *where = promoter->options.profile;
    if (promoter->options.threshold > 0 || where == NULL || *where == '\0') {
        return;
    }
    dame_profile_cpu(cpu, sizeof(cpu));
    promoter->costs.profile = dame_profile_new(where, cpu, tell_of_profile, promoter);
    if (promoter->costs.profile != NULL) {
        dame_profile_load(promoter->costs.profile);
    }
}

void dame_promoter_prepare(dame_promoter_t *promoter)
{
    if (atomic_load_explicit(&promoter->is_prepared, memory_order_relaxed)) {
        return;
    }
    dame_lock(DAME_LOCK_GATE);
    if (!atomic_load_explicit(&promoter->is_prepared, memory_order_relaxed)) {
        find_profile(promoter);
        dame_orders_scan(&promoter->orders);
        atomic_store_explicit(&promoter->is_prepared, true, memory_order_relaxed);
    }
    dame_unlock(DAME_LOCK_GATE);
    dame_orders_flush_messages(&promoter->orders);
}

static void end_profile(dame_promoter_t *promoter, bool saves)
{
    if (promoter->costs.profile != NULL) {
        if (saves) {
            (void) dame_profile_save(promoter->costs.profile);
        }
        dame_profile_free(promoter->costs.profile);
        promoter->costs.profile = NULL;
    }
    atomic_store_explicit(&promoter->is_prepared, true, memory_order_relaxed);
}

/* ---- Layouts -------------------------------------------------------------------------------- */

/* Its machine code and measurements. */
static void release_codes(dame_promoter_t *promoter, dame_layout_t *layout)
{
    for (int dir = 0; promoter->jit != NULL && dir < 2; dir++) {
        if (layout->promotions[dir].measured != NULL) {
            dame_measured_learn(&promoter->costs, layout->promotions[dir].measured, layout->program,
                                (dame_dir_t) dir);
        }
    }
    if (promoter->jit != NULL && layout->program != NULL) {
        dame_jit_release(promoter->jit, layout->program);
    }
    for (int dir = 0; dir < 2; dir++) {
        dame_heap_free(layout->promotions[dir].measured);
        layout->promotions[dir].measured = NULL;
    }
}

void dame_promoter_free(dame_promoter_t *promoter, dame_layout_t *layouts)
{
    while (layouts != NULL) {
        dame_layout_t *next = layouts->next;
        release_codes(promoter, layouts);
        dame_program_free(layouts->program);
        dame_heap_free(atomic_load_explicit(&layouts->hints, memory_order_relaxed));
        dame_heap_free(layouts);
        layouts = next;
    }
}

/* ---- Start and stop ------------------------------------------------------------------------- */

static void log_plan(const dame_promoter_t *promoter)
{
    dame_jit_stats_t stats;
    const dame_promote_options_t *options = &promoter->options;
    const dame_observer_t *observer = dame_promoter_observer(promoter);
    dame_jit_stats(promoter->jit, &stats);
    if (options->threshold > 0) {
        dame_observer_log(observer, DAME_LOG_DETAIL,
                          "programs are compiled to machine code (%s) at use %d", stats.vector_name,
                          (int) options->threshold);
    } else if (!options->jit.without_x || options->order.llvm != NULL) {
        dame_observer_log(observer, DAME_LOG_DETAIL,
                          "programs are compiled to machine code (%s) when that is measured to pay",
                          stats.vector_name);
    } else {
        dame_observer_log(observer, DAME_LOG_DETAIL,
                          "no programs are compiled; the native engine moves messages that it was "
                          "measured to move faster");
    }
}

void dame_promoter_init(dame_promoter_t *promoter, dame_counts_t *counts, dame_layouts_t *layouts,
                        const dame_observer_t *tally, const dame_observer_t *observer)
{
    promoter->counts = counts;
    promoter->layouts = layouts;
    promoter->observers[0] = tally;
    promoter->observers[1] = observer;
    promoter->last.vector_name = "";
    atomic_store_explicit(&promoter->is_prepared, true, memory_order_relaxed);
}

/* False: the handlers of fork() cannot be had. */
static bool enlist(dame_promoter_t *promoter)
{
    if (!dame_lock_at_fork(DAME_LOCK_GATE, promoter_in_child)) {
        return false;
    }
    dame_lock(DAME_LOCK_GATE);
    promoter->next = all;
    all = promoter;
    dame_unlock(DAME_LOCK_GATE);
    return true;
}

static void delist(dame_promoter_t *promoter)
{
    dame_lock(DAME_LOCK_GATE);
    dame_promoter_t **at = &all;
    while (*at != NULL && promoter != *at) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = promoter->next;
    }
    dame_unlock(DAME_LOCK_GATE);
}

void dame_promoter_start(dame_promoter_t *promoter, const dame_promote_options_t *options)
{
    promoter->options = *options;
    if (options->threshold == 0) {
        return;
    }
    promoter->options.jit.complain = dame_orders_complain;
    promoter->options.jit.complain_argument = &promoter->orders;
    dame_status_t status = dame_jit_create(&promoter->options.jit, &promoter->jit);
    if (status == DAME_OK && !enlist(promoter)) {
        dame_jit_destroy(promoter->jit);
        promoter->jit = NULL;
        status = DAME_ERR_NOMEM;
    }
    if (status != DAME_OK) {
        dame_observer_log(dame_promoter_observer(promoter), DAME_LOG_DETAIL,
                          "nothing is compiled to machine code: %s", dame_status_text(status));
        return;
    }
    promoter->must_stay = false;
    atomic_store_explicit(&promoter->is_prepared, false, memory_order_relaxed);
    dame_costs_init(&promoter->costs, promoter->jit, options->native);
    dame_orders_start(&promoter->orders, &promoter->costs, promoter->layouts,
                      dame_promoter_observer(promoter), &options->order);
    dame_orders_flush_messages(&promoter->orders);
    atomic_store_explicit(&promoter->threshold, options->threshold, memory_order_relaxed);
    atomic_store_explicit(&promoter->compiles, true, memory_order_release);
    log_plan(promoter);
}

void dame_promoter_disable(dame_promoter_t *promoter)
{
    dame_lock(DAME_LOCK_GATE);
    if (atomic_exchange_explicit(&promoter->compiles, false, memory_order_relaxed)) {
        dame_observer_log(
            dame_promoter_observer(promoter), DAME_LOG_DETAIL,
            "DAME cannot detect the end of a thread that moves data: no more programs are "
            "compiled");
    }
    dame_unlock(DAME_LOCK_GATE);
}

void dame_promoter_settle(dame_promoter_t *promoter)
{
    dame_layout_t *surplus = NULL;
    dame_lock(DAME_LOCK_GATE);
    stop_compiling(promoter);
    dame_unlock(DAME_LOCK_GATE);
    promoter->must_stay |= !dame_orders_stop(&promoter->orders, &surplus);
    dame_promoter_free(promoter, surplus);
}

/* 0: all is well. */
static void log_perf_map_error(const dame_promoter_t *promoter, int error)
{
    if (error != 0) {
        dame_observer_log(dame_promoter_observer(promoter), DAME_LOG_PROBLEM,
                          "the names of machine code could not be written to %s/perf-%ld.map or "
                          "jit-%ld.dump: %s",
                          promoter->options.jit.perf_map, (long) getpid(), (long) getpid(),
                          dame_file_error_text(error));
    }
}

/* From now on dame_promoter_stats() returns the final numbers. */
static dame_jit_t *take_jit(dame_promoter_t *promoter)
{
    dame_lock(DAME_LOCK_STATISTICS);
    dame_jit_t *jit = promoter->jit;
    dame_jit_stats(jit, &promoter->last);
    promoter->jit = NULL;
    dame_unlock(DAME_LOCK_STATISTICS);
    return jit;
}

void dame_promoter_stop(dame_promoter_t *promoter, bool saves)
{
    dame_promoter_settle(promoter);
    end_profile(promoter, saves);
    if (promoter->jit != NULL) {
        delist(promoter);
        dame_jit_t *jit = take_jit(promoter);
        log_perf_map_error(promoter, promoter->last.perf_map_errno);
        if (!promoter->must_stay) {
            dame_jit_destroy(jit);
        }
    }
}

void dame_promoter_stats(dame_promoter_t *promoter, dame_jit_stats_t *stats)
{
    dame_lock(DAME_LOCK_STATISTICS); /* the engine may stop at the same time */
    *stats = promoter->last;
    if (promoter->jit != NULL) {
        dame_jit_stats(promoter->jit, stats);
    }
    dame_unlock(DAME_LOCK_STATISTICS);
    if (stats->vector_name == NULL) {
        stats->vector_name = "";
    }
}
