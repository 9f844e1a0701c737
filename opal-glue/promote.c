#include "promote.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "contents.h"
#include "log.h"
#include "thread.h"

/* Who may compile. */
typedef enum gate {
    SHUT, /* nobody, ever again */
    OPEN, /* who shuts it meanwhile */
    BUSY  /* nobody: a thread does */
} gate_t;

static _Atomic gate_t gate = SHUT;

static struct {
    dame_jit_t *jit; /* NULL: nothing is compiled */
    dt_promote_options_t options;
    _Atomic int32_t threshold; /* of new entries */
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
    char name[160];
    const bool named = NULL != promotion.options.jit.perf_map || promotion.options.jit.gdb;
    if (named) {
        name_code(entry, name, sizeof(name));
    }
    dame_status_t status =
        dame_jit_compile(promotion.jit, entry->program, dir, named ? name : NULL);
    if (DAME_OK == status) {
        const void *code;
        dt_count(DT_COUNT_compile_bytes, (int64_t) dame_jit_code(entry->program, dir, &code));
    }
    if (DAME_OK == status && promotion.options.code_files) {
        dt_dump_code(entry->dump, entry->program, dir);
    }
    return status;
}

static int32_t twice(int32_t uses)
{
    return uses > INT32_MAX / 2 ? INT32_MAX : 2 * uses;
}

/* When the next try is. */
static void settle(dt_promotion_t *state, dame_status_t status)
{
    int32_t left = state->period;
    switch (status) {
    case DAME_OK: /* Should it lose its code to others, it waits twice as long each time: where more
                     is used than the cache has room for, little is to be gained. */
        state->period = twice(state->period);
        break;
    case DAME_ERR_FULL:
        dt_count(DT_COUNT_compile_full, 1);
        state->period = twice(state->period);
        break;
    case DAME_ERR_DENIED:
        dt_count(DT_COUNT_compile_denied, 1);
        left = state->period = 0;
        break;
    default:
        dt_count(DAME_ERR_NOMEM == status ? DT_COUNT_compile_memory : DT_COUNT_compile_unsupported,
                 1);
        left = state->period = 0;
        break;
    }
    atomic_store_explicit(&state->left, left, memory_order_relaxed);
}

static void say_denied(void)
{
    dame_jit_stats_t stats;
    dame_jit_stats(promotion.jit, &stats);
    if (DAME_JIT_MEMORY_NONE != stats.memory) { /* a clone() of a process that may */
        return;
    }
    dt_log_once_a_node(
        "this system does not let a process execute machine code that it makes (%s). DAME's "
        "interpreter moves all data instead: slower, but the same bytes. Allow it (SELinux: the "
        "permission execmem), or set dt_dame_promotion_threshold to 0, and nothing is said.",
        0 != stats.memory_errno ? strerror(stats.memory_errno) : "no reason given");
}

void dt_promote(dt_entry_t *entry, dame_dir_t dir)
{
    dt_promotion_t *state = &entry->promotions[dir];
    gate_t found = OPEN;
    if (!atomic_compare_exchange_strong_explicit(&gate, &found, BUSY, memory_order_acquire,
                                                 memory_order_relaxed)) {
        if (SHUT == found) {
            atomic_store_explicit(&state->left, 0, memory_order_relaxed);
        }
        return;
    }
    dame_status_t status = DAME_OK;
    if (0 == state->period) { /* tried before; another thread's late count has brought it back */
        atomic_store_explicit(&state->left, 0, memory_order_relaxed);
    } else if (NULL == atomic_load_explicit(&entry->program->code[dir], memory_order_relaxed)) {
        status = compile(entry, dir);
        settle(state, status);
    }
    if (DAME_ERR_DENIED == status) {
        atomic_store_explicit(&promotion.threshold, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&gate, DAME_ERR_DENIED == status ? SHUT : OPEN, memory_order_release);
    if (DAME_ERR_DENIED == status) {
        say_denied();
    }
}

void dt_promote_forbid(void)
{
    gate_t found = OPEN;
    while (!atomic_compare_exchange_weak_explicit(&gate, &found, SHUT, memory_order_acquire,
                                                  memory_order_acquire)) {
        if (SHUT == found) {
            return;
        }
        found = OPEN;
        (void) sched_yield();
    }
    dt_log("a thread whose end cannot be noticed uses MPI: no more programs are compiled");
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

void dt_promote_begin(dt_entry_t *entry)
{
    const int32_t threshold = atomic_load_explicit(&promotion.threshold, memory_order_relaxed);
    for (int dir = 0; dir < 2; dir++) {
        entry->promotions[dir].period = threshold;
        atomic_store_explicit(&entry->promotions[dir].left, threshold, memory_order_relaxed);
    }
}

void dt_promote_end(dame_program_t *program)
{
    if (NULL != promotion.jit && NULL != program) {
        dame_jit_release(promotion.jit, program);
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
} code_stats[] = {
#define DT_CODE_STAT(name, class, description, value) {#name, description},
#include "promote.def"
#undef DT_CODE_STAT
};

const char *dt_code_stat_name(dt_code_stat_t stat)
{
    return code_stats[stat].name;
}

const char *dt_code_stat_description(dt_code_stat_t stat)
{
    return code_stats[stat].description;
}

const char *dt_code_vectors(void)
{
    return stats_now().vector_name;
}

/* ---- Start and stop ------------------------------------------------------------------------- */

/* A fork: the child's only thread may not even know that another was compiling. Its programs are
 * the interpreter's (dame_jit.h). */
static void in_child(void)
{
    atomic_store_explicit(&promotion.threshold, 0, memory_order_relaxed);
    atomic_store_explicit(&gate, SHUT, memory_order_relaxed);
}

void dt_promote_start(const dt_promote_options_t *options)
{
    promotion.options = *options;
    if (0 == options->threshold) {
        return;
    }
    dame_status_t status = dame_jit_create(&options->jit, &promotion.jit);
    if (DAME_OK == status && 0 != pthread_atfork(NULL, NULL, in_child)) {
        dame_jit_destroy(promotion.jit);
        promotion.jit = NULL;
        status = DAME_ERR_NOMEM;
    }
    if (DAME_OK != status) {
        dt_log("nothing is compiled to machine code: %s", dame_status_text(status));
        return;
    }
    atomic_store_explicit(&promotion.threshold, options->threshold, memory_order_relaxed);
    atomic_store_explicit(&gate, OPEN, memory_order_release);
    dt_log("programs are compiled to machine code (%s) at use %d", dt_code_vectors(),
           (int) options->threshold);
}

/* 0: all is well. */
static void say_perf_map(int error)
{
    if (0 != error) {
        dt_log_once_a_node("the names of machine code could not be written to %s: %s",
                           promotion.options.jit.perf_map, strerror(error));
    }
}

void dt_promote_stop(void)
{
    atomic_store_explicit(&gate, SHUT, memory_order_relaxed);
    atomic_store_explicit(&promotion.threshold, 0, memory_order_relaxed);
    if (NULL != promotion.jit) {
        dame_jit_stats(promotion.jit, &promotion.last);
        say_perf_map(promotion.last.perf_map_errno);
        dame_jit_destroy(promotion.jit);
        promotion.jit = NULL;
    }
}
