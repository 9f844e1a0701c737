/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of layouts that take turns, as in a time step: one program of bench/estimate.
 *
 *   estimate_worker [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *
 * Each rank of two exchanges a message of every layout with the other, then again of every layout,
 * for about half a second; alone, it sends them to itself. Results are compared by bench/run and
 * bench/demo, not here.
 */
#include <stdio.h>

#include "layouts.h"
#include "options.h"

enum { MOST_LAYOUTS = 128, WARMING = 10 };
static const double SECONDS = 0.5;

static struct layout *list[MOST_LAYOUTS];
static int layouts;
static int peer;

static void add(const struct layout_spec *spec)
{
    if (layouts < MOST_LAYOUTS) {
        list[layouts++] = layout_create(spec, LAYOUT_OFF_LINE);
    }
}

static void exchange(const struct layout *layout)
{
    const struct layout_side *from = &layout->side[LAYOUT_SEND], *to = &layout->side[LAYOUT_RECV];
    MPI_Request requests[2];

    MPI_Irecv(to->base, to->count, to->type, peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from->base, from->count, from->type, peer, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void steps(int n)
{
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < layouts; l++) {
            exchange(list[l]);
        }
    }
}

static void run(void)
{
    double start, step;
    int n;

    for (int l = 0; l < layouts; l++) {
        layout_fill(&list[l]->side[LAYOUT_SEND], 1);
        layout_clear(&list[l]->side[LAYOUT_RECV]);
    }
    start = bench_now();
    steps(WARMING);
    step = (bench_now() - start) / WARMING;
    n = 1 + (int) (SECONDS / step);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    start = bench_now();
    steps(n);
    printf("%d steps, %.2f us each\n", n, 1e6 * (bench_now() - start) / n);
    for (int l = 0; l < layouts; l++) {
        layout_free(list[l]);
    }
}

int main(int argc, char **argv)
{
    int ranks, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (ranks > 2) {
        if (rank == 0) {
            fprintf(stderr, "estimate_worker: needs one rank or two\n");
        }
        MPI_Finalize();
        return 2;
    }
    peer = ranks - 1 - rank;
    return options_run(argc, argv, add, run);
}
