/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions by a function of the program's on derived datatypes: sums of bytes. */
#include <stdlib.h>

#include "play.h"

enum { REDUCE, ALLREDUCE, SCAN, EXSCAN, SCATTER_BLOCK, LOCAL, REDUCTIONS };

static const shape_t *summed; /* of the reduction that runs */

static void sum_bytes(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void) type;
    for (int64_t k = 0; k < *count; k++) {
        const unsigned char *x = (unsigned char *) in + k * summed->extent;
        unsigned char *y = (unsigned char *) inout + k * summed->extent;
        for (int64_t r = 0; r < summed->nruns; r++) {
            for (int64_t i = summed->runs[2 * r]; i < summed->runs[2 * r] + summed->runs[2 * r + 1];
                 i++) {
                y[i] = (unsigned char) (y[i] + x[i]);
            }
        }
    }
}

static buffer_t filled(const play_t *p, int64_t count, bool out, int rank)
{
    buffer_t b = buffer_of(p, summed, count);
    buffer_fill(&b, mixed(p->step->seed, out, (uint64_t) rank));
    return b;
}

/* Sums of the inputs of ranks [from, to); `in`: the rank with its input in the receive buffer, or
 * -1.
 */
static unsigned char *sums(const play_t *p, int64_t count, int from, int to, int in)
{
    const int64_t bytes = count * summed->size;
    unsigned char *sum = must(calloc((size_t) bytes + 1, 1));
    for (int k = from; k < to; k++) {
        buffer_t b = filled(p, count, k != in, k);
        unsigned char *stream = stream_at(&b, 0, 0, count);
        for (int64_t i = 0; i < bytes; i++) {
            sum[i] = (unsigned char) (sum[i] + stream[i]);
        }
        free(stream);
        buffer_free(&b);
    }
    return sum;
}

static int reduce(const play_t *p, int kind, int root, bool waits, MPI_Datatype type, void *out,
                  void *in, int n, MPI_Op op)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    switch (kind) {
    case REDUCE:
        code = waits ? MPI_Ireduce(out, in, n, type, op, root, p->comm, &request)
                     : MPI_Reduce(out, in, n, type, op, root, p->comm);
        break;
    case ALLREDUCE:
        code = waits ? MPI_Iallreduce(out, in, n, type, op, p->comm, &request)
                     : MPI_Allreduce(out, in, n, type, op, p->comm);
        break;
    case SCAN:
        code = MPI_Scan(out, in, n, type, op, p->comm);
        break;
    case EXSCAN:
        code = MPI_Exscan(out, in, n, type, op, p->comm);
        break;
    case SCATTER_BLOCK:
        code = MPI_Reduce_scatter_block(out, in, n, type, op, p->comm);
        break;
    default:
        return MPI_Reduce_local(out, in, n, type, op);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code;
}

void op_reduction(play_t *p)
{
    const int kind = (int) pick(p, REDUCTIONS), root = (int) pick(p, p->size), n = p->step->count;
    const int b = forward_shape(p, p->step->b);
    const bool commutes = pick(p, 2), waits = pick(p, 3) == 0,
               in_place = pick(p, 3) == 0 && kind == ALLREDUCE;
    static const char *const names[] = {
        "MPI_Reduce",      "MPI_Allreduce", "MPI_Scan", "MPI_Exscan", "MPI_Reduce_scatter_block",
        "MPI_Reduce_local"};
    MPI_Op op;

    /* MPI_Allreduce in a ring writes behind its memory when the data does not begin at displacement
     * 0. */
    if (b < 0 || p->program->shapes[b].true_lb != 0) {
        return;
    }
    summed = &p->program->shapes[b];
    const int64_t sent = kind == SCATTER_BLOCK ? (int64_t) n * p->size : n;
    buffer_t out = filled(p, sent, true, p->rank), in = filled(p, sent, false, p->rank);
    MPI_Op_create(sum_bytes, commutes, &op);
    succeeded(p,
              reduce(p, kind, root, waits, p->types[b], in_place ? MPI_IN_PLACE : out.parts[0].zero,
                     in.parts[0].zero, n, op),
              names[kind]);
    unsigned char *sum = NULL;
    if (kind == LOCAL) {
        sum = sums(p, n, p->rank, p->rank + 1, -1);
        unsigned char *own = stream_at(&in, 0, 0, n);
        for (int64_t i = 0; i < n * summed->size; i++) {
            sum[i] = (unsigned char) (sum[i] + own[i]);
        }
        free(own);
    } else if (in_place) { /* everybody's own is in its receive buffer */
        sum = must(calloc((size_t) (n * summed->size) + 1, 1));
        for (int k = 0; k < p->size; k++) {
            unsigned char *one = sums(p, n, k, k + 1, k);
            for (int64_t i = 0; i < n * summed->size; i++) {
                sum[i] = (unsigned char) (sum[i] + one[i]);
            }
            free(one);
        }
    } else if (kind != REDUCE || root == p->rank) {
        sum = sums(p, sent, 0, kind == SCAN ? p->rank + 1 : kind == EXSCAN ? p->rank : p->size, -1);
    }
    if (sum != NULL && !(kind == EXSCAN && p->rank == 0)) {
        expect(&in, 0, 0, sum + (kind == SCATTER_BLOCK ? p->rank * n * summed->size : 0),
               n * summed->size);
    }
    if (!(kind == EXSCAN && p->rank == 0)) { /* there it holds anything */
        buffer_check(p, &in, names[kind]);
    }
    buffer_check(p, &out, "send buffer");
    MPI_Op_free(&op);
    free(sum);
    buffer_free(&in);
    buffer_free(&out);
}
