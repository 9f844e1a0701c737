/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine/promote.c at fixed uses, without a compiler: what
 * dame_jit_compile() answers is up to the test, and it watches when it is asked. Worth running
 * under ASan and TSan.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_tools.h"
#include "base/heap.h"
#include "base/lock.h"

/* ---- the compiler, in the place of that of jit/ (--wrap) ------------------------------------ */

static char some_code;

/* Only one thread is to be in the compiler at a time, so that its fields need no lock. */
static struct {
    dame_status_t answer;
    long asked;
    long asked_twice; /* for compiled codes */
    _Atomic int inside;
    _Atomic int crowded; /* more than one thread inside */
    void (*while_inside)(void);
    char name[160];
    long released;
    dame_jit_stats_t stats;
    int created;
    _Atomic int destroyed;
} jit = {.stats = {.vector_name = "test"}};

__typeof__(dame_jit_create) __wrap_dame_jit_create;
__typeof__(dame_jit_destroy) __wrap_dame_jit_destroy;
__typeof__(dame_jit_compile) __wrap_dame_jit_compile;
__typeof__(dame_jit_release) __wrap_dame_jit_release;
__typeof__(dame_jit_code) __wrap_dame_jit_code;
__typeof__(dame_jit_stats) __wrap_dame_jit_stats;

dame_status_t __wrap_dame_jit_create(const dame_jit_options_t *options, dame_jit_t **out)
{
    if (options->arena_bytes == 0) {
        return DAME_ERR_ARGUMENT;
    }
    jit.created++;
    *out = (dame_jit_t *) &jit;
    return DAME_OK;
}

void __wrap_dame_jit_destroy(dame_jit_t *destroyed)
{
    jit.destroyed += (dame_jit_t *) &jit == destroyed;
}

dame_status_t __wrap_dame_jit_compile(dame_jit_t *compiler, dame_program_t *program, dame_dir_t dir,
                                      const char *name)
{
    (void) compiler;
    if (atomic_fetch_add(&jit.inside, 1) != 0) {
        jit.crowded = 1;
    }
    jit.asked++;
    jit.asked_twice += NULL != program->codes[dir];
    (void) snprintf(jit.name, sizeof(jit.name), "%s", name == NULL ? "" : name);
    if (jit.while_inside != NULL) {
        jit.while_inside();
    }
    dame_status_t answer = jit.answer;
    if (answer == DAME_OK) {
        program->codes[dir] = &some_code;
        jit.stats.compiled[dir]++;
    }
    atomic_fetch_sub(&jit.inside, 1);
    return answer;
}

void __wrap_dame_jit_release(dame_jit_t *compiler, dame_program_t *program)
{
    (void) compiler;
    (void) program;
    jit.released++;
}

size_t __wrap_dame_jit_code(const dame_program_t *program, dame_dir_t dir, const void **code)
{
    *code = &some_code;
    return program->codes[dir] != NULL ? 100 : 0;
}

/* Called in dame_jit_stats(). */
static _Thread_local void (*while_reading)(void);

void __wrap_dame_jit_stats(dame_jit_t *compiler, dame_jit_stats_t *out)
{
    (void) compiler;
    if (while_reading != NULL) {
        while_reading();
    }
    *out = jit.stats;
}

/* ---- a compiler in the background, in the place of that of jit/ ----------------------------- */

enum { PROVIDER = 7 };

static struct {
    dame_status_t answer; /* to who installs its code */
    dame_order_t *done;
    long ordered;
    long installed;
} slow_jit;

/* Called before the gate's lock is tried. */
static void (*before_gate)(void);

__typeof__(dame_jit_candidates) __wrap_dame_jit_candidates;
__typeof__(dame_jit_rank) __wrap_dame_jit_rank;
__typeof__(dame_jit_has) __wrap_dame_jit_has;
__typeof__(dame_background_order) __wrap_dame_background_order;
__typeof__(dame_background_take) __wrap_dame_background_take;
__typeof__(dame_order_install) __wrap_dame_order_install;
__typeof__(dame_trylock) __real_dame_trylock, __wrap_dame_trylock;

int32_t __wrap_dame_jit_candidates(dame_jit_t *compiler, const dame_program_t *program,
                                   dame_dir_t dir, dame_candidate_t *out, int32_t room)
{
    (void) compiler, (void) program, (void) dir, (void) room;
    *out = (dame_candidate_t){.provider = PROVIDER};
    return 1;
}

/* Code that was installed runs at once. */
int __wrap_dame_jit_rank(dame_jit_t *compiler, dame_program_t *program, dame_dir_t dir,
                         const dame_candidate_t *candidate, int32_t rank)
{
    (void) compiler, (void) candidate, (void) rank;
    return program->codes[dir] != NULL;
}

int __wrap_dame_jit_has(dame_jit_t *compiler, const dame_program_t *program, dame_dir_t dir,
                        const dame_candidate_t *candidate)
{
    (void) compiler, (void) program, (void) dir, (void) candidate;
    return 0;
}

/* It is done at once. */
dame_status_t __wrap_dame_background_order(dame_background_t *background, dame_program_t *program,
                                           dame_dir_t dir, const dame_candidate_t *candidate,
                                           void *owner)
{
    (void) background;
    dame_order_t *order = dame_heap_zalloc(sizeof(*order));
    *order = (dame_order_t){.program = program,
                            .dir = dir,
                            .candidate = *candidate,
                            .owner = owner,
                            .next = slow_jit.done};
    slow_jit.done = order;
    slow_jit.ordered++;
    return DAME_OK;
}

dame_order_t *__wrap_dame_background_take(dame_background_t *background)
{
    (void) background;
    dame_order_t *order = slow_jit.done;
    slow_jit.done = order == NULL ? NULL : order->next;
    return order;
}

dame_status_t __wrap_dame_order_install(dame_jit_t *compiler, const dame_order_t *order,
                                        const char *name)
{
    (void) compiler, (void) name;
    slow_jit.installed++;
    if (slow_jit.answer == DAME_OK) {
        order->program->codes[order->dir] = &some_code;
    }
    return slow_jit.answer;
}

int __wrap_dame_trylock(dame_lock_t lock)
{
    if (lock == DAME_LOCK_GATE && before_gate != NULL) {
        before_gate();
    }
    return __real_dame_trylock(lock);
}

/* ---- entries -------------------------------------------------------------------------------- */

static dame_jit_options_t some_options = {.arena_bytes = 4096};

static void start(int32_t threshold)
{
    start_engine(&(dame_promote_options_t){.threshold = threshold, .jit = some_options});
    jit.answer = DAME_OK;
    jit.asked = 0;
    jit.while_inside = NULL;
}

static void new_entry(dame_use_t *entry)
{
    new_use(entry, dame_heap_zalloc(sizeof(dame_program_t)));
}

static void end_entry(dame_use_t *entry)
{
    entry->layout->program->codes[DAME_PACK] = NULL; /* as dame_jit_release() would */
    entry->layout->program->codes[DAME_UNPACK] = NULL;
    end_use(entry);
}

/* The same, and all code is ordered. The entry's datatype holds the layout. */
static void start_slow(int32_t threshold, dame_use_t *entry)
{
    dame_orders_t *orders = &engine.promoter.orders;
    start(threshold);
    orders->jit = (dame_jit_t *) &jit;
    orders->layouts = &engine.layouts;
    orders->provider = PROVIDER;
    orders->how = DAME_SLOW_BACKGROUND;
    orders->background = (dame_background_t *) &slow_jit;
    slow_jit.answer = DAME_OK;
    slow_jit.ordered = slow_jit.installed = 0;
    new_entry(entry);
    entry->layout->datatypes = 1;
}

static void stop_slow(dame_use_t *entry)
{
    dame_orders_t *orders = &engine.promoter.orders;
    dame_layout_t *surplus = NULL;
    dame_orders_release(orders, slow_jit.done, &surplus);
    check(surplus == NULL && atomic_load(&entry->layout->holds) == 0, "no order holds the layout");
    slow_jit.done = NULL;
    orders->background = NULL;
    end_entry(entry);
    stop_engine();
}

static void use(dame_use_t *entry, dame_dir_t dir)
{
    static _Thread_local dame_thread_t thread;
    check(dame_promote_begin(&thread, entry, dir, 800, false, false) == NULL, "nothing is timed");
}

/* Uses until a count moves, at most `most`; -1: it does not. */
static long uses_until(const long *count, dame_use_t *entry, dame_dir_t dir, long most)
{
    const long before = *count;
    long uses = 0;
    while (before == *count && uses < most) {
        use(entry, dir);
        uses++;
    }
    return before == *count ? -1 : uses;
}

/* Until the compiler is asked once more. */
static long uses_until_asked(dame_use_t *entry, dame_dir_t dir, long most)
{
    return uses_until(&jit.asked, entry, dir, most);
}

/* ---- one thread ----------------------------------------------------------------------------- */

static void the_use_that_reaches_the_threshold_compiles(void)
{
    static const int32_t thresholds[] = {1, 2, 3, 1000};
    for (int i = 0; i < 4; i++) {
        dame_use_t entry;
        start(thresholds[i]);
        new_entry(&entry);
        for (int dir = 0; dir < 2; dir++) {
            long uses = uses_until_asked(&entry, (dame_dir_t) dir, 2000);
            check(thresholds[i] == uses, "threshold %d: asked at use %ld", thresholds[i], uses);
            check(entry.layout->program->codes[dir] != NULL, "and compiled");
            check(uses_until_asked(&entry, (dame_dir_t) dir, 5000) == -1, "and not asked again");
        }
        check(jit.asked == 2, "each direction by itself");
        check(200 * (i + 1) == total(DAME_COUNT_compile_bytes), "bytes are counted");
        end_entry(&entry);
        stop_engine();
    }
}

static void nothing_is_compiled_with_threshold_0(void)
{
    dame_use_t entry;
    const int created = jit.created;
    const long released = jit.released;
    start(0);
    new_entry(&entry);
    check(uses_until_asked(&entry, DAME_PACK, 10000) == -1, "never asked");
    end_entry(&entry);
    check(created == jit.created && released == jit.released, "there is no compiler");
    stop_engine();
}

static void what_is_evicted_is_compiled_more_and_more_rarely(void)
{
    dame_use_t entry;
    start(5);
    new_entry(&entry);
    for (int i = 0; i < 4; i++) {
        const int uses = i == 0 ? 5 : 5 << (i - 1);
        check(uses == uses_until_asked(&entry, DAME_UNPACK, 100), "after %d uses, time %d", uses,
              i);
        check(uses_until_asked(&entry, DAME_UNPACK, 100) == -1, "then not");
        entry.layout->program->codes[DAME_UNPACK] = NULL;
    }
    end_entry(&entry);
    stop_engine();
}

static void what_cannot_be_compiled_is_not_tried_again(void)
{
    dame_use_t entry;
    dame_use_t other;
    const int64_t before = total(DAME_COUNT_compile_unsupported);
    start(3);
    new_entry(&entry);
    new_entry(&other);
    jit.answer = DAME_ERR_UNSUPPORTED;
    check(uses_until_asked(&entry, DAME_PACK, 100) == 3, "asked");
    check(uses_until_asked(&entry, DAME_PACK, 100000) == -1, "not again");
    dame_countdown_set(&entry.layout->promotions[DAME_PACK].countdown,
                       dame_countdown_without_code(2)); /* another thread's late count */
    check(uses_until_asked(&entry, DAME_PACK, 100000) == -1, "even so");
    check(total(DAME_COUNT_compile_unsupported) - before == 1, "counted");
    jit.answer = DAME_OK;
    check(uses_until_asked(&entry, DAME_UNPACK, 100) == 3, "the other direction is tried");
    check(uses_until_asked(&other, DAME_PACK, 100) == 3, "and other datatypes");
    end_entry(&entry);
    end_entry(&other);
    stop_engine();
}

static void what_finds_no_room_is_tried_more_and_more_rarely(dame_status_t answer,
                                                             dame_counter_t counter)
{
    static const long expected[] = {3, 3, 6, 12, 24, 48};
    dame_use_t entry;
    int64_t before = total(counter);
    start(3);
    new_entry(&entry);
    jit.answer = answer;
    for (int i = 0; i < 6; i++) {
        long uses = uses_until_asked(&entry, DAME_PACK, 1000);
        check(expected[i] == uses, "try %d after %ld uses", i, uses);
    }
    jit.answer = DAME_ERR_BUSY;
    check(uses_until_asked(&entry, DAME_PACK, 1000) == 96, "another process compiles it");
    check(total(counter) - before == 6, "each try is counted");
    jit.answer = DAME_OK;
    check(uses_until_asked(&entry, DAME_PACK, 1000) == 192, "then there is room");
    entry.layout->program->codes[DAME_PACK] = NULL;
    check(uses_until_asked(&entry, DAME_PACK, 1000) == 384, "and it is kept for the next time");
    end_entry(&entry);
    stop_engine();
}

static void a_full_cache_is_tried_more_and_more_rarely(void)
{
    dame_use_t entry;
    what_finds_no_room_is_tried_more_and_more_rarely(DAME_ERR_FULL, DAME_COUNT_compile_full);
    what_finds_no_room_is_tried_more_and_more_rarely(DAME_ERR_NOMEM, DAME_COUNT_compile_memory);

    start(INT32_MAX);
    new_entry(&entry);
    jit.answer = DAME_ERR_FULL;
    dame_countdown_set(&entry.layout->promotions[DAME_PACK].countdown,
                       dame_countdown_without_code(1));
    check(uses_until_asked(&entry, DAME_PACK, 1) == 1, "the last of very many uses");
    check(entry.layout->promotions[DAME_PACK].period == INT32_MAX &&
              dame_countdown_without_code(INT32_MAX) ==
                  dame_countdown_load(&entry.layout->promotions[DAME_PACK].countdown),
          "twice as many are not counted");
    end_entry(&entry);
    stop_engine();
}

static void denied_execution_is_told_once(void)
{
    dame_use_t entry;
    dame_use_t other;
    dame_use_t later;
    int64_t before = total(DAME_COUNT_compile_denied);
    said = 0;
    start(2);
    new_entry(&entry);
    new_entry(&other);
    jit.answer = DAME_ERR_DENIED;
    jit.stats.memory_errno = 13;
    jit.stats.memory = DAME_JIT_MEMORY_NONE;
    check(uses_until_asked(&entry, DAME_PACK, 100) == 2, "asked");
    check(said == 1 && strcmp("denied: 13", last_said) == 0, "told, with the reason: %s",
          last_said);
    check(uses_until_asked(&entry, DAME_UNPACK, 1000) == -1, "the other direction is not tried");
    check(uses_until_asked(&other, DAME_PACK, 1000) == -1, "nor other datatypes");
    new_entry(&later);
    check(uses_until_asked(&later, DAME_PACK, 1000) == -1, "nor new ones");
    check(dame_countdown_load(&other.layout->promotions[DAME_PACK].countdown) ==
                  DAME_COUNTDOWN_OFF &&
              dame_countdown_load(&later.layout->promotions[DAME_PACK].countdown) ==
                  DAME_COUNTDOWN_OFF,
          "and soon they are not even counted");
    check(said == 1 && total(DAME_COUNT_compile_denied) - before == 1, "told once");
    end_entry(&entry);
    end_entry(&other);
    end_entry(&later);
    stop_engine();
    jit.stats.memory_errno = 0;
    jit.stats.memory = DAME_JIT_MEMORY_DUAL;
}

static void options_that_are_refused_leave_promotion_off(void)
{
    dame_use_t entry;
    const long released = jit.released;
    some_options.arena_bytes = 0;
    start(1);
    some_options.arena_bytes = 4096;
    new_entry(&entry);
    check(uses_until_asked(&entry, DAME_PACK, 1000) == -1, "never asked");
    end_entry(&entry);
    check(released == jit.released, "nothing to release");
    stop_engine();
}

static void code_has_a_name_where_somebody_reads_it(void)
{
    dame_use_t entry;
    start(1);
    type_name = "halo x";
    new_entry(&entry);
    use(&entry, DAME_PACK);
    check(jit.asked == 1 && strcmp("", jit.name) == 0, "no name: %s", jit.name);
    end_entry(&entry);
    stop_engine();

    some_options.perf_map = "/tmp";
    start(1);
    compiled = 0;
    new_entry(&entry);
    use(&entry, DAME_PACK);
    check(strcmp("halo x", jit.name) == 0, "the name is \"%s\"", jit.name);
    check(compiled == 1, "the observer was notified");
    type_name = "";
    use(&entry, DAME_UNPACK);
    char number[64];
    (void) snprintf(number, sizeof(number), "datatype %llu",
                    (unsigned long long) dame_layout_number(entry.layout));
    check(strcmp(number, jit.name) == 0, "the name is \"%s\"", jit.name);
    end_entry(&entry);
    stop_engine();
    some_options.perf_map = NULL;
}

static const char *vectors(void)
{
    dame_jit_stats_t stats;
    dame_promoter_stats(&engine.promoter, &stats);
    return stats.vector_name;
}

static void counts_outlive_the_compiler(void)
{
    start(1);
    jit.stats.evicted = 41;
    jit.stats.worst_ns = 43;
    check(code_stat(DAME_CODE_STAT_code_evicted) == 41 &&
              code_stat(DAME_CODE_STAT_compile_worst_ns) == 43,
          "while it is there");
    stop_engine();
    jit.stats.evicted = 1;
    check(code_stat(DAME_CODE_STAT_code_evicted) == 41, "and afterwards");
    check(strcmp("code_evicted", dame_code_stat_name(DAME_CODE_STAT_code_evicted)) == 0 &&
              strcmp("test", vectors()) == 0,
          "by name");
    for (int i = 0; i < DAME_CODE_STATS; i++) {
        check(dame_code_stat_description((dame_code_stat_t) i) != NULL, "number %d has a text", i);
    }
    check(jit.created == jit.destroyed, "every compiler was destroyed");
}

/* ---- code that is ordered ------------------------------------------------------------------- */

/* Uses until code is ordered once more, at most `most`. */
static long uses_until_ordered(dame_use_t *entry, long most)
{
    return uses_until(&slow_jit.ordered, entry, DAME_PACK, most);
}

static void ordered_code_that_finds_no_room_is_tried_more_and_more_rarely(void)
{
    static const dame_status_t answers[] = {DAME_ERR_FULL, DAME_ERR_NOMEM, DAME_ERR_DENIED};
    for (int i = 0; i < 3; i++) {
        dame_use_t entry;
        start_slow(3, &entry);
        slow_jit.answer = answers[i];
        check(uses_until_ordered(&entry, 1000) == 3, "ordered at its threshold");
        for (long wait = 3; wait <= 3 << 6; wait *= 2) {
            const long uses = uses_until_ordered(&entry, 1000);
            check(DAME_ORDERED_USES + wait == uses, "answer %d: %ld uses, not %ld behind the look",
                  (int) answers[i], uses, wait);
        }
        slow_jit.answer = DAME_OK;
        for (int uses = 0; uses < DAME_ORDERED_USES; uses++) {
            use(&entry, DAME_PACK);
        }
        check(entry.layout->program->codes[DAME_PACK] != NULL, "then there is room");
        check(uses_until_ordered(&entry, 1000) == -1, "and nothing more to order");
        stop_slow(&entry);
    }
}

static long decisions;

static void count_decision(void)
{
    decisions++;
}

static void ordered_code_that_is_evicted_is_ordered_more_and_more_rarely(void)
{
    dame_use_t entry;
    start_slow(3, &entry);
    check(uses_until_ordered(&entry, 1000) == 3, "ordered at its threshold");
    for (long wait = 3; wait <= 3 << 4; wait *= 2) {
        const int64_t before = total(DAME_COUNT_promoted);
        for (int uses = 0; uses < DAME_ORDERED_USES; uses++) {
            use(&entry, DAME_PACK);
        }
        check(entry.layout->program->codes[DAME_PACK] != NULL &&
                  total(DAME_COUNT_promoted) - before == 1,
              "it has come, and is counted");
        decisions = 0;
        before_gate = count_decision;
        check(uses_until_ordered(&entry, 1000) == -1 && decisions == 0,
              "and stays, without %ld decisions", decisions);
        before_gate = NULL;
        entry.layout->program->codes[DAME_PACK] = NULL;
        const long uses = uses_until_ordered(&entry, 1000);
        check(wait == uses, "ordered again after %ld uses, not %ld", uses, wait);
    }
    stop_slow(&entry);
}

static void ordered_code_that_cannot_be_made_is_not_ordered_again(void)
{
    dame_use_t entry;
    start_slow(1, &entry);
    slow_jit.answer = DAME_ERR_UNSUPPORTED;
    check(uses_until_ordered(&entry, 10) == 1, "ordered");
    check(uses_until_ordered(&entry, 10000) == -1, "once");
    stop_slow(&entry);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ENTRIES = 8, USES = 60000 };

static dame_use_t shared[ENTRIES];

/* In the compiler, so that only one thread is here. */
static void answer_this_and_that(void)
{
    static const dame_status_t answers[] = {DAME_OK, DAME_OK, DAME_ERR_FULL, DAME_OK};
    sched_yield();
    jit.answer = answers[jit.asked % 4];
}

/* Uses, and now and then takes away a program's code, as eviction does. */
static void *user(void *arg)
{
    const unsigned number = (unsigned) (uintptr_t) arg;
    for (unsigned i = 0; i < USES; i++) {
        use(&shared[(i + number) % ENTRIES], (dame_dir_t) (i / ENTRIES % 2));
        if (0 == i % 50) {
            shared[i / 50 % ENTRIES].layout->program->codes[i / 100 % 2] = NULL;
        }
    }
    return NULL;
}

static void one_thread_compiles_at_a_time(void)
{
    pthread_t threads[THREADS];
    start(2);
    jit.while_inside = answer_this_and_that;
    for (int i = 0; i < ENTRIES; i++) {
        new_entry(&shared[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, user, (void *) (uintptr_t) i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    check(jit.crowded == 0, "one at a time");
    check(jit.asked_twice == 0, "nothing that is compiled");
    jit.while_inside = NULL;
    jit.answer = DAME_OK;
    for (int i = 0; i < 2 * ENTRIES; i++) {
        shared[i / 2].layout->program->codes[i % 2] = NULL;
        check(0 < uses_until_asked(&shared[i / 2], (dame_dir_t) (i % 2), 1 << 20) &&
                  shared[i / 2].layout->program->codes[i % 2] != NULL,
              "program %d is compiled again", i);
    }
    for (int i = 0; i < ENTRIES; i++) {
        end_entry(&shared[i]);
    }
    stop_engine();
}

static struct {
    _Atomic int inside, forbidding;
    bool forbidden_meanwhile;
} slow;

static _Atomic bool forbidden;

static void take_long(void)
{
    atomic_store(&slow.inside, 1);
    while (!atomic_load(&slow.forbidding)) {
        sched_yield();
    }
    usleep(20000);
    slow.forbidden_meanwhile = atomic_load(&forbidden);
}

static void *use_first(void *arg)
{
    use(arg, DAME_PACK);
    return NULL;
}

static void forbidding_waits_for_who_compiles(void)
{
    pthread_t thread;
    dame_use_t entry;
    start(1);
    new_entry(&entry);
    jit.while_inside = take_long;
    pthread_create(&thread, NULL, use_first, &entry);
    while (!atomic_load(&slow.inside)) {
        sched_yield();
    }
    check(uses_until_asked(&entry, DAME_UNPACK, 100) == -1, "others go on with the interpreter");
    atomic_store(&slow.forbidding, 1);
    dame_promoter_disable(&engine.promoter);
    atomic_store(&forbidden, true);
    pthread_join(thread, NULL);
    check(!slow.forbidden_meanwhile && entry.layout->program->codes[DAME_PACK] != NULL,
          "it waited");
    check(uses_until_asked(&entry, DAME_UNPACK, 100) == -1, "and nothing more is compiled");
    dame_promoter_disable(&engine.promoter);
    check(true, "forbidding twice");
    end_entry(&entry);
    stop_engine();
}

static struct {
    _Atomic int inside, stopping;
    int destroyed; /* before it began */
    bool destroyed_meanwhile;
} reading;

static void read_slowly(void)
{
    atomic_store(&reading.inside, 1);
    while (!atomic_load(&reading.stopping)) {
        sched_yield();
    }
    usleep(20000);
    reading.destroyed_meanwhile = reading.destroyed != jit.destroyed;
}

static void *read_stats(void *unused)
{
    dame_jit_stats_t stats;
    (void) unused;
    while_reading = read_slowly;
    dame_promoter_stats(&engine.promoter, &stats);
    return NULL;
}

static void stopping_waits_for_who_reads_what_was_compiled(void)
{
    pthread_t thread;
    start(1);
    reading.destroyed = jit.destroyed;
    pthread_create(&thread, NULL, read_stats, NULL);
    while (!atomic_load(&reading.inside)) {
        sched_yield();
    }
    atomic_store(&reading.stopping, 1);
    stop_engine();
    pthread_join(thread, NULL);
    check(!reading.destroyed_meanwhile && jit.created == jit.destroyed,
          "the compiler was destroyed after it was read");
}

static void forbid(void)
{
    before_gate = NULL;
    dame_promoter_disable(&engine.promoter);
}

/* A thread without a noticeable end may be running code by then. */
static void what_comes_after_compiling_was_forbidden_is_not_installed(void)
{
    dame_use_t entry;
    start_slow(1, &entry);
    use(&entry, DAME_PACK);
    check(slow_jit.ordered == 1 && slow_jit.installed == 0, "it is ordered, and done");
    before_gate = forbid; /* another thread, between this one's look and its lock */
    for (int i = 0; i < 2 * DAME_ORDERED_USES; i++) {
        use(&entry, DAME_PACK);
    }
    check(before_gate == NULL, "it was forbidden");
    check(slow_jit.installed == 0 && entry.layout->program->codes[DAME_PACK] == NULL,
          "and not installed");
    stop_slow(&entry);
}

/* ---- a fork --------------------------------------------------------------------------------- */

static void a_child_compiles_nothing(void)
{
    dame_use_t entry;
    int status = -1;
    start(2);
    new_entry(&entry);
    use(&entry, DAME_PACK);
    pid_t child = fork();
    if (child == 0) {
        dame_use_t own;
        new_entry(&own);
        _exit(uses_until_asked(&entry, DAME_PACK, 100) == -1 &&
                      uses_until_asked(&own, DAME_PACK, 100) == -1
                  ? 0
                  : 1);
    }
    check(child == waitpid(child, &status, 0) && status == 0, "the child asks no policy: %d",
          status);
    check(uses_until_asked(&entry, DAME_PACK, 100) == 1, "the parent goes on");
    end_entry(&entry);
    stop_engine();
}

int main(void)
{
    the_use_that_reaches_the_threshold_compiles();
    nothing_is_compiled_with_threshold_0();
    what_is_evicted_is_compiled_more_and_more_rarely();
    what_cannot_be_compiled_is_not_tried_again();
    a_full_cache_is_tried_more_and_more_rarely();
    denied_execution_is_told_once();
    options_that_are_refused_leave_promotion_off();
    code_has_a_name_where_somebody_reads_it();
    counts_outlive_the_compiler();
    ordered_code_that_finds_no_room_is_tried_more_and_more_rarely();
    ordered_code_that_is_evicted_is_ordered_more_and_more_rarely();
    ordered_code_that_cannot_be_made_is_not_ordered_again();
    one_thread_compiles_at_a_time();
    forbidding_waits_for_who_compiles();
    stopping_waits_for_who_reads_what_was_compiled();
    what_comes_after_compiling_was_forbidden_is_not_installed();
    a_child_compiles_nothing();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
