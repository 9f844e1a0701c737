/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a datatype costs besides its use: making it, its first use, its memory. One process of
 * bench/run.
 *
 *   import_worker [--layout NAME]… [--quick] [--anchors] [--list]
 *
 * Prints "layout NAME BYTES" for each layout and then, in each turn (lib/turns.h), one line per
 * sample:
 *
 *   NAME type KIND NANOSECONDS
 *
 * KIND: create     MPI_Type_… of the send type with all inner types, and MPI_Type_commit
 *       free       MPI_Type_free of a type that was never used
 *       first      the first MPI_Pack of a fresh type minus the median of the next ones: what the
 *                  engine does once per type (DAME: import and build)
 *       free_used  MPI_Type_free of a type that was used
 *
 * and for the layout of a million entries, in bytes per entry, the growth of the resident set:
 *
 *   NAME memory create|first BYTES
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
#include "bench/lib/turns.h"
#include "options.h"

enum { BATCH_MAX = 256, SAMPLES = 15, FIRST_MAX = 101, FIRST_MIN = 5, STEADY = 5 };
static const double SAMPLE_SECONDS = 100e-6;
static const double FIRST_SECONDS = 5e-3; /* for all fresh types of one layout, in a turn */
static const char *const MEMORY_LAYOUT = "indexed_1000000";
static const double MEMORY_ENTRIES = 1e6;

struct job {
    const struct layout *layout;
    const struct layout_side *side;
    void *packed;
};

static void print_sample(const struct job *job, const char *kind, double seconds)
{
    printf("%s type %s %.1f\n", job->layout->spec->name, kind, 1e9 * seconds);
}

/* ---- making types ---- */

/* Makes and frees n types; adds the two times. */
static void make_batch(const struct job *job, int n, double *create, double *free_unused)
{
    MPI_Datatype types[BATCH_MAX];
    const double start = bench_now();
    double middle;

    for (int i = 0; i < n; i++) {
        job->layout->spec->make_type(job->layout, LAYOUT_SEND, &types[i]);
    }
    middle = bench_now();
    for (int i = 0; i < n; i++) {
        MPI_Type_free(&types[i]);
    }
    *create = middle - start;
    *free_unused = bench_now() - middle;
}

static void measure_making(const struct job *job)
{
    double create, free_unused;
    int n = 1;

    for (;;) {
        make_batch(job, n, &create, &free_unused);
        if (create >= SAMPLE_SECONDS || n == BATCH_MAX) {
            break;
        }
        n *= 2;
    }
    for (int s = 0; s < SAMPLES; s++) {
        make_batch(job, n, &create, &free_unused);
        print_sample(job, "create", create / n);
        print_sample(job, "free", free_unused / n);
    }
}

/* ---- first use ---- */

static double time_pack(const struct job *job, MPI_Datatype type)
{
    const double start = bench_now();
    int position = 0;

    MPI_Pack(job->side->base, 1, type, job->packed, (int) job->layout->bytes, &position,
             MPI_COMM_SELF);
    return bench_now() - start;
}

static void measure_first_use(const struct job *job)
{
    const double start = bench_now();

    for (int i = 0; i < FIRST_MAX && (i < FIRST_MIN || bench_now() - start < FIRST_SECONDS); i++) {
        double first, steady[STEADY], before_free;
        MPI_Datatype type;
        job->layout->spec->make_type(job->layout, LAYOUT_SEND, &type);
        first = time_pack(job, type);
        for (int s = 0; s < STEADY; s++) {
            steady[s] = time_pack(job, type);
        }
        print_sample(job, "first", first - bench_median(steady, STEADY));
        before_free = bench_now();
        MPI_Type_free(&type);
        print_sample(job, "free_used", bench_now() - before_free);
    }
}

/* ---- memory ---- */

/* Arrays and packed buffer are resident before: the hand-written pack has touched them. */
static void measure_memory(const struct job *job)
{
    double before, created, used;
    MPI_Datatype type;

    before = bench_resident();
    job->layout->spec->make_type(job->layout, LAYOUT_SEND, &type);
    created = bench_resident();
    time_pack(job, type);
    used = bench_resident();
    MPI_Type_free(&type);
    printf("%s memory create %.2f\n", job->layout->spec->name, (created - before) / MEMORY_ENTRIES);
    printf("%s memory first %.2f\n", job->layout->spec->name, (used - created) / MEMORY_ENTRIES);
}

/* ---- main ---- */

static void measure_layout(const struct layout_spec *spec)
{
    struct layout *layout = layout_create(spec, LAYOUT_ON_LINE);
    const struct job job = {layout, &layout->side[LAYOUT_SEND], layout_buffer(layout->bytes)};

    printf("layout %s %zu\n", spec->name, layout->bytes);
    job.side->pack(job.side->plan, job.packed);
    if (strcmp(spec->name, MEMORY_LAYOUT) == 0) {
        measure_memory(&job);
    }
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        measure_making(&job);
        measure_first_use(&job);
        turns_next();
    }
    free(job.packed);
    layout_free(layout);
}

/* Lets the engine do its set-up of the process. */
static void warm_up(void)
{
    double numbers[8] = {0}, packed[2];
    int position = 0;
    MPI_Datatype type;

    MPI_Type_vector(2, 1, 4, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Pack(numbers, 1, type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    warm_up();
    return options_run(argc, argv, measure_layout, NULL);
}
