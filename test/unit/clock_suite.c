/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock runs forward, at the rate that it says. */
#define _GNU_SOURCE /* syscall */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/clock.h"
#include "suites.h"

TEST(it_has_a_name_and_a_rate)
{
    const char *name = dame_clock_name();
    ck_assert(strcmp(name, "tsc") == 0 || strcmp(name, "cntvct") == 0 ||
              strcmp(name, "clock_gettime") == 0);
    ck_assert_int_ge(dame_clock_hz(), 1000000);
    ck_assert_int_eq(dame_clock_hz(), dame_clock_hz());
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static double in_ns(int64_t ticks)
{
    return 1e9 * (double) ticks / (double) dame_clock_hz();
}

/* One interval lies inside the other, so that a pause of this process between two readings does no
 * harm. The rate is known to 0.1 %. */
TEST(ticks_and_nanoseconds_agree)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int64_t ns = nanoseconds();
    int64_t ticks = dame_clock_now();
    nanosleep(&pause, NULL);
    ticks = dame_clock_now() - ticks;
    ns = nanoseconds() - ns;
    ck_assert_double_le(in_ns(ticks), 1.01 * (double) ns);
    ticks = dame_clock_now();
    ns = nanoseconds();
    nanosleep(&pause, NULL);
    ns = nanoseconds() - ns;
    ticks = dame_clock_now() - ticks;
    ck_assert_double_ge(in_ns(ticks), 0.99 * (double) ns);
}

/* ---- Interrupted readings ---- */

enum { NONE, FIRST, LATER };     /* later: than the rate takes to measure */
static int which, is_after;      /* the reading that something else comes before, or after */
static int64_t back;             /* seconds by which the clock went back */
static struct timespec begun_at; /* the first reading */

static int is_interrupted(const struct timespec *now)
{
    const int64_t since =
        (now->tv_sec - begun_at.tv_sec) * INT64_C(1000000000) + now->tv_nsec - begun_at.tv_nsec;
    const int is_it = which == (begun_at.tv_sec == 0 ? FIRST : since >= 100000 ? LATER : -1);
    begun_at = begun_at.tv_sec == 0 ? *now : begun_at;
    which = is_it ? NONE : which;
    return is_it;
}

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    long rc = syscall(SYS_clock_gettime, clock, now);
    now->tv_sec -= back;
    if (which != NONE && is_interrupted(now)) {
        nanosleep(&pause, NULL);
        rc = is_after ? rc : syscall(SYS_clock_gettime, clock, now);
    }
    return (int) rc;
}

/* For 50 times as long as the rate is measured. */
LOOP_TEST(the_rate_is_right_if_a_reading_is_interrupted, 4)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    is_after = _i % 2;
    which = 1 + _i / 2;
    (void) dame_clock_now();
    if (dame_clock_source != DAME_CLOCK_COUNTER) {
        return;
    }
    const double measured = (double) dame_clock_measured_hz();
    ck_assert_int_eq(which, NONE);
    const int64_t ns = nanoseconds(), ticks = dame_clock_now();
    nanosleep(&pause, NULL);
    const double right = 1e9 * (double) (dame_clock_now() - ticks) / (double) (nanoseconds() - ns);
    ck_assert_double_le(measured, 1.5 * right);
    ck_assert_double_ge(measured, right / 1.5);
}

/* As in a virtual machine that was moved. */
TEST(there_is_a_rate_if_the_clock_went_back)
{
    (void) dame_clock_now();
    if (dame_clock_source == DAME_CLOCK_COUNTER) {
        alarm(5); /* it is not waited for */
        back = 36000;
        ck_assert_int_eq(dame_clock_measured_hz(), 1000000000);
        back = -36000;
        ck_assert_int_gt(dame_clock_measured_hz(), 0);
        alarm(0);
        back = 0;
    }
}

static void *runs_forward(void *failures)
{
    int64_t last = dame_clock_now();
    for (int i = 0; i < 100000; i++) {
        const int64_t now = dame_clock_now();
        *(int *) failures += now < last;
        last = now;
    }
    return NULL;
}

/* The first use chooses the source; here four threads do so at once. */
TEST(it_runs_forward_in_four_threads)
{
    pthread_t threads[4];
    int failures[5] = {0};
    dame_clock_source = DAME_CLOCK_UNKNOWN;
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, runs_forward, &failures[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(failures[i], 0);
    }
    dame_clock_source = DAME_CLOCK_SYSTEM; /* as on a CPU with a counter that changes its rate */
    ck_assert_str_eq(dame_clock_name(), "clock_gettime");
    ck_assert_int_eq(dame_clock_hz(), 1000000000);
    runs_forward(&failures[4]);
    ck_assert_int_eq(failures[4], 0);
}

SUITE_OF(clock, 1, NULL, NULL)
