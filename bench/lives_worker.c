/*
 * The whole lives of datatypes that are made, used n times and freed. One process of
 * bench/run.
 *
 *   lives_worker [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Prints "layout NAME BYTES" for each layout and then one line per sample:
 *
 *   NAME pack|unpack N NANOSECONDS         a life with N uses: all constructors of the send type,
 *                                          MPI_Type_commit, N times MPI_Pack or MPI_Unpack, and
 *                                          MPI_Type_free
 *
 * and at the end, in bytes per datatype, the growth of the resident set when many datatypes of few
 * layouts live, each used once:
 *
 *   living BYTES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void live(const struct job *job, bool unpack, int n)
{
    const int bytes = (int) job->layout->bytes;
    MPI_Datatype type;

    job->layout->spec->make_type(job->layout, LAYOUT_SEND, &type);
    for (int i = 0; i < n; i++) {
        int at = 0;
        if (unpack)
            MPI_Unpack(job->packed, bytes, &at, job->side->base, job->side->count, type,
                       MPI_COMM_SELF);
        else
            MPI_Pack(job->side->base, job->side->count, type, job->packed, bytes, &at,
                     MPI_COMM_SELF);
    }
    MPI_Type_free(&type);
}

static double time_of(const struct job *job, bool unpack, int n, long lives)
{
    const double start = bench_now();

    for (long i = 0; i < lives; i++)
        live(job, unpack, n);
    return bench_now() - start;
}

static void measure(const struct job *job, bool unpack, int n)
{
    double seconds = time_of(job, unpack, n, 1);
    long lives = 1;
    const int samples = seconds > LONG_SECONDS ? SAMPLES_LONG : SAMPLES;

    while (seconds < SAMPLE_SECONDS) {
        lives *= 2;
        seconds = time_of(job, unpack, n, lives);
    }
    for (int s = 0; s < samples; s++)
        printf("%s %s %d %.1f\n", job->layout->spec->name, unpack ? "unpack" : "pack", n,
               1e9 * time_of(job, unpack, n, lives) / (double) lives);
}

static void measure_layout(const struct layout_spec *spec)
{
    struct job job = {.layout = layout_create(spec, LAYOUT_OFF_LINE)};

    job.side = &job.layout->side[LAYOUT_SEND];
    job.packed = layout_packed(job.layout, job.layout->bytes);
    printf("layout %s %zu\n", spec->name, job.layout->bytes);
    layout_fill_bytes(job.packed, job.layout->bytes, 1);
    for (int unpack = 0; unpack < 2; unpack++)
        for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
            measure(&job, unpack, uses[i]);
    layout_free(job.layout);
}

static void measure_living(void)
{
    enum { LIVING = 100000, LAYOUTS = 100, MOST = 32 };
    static MPI_Datatype living[LIVING];
    static int memory[MOST * 32], packed[MOST];
    double before;

    memset(living, 1, sizeof(living)); /* resident from now on */
    before = bench_resident();
    for (int i = 0; i < LIVING; i++) {
        const int layout = i % LAYOUTS;
        int at = 0;
        MPI_Type_vector(4 + layout % 10, 1, 8 + layout / 10, MPI_INT, &living[i]);
        MPI_Type_commit(&living[i]);
        MPI_Pack(memory, 1, living[i], packed, sizeof(packed), &at, MPI_COMM_SELF);
    }
    printf("living %.1f\n", (bench_resident() - before) / LIVING);
    for (int i = 0; i < LIVING; i++)
        MPI_Type_free(&living[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return options_run(argc, argv, measure_layout, measure_living);
}
