#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

int timing_samples = 7;

static const double SAMPLE_SECONDS = 200e-6;
static const double SLOW_SECONDS = 2e-3; /* operations above get fewer samples */

double timing_warming;

void timing_check_pack(struct layout *layout, unsigned char *packed, const struct timing *timings,
                       int n, const struct job *job)
{
    unsigned char *expected = layout_buffer(layout->bytes);

    layout_fill(&layout->side[LAYOUT_SEND], 1);
    timings[0].run(job);
    memcpy(expected, packed, layout->bytes);
    for (int k = 1; k < n; k++) {
        memset(packed, 0, layout->bytes);
        timings[k].run(job);
        if (0 != memcmp(expected, packed, layout->bytes))
            bench_fail(layout, timings[k].kind);
    }
    free(expected);
}

void timing_check_unpack(struct layout *layout, unsigned char *packed, const struct timing *timings,
                         int n, const struct job *job)
{
    struct layout_side *side = &layout->side[LAYOUT_SEND];
    unsigned char *expected;
    size_t offset;

    layout_fill_bytes(packed, layout->bytes, 2);
    layout_clear(side);
    timings[0].run(job);
    expected = layout_snapshot(side);
    for (int k = 1; k < n; k++) {
        layout_clear(side);
        timings[k].run(job);
        if (layout_differs(side, expected, &offset) >= 0)
            bench_fail(layout, timings[k].kind);
    }
    free(expected);
}

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
            samples = timing_samples / 2;
    }
    for (int s = 0; s < samples; s++)
        for (int k = 0; k < n; k++)
            printf("%s %s %s %.2f\n", layout, what, timings[k].kind,
                   1e9 * time_of(&timings[k], job, timings[k].repetitions) /
                       (double) timings[k].repetitions);
}
