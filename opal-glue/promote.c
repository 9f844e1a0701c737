#include "promote.h"

#include <stdio.h>
#include <string.h>

#include "contents.h"
#include "dump.h"
#include "jit/lock.h"
#include "log.h"
#include "tally.h"
#include "thread.h"

/* The holder of DAME_LOCK_GATE compiles while this is true. Between dt_promote_start() and
 * dt_promote_stop() only the holder changes it, and only to false. */
static atomic_bool compiles;

static struct {
    dame_jit_t *jit; /* NULL: nothing is compiled */
    dt_promote_options_t options;
    _Atomic int32_t threshold; /* of new layouts */
    dame_jit_stats_t last;     /* when jit was destroyed */
} promotion = {.last = {.vector_name = ""}};

/* ---- Compiling ------------------------------------------------------------------------------ */

/* Of the machine code, for perf and GDB: they read it up to the end of the line. */
static void name_code(const dt_entry_t *entry, char *name, size_t room)
{
    const struct opal_datatype_t *datatype =
        atomic_load_explicit(&entry->key, memory_order_relaxed);
    const char *given = dt_contents_name(datatype);
    if ('\0' != *given) {
        (void) snprintf(name, room, "%s", given);
    } else {
        (void) snprintf(name, room, "datatype %llu", (unsigned long long) entry->serial);
    }
    for (char *c = name; '\0' != *c; c++) {
        *c = (unsigned char) *c < ' ' ? '_' : *c;
    }
}

static dame_status_t compile(dt_entry_t *entry, dame_dir_t dir)
{
    dame_program_t *program = entry->layout->program;
    char name[160];
    const bool named = NULL != promotion.options.jit.perf_map || promotion.options.jit.gdb;
    if (named) {
        name_code(entry, name, sizeof(name));
    }
    const int64_t start = dt_now();
    dame_status_t status = dame_jit_compile(promotion.jit, program, dir, named ? name : NULL);
    if (DAME_OK == status && NULL != entry->tally) {
        dt_tally_compiled(entry->tally, dir, dt_now() - start);
    }
    if (DAME_OK == status) {
        const void *code;
        dt_count(DT_COUNT_compile_bytes, (int64_t) dame_jit_code(program, dir, &code));
    }
    if (DAME_OK == status && promotion.options.code_files) {
        dt_dump_code(entry->dump, program, dir);
    }
    return status;
}

static int32_t twice(int32_t uses)
{
    return uses > INT32_MAX / 2 ? INT32_MAX : 2 * uses;
}

/* Sets the uses until the next attempt, after one that ended with `status`. */
static void schedule_attempt(dt_promotion_t *state, dame_status_t status)
{
    int32_t countdown = state->period;
    switch (status) {
    case DAME_OK: /* If its code is evicted, it waits twice as long each time: where the programs in
                     use do not fit the code cache, compiling them again gains little. */
        state->period = twice(state->period);
        break;
    case DAME_ERR_FULL:
        dt_count(DT_COUNT_compile_full, 1);
        state->period = twice(state->period);
        break;
    case DAME_ERR_DENIED:
        dt_count(DT_COUNT_compile_denied, 1);
        countdown = state->period = 0;
        break;
    default:
        dt_count(DAME_ERR_NOMEM == status ? DT_COUNT_compile_memory : DT_COUNT_compile_unsupported,
                 1);
        countdown = state->period = 0;
        break;
    }
    atomic_store_explicit(&state->countdown, countdown, memory_order_relaxed);
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

static void log_attempt(const dt_entry_t *entry, dame_dir_t dir, dame_status_t status)
{
    const struct opal_datatype_t *datatype =
        atomic_load_explicit(&entry->key, memory_order_relaxed);
    const void *code;
    const char *what = DAME_PACK == dir ? "pack" : "unpack";
    if (DAME_OK == status) {
        dt_log_of(DT_LOG_SETUP, dt_contents_name(datatype), "compiled to %s, %zu bytes", what,
                  dame_jit_code(entry->layout->program, dir, &code));
    } else {
        dt_log_of(DT_LOG_SETUP, dt_contents_name(datatype), "not compiled to %s: %s", what,
                  dame_status_text(status));
    }
}

/* With the gate's lock held. */
static void try_to_compile(dt_entry_t *entry, dame_dir_t dir)
{
    dt_layout_t *layout = entry->layout;
    dt_promotion_t *state = &layout->promotions[dir];
    if (!atomic_load_explicit(&compiles, memory_order_relaxed) ||
        0 == state->period) { /* tried before; another thread's late count has brought it back */
        atomic_store_explicit(&state->countdown, 0, memory_order_relaxed);
    } else if (NULL == atomic_load_explicit(&layout->program->codes[dir], memory_order_relaxed)) {
        dame_status_t status = compile(entry, dir);
        schedule_attempt(state, status);
        if (dt_log_wants(DT_LOG_SETUP)) {
            log_attempt(entry, dir, status);
        }
        if (DAME_ERR_DENIED == status) {
            stop_compiling();
            log_denied();
        }
    }
}

void dt_promote(dt_entry_t *entry, dame_dir_t dir)
{
    if (!atomic_load_explicit(&compiles, memory_order_acquire)) {
        atomic_store_explicit(&entry->layout->promotions[dir].countdown, 0, memory_order_relaxed);
    } else if (dame_trylock(DAME_LOCK_GATE)) {
        try_to_compile(entry, dir);
        dame_unlock(DAME_LOCK_GATE);
    }
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
    const int32_t threshold = atomic_load_explicit(&promotion.threshold, memory_order_relaxed);
    for (int dir = 0; dir < 2; dir++) {
        layout->promotions[dir].period = threshold;
        atomic_store_explicit(&layout->promotions[dir].countdown, threshold, memory_order_relaxed);
    }
}

void dt_promote_layout_release(dt_layout_t *layout)
{
    if (NULL != promotion.jit && NULL != layout->program) {
        dame_jit_release(promotion.jit, layout->program);
    }
}

/* ---- What was compiled ---------------------------------------------------------------------- */

static dame_jit_stats_t stats_now(void)
{
    dame_jit_stats_t stats = promotion.last;
    if (NULL != promotion.jit) {
        dame_jit_stats(promotion.jit, &stats);
    }
    return stats;
}

int64_t dt_code_stat(dt_code_stat_t stat)
{
    const dame_jit_stats_t stats = stats_now();
    const int64_t values[] = {
#define DT_CODE_STAT(name, class, description, value) stats.value,
#include "promote.def"
#undef DT_CODE_STAT
    };
    return values[stat];
}

static const struct {
    const char *name;
    const char *description;
    bool is_level;
} code_stats[] = {
#define COUNTER                                       false
#define LEVEL                                         true
#define DT_CODE_STAT(name, class, description, value) {#name, description, class},
#include "promote.def"
#undef DT_CODE_STAT
#undef COUNTER
#undef LEVEL
};

const char *dt_code_stat_name(dt_code_stat_t stat)
{
    return code_stats[stat].name;
}

const char *dt_code_stat_description(dt_code_stat_t stat)
{
    return code_stats[stat].description;
}

bool dt_code_stat_is_level(dt_code_stat_t stat)
{
    return code_stats[stat].is_level;
}

const char *dt_code_vectors(void)
{
    return stats_now().vector_name;
}

/* ---- Start and stop ------------------------------------------------------------------------- */

void dt_promote_start(const dt_promote_options_t *options)
{
    promotion.options = *options;
    if (0 == options->threshold) {
        return;
    }
    dame_status_t status = dame_jit_create(&options->jit, &promotion.jit);
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
    atomic_store_explicit(&promotion.threshold, options->threshold, memory_order_relaxed);
    atomic_store_explicit(&compiles, true, memory_order_release);
    dt_log("programs are compiled to machine code (%s) at use %d", dt_code_vectors(),
           (int) options->threshold);
}

/* 0: all is well. */
static void log_perf_map_error(int error)
{
    if (0 != error) {
        dt_log_once_a_node("the names of machine code could not be written to %s: %s",
                           promotion.options.jit.perf_map, strerror(error));
    }
}

void dt_promote_stop(void)
{
    stop_compiling();
    if (NULL != promotion.jit) {
        dame_jit_stats(promotion.jit, &promotion.last);
        log_perf_map_error(promotion.last.perf_map_errno);
        dame_jit_destroy(promotion.jit);
        promotion.jit = NULL;
    }
}
