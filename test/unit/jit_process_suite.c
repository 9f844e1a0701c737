/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled programs beside readers and in children. Threads that compile and run at once are tried
 * by the differential test (--tier codes). */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock.h"
#include "jit_tools.h"
#include "suites.h"
#include "tools.h"

enum { PROGRAMS = 24 };

/* ---- readers ---- */

/* Eight codes fit into the arena and 24 programs want in, so most compilations evict. */
static dame_jit_t *crowded_jit(dame_program_t **programs)
{
    atomic_store(&test_provider_bytes, UNIT);
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = strided_program(20 + i);
    }
    return jit_of(8 * UNIT);
}

TEST(code_that_may_be_running_is_not_evicted)
{
    dame_program_t *programs[PROGRAMS];
    dame_jit_t *jit = crowded_jit(programs);
    for (int i = 0; i < 8; i++) {
        compile(jit, programs[i], DAME_PACK);
    }
    guest_t guest;
    start_guest(&guest);
    ck_assert_int_eq(dame_jit_compile(jit, programs[8], DAME_PACK, NULL), DAME_ERR_FULL);
    ck_assert(!is_compiled(programs[8], DAME_PACK));
    for (int i = 0; i < 8; i++) {
        ck_assert(packs(programs[i], 20 + i, 1));
    }
    ck_assert_int_eq(stats_of(jit).evicted, 0);
    end_guest(&guest);
    compile(jit, programs[8], DAME_PACK);
    ck_assert(packs(programs[8], 28, 1) && packs(programs[0], 20, 0));
    free_all(jit, programs, PROGRAMS);
}

/* ---- children ---- */

typedef struct family {
    dame_jit_t *jit;
    dame_program_t *programs[2]; /* the second is not compiled in the parent */
} family_t;

static int compiles(const family_t *family, int i)
{
    return dame_jit_compile(family->jit, family->programs[i], DAME_PACK, NULL) != DAME_ERR_DENIED;
}

static const char *use_after_fork(void *argument)
{
    family_t *family = argument;
    if (!packs(family->programs[0], 20, 0) || is_compiled(family->programs[0], DAME_PACK)) {
        return "the child's program is not the interpreter's";
    }
    if (compiles(family, 0) || compiles(family, 1)) {
        return "the child compiles";
    }
    const dame_jit_stats_t stats = stats_of(family->jit);
    if (stats.memory != DAME_JIT_MEMORY_NONE || stats.live != 0 || stats.code_bytes != 0) {
        return "statistics";
    }
    free_all(family->jit, family->programs, 2);
    return NULL;
}

static family_t new_family(dame_jit_memory_t memory)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.memory = memory;
    family_t family = {.jit = jit_with(&options),
                       .programs = {strided_program(20), strided_program(21)}};
    compile(family.jit, family.programs[0], DAME_PACK);
    return family;
}

LOOP_TEST(a_child_runs_on_the_interpreter, 2)
{
    family_t family = new_family((dame_jit_memory_t) _i);
    expect_in_child(use_after_fork, &family);
    ck_assert(packs(family.programs[0], 20, 1));
    compile(family.jit, family.programs[1], DAME_PACK);
    ck_assert(packs(family.programs[1], 21, 1));
    free_all(family.jit, family.programs, 2);
}

/* Exit code of a child for which no handler ran: 0 when all is well. */
static int use_after_clone(family_t *family)
{
    const int runs = packs(family->programs[0], 20, 1);
    const int stays = !compiles(family, 1) && packs(family->programs[1], 21, 0);
    dame_jit_release(family->jit, family->programs[0]);
    return runs && stays && packs(family->programs[0], 20, 0) ? 0 : 1;
}

LOOP_TEST(a_child_for_which_no_handler_ran_goes_on_working, 2)
{
    family_t family = new_family((dame_jit_memory_t) _i);
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        _exit(use_after_clone(&family));
    }
    expect_exit_0((pid_t) child);
    ck_assert(packs(family.programs[0], 20, 1));
    free_all(family.jit, family.programs, 2);
}

static sem_t compiling;
static atomic_int compiled_slowly;

static sem_t may_compile;

static dame_status_t compile_slowly(void *state, const dame_program_t *program, dame_dir_t dir,
                                    uint32_t variant, dame_machine_code_t *code)
{
    sem_post(&compiling);
    sem_wait(&may_compile);
    const dame_status_t status = test_provider.compile(state, program, dir, variant, code);
    atomic_store(&compiled_slowly, 1);
    return status;
}

static void *compile_one(void *argument)
{
    family_t *family = argument;
    return dame_jit_compile(family->jit, family->programs[0], DAME_PACK, NULL) == DAME_OK ? argument
                                                                                          : NULL;
}

/* A family; another thread is compiling its first program. */
static void slow_family(pthread_t *thread, family_t *family)
{
    static dame_provider_t slow_provider;
    slow_provider = test_provider;
    slow_provider.compile = compile_slowly;
    *family = (family_t){.programs = {strided_program(20), strided_program(21)}};
    ck_assert_int_eq(dame_jit_create_for(&slow_provider, NULL, &family->jit), DAME_OK);
    sem_init(&compiling, 0, 0);
    sem_init(&may_compile, 0, 0);
    ck_assert_int_eq(pthread_create(thread, NULL, compile_one, family), 0);
    sem_wait(&compiling);
}

TEST(nobody_waits_for_a_compilation)
{
    family_t family;
    pthread_t thread;
    slow_family(&thread, &family);
    expect_in_child(use_after_fork, &family);
    ck_assert_int_eq(stats_of(family.jit).live, 0);
    dame_jit_release(family.jit, family.programs[1]);
    ck_assert(!is_compiled(family.programs[0], DAME_PACK));
    ck_assert(!atomic_load(&compiled_slowly));
    sem_post(&may_compile);
    void *result = NULL;
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_nonnull(result);
    ck_assert(packs(family.programs[0], 20, 1));
    free_all(family.jit, family.programs, 2);
}

static void *let_compile(void *argument)
{
    usleep(50 * 1000);
    sem_post(&may_compile);
    return argument;
}

TEST(a_program_stays_until_its_compilation_is_over)
{
    family_t family;
    pthread_t thread;
    pthread_t other;
    slow_family(&thread, &family);
    ck_assert_int_eq(pthread_create(&other, NULL, let_compile, NULL), 0);
    dame_jit_release(family.jit, family.programs[0]);
    ck_assert(atomic_load(&compiled_slowly));
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    free_all(family.jit, family.programs, 2);
}

TEST(who_compiles_is_not_cancelled)
{
    family_t family;
    pthread_t thread;
    slow_family(&thread, &family);
    pthread_cancel(thread);
    sem_post(&may_compile);
    void *result = NULL;
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    sem_post(&may_compile);
    /* Provider and program are not left reserved. */
    ck_assert_int_eq(dame_jit_compile(family.jit, family.programs[1], DAME_PACK, NULL), DAME_OK);
    free_all(family.jit, family.programs, 2);
}

/* What a thread compiles, evicts and runs again and again. */
typedef struct crowd {
    dame_jit_t *jit;
    dame_program_t *programs[PROGRAMS];
    atomic_int ends;
    int is_wrong;
} crowd_t;

static void *use_crowd(void *argument)
{
    crowd_t *crowd = argument;
    dame_reader_t reader = {.link = NULL};
    dame_reader_add(&reader);
    for (int n = 0; !atomic_load(&crowd->ends); n++) {
        int compiled;
        dame_program_t *program = crowd->programs[n % PROGRAMS];
        const dame_status_t status = dame_jit_compile(crowd->jit, program, DAME_PACK, NULL);
        dame_reader_enter(&reader);
        crowd->is_wrong |= !strided_packs(program, 20 + n % PROGRAMS, &compiled);
        dame_reader_leave(&reader);
        crowd->is_wrong |= status != DAME_OK && status != DAME_ERR_FULL;
        if (n % 16 == 0) {
            dame_jit_release(crowd->jit, program);
        }
    }
    dame_reader_remove(&reader);
    return NULL;
}

static const char *run_all(void *argument)
{
    crowd_t *crowd = argument;
    for (int i = 0; i < PROGRAMS; i++) {
        if (!packs(crowd->programs[i], 20 + i, 0)) {
            return "a program of the child";
        }
        if (dame_jit_compile(crowd->jit, crowd->programs[i], DAME_PACK, NULL) != DAME_ERR_DENIED) {
            return "the child compiles";
        }
    }
    return NULL;
}

/* A fork in the middle of a compilation, of an eviction, of a run. */
TEST(a_fork_finds_nothing_half_done)
{
    pthread_t thread;
    crowd_t crowd = {.is_wrong = 0};
    crowd.jit = crowded_jit(crowd.programs);
    ck_assert_int_eq(pthread_create(&thread, NULL, use_crowd, &crowd), 0);
    for (int i = 0; i < 40; i++) {
        expect_in_child(run_all, &crowd);
    }
    atomic_store(&crowd.ends, 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(!crowd.is_wrong && stats_of(crowd.jit).evicted > 0);
    free_all(crowd.jit, crowd.programs, PROGRAMS);
}

/* ---- cancellation ---- */

/* How far a thread with a pending cancellation came. */
enum { IN_NEITHER, IN_BOTH, IN_ONE, IN_NONE, CANCELLED_TOO_LATE };
static int reached;

static void *lock_while_cancelled(void *argument)
{
    pthread_cancel(pthread_self());
    dame_lock(DAME_LOCK_COMPILER);
    dame_lock(DAME_LOCK_READERS);
    reached = IN_BOTH;
    pthread_testcancel();
    dame_unlock(DAME_LOCK_READERS);
    reached = IN_ONE;
    pthread_testcancel();
    dame_unlock(DAME_LOCK_COMPILER);
    reached = IN_NONE;
    pthread_testcancel();
    reached = CANCELLED_TOO_LATE;
    return argument;
}

TEST(who_holds_a_lock_is_not_cancelled)
{
    pthread_t thread;
    void *result = NULL;
    ck_assert_int_eq(pthread_create(&thread, NULL, lock_while_cancelled, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, PTHREAD_CANCELED);
    ck_assert_int_eq(reached, IN_NONE);
    ck_assert_int_eq(dame_trylock(DAME_LOCK_COMPILER), 1);
    ck_assert_int_eq(dame_trylock(DAME_LOCK_COMPILER), 0);
    dame_unlock(DAME_LOCK_COMPILER);
}

/* ---- refused execution ---- */

static const char *compile_refused(void *argument)
{
    (void) argument;
    const refusal_t refusals[] = {
        {.call = SYS_mmap, .argument = 2, .bits = PROT_EXEC, .error = EACCES},
        {.call = SYS_mprotect, .argument = 2, .bits = PROT_EXEC, .error = EACCES}};
    dame_program_t *program = strided_program(20);
    if (!refuse_calls(refusals, 2)) {
        return NULL; /* code_arena_suite says so */
    }
    dame_jit_t *jit = jit_with(NULL);
    if (dame_jit_compile(jit, program, DAME_PACK, NULL) != DAME_ERR_DENIED ||
        dame_jit_compile(jit, program, DAME_UNPACK, NULL) != DAME_ERR_DENIED) {
        return "compile";
    }
    if (!packs(program, 20, 0)) {
        return "the interpreter";
    }
    const dame_jit_stats_t stats = stats_of(jit);
    free_all(jit, &program, 1);
    return stats.memory == DAME_JIT_MEMORY_NONE && stats.memory_errno == EACCES ? NULL
                                                                                : "statistics";
}

TEST(where_execution_is_refused_the_interpreter_goes_on)
{
    expect_in_child(compile_refused, NULL);
}

SUITE_OF(jit_process, have_jumps(), tree_setup, tree_teardown)
