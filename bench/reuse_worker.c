/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole lives of datatypes with 1 to 1,000,000 uses, each of a layout that the process has not seen
 * before. One process of the interleaved runs of bench/reuse.
 *
 *   reuse_worker [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Prints "layout NAME BYTES" for each layout and then one line per sample:
 *
 *   NAME pack|unpack N NANOSECONDS         a life with N uses: all constructors of the send type,
 *                                          MPI_Type_commit, N times MPI_Pack or MPI_Unpack, and
 *                                          MPI_Type_free
 *
 * A layout is new because its elements are a few lines further apart than before; a message has one
 * element, so the bytes that move are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
#include "options.h"

enum { MOST_LIVES = 31, FEWEST_LIVES = 3 };
static const double SAMPLE_SECONDS = 1e-3; /* of all lives with one number of uses */
static const double INTERRUPTED = 3;       /* times the median: is not counted */
static const double LONG_LIFE = 20e-3;     /* above, one life is a sample */
static const double LONGEST_LIFE = 300e-3; /* longer ones are left out */
static const long uses[] = {1, 2, 3, 5, 10, 30, 100, 1000, 10000, 100000, 1000000};
enum { USES = sizeof(uses) / sizeof(uses[0]) };

struct job {
    struct layout *layout;
    const struct layout_side *side;
    unsigned char *packed;
    bool unpack;
};

/* A type of one element that no other type of this process is like. */
static MPI_Datatype new_type(const struct job *job)
{
    static MPI_Aint number;
    MPI_Datatype send, message, type;
    MPI_Aint lb, extent;

    job->layout->spec->make_type(job->layout, LAYOUT_SEND, &send);
    MPI_Type_contiguous(job->side->count, send, &message);
    MPI_Type_get_extent(message, &lb, &extent);
    MPI_Type_create_resized(message, lb, extent + 64 * ++number, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&message);
    MPI_Type_free(&send);
    return type;
}

static double live(const struct job *job, long n)
{
    const int bytes = (int) job->layout->bytes;
    const double start = bench_now();
    MPI_Datatype type = new_type(job);

    for (long i = 0; i < n; i++) {
        int at = 0;
        if (job->unpack) {
            MPI_Unpack(job->packed, bytes, &at, job->side->base, 1, type, MPI_COMM_SELF);
        } else {
            MPI_Pack(job->side->base, 1, type, job->packed, bytes, &at, MPI_COMM_SELF);
        }
    }
    MPI_Type_free(&type);
    return bench_now() - start;
}

/* The mean of the uninterrupted ones. When a datatype is promoted is drawn for each layout, so
 * lives differ. */
static double mean_life(const double *seconds, int lives)
{
    double sorted[MOST_LIVES], sum = 0;
    int n = 0;

    memcpy(sorted, seconds, (size_t) lives * sizeof(seconds[0]));
    const double median = bench_median(sorted, lives);
    for (int i = 0; i < lives; i++) {
        if (seconds[i] < INTERRUPTED * median) {
            sum += seconds[i];
            n++;
        }
    }
    return sum / n;
}

/* Returns the seconds of a life. */
static double measure(const struct job *job, long n)
{
    double seconds[MOST_LIVES], all = 0;
    int lives = 0;

    while ((lives < FEWEST_LIVES && all < LONG_LIFE) ||
           (lives < MOST_LIVES && all < SAMPLE_SECONDS)) {
        seconds[lives] = live(job, n);
        all += seconds[lives++];
    }
    const double mean = mean_life(seconds, lives);
    printf("%s %s %ld %.1f\n", job->layout->spec->name, job->unpack ? "unpack" : "pack", n,
           1e9 * mean);
    return mean;
}

static void measure_layout(const struct layout_spec *spec)
{
    struct job job = {.layout = layout_create(spec, LAYOUT_OFF_LINE)};

    job.side = &job.layout->side[LAYOUT_SEND];
    job.packed = layout_packed(job.layout, job.layout->bytes);
    printf("layout %s %zu\n", spec->name, job.layout->bytes);
    layout_fill_bytes(job.packed, job.layout->bytes, 1);
    for (int unpack = 0; unpack < 2; unpack++) {
        job.unpack = 0 != unpack;
        live(&job, 100); /* warms caches, and gets memory for machine code */
        for (int i = 0; i < USES; i++) {
            const double taken = measure(&job, uses[i]);
            if (i + 1 < USES && taken * (double) uses[i + 1] / (double) uses[i] > LONGEST_LIFE) {
                break;
            }
        }
    }
    layout_free(job.layout);
}

int main(int argc, char **argv)
{
    struct options options = {0};

    MPI_Init(&argc, &argv);
    if (!options_read(&options, argc, argv)) {
        MPI_Finalize();
        return 2;
    }
    if (options.list) {
        options_list(&options);
    } else {
        for (int l = 0; l < layouts_count(); l++) {
            if (options_select(&options, layouts_get(l))) {
                measure_layout(layouts_get(l));
            }
        }
    }
    MPI_Finalize();
    return 0;
}
