/* The clock runs forward, at the rate that it says. */
#include <pthread.h>
#include <string.h>
#include <time.h>

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
    dame_clock_source = DAME_CLOCK_SYSTEM; /* as on a CPU whose counter changes its rate */
    ck_assert_str_eq(dame_clock_name(), "clock_gettime");
    ck_assert_int_eq(dame_clock_hz(), 1000000000);
    runs_forward(&failures[4]);
    ck_assert_int_eq(failures[4], 0);
}

SUITE_OF(clock, 1, NULL, NULL)
