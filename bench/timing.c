#include "timing.h"

#include <math.h>
#include <stdio.h>

#include "options.h"

int timing_samples = 7;

static const double SAMPLE_SECONDS = 200e-6;
static const double SLOW_SECONDS = 2e-3; /* operations above get fewer samples */

double timing_warming;

static double time_of(const struct timing *timing, const struct job *job, long repetitions)
{
    const double start = bench_now();

    for (long r = 0; r < repetitions; r++)
        timing->run(job);
    return bench_now() - start;
}

/* The number of repetitions that takes SAMPLE_SECONDS. Timed twice, so that one interruption does
 * not make it too small. */
static long calibrate(const struct timing *timing, const struct job *job)
{
    long repetitions = 1;

    timing->run(job);
    for (;;) {
        double seconds = time_of(timing, job, repetitions);
        if (seconds >= SAMPLE_SECONDS)
            seconds = fmin(seconds, time_of(timing, job, repetitions));
        if (seconds >= SAMPLE_SECONDS)
            return repetitions;
        repetitions *= seconds < SAMPLE_SECONDS / 4 ? 4 : 2;
    }
}

void timing_print(const char *layout, const char *what, struct timing *timings, int n,
                  const struct job *job)
{
    int samples = timing_samples;

    for (int k = 0; k < n; k++) {
        for (const double start = bench_now(); bench_now() - start < timing_warming;)
            timings[k].run(job);
        timings[k].repetitions = calibrate(&timings[k], job);
        if (1 == timings[k].repetitions && time_of(&timings[k], job, 1) > SLOW_SECONDS)
            samples = (timing_samples + 1) / 2;
    }
    for (int s = 0; s < samples; s++)
        for (int k = 0; k < n; k++)
            printf("%s %s %s %.2f\n", layout, what, timings[k].kind,
                   1e9 * time_of(&timings[k], job, timings[k].repetitions) /
                       (double) timings[k].repetitions);
}
