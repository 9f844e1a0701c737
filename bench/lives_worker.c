/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole lives of datatypes that are made, used n times and freed. One process of
 * bench/run.
 *
 *   lives_worker [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Prints "layout NAME BYTES" for each layout and then one line per sample:
 *
 *   NAME pack|unpack N life|hand NANOSECONDS
 *
 * life: with N uses: all constructors of the send type, MPI_Type_commit, N times MPI_Pack or
 * MPI_Unpack, and MPI_Type_free. hand: N times the hand-written loop, with its lists made before.
 */
#include <stdio.h>

#include "layouts.h"
#include "options.h"

enum { SAMPLES = 5, SAMPLES_LONG = 1 };
static const double SAMPLE_SECONDS = 100e-6;
static const double LONG_SECONDS = 20e-3; /* lives above get SAMPLES_LONG samples */
static const int uses[] = {1, 2, 3, 5, 10, 20, 50, 100, 1000};

struct job {
    struct layout *layout;
    const struct layout_side *side;
    unsigned char *packed;
};

static void live_by_hand(const struct job *job, bool unpack, int n)
{
    for (int i = 0; i < n; i++) {
        if (unpack) {
            job->side->unpack(job->side->plan, job->packed);
        } else {
            job->side->pack(job->side->plan, job->packed);
        }
    }
}

static void live(const struct job *job, bool unpack, int n)
{
    const int bytes = (int) job->layout->bytes;
    MPI_Datatype type;

    job->layout->spec->make_type(job->layout, LAYOUT_SEND, &type);
    for (int i = 0; i < n; i++) {
        int at = 0;
        if (unpack) {
            MPI_Unpack(job->packed, bytes, &at, job->side->base, job->side->count, type,
                       MPI_COMM_SELF);
        } else {
            MPI_Pack(job->side->base, job->side->count, type, job->packed, bytes, &at,
                     MPI_COMM_SELF);
        }
    }
    MPI_Type_free(&type);
}

typedef void live_fn(const struct job *job, bool unpack, int n);

static double time_of(live_fn *lives_once, const struct job *job, bool unpack, int n, long lives)
{
    const double start = bench_now();

    for (long i = 0; i < lives; i++) {
        lives_once(job, unpack, n);
    }
    return bench_now() - start;
}

static void measure(const char *kind, live_fn *lives_once, const struct job *job, bool unpack,
                    int n)
{
    double seconds = time_of(lives_once, job, unpack, n, 1);
    long lives = 1;
    const int samples = seconds > LONG_SECONDS ? SAMPLES_LONG : SAMPLES;

    while (seconds < SAMPLE_SECONDS) {
        lives *= 2;
        seconds = time_of(lives_once, job, unpack, n, lives);
    }
    for (int s = 0; s < samples; s++) {
        printf("%s %s %d %s %.1f\n", job->layout->spec->name, unpack ? "unpack" : "pack", n, kind,
               1e9 * time_of(lives_once, job, unpack, n, lives) / (double) lives);
    }
}

static void measure_layout(const struct layout_spec *spec)
{
    struct job job = {.layout = layout_create(spec, LAYOUT_OFF_LINE)};

    job.side = &job.layout->side[LAYOUT_SEND];
    job.packed = layout_packed(job.layout, job.layout->bytes);
    printf("layout %s %zu\n", spec->name, job.layout->bytes);
    layout_fill_bytes(job.packed, job.layout->bytes, 1);
    for (int unpack = 0; unpack < 2; unpack++) {
        for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
            measure("life", live, &job, unpack, uses[i]);
        }
    }
    for (int unpack = 0; unpack < 2; unpack++) {
        for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
            measure("hand", live_by_hand, &job, unpack, uses[i]);
        }
    }
    layout_free(job.layout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return options_run(argc, argv, measure_layout, NULL);
}
