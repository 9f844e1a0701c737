/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times Open MPI's own engine and the one that the process uses on the same buffers, in turns; one
 * process of the runs of bench/turns.
 *
 *   turns_worker [--layout NAME]… [--quick] [--anchors] [--short] [--fragment BYTES]
 *                [--place on|off|both] [--warm MILLISECONDS] [--list]
 *
 * Prints "layout NAME BYTES" for each layout, "/off" behind its name for buffers off cache lines
 * (layouts.h), and then one line per sample:
 *
 *   NAME pack|unpack KIND:CUT NANOSECONDS     for one message
 *
 * KIND: native      Open MPI's own engine, whatever component is chosen
 *       dame        what the process uses: DAME, if it is chosen
 *       hand        the loop of hand.c, for whole messages
 * CUT:  whole, or with --fragment its bytes, of messages that have several such fragments
 *
 * A process does one of the two, and should have its buffers in one place (--place), because DAME
 * makes one choice for all messages of a layout.
 *
 * Both engines are driven through a convertor, so that MPI_Pack's share is in neither time. Results
 * are compared first; a difference ends the job.
 */
#include <limits.h>
#include <stdio.h>

#include "fragments.h"
#include "layouts.h"
#include "options.h"
#include "timing.h"

enum { SAMPLES = 41 };
#define WHOLE LONG_MAX

struct job {
    struct layout *layout;
    struct layout_side *side;
    unsigned char *packed;
    size_t cut; /* bytes */
};

static void pack(const struct job *job)
{
    size_t size;

    if (0 != dt_fragments_pack(job->side->base, job->side->count, job->side->type, job->packed,
                               job->cut, &size)) {
        bench_fail(job->layout, "dt_fragments_pack");
    }
}

static void unpack(const struct job *job)
{
    if (0 != dt_fragments_unpack(job->side->base, job->side->count, job->side->type, job->packed,
                                 job->layout->bytes, job->cut)) {
        bench_fail(job->layout, "dt_fragments_unpack");
    }
}

static void choose(bool native)
{
    if (0 != dt_fragments_native(native)) {
        fprintf(stderr, "turns_worker: Open MPI's own engine cannot be reached\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void native_pack(const struct job *job)
{
    choose(true);
    pack(job);
}

static void native_unpack(const struct job *job)
{
    choose(true);
    unpack(job);
}

static void dame_pack(const struct job *job)
{
    choose(false);
    pack(job);
}

static void dame_unpack(const struct job *job)
{
    choose(false);
    unpack(job);
}

static void hand_pack(const struct job *job)
{
    job->side->pack(job->side->plan, job->packed);
}

static void hand_unpack(const struct job *job)
{
    job->side->unpack(job->side->plan, job->packed);
}

enum { HAND, NATIVE, DAME, KINDS }; /* the first is what the others are checked by */
static const struct kind {
    const char *name;
    void (*run[2])(const struct job *job); /* pack, unpack */
} kinds[KINDS] = {
    {"hand", {hand_pack, hand_unpack}},
    {"native", {native_pack, native_unpack}},
    {"dame", {dame_pack, dame_unpack}},
};

/* ---- timing ---- */

static long fragment;  /* bytes, or WHOLE */
static double warming; /* seconds in which DAME chooses */

static void warm(const struct job *job, bool unpack)
{
    for (const double start = bench_now(); bench_now() - start < warming;) {
        kinds[DAME].run[unpack](job);
    }
}

static void measure(const struct job *job, const char *name)
{
    const bool is_whole = job->cut == job->layout->bytes;
    struct timing timings[KINDS];
    char labels[KINDS][32];

    for (int unpack = 0; unpack < 2; unpack++) {
        const int first = is_whole ? HAND : NATIVE;
        for (int k = 0; k < KINDS; k++) {
            snprintf(labels[k], sizeof(labels[k]), is_whole ? "%s:whole" : "%s:%zu", kinds[k].name,
                     job->cut);
            timings[k] = (struct timing){.kind = labels[k], .run = kinds[k].run[unpack]};
        }
        (unpack ? timing_check_unpack : timing_check_pack)(job->layout, job->packed, timings, KINDS,
                                                           job);
        warm(job, unpack);
        timing_print(name, unpack ? "unpack" : "pack", timings + first, KINDS - first, job);
    }
}

static void measure_layout(const struct layout_spec *spec, enum layout_place place)
{
    struct job job = {.layout = layout_create(spec, place)};
    const size_t bytes = job.layout->bytes;
    char name[64];

    job.side = &job.layout->side[LAYOUT_SEND];
    job.packed = layout_packed(job.layout, bytes);
    snprintf(name, sizeof(name), "%s%s", spec->name, LAYOUT_OFF_LINE == place ? "/off" : "");
    printf("layout %s %zu\n", name, bytes);
    job.cut = WHOLE == fragment ? bytes : (size_t) fragment;
    if (WHOLE == fragment || bytes > job.cut) {
        measure(&job, name);
    }
    layout_free(job.layout);
}

static void prepare(const struct options *options)
{
    fragment = options->fragment;
    warming = 1e-3 * (double) options->warm;
    timing_samples = SAMPLES;
}

int main(int argc, char **argv)
{
    struct options options = {.fragment = WHOLE, .places = OPTIONS_ON | OPTIONS_OFF};

    MPI_Init(&argc, &argv);
    return options_run_places(&options, argc, argv, prepare, measure_layout);
}
