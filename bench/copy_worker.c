/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times what a process sends to itself; one process of the figure `copy`.
 *
 *   copy_worker [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Prints "layout NAME BYTES" for each layout and then one line per sample:
 *
 *   NAME alltoall|sendrecv mpi NANOSECONDS         for one operation on MPI_COMM_SELF
 *
 * From one set of arrays to another of the same layout, with the send type on both sides. Layouts
 * with absolute addresses have one set only and are left out. The result is checked before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "layouts.h"
#include "options.h"
#include "timing.h"

struct job {
    const struct layout *layout;
    const struct layout_side *from;
    struct layout_side *to;
};

static void alltoall(const struct job *job)
{
    MPI_Alltoall(job->from->base, job->from->count, job->from->type, job->to->base,
                 job->from->count, job->from->type, MPI_COMM_SELF);
}

static void sendrecv(const struct job *job)
{
    MPI_Sendrecv(job->from->base, job->from->count, job->from->type, 0, 0, job->to->base,
                 job->from->count, job->from->type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(const struct job *job);
} operations[] = {{"alltoall", alltoall}, {"sendrecv", sendrecv}};

enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* All bytes of the arrays, gaps included. */
static void check(const struct job *job, int operation)
{
    unsigned char *packed = layout_buffer(job->layout->bytes);
    unsigned char *expected;
    size_t offset;

    job->from->pack(job->from->plan, packed);
    layout_clear(job->to);
    job->to->unpack(job->to->plan, packed);
    expected = layout_snapshot(job->to);
    layout_clear(job->to);
    operations[operation].run(job);
    if (layout_differs(job->to, expected, &offset) >= 0) {
        bench_fail(job->layout, operations[operation].name);
    }
    free(expected);
    free(packed);
}

static void measure_layout(const struct layout_spec *spec, enum layout_place place)
{
    struct layout *source = layout_create(spec, place), *target = layout_create(spec, place);
    const struct job job = {source, &source->side[LAYOUT_SEND], &target->side[LAYOUT_SEND]};

    layout_fill(&source->side[LAYOUT_SEND], 1);
    if (job.from->base != MPI_BOTTOM) {
        printf("layout %s %zu\n", spec->name, source->bytes);
        for (int i = 0; i < OPERATIONS; i++) {
            struct timing timing = {"mpi", operations[i].run};
            check(&job, i);
            timing_print(spec->name, operations[i].name, &timing, 1, &job);
        }
    }
    layout_free(target);
    layout_free(source);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    MPI_Init(&argc, &argv);
    return options_run(&options, argc, argv, NULL, measure_layout);
}
