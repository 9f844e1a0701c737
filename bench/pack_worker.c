/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times MPI_Pack and MPI_Unpack of the layouts beside the hand-written loops; one process of
 * bench/run.
 *
 *   pack_worker [--layout NAME]… [--quick] [--anchors] [--short] [--fragment BYTES]
 *               [--place on|off|both] [--warm MILLISECONDS] [--limit]
 *               [--cold data|all] [--list]
 *
 * Does each layout twice, or as --place says: with buffers on cache lines, and off them
 * (layouts.h), which "/off" behind its name tells. Prints "layout NAME BYTES" and then one line per
 * sample:
 *
 *   NAME pack|unpack KIND NANOSECONDS         for one operation
 *
 * KIND: hand        the loop of hand.c
 *       mpi         MPI_Pack or MPI_Unpack of the whole message
 *       fragments   Open MPI's convertor in fragments of 8 KiB (--fragment), as a PML uses it; for
 *                   messages above that
 *       one         the same in one fragment, to know what the cutting costs
 *       limit       with --limit: each cache line touched and each packed byte moved once (limit.h)
 *
 * All kinds work on the send type and are sampled in turn (timing.h), with warm caches. With --cold
 * data, user arrays and packed bytes are out of the caches when a sample begins (where the CPU can
 * do that, else nothing is measured); with --cold all, also datatypes, lists and code (cool.h).
 * Before timing, every kind's result is compared with the hand-written one; a difference ends the
 * job.
 */
#include <stdio.h>
#include <string.h>

#include "cool.h"
#include "layouts.h"
#include "limit.h"
#include "options.h"
#include "timing.h"
#ifdef BENCH_FRAGMENTS
#include "fragments.h"
#endif

enum { DEFAULT_FRAGMENT = 8192 };

static size_t fragment; /* bytes */
static bool limits;

struct job {
    struct layout *layout;
    struct layout_side *side;
    unsigned char *packed;
    limit_t *limit; /* NULL: not measured */
    char name[64];  /* of its rows */
};

struct kind {
    const char *name;
    void (*pack)(const struct job *job);
    void (*unpack)(const struct job *job);
};

/* ---- the operations ---- */

static void hand_pack(const struct job *job)
{
    job->side->pack(job->side->plan, job->packed);
}

static void hand_unpack(const struct job *job)
{
    job->side->unpack(job->side->plan, job->packed);
}

static void mpi_pack(const struct job *job)
{
    int position = 0;

    MPI_Pack(job->side->base, job->side->count, job->side->type, job->packed,
             (int) job->layout->bytes, &position, MPI_COMM_SELF);
}

static void mpi_unpack(const struct job *job)
{
    int position = 0;

    MPI_Unpack(job->packed, (int) job->layout->bytes, &position, job->side->base, job->side->count,
               job->side->type, MPI_COMM_SELF);
}

#ifdef BENCH_FRAGMENTS
static void pack_cut(const struct job *job, size_t cut)
{
    size_t size = job->layout->bytes;

    if (dt_fragments_pack(job->side->base, job->side->count, job->side->type, job->packed, cut,
                          &size) != 0 ||
        size != job->layout->bytes)
        bench_fail(job->layout, "dt_fragments_pack");
}

static void unpack_cut(const struct job *job, size_t cut)
{
    if (dt_fragments_unpack(job->side->base, job->side->count, job->side->type, job->packed,
                            job->layout->bytes, cut) != 0)
        bench_fail(job->layout, "dt_fragments_unpack");
}

static void fragments_pack(const struct job *job)
{
    pack_cut(job, fragment);
}

static void fragments_unpack(const struct job *job)
{
    unpack_cut(job, fragment);
}

static void one_pack(const struct job *job)
{
    pack_cut(job, job->layout->bytes);
}

static void one_unpack(const struct job *job)
{
    unpack_cut(job, job->layout->bytes);
}
#endif

static const struct kind kinds[] = {
    /* the first is what the others are checked by */
    {"hand", hand_pack, hand_unpack},
    {"mpi", mpi_pack, mpi_unpack},
#ifdef BENCH_FRAGMENTS
    {"fragments", fragments_pack, fragments_unpack},
    {"one", one_pack, one_unpack},
#endif
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), KINDS_UNCUT = 2 };

/* A message that fits into one fragment is not measured in fragments. */
static int kinds_of(const struct layout *layout)
{
    return layout->bytes > fragment ? KINDS : KINDS_UNCUT;
}

static void pack_at_least(const struct job *job)
{
    limit_pack(job->limit);
}

static void unpack_at_least(const struct job *job)
{
    limit_unpack(job->limit);
}

/* ---- cold caches ---- */

static void cool_data(const struct job *job)
{
    for (int a = 0; a < job->side->arrays; a++) {
        cool_lines(job->side->array[a].bytes, job->side->array[a].size);
    }
    cool_lines(job->packed, job->layout->bytes);
}

static void cool_everything(const struct job *job)
{
    (void) job;
    cool_all();
}

/* ---- timing ---- */

static void measure(const struct job *job, bool unpack)
{
    const int n = kinds_of(job->layout);
    struct timing timings[KINDS + 1];

    for (int k = 0; k < n; k++) {
        timings[k] =
            (struct timing){.kind = kinds[k].name, .run = unpack ? kinds[k].unpack : kinds[k].pack};
    }
    (unpack ? timing_check_unpack : timing_check_pack)(job->layout, job->packed, timings, n, job);
    const int with_limit = job->limit != NULL;
    if (with_limit) { /* it puts nothing in place */
        timings[n] =
            (struct timing){.kind = "limit", .run = unpack ? unpack_at_least : pack_at_least};
    }
    timing_print(job->name, unpack ? "unpack" : "pack", timings, n + with_limit, job);
}

static void measure_layout(const struct layout_spec *spec, enum layout_place place)
{
    if (cool_data == timing_prepare && !cool_can_flush()) {
        return;
    }
    struct job job = {.layout = layout_create(spec, place)};

    job.side = &job.layout->side[LAYOUT_SEND];
    job.packed = layout_packed(job.layout, job.layout->bytes);
    snprintf(job.name, sizeof(job.name), "%s%s", spec->name,
             place == LAYOUT_OFF_LINE ? "/off" : "");
    printf("layout %s %zu\n", job.name, job.layout->bytes);
    job.limit = limits ? limit_new(job.layout, LAYOUT_SEND, job.packed) : NULL;
    measure(&job, false);
    measure(&job, true);
    limit_free(job.limit);
    layout_free(job.layout);
}

static void prepare(const struct options *options)
{
    fragment = (size_t) options->fragment;
    limits = options->limit;
    if (options->cold != NULL) {
        timing_prepare = strcmp(options->cold, "data") == 0 ? cool_data : cool_everything;
    }
    timing_warming = 1e-3 * (double) options->warm;
}

int main(int argc, char **argv)
{
    struct options options = {.fragment = DEFAULT_FRAGMENT, .places = OPTIONS_ON | OPTIONS_OFF};

    MPI_Init(&argc, &argv);
    return options_run(&options, argc, argv, prepare, measure_layout);
}
