/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads, fork() and cancellation. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dame/datatype.h"
#include "test/unit/suites.h"
#include "test/lib/checked_fork.h"

enum { THREADS = 4, ROUNDS = 300, ROWS = 64 };

static dame_context_t *context;
static dame_datatype_t *shared; /* made once, committed by every thread */
static double matrix[ROWS][ROWS];
static atomic_int busy; /* threads go on until it is 0 */

#define OK(...) ck_assert_msg((__VA_ARGS__) == DAME_OK, "%s", dame_error_message())

static void setup(void)
{
    dame_datatype_t *real;
    OK(dame_context_new(NULL, &context));
    OK(dame_datatype_basic(context, "double", 0, &real));
    OK(dame_datatype_vector(ROWS, 1, ROWS, real, &shared));
    dame_datatype_free(real);
    for (int i = 0; i < ROWS * ROWS; i++) {
        matrix[i / ROWS][i % ROWS] = i;
    }
}

static void teardown(void)
{
    dame_datatype_free(shared);
    dame_context_free(context);
}

/* Moves column `c` with a datatype of the thread's own and with the shared one. */
static int move_column(int c)
{
    double packed[ROWS], copied[ROWS];
    dame_datatype_t *real = NULL, *own = NULL;
    int wrong = dame_datatype_commit(shared) != DAME_OK ||
                dame_datatype_basic(context, "double", 0, &real) != DAME_OK ||
                dame_datatype_vector(ROWS, 1, ROWS, real, &own) != DAME_OK ||
                dame_datatype_commit(own) != DAME_OK ||
                dame_pack(shared, 1, &matrix[0][c], 0, packed, 100, NULL) != DAME_OK ||
                dame_pack(own, 1, &matrix[0][c], 100, (char *) packed + 100, sizeof packed, NULL) !=
                    DAME_OK ||
                dame_copy(shared, 1, &matrix[0][c], real, ROWS, copied) != DAME_OK;
    for (int i = 0; i < ROWS; i++) {
        wrong |= packed[i] != matrix[i][c] || copied[i] != matrix[i][c];
    }
    dame_datatype_free(own);
    dame_datatype_free(real);
    return wrong;
}

static void *work(void *argument)
{
    const int c = (int) (intptr_t) argument;
    intptr_t wrong = 0;
    for (int i = 0; i < ROUNDS || atomic_load(&busy); i++) {
        wrong += move_column((c + i) % ROWS);
    }
    /* the message of an error is the thread's own */
    const char *wanted = c % 2 ? "dame_pack: count is -1; it must be 0 or more"
                               : "dame_pack: count is -2; it must be 0 or more";
    wrong += dame_pack(shared, c % 2 ? -1 : -2, NULL, 0, NULL, 0, NULL) != DAME_ERR_ARGUMENT;
    wrong += strcmp(dame_error_message(), wanted) != 0;
    return (void *) wrong;
}

static void start(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (void *) (intptr_t) i), 0);
    }
}

static void finish(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
}

TEST(threads_share_contexts_and_datatypes)
{
    pthread_t threads[THREADS];
    int64_t bytes;
    start(threads);
    finish(threads);
    OK(dame_context_counter(context, "copied_bytes", &bytes));
    ck_assert_int_eq(bytes, (int64_t) THREADS * ROUNDS * ROWS * 8);
}

/* AddressSanitizer's allocator does not survive fork() while other threads allocate. */
#ifdef __SANITIZE_ADDRESS__
enum { ALONE = 1 };
#else
enum { ALONE = 0 };
#endif

TEST(children_of_fork_go_on)
{
    enum { CHILDREN = 200 };
    pthread_t threads[THREADS];
    atomic_store(&busy, 1);
    if (!ALONE) {
        start(threads);
    }
    for (int i = 0; i < CHILDREN; i++) {
        const pid_t child = checked_fork();
        if (child == 0) {
            alarm(60); /* a lock that is held for ever */
            _exit(move_column(i % ROWS));
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child %d: %x", i, status);
    }
    atomic_store(&busy, 0);
    if (!ALONE) {
        finish(threads);
    }
}

static void *explain_for_ever(void *argument)
{
    for (;;) {
        char *text = NULL;
        if (move_column(1) || dame_datatype_explain(shared, &text) != DAME_OK) {
            *(int *) argument = 1;
        }
        dame_free(text);
        pthread_testcancel();
    }
    return NULL;
}

TEST(cancelled_threads_leave_the_context_usable)
{
    int wrong = 0;
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        ck_assert_int_eq(pthread_create(&thread, NULL, explain_for_ever, &wrong), 0);
        usleep((useconds_t) (100 * i));
        ck_assert_int_eq(pthread_cancel(thread), 0);
        ck_assert_int_eq(pthread_join(thread, &result), 0);
        ck_assert_ptr_eq(result, PTHREAD_CANCELED);
        ck_assert_int_eq(move_column(i), 0);
    }
    ck_assert_int_eq(wrong, 0);
}

TEST(contexts_are_independent)
{
    dame_context_t *contexts[8];
    dame_datatype_t *types[8];
    for (int i = 0; i < 8; i++) {
        int64_t made;
        OK(dame_context_new(NULL, &contexts[i]));
        OK(dame_datatype_basic(contexts[i], "byte", 0, &types[i]));
        OK(dame_context_counter(contexts[i], "datatypes", &made));
        ck_assert_int_eq(made, 1);
    }
    for (int i = 0; i < 8; i++) { /* each ends at another time */
        char byte = 7, packed = 0;
        dame_context_free(contexts[i ^ 1]);
        OK(dame_pack(types[i], 1, &byte, 0, &packed, 1, NULL));
        ck_assert_int_eq(packed, 7);
        dame_datatype_free(types[i]);
    }
}

/* ---- machine code ---- */

static int64_t counted(const dame_context_t *of, const char *name)
{
    int64_t value;
    OK(dame_context_counter(of, name, &value));
    return value;
}

static dame_context_t *compiling_context(int64_t threshold)
{
    dame_context_options_t options = {.size = sizeof options, .threshold = threshold};
    dame_context_t *made;
    OK(dame_context_new(&options, &made));
    return made;
}

static dame_datatype_t *new_vector(dame_context_t *of, int64_t stride)
{
    dame_datatype_t *real, *type;
    OK(dame_datatype_basic(of, "double", 0, &real));
    OK(dame_datatype_vector(ROWS, 1, stride, real, &type));
    OK(dame_datatype_commit(type));
    dame_datatype_free(real);
    return type;
}

enum { STRIDE = 5 };

/* Packs a vector of STRIDE. Returns whether all is right. */
static int packs_right(const dame_datatype_t *type)
{
    double numbers[ROWS * STRIDE], packed[ROWS];
    int64_t moved;
    for (int i = 0; i < ROWS * STRIDE; i++) {
        numbers[i] = i + 0.5;
    }
    if (dame_pack(type, 1, numbers, 0, packed, sizeof packed, &moved) != DAME_OK ||
        moved != sizeof packed) {
        return 0;
    }
    for (int i = 0; i < ROWS; i++) {
        if (packed[i] != numbers[i * STRIDE]) {
            return 0;
        }
    }
    return 1;
}

TEST(the_use_that_was_named_compiles)
{
    dame_context_t *at_three = compiling_context(3), *never = compiling_context(-1);
    dame_datatype_t *type = new_vector(at_three, STRIDE), *other = new_vector(never, STRIDE);
    for (int i = 1; i <= 5; i++) {
        ck_assert(packs_right(type) && packs_right(other));
        ck_assert_int_eq(counted(at_three, "compiled_pack"), i >= 3);
    }
    ck_assert_int_gt(counted(at_three, "code_bytes"), 0);
    ck_assert_int_eq(counted(at_three, "compiled_unpack"), 0);
    ck_assert_int_eq(counted(never, "compiled_pack"), 0);
    ck_assert_int_eq(counted(never, "packs"), 5);
    dame_datatype_free(type);
    dame_datatype_free(other);
    ck_assert_int_eq(counted(at_three, "code_bytes"), 0);
    dame_context_free(at_three);
    dame_context_free(never);
}

TEST(what_is_used_often_is_compiled_when_that_is_measured_to_pay)
{
    enum { OFTEN = 300000 };
    dame_context_t *measured = compiling_context(0);
    dame_datatype_t *type = new_vector(measured, STRIDE);
    for (int i = 0; i < OFTEN; i++) {
        ck_assert(packs_right(type));
    }
    ck_assert_int_gt(counted(measured, "compiled_pack"), 0);
    ck_assert_int_eq(counted(measured, "packs"), OFTEN);
    dame_datatype_free(type);
    dame_context_free(measured);
}

TEST(code_by_llvm_comes_from_the_background)
{
    if (access(DAME_LLVM_SO, R_OK) != 0) {
        return; /* built without LLVM */
    }
    char directory[] = "/tmp/libdame_XXXXXX", command[100];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    for (int found = 0; found < 2; found++) { /* the second finds it in a file */
        dame_context_options_t options = {.size = sizeof options,
                                          .threshold = 1,
                                          .tiers = "interp,l",
                                          .code_dir = directory,
                                          .llvm = DAME_LLVM_SO};
        dame_context_t *by_llvm;
        OK(dame_context_new(&options, &by_llvm));
        dame_datatype_t *type = new_vector(by_llvm, STRIDE);
        const time_t start = time(NULL);
        while (counted(by_llvm, "compiled_pack") == 0 && time(NULL) - start < 60) {
            ck_assert(packs_right(type));
            usleep(100);
        }
        ck_assert_int_gt(counted(by_llvm, "compiled_pack"), 0);
        ck_assert(packs_right(type));
        dame_datatype_free(type);
        dame_context_free(by_llvm);
    }
    snprintf(command, sizeof command, "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
}

/* Has the process a thread that compiles? */
static int a_thread_compiles(void)
{
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(tasks);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[20] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *comm = fopen(path, "r");
        if (comm != NULL) { /* else it has just ended */
            found |= fgets(name, sizeof name, comm) != NULL && strcmp(name, "dame-compile\n") == 0;
            fclose(comm);
        }
    }
    closedir(tasks);
    return found;
}

/* The thread waits for the other end of a pipe, which it takes for DAME-L. The other end sends data
 * that is not DAME-L; by then all contexts have ended, and their memory is no longer mapped. */
TEST(a_compilation_that_outlives_its_context_may_still_complain)
{
    char directory[] = "/tmp/libdame_XXXXXX", pipe[40];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    dame_context_options_t options = {
        .size = sizeof options, .threshold = 1, .tiers = "interp,l", .llvm = pipe};
    dame_context_t *brief;
    OK(dame_context_new(&options, &brief));
    dame_datatype_t *type = new_vector(brief, STRIDE);
    ck_assert(packs_right(type));
    int writer;
    while ((writer = open(pipe, O_WRONLY | O_NONBLOCK)) < 0) { /* until the thread reads */
        ck_assert_int_eq(errno, ENXIO);
        usleep(1000);
    }
    dame_datatype_free(type);
    dame_context_free(brief);
    teardown();
    shared = NULL;
    context = NULL;
    ck_assert(a_thread_compiles());
    ck_assert_int_eq(write(writer, "no object", 9), 9);
    close(writer);
    while (a_thread_compiles()) {
        usleep(1000);
    }
    ck_assert_int_eq(unlink(pipe), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}

/* Each has contexts of its own, and ends while others' contexts end. */
static void *live_with_contexts(void *unused)
{
    enum { LIVES = 40, CONTEXTS = 3 };
    intptr_t wrong = 0;
    (void) unused;
    for (int i = 0; i < LIVES; i++) {
        dame_context_t *contexts[CONTEXTS];
        for (int c = 0; c < CONTEXTS; c++) {
            contexts[c] = compiling_context(c);
            dame_datatype_t *type = new_vector(contexts[c], STRIDE);
            for (int use = 0; use < 4; use++) {
                wrong += !packs_right(type);
            }
            dame_datatype_free(type);
        }
        for (int c = 0; c < CONTEXTS; c++) {
            dame_context_free(contexts[(c + i) % CONTEXTS]);
        }
    }
    return (void *) wrong;
}

TEST(contexts_of_several_threads_come_and_go)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, live_with_contexts, NULL), 0);
    }
    finish(threads);
}

static dame_datatype_t *passed_on;
static atomic_int users;

static void *use_and_end(void *unused)
{
    (void) unused;
    const intptr_t wrong = !packs_right(passed_on);
    atomic_fetch_add(&users, 1);
    return (void *) wrong; /* it ends while the context does */
}

TEST(threads_end_while_their_context_does)
{
    enum { TIMES = 200 };
    for (int t = 0; t < TIMES; t++) {
        pthread_t threads[THREADS];
        dame_context_t *brief = compiling_context(1);
        passed_on = new_vector(brief, STRIDE);
        atomic_store(&users, 0);
        for (int i = 0; i < THREADS; i++) {
            ck_assert_int_eq(pthread_create(&threads[i], NULL, use_and_end, NULL), 0);
        }
        while (atomic_load(&users) < THREADS) {
            sched_yield();
        }
        dame_datatype_free(passed_on);
        dame_context_free(brief);
        finish(threads);
    }
}

TEST(children_of_fork_run_what_was_compiled)
{
    dame_context_t *at_once = compiling_context(1);
    dame_datatype_t *type = new_vector(at_once, STRIDE);
    ck_assert(packs_right(type) && counted(at_once, "compiled_pack") == 1);
    for (int i = 0; i < 20; i++) {
        const pid_t child = checked_fork();
        if (child == 0) {
            alarm(60);
            dame_datatype_t *own = new_vector(at_once, STRIDE); /* compiles nothing */
            const int right = packs_right(type) && packs_right(own) && packs_right(own);
            dame_datatype_free(own);
            dame_datatype_free(type);
            dame_context_free(at_once);
            _exit(!right);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child %d: %x", i, status);
    }
    dame_datatype_free(type);
    dame_context_free(at_once);
}

SUITE_OF(process, 1, setup, teardown)
