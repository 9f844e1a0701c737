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

/* A message of `each` elements per rank, and one like it for what must be in it in the end. */
typedef struct pair {
    message_t got, expected;
} pair_t;

static pair_t pair_new(const layout_t *l, int64_t count)
{
    pair_t p = {msg_new(l, count), msg_new(l, count)};
    msg_clear(&p.got);
    msg_clear(&p.expected);
    return p;
}

static void pair_check(pair_t *p, const char *what, const type_case_t *c)
{
    check(msg_equal(&p->got, &p->expected), "%s of %s", what, c->name);
    msg_free(&p->got);
    msg_free(&p->expected);
}

static void place(message_t *m, int64_t first, int64_t n, int from, int to)
{
    unsigned char *stream = piece(m->layout, n, from, to);
    msg_place(m, first, n, stream);
    free(stream);
}

/* A message filled with what this rank has for each rank. */
static message_t outgoing(const layout_t *l, int64_t each)
{
    message_t m = msg_new(l, each * world_size);
    msg_clear(&m);
    for (int to = 0; to < world_size; to++) {
        place(&m, to * each, each, my_rank, to);
    }
    return m;
}

static void bcast(const type_case_t *c, int root, bool nonblocking)
{
    const layout_t *l = c->layout;
    unsigned char *stream = stream_new(l, 5, (unsigned) root);
    message_t m = msg_new(l, 5);

    msg_clear(&m);
    if (my_rank == root) {
        msg_fill(&m, stream);
    }
    if (nonblocking) {
        MPI_Request r;
        MPI_Ibcast(m.buf, 5, l->type, root, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Bcast(m.buf, 5, l->type, root, MPI_COMM_WORLD);
    }
    check(msg_holds(&m, stream, m.bytes), "%s of %s", nonblocking ? "Ibcast" : "Bcast", c->name);
    msg_free(&m);
    free(stream);
}

static void gather(const type_case_t *c, int root, bool in_place)
{
    const layout_t *l = c->layout;
    message_t mine = msg_new(l, EACH);
    pair_t all = pair_new(l, EACH * world_size);

    msg_clear(&mine);
    place(&mine, 0, EACH, my_rank, root);
    for (int from = 0; my_rank == root && from < world_size; from++) {
        place(&all.expected, from * EACH, EACH, from, root);
    }
    if (in_place && my_rank == root) {
        place(&all.got, root * EACH, EACH, root, root);
    }
    MPI_Gather(in_place && my_rank == root ? MPI_IN_PLACE : mine.buf, EACH, l->type, all.got.buf,
               EACH, l->type, root, MPI_COMM_WORLD);
    pair_check(&all, in_place ? "Gather in place" : "Gather", c);
    msg_free(&mine);
}

static void scatter(const type_case_t *c, int root, bool in_place)
{
    const layout_t *l = c->layout;
    message_t all = outgoing(l, EACH);
    pair_t mine = pair_new(l, EACH);
    bool keeps = in_place && my_rank == root;

    if (!keeps) {
        place(&mine.expected, 0, EACH, root, my_rank);
    }
    MPI_Scatter(all.buf, EACH, l->type, keeps ? MPI_IN_PLACE : mine.got.buf, EACH, l->type, root,
                MPI_COMM_WORLD);
    pair_check(&mine, in_place ? "Scatter in place" : "Scatter", c);
    msg_free(&all);
}

/* Rank i has i+1 elements, which lie in the opposite order with an element's room between. */
typedef struct uneven {
    int counts[16], displs[16], total;
} uneven_t;

static uneven_t uneven(void)
{
    uneven_t u = {.total = 0};
    for (int i = world_size - 1; i >= 0; i--) {
        u.counts[i] = i + 1;
        u.displs[i] = u.total;
        u.total += i + 2;
    }
    return u;
}

static void gatherv(const type_case_t *c, int root, bool nonblocking)
{
    const layout_t *l = c->layout;
    uneven_t u = uneven();
    message_t mine = msg_new(l, u.counts[my_rank]);
    pair_t all = pair_new(l, u.total);
    MPI_Request r;

    msg_clear(&mine);
    place(&mine, 0, u.counts[my_rank], my_rank, root);
    for (int from = 0; my_rank == root && from < world_size; from++) {
        place(&all.expected, u.displs[from], u.counts[from], from, root);
    }
    if (nonblocking) {
        MPI_Igatherv(mine.buf, u.counts[my_rank], l->type, all.got.buf, u.counts, u.displs, l->type,
                     root, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Gatherv(mine.buf, u.counts[my_rank], l->type, all.got.buf, u.counts, u.displs, l->type,
                    root, MPI_COMM_WORLD);
    }
    pair_check(&all, nonblocking ? "Igatherv" : "Gatherv", c);
    msg_free(&mine);
}

static void scatterv(const type_case_t *c, int root, bool nonblocking)
{
    const layout_t *l = c->layout;
    uneven_t u = uneven();
    message_t all = msg_new(l, u.total);
    pair_t mine = pair_new(l, u.counts[my_rank]);
    MPI_Request r;

    msg_clear(&all);
    for (int to = 0; to < world_size; to++) {
        place(&all, u.displs[to], u.counts[to], root, to);
    }
    place(&mine.expected, 0, u.counts[my_rank], root, my_rank);
    if (nonblocking) {
        MPI_Iscatterv(all.buf, u.counts, u.displs, l->type, mine.got.buf, u.counts[my_rank],
                      l->type, root, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Scatterv(all.buf, u.counts, u.displs, l->type, mine.got.buf, u.counts[my_rank], l->type,
                     root, MPI_COMM_WORLD);
    }
    pair_check(&mine, nonblocking ? "Iscatterv" : "Scatterv", c);
    msg_free(&all);
}

static void allgather(const type_case_t *c, bool in_place)
{
    const layout_t *l = c->layout;
    message_t mine = msg_new(l, EACH);
    pair_t all = pair_new(l, EACH * world_size);

    msg_clear(&mine);
    place(&mine, 0, EACH, my_rank, 0);
    for (int from = 0; from < world_size; from++) {
        place(&all.expected, from * EACH, EACH, from, 0);
    }
    if (in_place) {
        place(&all.got, my_rank * EACH, EACH, my_rank, 0);
    }
    MPI_Allgather(in_place ? MPI_IN_PLACE : mine.buf, EACH, l->type, all.got.buf, EACH, l->type,
                  MPI_COMM_WORLD);
    pair_check(&all, in_place ? "Allgather in place" : "Allgather", c);
    msg_free(&mine);
}

static void allgatherv(const type_case_t *c, bool nonblocking)
{
    const layout_t *l = c->layout;
    uneven_t u = uneven();
    message_t mine = msg_new(l, u.counts[my_rank]);
    pair_t all = pair_new(l, u.total);
    MPI_Request r;

    msg_clear(&mine);
    place(&mine, 0, u.counts[my_rank], my_rank, 0);
    for (int from = 0; from < world_size; from++) {
        place(&all.expected, u.displs[from], u.counts[from], from, 0);
    }
    if (nonblocking) {
        MPI_Iallgatherv(mine.buf, u.counts[my_rank], l->type, all.got.buf, u.counts, u.displs,
                        l->type, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Allgatherv(mine.buf, u.counts[my_rank], l->type, all.got.buf, u.counts, u.displs,
                       l->type, MPI_COMM_WORLD);
    }
    pair_check(&all, nonblocking ? "Iallgatherv" : "Allgatherv", c);
    msg_free(&mine);
}

static void expect_all(pair_t *all)
{
    for (int from = 0; from < world_size; from++) {
        place(&all->expected, from * EACH, EACH, from, my_rank);
    }
}

static void alltoall(const type_case_t *c, bool in_place)
{
    const layout_t *l = c->layout;
    message_t mine = outgoing(l, EACH);
    pair_t all = pair_new(l, EACH * world_size);

    expect_all(&all);
    if (in_place) {
        memcpy(all.got.block, mine.block, (size_t) mine.block_size);
    }
    MPI_Alltoall(in_place ? MPI_IN_PLACE : mine.buf, EACH, l->type, all.got.buf, EACH, l->type,
                 MPI_COMM_WORLD);
    pair_check(&all, in_place ? "Alltoall in place" : "Alltoall", c);
    msg_free(&mine);
}

static void alltoallv(const type_case_t *c)
{
    const layout_t *l = c->layout;
    int counts[16], out[16], in[16];
    message_t mine = outgoing(l, EACH);
    pair_t all = pair_new(l, EACH * world_size);

    for (int i = 0; i < world_size; i++) {
        counts[i] = EACH;
        out[i] = i * EACH;
        in[i] = (world_size - 1 - i) * EACH;
        place(&all.expected, in[i], EACH, i, my_rank);
    }
    MPI_Alltoallv(mine.buf, counts, out, l->type, all.got.buf, counts, in, l->type, MPI_COMM_WORLD);
    pair_check(&all, "Alltoallv", c);
    msg_free(&mine);
}

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
        pair_t got = pair_new(l, 2);
        msg_clear(&mine);
        place(&mine, 0, 1, my_rank, 0);
        place(&mine, 1, 1, my_rank, 1);
        if (MPI_PROC_NULL != low) {
            place(&got.expected, 0, 1, low, 1);
        }
        if (MPI_PROC_NULL != high) {
            place(&got.expected, 1, 1, high, 0);
        }
        if (0 == way) {
            MPI_Neighbor_alltoallw(mine.buf, ones, at, types, got.got.buf, ones, at, types, ring);
        } else if (1 == way) {
            MPI_Ineighbor_alltoallw(mine.buf, ones, at, types, got.got.buf, ones, at, types, ring,
                                    &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        } else {
            MPI_Neighbor_alltoall(mine.buf, 1, l->type, got.got.buf, 1, l->type, ring);
        }
        pair_check(&got, "neighbour exchange", c);
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
    bcast(&wide, 0, false);
    bcast(&wide, 1, true);
    gather(&wide, 1, false);
    alltoall(&wide, false);
    allgather(&wide, true);
    for (int root = 0; root < 2; root++) {
        unsigned char *stream = stream_new(many.layout, 40000, 9);
        message_t m = msg_new(many.layout, 40000);
        msg_clear(&m);
        if (my_rank == root) {
            msg_fill(&m, stream);
        }
        MPI_Bcast(m.buf, 40000, many.layout->type, root, MPI_COMM_WORLD);
        check(msg_holds(&m, stream, m.bytes), "Bcast of 40000 vectors");
        msg_free(&m);
        free(stream);
    }
    lay_free(wide.layout);
    lay_free(many.layout);
    lay_free(one);
    lay_free(doubles);
}

static void every_collective(const type_case_t *c, int i, MPI_Comm ring)
{
    bcast(c, i % world_size, false);
    bcast(c, (i + 1) % world_size, true);
    if (NULL != c->layout->arena) {
        return; /* only Bcast has one buffer for all elements */
    }
    gather(c, i % world_size, false);
    gather(c, (i + 1) % world_size, true);
    scatter(c, i % world_size, false);
    scatter(c, (i + 1) % world_size, true);
    gatherv(c, (i + 2) % world_size, i % 2);
    scatterv(c, (i + 2) % world_size, i % 2);
    allgather(c, false);
    allgather(c, true);
    allgatherv(c, i % 2);
    alltoall(c, false);
    alltoall(c, true);
    alltoallv(c);
    neighbours(c, ring);
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
        alltoallw(types, i, 1 == i % 2 && !OPEN_MPI_4_1_0);
    }
    all_reductions(types);
    long_messages();
    MPI_Comm_free(&ring);
    types_free(types);
    return check_finish();
}
