/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations on derived datatypes, blocking, nonblocking, in place, to neighbours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { EACH = 2 }; /* elements for each rank */

/* What rank `from` has for rank `to`. */
static unsigned char *piece(const layout_t *l, int64_t n, int from, int to)
{
    return stream_new(l, n, (unsigned) (1000 + from * 37 + to * 101));
}

static void place(message_t *m, int64_t first, int64_t n, int from, int to)
{
    unsigned char *stream = piece(m->layout, n, from, to);
    msg_place(m, first, n, stream);
    free(stream);
}

/* ---- operations of one datatype ---- */

/* Elements for each rank, and where: in order; in the opposite order; and in that, with i+1 for
   rank i and an element's room between. */
enum order { IN_ORDER, REVERSED, UNEVEN };

typedef struct places {
    int counts[16], displs[16], total;
} places_t;

static places_t places(enum order order, int each)
{
    places_t p = {.total = 0};
    for (int k = 0; k < world_size; k++) {
        const int i = order == IN_ORDER ? k : world_size - 1 - k;
        p.counts[i] = order == UNEVEN ? i + 1 : each;
        p.displs[i] = p.total;
        p.total += p.counts[i] + (order == UNEVEN);
    }
    return p;
}

enum op { BCAST, GATHER, SCATTER, GATHERV, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV };

/* The ranks that send, that receive, and that have a part of their own in the buffers: the root, or
 * all. */
static const struct {
    const char *name;
    bool all_send, all_receive, part_for_all, part_from_all;
    enum order out, in;
} ops[] = {
    [BCAST] = {"Bcast", false, true, false, false, IN_ORDER, IN_ORDER},
    [GATHER] = {"Gather", true, false, false, true, IN_ORDER, IN_ORDER},
    [SCATTER] = {"Scatter", false, true, true, false, IN_ORDER, IN_ORDER},
    [GATHERV] = {"Gatherv", true, false, false, true, UNEVEN, UNEVEN},
    [SCATTERV] = {"Scatterv", false, true, true, false, UNEVEN, UNEVEN},
    [ALLGATHER] = {"Allgather", true, true, false, true, IN_ORDER, IN_ORDER},
    [ALLGATHERV] = {"Allgatherv", true, true, false, true, UNEVEN, UNEVEN},
    [ALLTOALL] = {"Alltoall", true, true, true, true, IN_ORDER, IN_ORDER},
    [ALLTOALLV] = {"Alltoallv", true, true, true, true, IN_ORDER, REVERSED},
};

/* n: this rank's elements where it has one part. r: NULL, or the operation is nonblocking. */
static void call(enum op op, const void *out, void *in, int n, MPI_Datatype t, const places_t *to,
                 const places_t *from, int root, MPI_Request *r)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    switch (op) {
    case BCAST:
        r == NULL ? MPI_Bcast(in, n, t, root, w) : MPI_Ibcast(in, n, t, root, w, r);
        break;
    case GATHER:
        MPI_Gather(out, n, t, in, n, t, root, w);
        break;
    case SCATTER:
        MPI_Scatter(out, n, t, in, n, t, root, w);
        break;
    case GATHERV:
        r == NULL ? MPI_Gatherv(out, n, t, in, from->counts, from->displs, t, root, w)
                  : MPI_Igatherv(out, n, t, in, from->counts, from->displs, t, root, w, r);
        break;
    case SCATTERV:
        r == NULL ? MPI_Scatterv(out, to->counts, to->displs, t, in, n, t, root, w)
                  : MPI_Iscatterv(out, to->counts, to->displs, t, in, n, t, root, w, r);
        break;
    case ALLGATHER:
        MPI_Allgather(out, n, t, in, n, t, w);
        break;
    case ALLGATHERV:
        r == NULL ? MPI_Allgatherv(out, n, t, in, from->counts, from->displs, t, w)
                  : MPI_Iallgatherv(out, n, t, in, from->counts, from->displs, t, w, r);
        break;
    case ALLTOALL:
        MPI_Alltoall(out, n, t, in, n, t, w);
        break;
    case ALLTOALLV:
        MPI_Alltoallv(out, to->counts, to->displs, t, in, from->counts, from->displs, t, w);
    }
}

enum variant { PLAIN, IN_PLACE, NONBLOCKING };

static void collective(enum op op, enum variant variant, const type_case_t *c, int each, int root)
{
    static const char *const suffixes[] = {"", ", in place", ", nonblocking"};
    const layout_t *l = c->layout;
    const places_t to = places(ops[op].out, each), from = places(ops[op].in, each);
    const int n = ops[op].out == UNEVEN ? my_rank + 1 : each;
    const bool is_root = my_rank == root, in_place = variant == IN_PLACE;
    const int receiver = ops[op].part_for_all ? my_rank : root; /* from which parts arrive here */
    message_t out = msg_new(l, ops[op].part_for_all ? to.total : n);
    message_t got = msg_new(l, ops[op].part_from_all ? from.total : n);
    message_t expected = msg_shadow(&got);
    const void *sent = out.buf;
    void *received = got.buf;
    MPI_Request r;

    msg_clear(&out);
    msg_clear(&got);
    msg_clear(&expected);
    for (int i = 0; ops[op].part_for_all && i < world_size; i++) {
        place(&out, to.displs[i], to.counts[i], ops[op].all_send ? my_rank : root, i);
    }
    if (!ops[op].part_for_all && op != BCAST) {
        place(&out, 0, n, my_rank, root);
    }
    for (int i = 0; (ops[op].all_receive || is_root) && i < world_size; i++) {
        if (ops[op].part_from_all) {
            place(&expected, from.displs[i], from.counts[i], i, receiver);
        } else if (i == root && !(in_place && is_root)) {
            place(&expected, 0, n, root, receiver);
        }
    }
    if (op == BCAST && is_root) {
        place(&got, 0, n, root, root);
    } else if (in_place && op == SCATTER && is_root) {
        received = MPI_IN_PLACE;
    } else if (in_place && op == ALLTOALL) {
        memcpy(got.block, out.block, (size_t) out.block_size);
        sent = MPI_IN_PLACE;
    } else if (in_place && (op == ALLGATHER || (op == GATHER && is_root))) {
        place(&got, from.displs[my_rank], n, my_rank, root);
        sent = MPI_IN_PLACE;
    }
    call(op, sent, received, n, l->type, &to, &from, root, variant == NONBLOCKING ? &r : NULL);
    if (variant == NONBLOCKING) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    check(msg_equal(&got, &expected), "%s%s of %s", ops[op].name, suffixes[variant], c->name);
    msg_free(&out);
    msg_free(&got);
    msg_free(&expected);
}

/* ---- other operations ---- */

/* Another datatype for every pair of ranks: displacements are absolute, buffers MPI_BOTTOM. */
static void alltoallw(const types_t *types, int first, bool nonblocking)
{
    int counts[16], zeros[16] = {0}, n = types_count(types);
    MPI_Datatype out_types[16], in_types[16];
    message_t out[16], in[16];
    MPI_Request r;

    for (int i = 0; i < world_size; i++) {
        const type_case_t *to = types_at(types, (first + my_rank + 2 * i) % n);
        const type_case_t *from = types_at(types, (first + i + 2 * my_rank) % n);
        layout_t *spread = lay_spread(from->layout, 8);
        counts[i] = 1;
        out[i] = msg_new(to->layout, EACH);
        in[i] = msg_new(spread, EACH);
        msg_clear(&out[i]);
        msg_clear(&in[i]);
        place(&out[i], 0, EACH, my_rank, i);
        MPI_Aint at;
        MPI_Get_address(out[i].buf, &at);
        MPI_Type_create_hindexed(1, (int[]){EACH}, &at, to->layout->type, &out_types[i]);
        MPI_Get_address(in[i].buf, &at);
        MPI_Type_create_hindexed(1, (int[]){EACH}, &at, spread->type, &in_types[i]);
        MPI_Type_commit(&out_types[i]);
        MPI_Type_commit(&in_types[i]);
    }
    if (nonblocking) {
        MPI_Ialltoallw(MPI_BOTTOM, counts, zeros, out_types, MPI_BOTTOM, counts, zeros, in_types,
                       MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Alltoallw(MPI_BOTTOM, counts, zeros, out_types, MPI_BOTTOM, counts, zeros, in_types,
                      MPI_COMM_WORLD);
    }
    for (int i = 0; i < world_size; i++) {
        const type_case_t *from = types_at(types, (first + i + 2 * my_rank) % n);
        unsigned char *stream = piece(from->layout, EACH, i, my_rank);
        check(msg_holds(&in[i], stream, in[i].bytes), "%s of %s",
              nonblocking ? "Ialltoallw" : "Alltoallw", from->name);
        free(stream);
        MPI_Type_free(&out_types[i]);
        MPI_Type_free(&in_types[i]);
        msg_free(&out[i]);
        msg_free(&in[i]);
        lay_free((layout_t *) in[i].layout);
    }
}

/* Neighbour 0 is the lower rank, 1 the higher one. A ring, but of two ranks a line: in a ring of
   two the standard leaves open which of the two messages between them is which. */
static void neighbours(const type_case_t *c, MPI_Comm ring)
{
    const layout_t *l = c->layout;
    int low, high;
    int ones[2] = {1, 1};
    MPI_Aint at[2] = {0, lay_extent(l)};
    MPI_Datatype types[2] = {l->type, l->type};
    message_t mine = msg_new(l, 2);
    MPI_Request r;

    MPI_Cart_shift(ring, 0, 1, &low, &high);
    for (int way = 0; way < 3; way++) {
        message_t got = msg_new(l, 2), expected = msg_shadow(&got);
        msg_clear(&got);
        msg_clear(&expected);
        msg_clear(&mine);
        place(&mine, 0, 1, my_rank, 0);
        place(&mine, 1, 1, my_rank, 1);
        if (low != MPI_PROC_NULL) {
            place(&expected, 0, 1, low, 1);
        }
        if (high != MPI_PROC_NULL) {
            place(&expected, 1, 1, high, 0);
        }
        if (way == 0) {
            MPI_Neighbor_alltoallw(mine.buf, ones, at, types, got.buf, ones, at, types, ring);
        } else if (way == 1) {
            MPI_Ineighbor_alltoallw(mine.buf, ones, at, types, got.buf, ones, at, types, ring, &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        } else {
            MPI_Neighbor_alltoall(mine.buf, 1, l->type, got.buf, 1, l->type, ring);
        }
        check(msg_equal(&got, &expected), "neighbour exchange of %s", c->name);
        msg_free(&got);
        msg_free(&expected);
    }
    msg_free(&mine);
}

/* ---- reductions ---- */

static const layout_t *op_layout; /* the layout of the datatype that add_ints is used with */

static void add_ints(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int64_t bytes = *len * op_layout->size;
    int *a = must_malloc((size_t) bytes), *b = must_malloc((size_t) bytes);

    (void) type;
    lay_pack(op_layout, *len, in, (unsigned char *) a);
    lay_pack(op_layout, *len, inout, (unsigned char *) b);
    for (size_t i = 0; i < (size_t) bytes / sizeof(int); i++) {
        b[i] = (int) ((unsigned) a[i] + (unsigned) b[i]);
    }
    lay_unpack(op_layout, *len, (unsigned char *) b, bytes, inout);
    free(a);
    free(b);
}

/* The sum over ranks [0, n) of the streams, as a stream of ints. */
static unsigned char *sum(const layout_t *l, int64_t count, int n)
{
    size_t ints = (size_t) (count * l->size) / sizeof(unsigned);
    unsigned *total = must_calloc(ints, sizeof(unsigned));

    for (int from = 0; from < n; from++) {
        unsigned char *stream = piece(l, count, from, 0);
        for (size_t i = 0; i < ints; i++) {
            unsigned x;
            memcpy(&x, stream + i * sizeof(x), sizeof(x));
            total[i] += x;
        }
        free(stream);
    }
    return (unsigned char *) total;
}

static void reductions(const char *name, const layout_t *l, MPI_Op op, int64_t count)
{
    unsigned char *stream = piece(l, count, my_rank, 0);
    unsigned char *all = sum(l, count, world_size), *upto = sum(l, count, my_rank + 1);
    message_t mine = msg_new(l, count), got = msg_new(l, count);
    int n = (int) count;

    op_layout = l;
    for (int root = 0; root < 2; root++) {
        msg_fill(&mine, stream);
        msg_clear(&got);
        MPI_Reduce(mine.buf, got.buf, n, l->type, op, root, MPI_COMM_WORLD);
        check(msg_holds(&mine, stream, mine.bytes), "Reduce %s changed its input", name);
        check(my_rank != root || msg_holds(&got, all, got.bytes), "Reduce %s", name);
        MPI_Reduce(my_rank == root ? MPI_IN_PLACE : mine.buf, mine.buf, n, l->type, op, root,
                   MPI_COMM_WORLD);
        check(my_rank != root || msg_holds(&mine, all, got.bytes), "Reduce in place %s", name);
    }
    msg_fill(&mine, stream);
    msg_clear(&got);
    MPI_Allreduce(mine.buf, got.buf, n, l->type, op, MPI_COMM_WORLD);
    check(msg_holds(&got, all, got.bytes), "Allreduce %s", name);
    MPI_Allreduce(MPI_IN_PLACE, mine.buf, n, l->type, op, MPI_COMM_WORLD);
    check(msg_holds(&mine, all, got.bytes), "Allreduce in place %s", name);
    msg_fill(&mine, stream);
    msg_clear(&got);
    MPI_Scan(mine.buf, got.buf, n, l->type, op, MPI_COMM_WORLD);
    check(msg_holds(&got, upto, got.bytes), "Scan %s", name);
    msg_free(&mine);
    msg_free(&got);
    free(upto);
    free(all);
    free(stream);
}

static void all_reductions(const types_t *types)
{
    static const char *const names[] = {"contiguous",         "hvector-negative-stride", "indexed",
                                        "indexed-block-even", "subarray-3d-c",           "dup",
                                        "resized-larger",     "darray-block-c-3"};
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    MPI_Op op;

    reductions("contiguous ints", ints, MPI_SUM, 3000);
    MPI_Op_create(add_ints, 1, &op);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        reductions(names[i], types_find(types, names[i])->layout, op, 1);
        reductions(names[i], types_find(types, names[i])->layout, op, 30);
    }
    MPI_Op_free(&op);
    lay_free(ints);
}

/* Long enough for the algorithms that cut messages into segments, and for the pipeline below. */
static void long_messages(void)
{
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);
    type_case_t wide = {.name = "2 MiB vector", .layout = lay_vector(1 << 17, 1, 3, doubles)};
    layout_t *one = lay_vector(3, 1, 2, doubles);
    type_case_t many = {.name = "many vectors", .layout = lay_resized(one, 0, 64)};

    lay_commit(wide.layout);
    lay_commit(many.layout);
    collective(BCAST, PLAIN, &wide, 5, 0);
    collective(BCAST, NONBLOCKING, &wide, 5, 1);
    collective(GATHER, PLAIN, &wide, EACH, 1);
    collective(ALLTOALL, PLAIN, &wide, EACH, 0);
    collective(ALLGATHER, IN_PLACE, &wide, EACH, 0);
    collective(BCAST, PLAIN, &many, 40000, 0);
    collective(BCAST, PLAIN, &many, 40000, 1);
    lay_free(wide.layout);
    lay_free(many.layout);
    lay_free(one);
    lay_free(doubles);
}

/* Rows of which the variant changes with each datatype have it as -1. */
static const struct {
    enum op op;
    int variant, root; /* the root of the first datatype */
} rows[] = {
    {BCAST, PLAIN, 0},       {BCAST, NONBLOCKING, 1},  {GATHER, PLAIN, 0},  {GATHER, IN_PLACE, 1},
    {SCATTER, PLAIN, 0},     {SCATTER, IN_PLACE, 1},   {GATHERV, -1, 2},    {SCATTERV, -1, 2},
    {ALLGATHER, PLAIN, 0},   {ALLGATHER, IN_PLACE, 0}, {ALLGATHERV, -1, 0}, {ALLTOALL, PLAIN, 0},
    {ALLTOALL, IN_PLACE, 0}, {ALLTOALLV, PLAIN, 0},
};

static void every_collective(const type_case_t *c, int i, MPI_Comm ring)
{
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        const int varies = i % 2 ? NONBLOCKING : PLAIN;
        /* Of an absolute layout there is one address for both buffers. */
        if ((c->layout->arena == NULL || rows[k].op == BCAST) &&
            !(rows[k].op == SCATTER && OPEN_MPI_4_1_0) &&
            !(rows[k].op == ALLTOALLV && !requests_are_sent_right(c->layout))) {
            collective(rows[k].op, rows[k].variant < 0 ? varies : rows[k].variant, c,
                       rows[k].op == BCAST ? 5 : EACH, (i + rows[k].root) % world_size);
        }
    }
    if (c->layout->arena == NULL) {
        neighbours(c, ring);
    }
}

int coll_main(int argc, char **argv)
{
    MPI_Comm ring;

    check_init(&argc, &argv);
    types_t *types = types_new();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, (int[]){world_size > 2}, 0, &ring);

    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        /* Open MPI's binomial gather allocates count * extent bytes: no negative extents here. */
        if (!c->send_only && lay_extent(c->layout) >= 0) {
            every_collective(c, i, ring);
        }
    }
    for (int i = 0; i < types_count(types); i++) {
        alltoallw(types, i, (1 == i % 2 || !requests_are_sent_right(NULL)) && !OPEN_MPI_4_1_0);
    }
    all_reductions(types);
    long_messages();
    MPI_Comm_free(&ring);
    types_free(types);
    return check_finish();
}
