/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype of its own for each pair of ranks: MPI_Alltoallw and that of neighbours. */
#include <stdlib.h>

#include "play.h"

/* With weights, because gcc warns of what MPI_UNWEIGHTED points to. */
MPI_Comm graph_of(const play_t *p, int nsources, const int *sources, int ntargets,
                  const int *targets)
{
    int weights[MOST_RANKS];
    MPI_Comm graph;
    for (int i = 0; i < MOST_RANKS; i++) {
        weights[i] = 1;
    }
    MPI_Dist_graph_create_adjacent(p->comm, nsources, sources, weights, ntargets, targets, weights,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
    return graph;
}

/* Shapes of what rank i sends to rank j, and how many elements. */
static void pair(const play_t *p, int i, int j, int *a, int *b, int *count)
{
    const uint64_t r = mixed(p->step->seed, (uint64_t) i + 30, (uint64_t) j);
    const int second = forward_shape(p, p->step->b);
    const int first = forward_shape(p, p->step->a) < 0 ? second : forward_shape(p, p->step->a);
    const bool same_size = p->program->shapes[first].size == p->program->shapes[second].size;
    *a = same_size && r % 3 ? first : second;
    *b = same_size && r / 3 % 4 == 0 && !p->program->shapes[first].send_only ? first : second;
    *count = (int) (r / 16 % (uint64_t) (p->step->count + 1));
}

static buffer_t buffers(const play_t *p, int rank, bool in)
{
    const shape_t *shapes[MOST_RANKS];
    int64_t counts[MOST_RANKS];
    int a, b, count;
    for (int k = 0; k < p->size; k++) {
        pair(p, in ? k : rank, in ? rank : k, &a, &b, &count);
        shapes[k] = &p->program->shapes[in ? b : a];
        counts[k] = count;
    }
    buffer_t all = buffer_new(p, p->size, shapes, counts);
    buffer_fill(&all, mixed(p->step->seed, in, (uint64_t) rank));
    return all;
}

static void exchange(const play_t *p, buffer_t *out, buffer_t *in, int kind, MPI_Comm graph)
{
    int oc[MOST_RANKS], od[MOST_RANKS], ic[MOST_RANKS], id[MOST_RANKS], a, b;
    MPI_Aint od_bytes[MOST_RANKS], id_bytes[MOST_RANKS];
    MPI_Datatype ot[MOST_RANKS], it[MOST_RANKS];
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char *o = out->block, *i = in->block;
    int code;

    for (int k = 0; k < p->size; k++) {
        pair(p, p->rank, k, &a, &b, &oc[k]);
        ot[k] = p->types[a];
        pair(p, k, p->rank, &a, &b, &ic[k]);
        it[k] = p->types[b];
        od_bytes[k] = od[k] = (int) (out->parts[k].zero - o);
        id_bytes[k] = id[k] = (int) (in->parts[k].zero - i);
    }
    switch (kind) {
    case 0:
        code = MPI_Alltoallw(o, oc, od, ot, i, ic, id, it, p->comm);
        break;
    case 1:
        code = MPI_Ialltoallw(o, oc, od, ot, i, ic, id, it, p->comm, &request);
        break;
    case 2:
        code = MPI_Neighbor_alltoallw(o, oc, od_bytes, ot, i, ic, id_bytes, it, graph);
        break;
    default:
        code = MPI_Ineighbor_alltoallw(o, oc, od_bytes, ot, i, ic, id_bytes, it, graph, &request);
    }
    static const char *const names[] = {"MPI_Alltoallw", "MPI_Ialltoallw", "MPI_Neighbor_alltoallw",
                                        "MPI_Ineighbor_alltoallw"};
    succeeded(p, code, names[kind]);
    succeeded(p, MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    for (int k = 0; k < p->size; k++) {
        buffer_t sent = buffers(p, k, false);
        unsigned char *stream = stream_at(&sent, p->rank, 0, sent.parts[p->rank].count);
        expect(in, k, 0, stream, sent.parts[p->rank].count * sent.parts[p->rank].shape->size);
        free(stream);
        buffer_free(&sent);
    }
    buffer_check(p, in, names[kind]);
    buffer_check(p, out, "send buffer");
}

void op_alltoallw(play_t *p)
{
    const int kind = (int) pick(p, 4);
    int all[MOST_RANKS];
    MPI_Comm graph = MPI_COMM_NULL;

    if (forward_shape(p, p->step->b) < 0 || !rules.persistent) {
        return;
    }
    buffer_t out = buffers(p, p->rank, false), in = buffers(p, p->rank, true);

    for (int k = 0; k < p->size; k++) {
        all[k] = k;
    }
    if (kind >= 2) {
        graph = graph_of(p, p->size, all, p->size, all);
    }
    exchange(p, &out, &in, kind, graph);
    if (kind >= 2) {
        MPI_Comm_free(&graph);
    }
    buffer_free(&in);
    buffer_free(&out);
}
