/* SPDX-License-Identifier: BSD-3-Clause */
/* Alternatives take turns, as many as were asked for; nothing here depends on how long they take. */
#include "measure/turns.h"
#include "suites.h"

enum { ALTERNATIVES = 3, MOST_CALLS = 1000 };

typedef struct calls {
    int n;
    int which[MOST_CALLS];
    int64_t times[MOST_CALLS];
    int prepared; /* what the next run must be of; -1: nothing */
} calls_t;

static void prepare(void *context, int which)
{
    ((calls_t *) context)->prepared = which;
}

static void run(void *context, int which, int64_t times)
{
    calls_t *calls = context;
    ck_assert_int_eq(calls->prepared, which);
    ck_assert_int_lt(calls->n, MOST_CALLS);
    calls->prepared = -1;
    for (volatile int64_t i = 0; i < times; i++) {
    }
    calls->which[calls->n] = which;
    calls->times[calls->n++] = times;
}

static dame_turns_t turns_of(calls_t *calls, double sample, double seconds)
{
    *calls = (calls_t){.prepared = -1};
    return (dame_turns_t){.n = ALTERNATIVES,
                          .prepare = prepare,
                          .run = run,
                          .context = calls,
                          .sample = sample,
                          .seconds = seconds,
                          .least = 5,
                          .most = 40};
}

/* With samples of any length, one run is enough. */
TEST(each_round_has_a_sample_of_each)
{
    calls_t calls;
    dame_turns_t turns = turns_of(&calls, 0, 0);
    ck_assert_int_eq(dame_turns_run(&turns), 0);
    ck_assert_int_eq(turns.rounds, 5);
    const int first = calls.n - 5 * ALTERNATIVES; /* behind the calibration */
    ck_assert_int_eq(first, 3 * ALTERNATIVES);
    for (int i = first; i < calls.n; i++) {
        ck_assert_int_eq(calls.which[i], (i - first) % ALTERNATIVES);
        ck_assert_int_eq(calls.times[i], 1);
    }
    dame_turns_free(&turns);
    ck_assert_ptr_null(turns.samples);
}

TEST(there_are_no_more_rounds_than_asked_for)
{
    calls_t calls;
    dame_turns_t turns = turns_of(&calls, 0, 1e9);
    ck_assert_int_eq(dame_turns_run(&turns), 0);
    ck_assert_int_eq(turns.rounds, 40);
    dame_turns_free(&turns);
}

/* What takes some nanoseconds is repeated until it makes a sample, as often in every round. */
TEST(short_runs_are_repeated)
{
    calls_t calls;
    dame_turns_t turns = turns_of(&calls, 1e-3, 0);
    ck_assert_int_eq(dame_turns_run(&turns), 0);
    for (int i = calls.n - turns.rounds * ALTERNATIVES; i < calls.n - ALTERNATIVES; i++) {
        ck_assert_int_gt(calls.times[i], 1);
        ck_assert_int_eq(calls.times[i], calls.times[i + ALTERNATIVES]);
    }
    dame_turns_free(&turns);
}

TEST(parts_are_counted_from_the_fastest)
{
    double samples[2][5] = {{9, 9, 9, 9, 9}, {1, 2, 4, 8, 16}};
    const dame_turns_t turns = {.n = 2, .rounds = 5, .samples = samples[0]};
    ck_assert_double_eq(dame_turns_at(&turns, 1, 0), 1);
    ck_assert_double_eq(dame_turns_at(&turns, 1, 0.5), 4);
    ck_assert_double_eq(dame_turns_at(&turns, 1, 1), 16);
    ck_assert_double_eq(dame_turns_at(&turns, 0, 0.5), 9);
}

TEST(samples_are_in_order)
{
    calls_t calls;
    dame_turns_t turns = turns_of(&calls, 0, 1e9);
    ck_assert_int_eq(dame_turns_run(&turns), 0);
    for (int i = 0; i < ALTERNATIVES; i++) {
        for (int k = 1; k < turns.rounds; k++) {
            ck_assert_double_le(turns.samples[i * turns.rounds + k - 1],
                                turns.samples[i * turns.rounds + k]);
        }
    }
    dame_turns_free(&turns);
}

static void run_unprepared(void *context, int which, int64_t times)
{
    prepare(context, which);
    run(context, which, times);
}

/* One alternative times itself, and is not run. */
static double run_timed(void *context, int which, int64_t times)
{
    (void) context;
    return which == 1 ? 3.0 * (double) times : -1;
}

TEST(an_alternative_may_time_itself)
{
    calls_t calls;
    dame_turns_t turns = turns_of(&calls, 0, 0);
    turns.run_timed = run_timed;
    turns.prepare = NULL;
    turns.run = run_unprepared;
    ck_assert_int_eq(dame_turns_run(&turns), 0);
    ck_assert_double_eq(dame_turns_at(&turns, 1, 0), 3);
    ck_assert_double_eq(dame_turns_at(&turns, 1, 1), 3);
    for (int i = 0; i < calls.n; i++) {
        ck_assert_int_ne(calls.which[i], 1);
    }
    dame_turns_free(&turns);
}

SUITE_OF(turns, 1, NULL, NULL)
