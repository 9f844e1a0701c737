/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations of one datatype on each side, of the whole communicator and of neighbours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "play.h"

enum kind {
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    COLLECTIVES
};

typedef struct collective {
    play_t *p;
    int kind, root;
    bool waits, in_place, neighbours; /* waits: begun, then completed */
    MPI_Comm comm;
    int a, b; /* shapes */
} collective_t;

static bool varies(int kind)
{
    return kind == GATHERV || kind == SCATTERV || kind == ALLGATHERV || kind == ALLTOALLV;
}

/* To each the same elements? */
static bool one_for_all(int kind)
{
    return kind == ALLGATHER || kind == ALLGATHERV || kind == GATHER || kind == GATHERV ||
           kind == BCAST;
}

/* Elements that rank i sends to rank j. */
static int amount(const collective_t *c, int i, int j)
{
    const int n = c->p->step->count, low = i < j ? i : j;
    if (!varies(c->kind)) {
        return n;
    }
    if (one_for_all(c->kind)) {
        j = 0;
    } else if (c->in_place) { /* as many as come back */
        j = i + j - low;
        i = low;
    }
    return (int) (mixed(c->p->step->seed, (uint64_t) i + 12, (uint64_t) j) % (uint64_t) (n + 1));
}

static bool is_edge(const collective_t *c, int i, int j)
{
    return !c->neighbours || mixed(c->p->step->seed, 100 + (uint64_t) i, (uint64_t) j) % 3 > 0 ||
           (i + 1) % c->p->size == j;
}

static int list_of(const collective_t *c, int rank, bool in, int *list)
{
    int n = 0;
    for (int k = 0; k < c->p->size; k++) {
        if (is_edge(c, in ? k : rank, in ? rank : k)) {
            list[n++] = k;
        }
    }
    return n;
}

/* The place in its array, and the number, of rank `i`'s elements for each of its list.
 */
static int places(const collective_t *c, int i, bool in, int *counts, int *displs)
{
    const bool spread = varies(c->kind);
    int list[MOST_RANKS], total = 0;
    const int n = list_of(c, i, in, list);
    const bool one = !in && one_for_all(c->kind);

    for (int at = 0; at < n; at++) {
        const int k = spread ? n - 1 - at : at; /* the last one first */
        counts[k] = in ? amount(c, list[k], i) : amount(c, i, list[k]);
        displs[k] = one ? 0 : total;
        total = one ? (counts[k] > total ? counts[k] : total)
                    : total + counts[k] + (spread ? at % 2 : 0);
    }
    return total;
}

static buffer_t array(const collective_t *c, int rank, bool in)
{
    int counts[MOST_RANKS], displs[MOST_RANKS];
    const play_t *p = c->p;
    buffer_t b =
        buffer_of(p, &p->program->shapes[in ? c->b : c->a], places(c, rank, in, counts, displs));
    buffer_fill(&b, mixed(p->step->seed, in ? 50 : 51, (uint64_t) rank));
    return b;
}

/* Of MPI_IN_PLACE: the datatype and array that receive hold what this rank sends. */
static bool sends_from_in(const collective_t *c)
{
    return c->in_place && (c->kind == ALLGATHER || c->kind == ALLGATHERV || c->kind == ALLTOALL ||
                           c->kind == ALLTOALLV);
}

/* The elements of rank j, the k-th of those that send to this rank, arrive. */
static void expect_from(const collective_t *c, buffer_t *in, int k, int j)
{
    int counts[MOST_RANKS], displs[MOST_RANKS], list[MOST_RANKS], at = 0;
    const play_t *p = c->p;
    const bool from_in = sends_from_in(c), own = from_in && one_for_all(c->kind);

    if (c->in_place && j == p->rank) {
        return; /* they are there */
    }
    buffer_t sent = array(c, j, from_in);
    for (list_of(c, j, false, list); list[at] != (own ? j : p->rank); at++) {
    }
    places(c, j, from_in, counts, displs);
    unsigned char *stream = stream_at(&sent, 0, displs[at], counts[at]);
    const int64_t bytes = counts[at] * sent.parts[0].shape->size;
    places(c, p->rank, true, counts, displs);
    expect(in, 0, displs[k], stream, bytes);
    free(stream);
    buffer_free(&sent);
}

#define EITHER(name, small, ...)                                                                   \
    (c->waits ? MPI_I##small(__VA_ARGS__, c->comm, request) : MPI_##name(__VA_ARGS__, c->comm))

static int call_neighbours(const collective_t *c, void *out, void *in, MPI_Request *request)
{
    int oc[MOST_RANKS], od[MOST_RANKS], ic[MOST_RANKS], id[MOST_RANKS];
    const MPI_Datatype a = c->p->types[c->a], b = c->p->types[c->b];
    const int n = c->p->step->count, own = amount(c, c->p->rank, c->p->rank);

    places(c, c->p->rank, false, oc, od);
    places(c, c->p->rank, true, ic, id);
    switch (c->kind) {
    case ALLGATHER:
        return EITHER(Neighbor_allgather, neighbor_allgather, out, n, a, in, n, b);
    case ALLGATHERV:
        return EITHER(Neighbor_allgatherv, neighbor_allgatherv, out, own, a, in, ic, id, b);
    case ALLTOALL:
        return EITHER(Neighbor_alltoall, neighbor_alltoall, out, n, a, in, n, b);
    default:
        return EITHER(Neighbor_alltoallv, neighbor_alltoallv, out, oc, od, a, in, ic, id, b);
    }
}

static int call(const collective_t *c, void *out, void *in, MPI_Request *request)
{
    int oc[MOST_RANKS], od[MOST_RANKS], ic[MOST_RANKS], id[MOST_RANKS];
    const play_t *p = c->p;
    const MPI_Datatype a = p->types[c->a], b = p->types[c->b];
    const int root = c->root, n = p->step->count, own = amount(c, p->rank, p->rank);

    places(c, p->rank, false, oc, od);
    places(c, p->rank, true, ic, id);
    char *one = (char *) in + id[root] * p->program->shapes[c->b].extent; /* what the root sends */
    if (c->in_place && (c->kind == SCATTER || c->kind == SCATTERV)) {
        one = root == p->rank ? MPI_IN_PLACE : one;
    } else if (c->in_place && (sends_from_in(c) || root == p->rank)) {
        out = MPI_IN_PLACE;
    }
    switch (c->kind) {
    case BCAST:
        return root == p->rank ? EITHER(Bcast, bcast, out, n, a, root)
                               : EITHER(Bcast, bcast, one, n, b, root);
    case GATHER:
        return EITHER(Gather, gather, out, n, a, in, n, b, root);
    case GATHERV:
        return EITHER(Gatherv, gatherv, out, own, a, in, ic, id, b, root);
    case SCATTER:
        return EITHER(Scatter, scatter, out, n, a, one, n, b, root);
    case SCATTERV:
        return EITHER(Scatterv, scatterv, out, oc, od, a, one, amount(c, root, p->rank), b, root);
    case ALLGATHER:
        return EITHER(Allgather, allgather, out, n, a, in, n, b);
    case ALLGATHERV:
        return EITHER(Allgatherv, allgatherv, out, own, a, in, ic, id, b);
    case ALLTOALL:
        return EITHER(Alltoall, alltoall, out, n, a, in, n, b);
    default:
        return EITHER(Alltoallv, alltoallv, out, oc, od, a, in, ic, id, b);
    }
}

static void run(collective_t *c)
{
    play_t *p = c->p;
    const bool rooted = c->kind == SCATTER || c->kind == SCATTERV || c->kind == BCAST;
    buffer_t out = array(c, p->rank, false), in = array(c, p->rank, true);
    MPI_Request request = MPI_REQUEST_NULL;
    int sources[MOST_RANKS];
    const int n = list_of(c, p->rank, true, sources);

    succeeded(p,
              c->neighbours ? call_neighbours(c, out.parts[0].zero, in.parts[0].zero, &request)
                            : call(c, out.parts[0].zero, in.parts[0].zero, &request),
              "a collective");
    succeeded(p, MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    for (int k = 0; k < n; k++) {
        const bool to_all = (c->kind != GATHER && c->kind != GATHERV) || p->rank == c->root;
        if (to_all && (!rooted || sources[k] == c->root) &&
            !(c->kind == BCAST && p->rank == c->root)) {
            expect_from(c, &in, k, sources[k]);
        }
    }
    static const char *const names[] = {"bcast",      "gather",   "gatherv",
                                        "scatter",    "scatterv", "allgather",
                                        "allgatherv", "alltoall", "alltoallv"};
    char what[60];
    snprintf(what, sizeof what, "received by %s%s%s%s", c->neighbours ? "neighbor_" : "",
             c->waits ? "i" : "", names[c->kind], c->in_place ? ", in place" : "");
    buffer_check(p, &in, what);
    buffer_check(p, &out, "send buffer");
    buffer_free(&in);
    buffer_free(&out);
}

static collective_t choose(play_t *p, bool neighbours)
{
    collective_t c = {.p = p,
                      .comm = p->comm,
                      .neighbours = neighbours,
                      .a = forward_shape(p, p->step->a),
                      .b = forward_shape(p, p->step->b)};
    const shape_t *shapes = p->program->shapes;
    c.kind = neighbours ? ALLGATHER + (int) pick(p, 4) : (int) pick(p, COLLECTIVES);
    c.root = (int) pick(p, p->size);
    c.waits = pick(p, 3) == 0;
    c.in_place = pick(p, 4) == 0 && !neighbours && c.kind != BCAST;
    if (c.kind == ALLTOALLV && !rules.persistent) {
        c.kind = ALLTOALL;
    }
    if (c.kind == ALLTOALLV && c.in_place) {
        c.waits = false; /* test/enemy/README.md */
    }
    if (c.a < 0 || (c.b >= 0 && shapes[c.a].size != shapes[c.b].size)) {
        c.a = c.b;
    }
    return c;
}

void op_collective(play_t *p)
{
    collective_t c = choose(p, false);
    if (c.b >= 0) {
        run(&c);
    }
}

void op_neighbours(play_t *p)
{
    int sources[MOST_RANKS], targets[MOST_RANKS];
    collective_t c = choose(p, true);
    if (c.b < 0) {
        return;
    }
    const int in = list_of(&c, p->rank, true, sources), out = list_of(&c, p->rank, false, targets);

    c.comm = graph_of(p, in, sources, out, targets);
    run(&c);
    MPI_Comm_free(&c.comm);
}
