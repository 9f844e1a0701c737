/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local copies: what a process sends to itself, on MPI_COMM_SELF and as its own part of a
 * collective. argv[1]: native, or dame, when DAME must do them. Any number of ranks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "opal-glue/abi/abi.h"
#include "pvar.h"
#include "types.h"

static bool dame;

static long long copied(void)
{
    return pvar_read("dt_dame_messages_copied");
}

/* ---- every type, every way ---- */

typedef struct way {
    const char *name;
    void (*move)(const message_t *from, message_t *to);
    bool copies; /* without the point-to-point layer */
} way_t;

static void alltoall(const message_t *from, message_t *to)
{
    MPI_Alltoall(from->buf, (int) from->count, from->layout->type, to->buf, (int) to->count,
                 to->layout->type, MPI_COMM_SELF);
}

static void isend_irecv(const message_t *from, message_t *to)
{
    MPI_Request r[2];
    MPI_Irecv(to->buf, (int) to->count, to->layout->type, 0, 1, MPI_COMM_SELF, &r[0]);
    MPI_Isend(from->buf, (int) from->count, from->layout->type, 0, 1, MPI_COMM_SELF, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void sendrecv(const message_t *from, message_t *to)
{
    MPI_Sendrecv(from->buf, (int) from->count, from->layout->type, 0, 2, to->buf, (int) to->count,
                 to->layout->type, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static const way_t ways[] = {
    {"Alltoall", alltoall, true},
    {"Isend, Irecv", isend_irecv, false},
    {"Sendrecv", sendrecv, false},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static bool has_gaps(const layout_t *l, int64_t count)
{
    int size;
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_size(l->type, &size);
    MPI_Type_get_extent(l->type, &lb, &extent);
    MPI_Type_get_true_extent(l->type, &true_lb, &true_extent);
    return size * count != 0 && (size != true_extent || (count > 1 && extent != size));
}

/* Few or long blocks, which Open MPI's own engine copies where its description is one item. */
static bool may_be_native(const layout_t *l, int64_t count)
{
    int64_t blocks = 0;
    for (int64_t i = 0; i < l->nruns; i++) {
        const int64_t end = i == 0 ? 0 : l->runs[i - 1].offset + l->runs[i - 1].length;
        blocks += 0 == i || end != l->runs[i].offset;
    }
    return count * blocks <= 3 || l->size > 256 * blocks;
}

static void every_way(const type_case_t *c, int64_t count)
{
    const layout_t *l = c->layout;
    unsigned char *stream = stream_new(l, count, 3);
    message_t from = msg_new(l, count);
    message_t to = msg_new(l, count);

    msg_fill(&from, stream);
    for (int i = 0; i < WAYS; i++) {
        const long long before = copied();
        msg_clear(&to);
        ways[i].move(&from, &to);
        check(msg_holds(&to, stream, to.bytes), "%s of %d %s", ways[i].name, (int) count, c->name);
        check(msg_holds(&from, stream, from.bytes), "%s of %d %s: the bytes sent", ways[i].name,
              (int) count, c->name);
        if (ways[i].copies && has_gaps(l, count)) {
            check(
                !dame || before + 1 == copied() || (before == copied() && may_be_native(l, count)),
                "%s of %d %s: %lld copies", ways[i].name, (int) count, c->name, copied() - before);
        }
    }
    MPI_Sendrecv_replace(from.buf, (int) count, l->type, 0, 3, 0, 3, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
    check(msg_holds(&from, stream, from.bytes), "Sendrecv_replace of %d %s", (int) count, c->name);
    msg_free(&from);
    msg_free(&to);
    free(stream);
}

static void every_type(void)
{
    static const int64_t counts[] = {0, 1, 2, 33};
    types_t *types = types_new();
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        if (c->send_only || c->layout->arena != NULL) { /* one address for both buffers */
            continue;
        }
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            every_way(c, counts[k]);
        }
    }
    types_free(types);
}

/* ---- messages beyond the caches, and their own part of a collective of all ranks ---- */

static void large(MPI_Comm comm, int blocks, int length, int step, bool copies)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *l = lay_vector(blocks, length, step, ints);
    lay_commit(l);
    const long long before = copied();
    message_t from = msg_new(l, size);
    message_t to = msg_new(l, size);
    message_t expected = msg_new(l, size);
    msg_clear(&from);
    msg_clear(&to);
    msg_clear(&expected);
    for (int i = 0; i < size; i++) {
        unsigned char *mine = stream_new(l, 1, (unsigned) (10 * rank + i));
        unsigned char *others = stream_new(l, 1, (unsigned) (10 * i + rank));
        msg_place(&from, i, 1, mine);
        msg_place(&expected, i, 1, others);
        free(mine);
        free(others);
    }
    MPI_Alltoall(from.buf, 1, l->type, to.buf, 1, l->type, comm);
    check(msg_equal(&to, &expected), "Alltoall of %d x %d of %d", blocks, length, step);
    check(!dame || (copied() > before) == copies, "Alltoall of %d x %d of %d: %lld copies", blocks,
          length, step, copied() - before);
    msg_free(&from);
    msg_free(&to);
    msg_free(&expected);
    lay_free(l);
    lay_free(ints);
}

/* ---- few or long blocks are left to Open MPI's own loop ---- */

/* `count` vectors of `blocks` blocks of `bytes` bytes; gaps are as long, also behind the last. */
static void expect_copies(int blocks, int bytes, int count, int copies)
{
    layout_t *byte = lay_basic(MPI_BYTE, 1, 1);
    layout_t *vector = lay_vector(blocks, bytes, 2 * bytes, byte);
    layout_t *l = lay_resized(vector, 0, 2 * bytes * blocks);
    lay_commit(l);
    unsigned char *stream = stream_new(l, count, 3);
    message_t from = msg_new(l, count);
    message_t to = msg_new(l, count);
    const long long before = copied();
    msg_fill(&from, stream);
    msg_clear(&to);
    alltoall(&from, &to);
    check(msg_holds(&to, stream, to.bytes), "%d x %d x %d bytes", count, blocks, bytes);
    check(!dame || before + copies == copied(), "%d x %d x %d bytes: %lld copies instead of %d",
          count, blocks, bytes, copied() - before, copies);
    msg_free(&from);
    msg_free(&to);
    free(stream);
    lay_free(l);
    lay_free(vector);
    lay_free(byte);
}

static void few_and_long(void)
{
    static const int short_bytes[] = {1, 8, 256}, long_bytes[] = {257, 1024};
    for (int i = 0; i < 3; i++) {
        expect_copies(3, short_bytes[i], 1, 0);
        expect_copies(4, short_bytes[i], 1, 1);
        expect_copies(1, short_bytes[i], 3, 0); /* contiguous elements with gaps */
        expect_copies(1, short_bytes[i], 4, 1);
        expect_copies(2, short_bytes[i], 2, 1);
    }
    for (int i = 0; i < 2; i++) {
        expect_copies(40, long_bytes[i], 1, 0);
        expect_copies(1, long_bytes[i], 40, 0);
        expect_copies(2, long_bytes[i], 20, 0);
    }
}

/* ---- both buffers in one array ---- */

enum { ROWS = 40, COLUMNS = 32 };

static void fill(int *matrix)
{
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        matrix[i] = 1000 + i;
    }
}

/* `width` columns to `to` columns further on; `copies`: blocks are known to be apart. */
static void shift_columns(MPI_Datatype type, int width, int to, bool copies, const char *name)
{
    int *matrix = must_malloc(ROWS * COLUMNS * sizeof(int));
    int *expected = must_malloc(ROWS * COLUMNS * sizeof(int));
    const long long before = copied();
    const long long overlaps = pvar_read("dt_dame_declined_overlap");
    fill(matrix);
    fill(expected);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < width; i++) {
            expected[row * COLUMNS + to + i] = 1000 + row * COLUMNS + i;
        }
    }
    MPI_Alltoall(matrix, 1, type, matrix + to, 1, type, MPI_COMM_SELF);
    check(memcmp(matrix, expected, ROWS * COLUMNS * sizeof(int)) == 0, "%s, %d columns to %d", name,
          width, to);
    if (dame) {
        check(before + copies == copied() &&
                  overlaps + !copies == pvar_read("dt_dame_declined_overlap"),
              "%s, %d columns to %d: %lld copies", name, width, to, copied() - before);
    }
    free(matrix);
    free(expected);
}

static void within_an_array(void)
{
    int lengths[ROWS], at[ROWS];
    MPI_Datatype vector, ragged;
    for (int row = 0; row < ROWS; row++) {
        lengths[row] = 4;
        at[row] = row * COLUMNS;
    }
    MPI_Type_vector(ROWS, 4, COLUMNS, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    shift_columns(vector, 4, 4, true, "vector");
    shift_columns(vector, 4, COLUMNS - 4, true, "vector");
    shift_columns(vector, 4, 1, false, "vector");
    shift_columns(vector, 4, 3, false, "vector");
    MPI_Type_free(&vector);
    at[ROWS - 1] += 1; /* no vector */
    MPI_Type_indexed(ROWS, lengths, at, MPI_INT, &ragged);
    MPI_Type_commit(&ragged);
    const long long before = copied();
    int matrix[ROWS * COLUMNS], expected[ROWS * COLUMNS];
    fill(matrix);
    fill(expected);
    for (int row = 0; row < ROWS; row++) {
        memcpy(&expected[at[row] + 8], &matrix[at[row]], 4 * sizeof(int));
    }
    MPI_Alltoall(matrix, 1, ragged, matrix + 8, 1, ragged, MPI_COMM_SELF);
    check(memcmp(matrix, expected, sizeof(matrix)) == 0, "a list within one array");
    check(!dame || before == copied(), "a list within one array: %lld copies", copied() - before);
    MPI_Type_free(&ragged);
}

/* ---- device memory ---- */

static const char *device; /* an address that counts as device memory */

#if OMPI_MAJOR_VERSION >= 5
/* Open MPI and DAME ask the accelerator component. */
static int check_address(const void *address, int *number, uint64_t *flags)
{
    *number = 0;
    *flags = 0;
    return device != NULL && address == device;
}

static void fake_device(void)
{
    opal_accelerator.check_addr = check_address;
}
#else
/* What an Open MPI with CUDA has; DAME looks for it by name. */
bool opal_cuda_check_bufs(char *to, char *from);

bool opal_cuda_check_bufs(char *to, char *from)
{
    return device != NULL && (to == device || from == device);
}

static void fake_device(void)
{
}
#endif

static void device_memory(void)
{
    double from[20] = {1, 2, 3};
    MPI_Datatype vector;
    MPI_Type_vector(10, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    fake_device();
    for (int i = 0; i < 3; i++) {
        double to[20] = {0};
        const long long before = copied();
        const long long declined = pvar_read("dt_dame_declined_device");
        device = i == 0 ? NULL : (const char *) (i == 1 ? from : to);
        MPI_Alltoall(from, 1, vector, to, 1, vector, MPI_COMM_SELF);
        check(to[0] == 1 && to[1] == 0 && to[2] == 3, "device memory %d: bytes", i);
        check(!dame || (before + (i == 0) == copied() &&
                        declined + (i != 0) == pvar_read("dt_dame_declined_device")),
              "device memory %d: %lld copies", i, copied() - before);
    }
    device = NULL;
    MPI_Type_free(&vector);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    dame = argc > 1 && strcmp(argv[1], "dame") == 0;
    check(!dame || pvar_start("dt_dame_") > 0, "the counters of DAME");
    every_type();
    large(MPI_COMM_SELF, 100000, 1, 3, true);
    large(MPI_COMM_SELF, 700, 2048, 2050, false);
    large(MPI_COMM_WORLD, 3000, 5, 9, true);
    few_and_long();
    within_an_array();
    device_memory();
    if (dame) {
        pvar_done();
    }
    return check_finish();
}
