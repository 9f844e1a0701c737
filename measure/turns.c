/* SPDX-License-Identifier: BSD-3-Clause */
#include "turns.h"

#include <stdlib.h>
#include <time.h>

static double turns_now(void)
{
    struct timespec time;
    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static double time_of_turn(const dame_turns_t *turns, int which, int64_t times)
{
    if (turns->prepare != NULL) {
        turns->prepare(turns->context, which);
    }
    const double timed =
        turns->run_timed == NULL ? -1 : turns->run_timed(turns->context, which, times);
    if (timed >= 0) {
        return timed;
    }
    const double start = turns_now();
    turns->run(turns->context, which, times);
    return turns_now() - start;
}

/* The number of runs in a sample; *seconds: their time. Twice timed, so that one interruption does
 * not make it too short. */
static int64_t calibrate(const dame_turns_t *turns, int which, double *seconds)
{
    int64_t times = 1;
    (void) time_of_turn(turns, which, 1);
    for (;;) {
        const double first = time_of_turn(turns, which, times);
        const double second = first < turns->sample ? first : time_of_turn(turns, which, times);
        *seconds = second < first ? second : first;
        if (*seconds >= turns->sample) {
            return times;
        }
        times *= *seconds < turns->sample / 4 ? 4 : 2;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static void run_rounds(dame_turns_t *turns, const int64_t *times)
{
    for (int round = 0; round < turns->rounds; round++) {
        for (int i = 0; i < turns->n; i++) {
            turns->samples[(size_t) i * (size_t) turns->rounds + (size_t) round] =
                time_of_turn(turns, i, times[i]) / (double) times[i];
        }
    }
    for (int i = 0; i < turns->n; i++) {
        qsort(turns->samples + (size_t) i * (size_t) turns->rounds, (size_t) turns->rounds,
              sizeof(double), compare_doubles);
    }
}

int dame_turns_run(dame_turns_t *turns)
{
    const dame_waited_t before = dame_waited_now();
    int64_t *times = calloc((size_t) turns->n, sizeof(*times));
    double round = 0;
    turns->samples = NULL;
    for (int i = 0; times != NULL && i < turns->n; i++) {
        double seconds;
        times[i] = calibrate(turns, i, &seconds);
        round += seconds;
    }
    const double rounds = round > 0 ? turns->seconds / round : turns->most;
    turns->rounds = rounds < turns->least  ? turns->least
                    : rounds > turns->most ? turns->most
                                           : (int) rounds;
    if (times != NULL) {
        turns->samples = calloc((size_t) turns->n * (size_t) turns->rounds, sizeof(double));
    }
    if (turns->samples != NULL) {
        run_rounds(turns, times);
    }
    free(times);
    turns->waited = dame_waited_since(before);
    return turns->samples == NULL ? -1 : 0;
}

double dame_turns_at(const dame_turns_t *turns, int which, double part)
{
    const double *of = turns->samples + (size_t) which * (size_t) turns->rounds;
    return of[(int) (part * (turns->rounds - 1) + 0.5)];
}

void dame_turns_free(dame_turns_t *turns)
{
    free(turns->samples);
    turns->samples = NULL;
}
