/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of single uses, each test in a process of its own: with dame_papi.so absent, broken and
 * of another version; on machines without hardware counters; with real counts, of events that this
 * program defines itself (PAPI's software-defined events); and beside an application that uses
 * PAPI.
 */
#include "measure/counters.h"

#include <check.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_SDE
#include <sde_lib.h>
#endif

static int told;
static char last[8192];

static void tell(const char *text)
{
    told++;
    (void) snprintf(last, sizeof(last), "%s", text);
}

/* Two uses, neither of which is counted. */
static void nothing_is_counted(const char *events, const char *object)
{
    dame_papi_use_t use;
    ck_assert_int_eq(dame_counters_start(events, object, tell), 1);
    ck_assert_int_eq(told, 0);
    ck_assert_int_eq(dame_counters_begin(&use), 0);
    ck_assert_int_eq(dame_counters_begin(&use), 0);
    ck_assert_int_eq(dame_counters_number(), 0);
    dame_counters_stop();
}

/* ---- Without PAPI --------------------------------------------------------------------------- */

START_TEST(no_object)
{
    nothing_is_counted("PAPI_L1_DCM", "no/such/dame_papi.so");
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "no/such/dame_papi.so: not installed") != NULL, "%s", last);
}
END_TEST

START_TEST(an_object_that_is_broken)
{
    char path[] = "/tmp/dame_papi_XXXXXX";
    const int file = mkstemp(path);
    ck_assert_int_eq(write(file, "not an object\n", 14), 14);
    close(file);
    nothing_is_counted("PAPI_L1_DCM", path);
    unlink(path);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, path) != NULL, "%s", last);
}
END_TEST

START_TEST(an_object_of_another_version)
{
    nothing_is_counted("PAPI_L1_DCM", OTHER_VERSION);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "another version") != NULL, "%s", last);
}
END_TEST

START_TEST(no_events)
{
    nothing_is_counted("", PAPI_OBJECT);
    ck_assert_int_eq(told, 0);
    ck_assert_int_eq(PAPI_is_initialized(), PAPI_NOT_INITED);
}
END_TEST

/* ---- Events that do not exist, or that the machine lacks ------------------------------------ */

START_TEST(an_event_that_does_not_exist)
{
    nothing_is_counted("NO_SUCH_EVENT", PAPI_OBJECT);
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "NO_SUCH_EVENT: ") != NULL, "%s", last);
}
END_TEST

/* On a machine with counters, they count; on one without, one line says why. */
START_TEST(what_this_machine_has)
{
    dame_papi_use_t use;
    int64_t counts[DAME_COUNTERS] = {0};
    ck_assert_int_eq(dame_counters_start("PAPI_TOT_INS", PAPI_OBJECT, tell), 1);
    if (dame_counters_begin(&use)) {
        ck_assert_int_eq(dame_counters_end(&use, counts), 1);
        ck_assert_int_gt(counts[0], 0);
        ck_assert_int_eq(told, 0);
    } else {
        ck_assert_int_eq(told, 1);
        ck_assert_msg(strstr(last, "PAPI_TOT_INS: ") != NULL, "%s", last);
    }
}
END_TEST

/* ---- Real counts ---------------------------------------------------------------------------- */

#ifdef HAVE_SDE

/* What each thread has done, as two events of a library "DAME". */
static _Thread_local long long apples;
static _Thread_local long long pears;

static long long read_apples(void *unused)
{
    (void) unused;
    return apples;
}

static long long read_pears(void *unused)
{
    (void) unused;
    return pears;
}

/* kind: PAPI_SDE_DELTA or PAPI_SDE_INSTANT, the difference from the start or the value at the end.
 */
static void define_events(int kind)
{
    papi_handle_t library = papi_sde_init("DAME");
    const int mode = PAPI_SDE_RO | kind;
    papi_sde_register_counter_cb(library, "APPLES", mode, PAPI_SDE_long_long, read_apples, NULL);
    papi_sde_register_counter_cb(library, "PEARS", mode, PAPI_SDE_long_long, read_pears, NULL);
}

static void start(const char *events)
{
    define_events(PAPI_SDE_DELTA);
    ck_assert_int_eq(dame_counters_start(events, PAPI_OBJECT, tell), 1);
}

/* A use that does so much; false: it was not counted, or wrongly. */
static int counts_right(long long of_apples, long long of_pears)
{
    dame_papi_use_t use;
    int64_t counts[DAME_COUNTERS] = {-1, -1};
    if (!dame_counters_begin(&use)) {
        return 0;
    }
    apples += of_apples;
    pears += of_pears;
    return dame_counters_end(&use, counts) && counts[0] == of_apples && counts[1] == of_pears;
}

static void is_missed(const char *why)
{
    dame_papi_use_t use;
    const char *text;
    const int64_t before = dame_counters_missed(&text);
    ck_assert_int_eq(dame_counters_begin(&use), 0);
    ck_assert_int_eq(dame_counters_missed(&text), before + 1);
    ck_assert_str_eq(text, why);
}

START_TEST(what_is_done_in_a_use_is_counted)
{
    start("sde:::DAME::APPLES,NO_SUCH_EVENT,sde:::DAME::PEARS");
    ck_assert_int_eq(PAPI_is_initialized(), PAPI_NOT_INITED); /* before the first use */
    ck_assert_int_eq(counts_right(3, 5), 1);
    apples = 100;
    ck_assert_int_eq(counts_right(0, 70000), 1);
    ck_assert_int_eq(dame_counters_number(), 2);
    ck_assert_str_eq(dame_counters_name(0), "sde:::DAME::APPLES");
    ck_assert_str_eq(dame_counters_name(1), "sde:::DAME::PEARS");
    ck_assert_int_eq(told, 1);
    ck_assert_msg(strstr(last, "NO_SUCH_EVENT: ") != NULL && strstr(last, "PEARS") == NULL, "%s",
                  last);
    dame_counters_stop();
    ck_assert_int_eq(counts_right(1, 1), 0);
}
END_TEST

/* The differences of several threads would mix: PAPI's component keeps one start for each event. */
static void *use_often(void *failures)
{
    for (int uses = 0; uses < 200;) {
        dame_papi_use_t use;
        int64_t counts[DAME_COUNTERS];
        if (dame_counters_begin(&use)) { /* not while another thread loads PAPI */
            apples += ++uses;
            pears -= uses;
            *(int *) failures +=
                !dame_counters_end(&use, counts) || counts[0] != apples || counts[1] != pears;
        }
    }
    return NULL;
}

START_TEST(four_threads)
{
    pthread_t threads[4];
    int failures[4] = {0};
    const char *why;
    define_events(PAPI_SDE_INSTANT);
    ck_assert_int_eq(dame_counters_start("sde:::DAME::APPLES,sde:::DAME::PEARS", PAPI_OBJECT, tell),
                     1);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_often, &failures[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(failures[i], 0);
    }
    ck_assert_int_eq(told, 0);
    ck_assert_int_eq(dame_counters_missed(&why), 0);
}
END_TEST

/* The application's counts stay right; ours pause while its own run. */
START_TEST(an_application_that_counts)
{
    long long counted = 0;
    int set = PAPI_NULL;
    define_events(PAPI_SDE_DELTA);
    ck_assert_int_eq(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    ck_assert_int_eq(PAPI_create_eventset(&set), PAPI_OK);
    ck_assert_int_eq(PAPI_add_named_event(set, "sde:::DAME::APPLES"), PAPI_OK);
    ck_assert_int_eq(PAPI_start(set), PAPI_OK);
    apples += 10;
    ck_assert_int_eq(dame_counters_start("sde:::DAME::APPLES,sde:::DAME::PEARS", PAPI_OBJECT, tell),
                     1);
    is_missed(PAPI_strerror(PAPI_EISRUN));
    apples += 1;
    is_missed(PAPI_strerror(PAPI_EISRUN));
    ck_assert_int_eq(PAPI_stop(set, &counted), PAPI_OK);
    ck_assert_int_eq(counted, 11);
    ck_assert_int_eq(counts_right(4, 2), 1);
    ck_assert_int_eq(PAPI_start(set), PAPI_OK);
    apples += 3;
    ck_assert_int_eq(PAPI_stop(set, &counted), PAPI_OK);
    ck_assert_int_eq(counted, 3);
    ck_assert_int_eq(told, 0);
}
END_TEST

static unsigned long own_id(void)
{
    return (unsigned long) pthread_self();
}

/* It initialises PAPI after us, with threads, unregisters one, shuts PAPI down and starts again. */
START_TEST(an_application_that_comes_and_goes)
{
    start("sde:::DAME::APPLES,sde:::DAME::PEARS");
    ck_assert_int_eq(counts_right(1, 2), 1);
    ck_assert_int_eq(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    ck_assert_int_eq(PAPI_thread_init(own_id), PAPI_OK);
    ck_assert_int_eq(counts_right(3, 4), 1);
    ck_assert_int_eq(PAPI_register_thread(), PAPI_OK);
    ck_assert_int_eq(PAPI_unregister_thread(), PAPI_OK);
    ck_assert_int_eq(counts_right(5, 6), 1);
    PAPI_shutdown();
    is_missed("PAPI is not initialised");
    is_missed("PAPI is not initialised");
}
END_TEST

START_TEST(a_child_of_fork_counts_nothing)
{
    start("sde:::DAME::APPLES,sde:::DAME::PEARS");
    ck_assert_int_eq(counts_right(1, 2), 1);
    const pid_t child = fork();
    if (child == 0) {
        dame_papi_use_t use;
        _exit(dame_counters_begin(&use));
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(counts_right(1, 2), 1);
}
END_TEST

#endif

int main(void)
{
    Suite *suite = suite_create("counters");
    TCase *tcase = tcase_create("counters");
    tcase_add_test(tcase, no_object);
    tcase_add_test(tcase, an_object_that_is_broken);
    tcase_add_test(tcase, an_object_of_another_version);
    tcase_add_test(tcase, no_events);
    tcase_add_test(tcase, an_event_that_does_not_exist);
    tcase_add_test(tcase, what_this_machine_has);
#ifdef HAVE_SDE
    tcase_add_test(tcase, what_is_done_in_a_use_is_counted);
    tcase_add_test(tcase, four_threads);
    tcase_add_test(tcase, an_application_that_counts);
    tcase_add_test(tcase, an_application_that_comes_and_goes);
    tcase_add_test(tcase, a_child_of_fork_counts_nothing);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    const int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
