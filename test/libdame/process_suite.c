/* Threads, fork() and cancellation. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dame/datatype.h"
#include "test/unit/suites.h"

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
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
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

SUITE_OF(process, 1, setup, teardown)
