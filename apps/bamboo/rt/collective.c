/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations: resumable functions that send messages of their own, in binomial trees. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "comm.h"
#include "remote.h"

/* Of all operations, so that one can call another. */
struct collective_frame {
    struct bamboo_frame head;
    const void *in;
    void *out, *partial, *received;
    int count, root, me, bit, code;
    MPI_Datatype type;
    MPI_Op op;
    bamboo_comm_t *comm, **made;
    bamboo_request_t *requests[2];
    int color, key, *all, *mine;
};

static int run_inner(bamboo_function_t *function, void *frame)
{
    bamboo_task_t *task = bamboo_current;
    task->collective = 1;
    if (function(frame) == BAMBOO_DONE) {
        task->collective = 0;
        bamboo_pop(frame);
        return 1;
    }
    task->inner = function;
    task->inner_frame = frame;
    return 0;
}

/* An operation of which this one is made, with the same arguments. */
static void push_callee(struct collective_frame *f)
{
    struct collective_frame *callee = bamboo_push(sizeof(*callee));
    *callee = *f;
    memset(&callee->head, 0, sizeof(callee->head));
    f->head.callee = &callee->head;
}

static struct collective_frame *begin(const char *call, bamboo_comm_t *comm, int root)
{
    bamboo_enter(call);
    if (comm == NULL) {
        bamboo_fail("MPI_COMM_NULL is not a communicator");
    }
    if (root < 0 || root >= comm->size) {
        bamboo_fail("root %d: the communicator has ranks 0 to %d", root, comm->size - 1);
    }
    struct collective_frame *f = bamboo_push(sizeof(*f));
    f->comm = comm;
    f->me = bamboo_comm_rank(comm, bamboo_current->rank);
    f->root = root;
    return f;
}

static int send(struct collective_frame *f, const void *buf, int count, MPI_Datatype type, int to)
{
    f->requests[0] = bamboo_begin_send(buf, count, type, to, 0, f->comm, 1);
    return bamboo_mpi_waitall(1, f->requests, MPI_STATUSES_IGNORE);
}

static int receive(struct collective_frame *f, void *buf, int count, MPI_Datatype type, int from)
{
    f->requests[0] = bamboo_begin_recv(buf, count, type, from, 0, f->comm, 1);
    return bamboo_mpi_waitall(1, f->requests, MPI_STATUSES_IGNORE);
}

/* ---- broadcast ---- */

static int from_root(const struct collective_frame *f)
{
    return (f->me - f->root + f->comm->size) % f->comm->size;
}

static int rank_from_root(const struct collective_frame *f, int relative)
{
    return (relative + f->root) % f->comm->size;
}

static bamboo_state_t bcast(struct bamboo_frame *frame)
{
    struct collective_frame *f = (struct collective_frame *) frame;
    BAMBOO_BEGIN(frame);
    for (f->bit = 1; f->bit < f->comm->size && !(from_root(f) & f->bit); f->bit *= 2) {
    }
    if (from_root(f) != 0) {
        BAMBOO_AWAIT_INSIDE(
            frame, receive(f, f->out, f->count, f->type, rank_from_root(f, from_root(f) - f->bit)));
    }
    for (f->bit /= 2; f->bit > 0; f->bit /= 2) {
        if (from_root(f) + f->bit < f->comm->size) {
            BAMBOO_AWAIT_INSIDE(frame, send(f, f->out, f->count, f->type,
                                            rank_from_root(f, from_root(f) + f->bit)));
        }
    }
    BAMBOO_END;
}

int bamboo_mpi_bcast(void *buf, int count, MPI_Datatype type, int root, bamboo_comm_t *comm)
{
    struct collective_frame *f = begin("MPI_Bcast", comm, root);
    f->out = buf;
    f->count = count;
    f->type = type;
    return run_inner(bcast, f);
}

/* ---- barrier: every rank's arrival has reached every rank after log2(size) rounds ---- */

static bamboo_state_t barrier(struct bamboo_frame *frame)
{
    struct collective_frame *f = (struct collective_frame *) frame;
    const int size = f->comm->size;
    BAMBOO_BEGIN(frame);
    for (f->bit = 1; f->bit < size; f->bit *= 2) {
        f->requests[0] =
            bamboo_begin_recv(NULL, 0, MPI_BYTE, (f->me - f->bit + size) % size, 0, f->comm, 1);
        f->requests[1] =
            bamboo_begin_send(NULL, 0, MPI_BYTE, (f->me + f->bit) % size, 0, f->comm, 1);
        BAMBOO_AWAIT_INSIDE(frame, bamboo_mpi_waitall(2, f->requests, MPI_STATUSES_IGNORE));
    }
    BAMBOO_END;
}

int bamboo_mpi_barrier(bamboo_comm_t *comm)
{
    return run_inner(barrier, begin("MPI_Barrier", comm, 0));
}

/* ---- reduction ---- */

/* Memory for the elements, behind the frame; the address of displacement 0. */
static void *buffer(int count, MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent;
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    if (extent < 0) {
        bamboo_fail("a datatype with a negative extent cannot be reduced");
    }
    MPI_Aint bytes = count > 0 ? true_extent + (count - 1) * extent : 0;
    return (char *) bamboo_push((size_t) bytes) - true_low;
}

/* Copies elements to other memory of their datatype. */
static void copy_elements(const void *from, void *to, int count, MPI_Datatype type)
{
    MPI_Gather(from, count, type, to, count, type, 0, MPI_COMM_SELF);
}

/* In a tree from rank 0, whatever the root is: each rank holds the result of the ranks from its own
 * on, in their order. MPI_Reduce_local(in, inout) is inout = in op inout, so this rank's value is
 * the left side and must be passed as in. */
static bamboo_state_t reduce(struct bamboo_frame *frame)
{
    struct collective_frame *f = (struct collective_frame *) frame;
    BAMBOO_BEGIN(frame);
    f->partial = buffer(f->count, f->type);
    f->received = buffer(f->count, f->type);
    copy_elements(f->in, f->partial, f->count, f->type);
    for (f->bit = 1; f->bit < f->comm->size; f->bit *= 2) {
        if (f->me & f->bit) {
            BAMBOO_AWAIT_INSIDE(frame, send(f, f->partial, f->count, f->type, f->me - f->bit));
            break;
        }
        if (f->me + f->bit < f->comm->size) {
            BAMBOO_AWAIT_INSIDE(frame, receive(f, f->received, f->count, f->type, f->me + f->bit));
            MPI_Reduce_local(f->partial, f->received, f->count, f->type, f->op);
            void *swap = f->partial;
            f->partial = f->received;
            f->received = swap;
        }
    }
    if (f->root != 0 && f->me == 0) {
        BAMBOO_AWAIT_INSIDE(frame, send(f, f->partial, f->count, f->type, f->root));
    } else if (f->root != 0 && f->me == f->root) {
        BAMBOO_AWAIT_INSIDE(frame, receive(f, f->out, f->count, f->type, 0));
    } else if (f->me == f->root) {
        copy_elements(f->partial, f->out, f->count, f->type);
    }
    BAMBOO_END;
}

static void set_reduction(struct collective_frame *f, const void *in, void *out, int count,
                          MPI_Datatype type, MPI_Op op)
{
    f->in = in == MPI_IN_PLACE ? out : in;
    f->out = out;
    f->count = count;
    f->type = type;
    f->op = op;
}

int bamboo_mpi_reduce(const void *send_buf, void *recv_buf, int count, MPI_Datatype type, MPI_Op op,
                      int root, bamboo_comm_t *comm)
{
    struct collective_frame *f = begin("MPI_Reduce", comm, root);
    set_reduction(f, send_buf, recv_buf, count, type, op);
    return run_inner(reduce, f);
}

static bamboo_state_t allreduce(struct bamboo_frame *frame)
{
    struct collective_frame *f = (struct collective_frame *) frame;
    BAMBOO_BEGIN(frame);
    push_callee(f);
    BAMBOO_CALL(frame, reduce);
    bamboo_pop(f->head.callee);

    push_callee(f);
    BAMBOO_CALL(frame, bcast);
    bamboo_pop(f->head.callee);
    BAMBOO_END;
}

int bamboo_mpi_allreduce(const void *send_buf, void *recv_buf, int count, MPI_Datatype type,
                         MPI_Op op, bamboo_comm_t *comm)
{
    struct collective_frame *f = begin("MPI_Allreduce", comm, 0);
    set_reduction(f, send_buf, recv_buf, count, type, op);
    return run_inner(allreduce, f);
}

/* ---- new communicators ---- */

enum { COLOR, KEY, CONTEXTS, FIELDS };

static int lowest_free(int used)
{
    for (int context = 0; context < BAMBOO_CONTEXTS; context++) {
        if (!(used & (1 << context))) {
            return context;
        }
    }
    bamboo_fail("more than %d communicators at a time, MPI_COMM_WORLD and MPI_COMM_SELF among them",
                BAMBOO_CONTEXTS);
}

/* The ranks of my color, by key and then by rank. */
static void make(struct collective_frame *f)
{
    int used = 0, size = 0;
    int *of = bamboo_allocate((size_t) f->comm->size * sizeof(int));
    int *keys = bamboo_push((size_t) f->comm->size * sizeof(int));
    for (int rank = 0; rank < f->comm->size; rank++) {
        const int *row = &f->all[rank * FIELDS];
        used |= row[CONTEXTS];
        if (row[COLOR] != f->color) {
            continue;
        }
        int i = size++;
        for (; i > 0 && keys[i - 1] > row[KEY]; i--) {
            keys[i] = keys[i - 1];
            of[i] = of[i - 1];
        }
        keys[i] = row[KEY];
        of[i] = f->comm->world[rank];
    }
    int context = lowest_free(used);
    if (f->color == MPI_UNDEFINED) {
        *f->made = NULL;
    } else {
        *f->made = bamboo_comm_new(context, size, of);
        of = NULL;
    }
    free(of);
}

/* Rank 0 gathers color, key and contexts in use, and all get them. */
static bamboo_state_t split(struct bamboo_frame *frame)
{
    struct collective_frame *f = (struct collective_frame *) frame;
    BAMBOO_BEGIN(frame);
    f->all = bamboo_push((size_t) f->comm->size * FIELDS * sizeof(int));
    f->mine = &f->all[f->me * FIELDS];
    f->mine[COLOR] = f->color;
    f->mine[KEY] = f->key;
    f->mine[CONTEXTS] = (int) bamboo_current->contexts;
    if (f->me != 0) {
        BAMBOO_AWAIT_INSIDE(frame, send(f, f->mine, FIELDS, MPI_INT, 0));
    }
    for (f->bit = 1; f->me == 0 && f->bit < f->comm->size; f->bit++) {
        BAMBOO_AWAIT_INSIDE(frame, receive(f, &f->all[f->bit * FIELDS], FIELDS, MPI_INT, f->bit));
    }
    f->out = f->all;
    f->count = f->comm->size * FIELDS;
    f->type = MPI_INT;
    push_callee(f);
    BAMBOO_CALL(frame, bcast);
    make(f);
    BAMBOO_END;
}

int bamboo_mpi_comm_split(bamboo_comm_t *comm, int color, int key, bamboo_comm_t **result)
{
    struct collective_frame *f = begin("MPI_Comm_split", comm, 0);
    if (color < 0 && color != MPI_UNDEFINED) {
        bamboo_fail("color %d is negative", color);
    }
    f->color = color;
    f->key = key;
    f->made = result;
    return run_inner(split, f);
}

int bamboo_mpi_comm_dup(bamboo_comm_t *comm, bamboo_comm_t **result)
{
    struct collective_frame *f = begin("MPI_Comm_dup", comm, 0);
    f->color = 0;
    f->key = f->me;
    f->made = result;
    return run_inner(split, f);
}
