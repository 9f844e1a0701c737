/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole lives of datatypes that are made, used n times and freed. One process of bench/run.
 *
 *   lives_worker [--new] [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Prints "layout NAME BYTES" for each layout and then, in each turn (lib/turns.h), one line per
 * sample:
 *
 *   NAME pack|unpack N life|hand NANOSECONDS
 *
 * life: with N uses: all constructors of the send type, MPI_Type_commit, N times MPI_Pack or
 * MPI_Unpack, and MPI_Type_free. hand: N times the hand-written loop, with its lists made before.
 *
 * --new: each life has a layout that the process has not seen, since its elements are a few lines
 * further apart than before; a message has one element, so the bytes that move are the same. N goes
 * up to a million, and nothing is done by hand. A sample is the mean of many lives: when a datatype
 * is promoted is drawn for each layout, so lives differ.
 */
#include <stdio.h>
#include <string.h>

#include "layouts.h"
#include "bench/lib/turns.h"
#include "options.h"

enum { SAMPLES = 5, SAMPLES_LONG = 1 };                /* alone; one in each turn */
static const double SAMPLE_SECONDS[] = {100e-6, 1e-3}; /* [--new] */
static const double LONG_SECONDS = 20e-3;              /* lives above get SAMPLES_LONG samples */
static const double MOST_BYTES = 100e6;                /* moved in a life of a new layout */
static const int uses[] = {1, 2, 3, 5, 10, 20, 50, 100, 1000, 10000, 100000, 1000000};
enum { USES = sizeof(uses) / sizeof(uses[0]), USES_KNOWN = 9 };

static bool is_new;

struct job {
    struct layout *layout;
    const struct layout_side *side;
    unsigned char *packed;
};

/* A type of one element that no other type of this process is like. */
static void make_new_type(const struct job *job, MPI_Datatype *type)
{
    static MPI_Aint number;
    MPI_Datatype send, message;
    MPI_Aint lb, extent;

    job->layout->spec->make_type(job->layout, LAYOUT_SEND, &send);
    MPI_Type_contiguous(job->side->count, send, &message);
    MPI_Type_get_extent(message, &lb, &extent);
    MPI_Type_create_resized(message, lb, extent + 64 * ++number, type);
    MPI_Type_commit(type);
    MPI_Type_free(&message);
    MPI_Type_free(&send);
}

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
    const int bytes = (int) job->layout->bytes, count = is_new ? 1 : job->side->count;
    MPI_Datatype type;

    if (is_new) {
        make_new_type(job, &type);
    } else {
        job->layout->spec->make_type(job->layout, LAYOUT_SEND, &type);
    }
    for (int i = 0; i < n; i++) {
        int at = 0;
        if (unpack) {
            MPI_Unpack(job->packed, bytes, &at, job->side->base, count, type, MPI_COMM_SELF);
        } else {
            MPI_Pack(job->side->base, count, type, job->packed, bytes, &at, MPI_COMM_SELF);
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
    const int samples = seconds > LONG_SECONDS || turns_count() > 1 ? SAMPLES_LONG : SAMPLES;

    while (seconds < SAMPLE_SECONDS[is_new]) {
        lives *= 2;
        seconds = time_of(lives_once, job, unpack, n, lives);
    }
    for (int s = 0; s < samples; s++) {
        seconds = time_of(lives_once, job, unpack, n, lives);
        printf("%s %s %d %s %.1f\n", job->layout->spec->name, unpack ? "unpack" : "pack", n, kind,
               1e9 * seconds / (double) lives);
    }
}

static void measure_lives(const char *kind, live_fn *lives_once, const struct job *job)
{
    for (int unpack = 0; unpack < 2; unpack++) {
        if (is_new) {
            lives_once(job, unpack, 100); /* warms caches, and gets memory for machine code */
        }
        for (int i = 0; i < (is_new ? USES : USES_KNOWN); i++) {
            if (!is_new || (double) uses[i] * (double) job->layout->bytes <= MOST_BYTES) {
                measure(kind, lives_once, job, unpack, uses[i]);
            }
        }
    }
}

static void measure_layout(const struct layout_spec *spec)
{
    struct job job = {.layout = layout_create(spec, LAYOUT_OFF_LINE)};

    job.side = &job.layout->side[LAYOUT_SEND];
    job.packed = layout_packed(job.layout, job.layout->bytes);
    printf("layout %s %zu\n", spec->name, job.layout->bytes);
    layout_fill_bytes(job.packed, job.layout->bytes, 1);
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        measure_lives("life", live, &job);
        if (!is_new) {
            measure_lives("hand", live_by_hand, &job);
        }
        turns_next();
    }
    layout_free(job.layout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    is_new = argc > 1 && strcmp(argv[1], "--new") == 0;
    if (is_new) {
        argv[1] = argv[0];
    }
    return options_run(argc - is_new, argv + is_new, measure_layout, NULL);
}
