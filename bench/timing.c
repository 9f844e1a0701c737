/* SPDX-License-Identifier: BSD-3-Clause */
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lib/turns.h"
#include "measure/turns.h"
#include "options.h"

enum { SAMPLES = 7, SAMPLES_OF_TURN = 24, FEWEST = 4 };
static const double SAMPLE_SECONDS = 200e-6, SAMPLE_OF_TURN = 40e-6;
static const double SLOW_SECONDS = 2e-3; /* operations above get fewer samples */

double timing_warming;
void (*timing_prepare)(const struct job *job);

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
        if (memcmp(expected, packed, layout->bytes) != 0) {
            bench_fail(layout, timings[k].kind);
        }
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
        if (layout_differs(side, expected, &offset) >= 0) {
            bench_fail(layout, timings[k].kind);
        }
    }
    free(expected);
}

/* The timings of a job. */
struct contest {
    const struct timing *timings;
    const struct job *job;
};

static void run(void *context, int which, int64_t times)
{
    const struct contest *contest = context;

    for (int64_t i = 0; i < times; i++) {
        contest->timings[which].run(contest->job);
    }
}

static void prepare(void *context, int which)
{
    const struct contest *contest = context;

    (void) which;
    timing_prepare(contest->job);
}

void timing_print(const char *layout, const char *what, const struct timing *timings, int n,
                  const struct job *job)
{
    struct contest contest = {timings, job};
    const bool in_turns = turns_count() > 1;
    dame_turns_t turns = {.n = n,
                          .run = run,
                          .context = &contest,
                          .prepare = timing_prepare != NULL ? prepare : NULL,
                          .sample = timing_prepare != NULL ? 0
                                    : in_turns             ? SAMPLE_OF_TURN
                                                           : SAMPLE_SECONDS,
                          .seconds = n * SAMPLES * SLOW_SECONDS,
                          .least = FEWEST,
                          .most = in_turns && timing_prepare == NULL ? SAMPLES_OF_TURN : SAMPLES};

    for (int k = 0; k < n; k++) {
        for (const double start = bench_now(); bench_now() - start < timing_warming;) {
            timings[k].run(job);
        }
    }
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        if (dame_turns_run(&turns) != 0) {
            fprintf(stderr, "%s: out of memory\n", layout);
            exit(1);
        }
        for (int s = 0; s < turns.rounds; s++) {
            for (int k = 0; k < n; k++) {
                printf("%s %s %s %.2f\n", layout, what, timings[k].kind,
                       1e9 * turns.samples[k * turns.rounds + s]);
            }
        }
        dame_turns_free(&turns);
        turns_next();
    }
}
