/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations, made of messages between tasks, so that one task's part overlaps another's
 * work. What is reduced is combined in the order of ranks: the result is the same for every V. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "comm.h"

/* ---- pieces ---- */

static void *allocate(size_t bytes)
{
    return bamboo_allocate(bytes);
}

static void send(bamboo_comm_t *comm, const void *buf, int count, MPI_Datatype type, int to)
{
    bamboo_request_t *request = bamboo_begin_send(buf, count, type, to, 0, comm, 1);
    bamboo_await_all(1, &request, MPI_STATUSES_IGNORE);
}

static void receive(bamboo_comm_t *comm, void *buf, int count, MPI_Datatype type, int from)
{
    bamboo_request_t *request = bamboo_begin_recv(buf, count, type, from, 0, comm, 1);
    bamboo_await_all(1, &request, MPI_STATUSES_IGNORE);
}

static int begin(const char *call, bamboo_comm_t **comm, int root)
{
    bamboo_task_t *task = bamboo_enter(call);
    *comm = bamboo_comm_of(*comm);
    if (root < 0 || root >= (*comm)->size) {
        bamboo_fail("root %d: the communicator has ranks 0 to %d", root, (*comm)->size - 1);
    }
    task->collective++;
    return bamboo_comm_rank(*comm, task->rank);
}

static int end_call(void)
{
    bamboo_current->collective--;
    return MPI_SUCCESS;
}

/* ---- barrier: every rank's arrival has reached every rank after log2(size) rounds ---- */

int bamboo_mpi_barrier(bamboo_comm_t *comm)
{
    const int me = begin("MPI_Barrier", &comm, 0), size = comm->size;
    for (int bit = 1; bit < size; bit *= 2) {
        bamboo_request_t *requests[] = {
            bamboo_begin_recv(NULL, 0, MPI_BYTE, (me - bit + size) % size, 0, comm, 1),
            bamboo_begin_send(NULL, 0, MPI_BYTE, (me + bit) % size, 0, comm, 1)};
        bamboo_await_all(2, requests, MPI_STATUSES_IGNORE);
    }
    return end_call();
}

/* ---- broadcast, in a binomial tree ---- */

static void broadcast(bamboo_comm_t *comm, void *buf, int count, MPI_Datatype type, int root)
{
    const int size = comm->size, me = bamboo_comm_rank(comm, bamboo_current->rank);
    const int from_root = (me - root + size) % size;
    int bit = 1;
    while (bit < size && !(from_root & bit)) {
        bit *= 2;
    }
    if (from_root != 0) {
        receive(comm, buf, count, type, (me - bit + size) % size);
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        if (from_root + bit < size) {
            send(comm, buf, count, type, (me + bit) % size);
        }
    }
}

int bamboo_mpi_bcast(void *buf, int count, MPI_Datatype type, int root, bamboo_comm_t *comm)
{
    begin("MPI_Bcast", &comm, root);
    broadcast(comm, buf, count, type, root);
    return end_call();
}

/* ---- reduction ---- */

/* Memory for elements of a datatype. */
struct elements {
    void *memory, *at; /* at: of displacement 0 */
};

static struct elements elements(int count, MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent;
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    if (extent < 0) {
        bamboo_fail("a datatype with a negative extent cannot be reduced");
    }
    struct elements made;
    made.memory = allocate(count > 0 ? (size_t) (true_extent + (count - 1) * extent) : 0);
    made.at = (char *) made.memory - true_low;
    return made;
}

static void swap(struct elements *one, struct elements *other)
{
    struct elements kept = *one;
    *one = *other;
    *other = kept;
}

/* Copies elements to other memory of their datatype. */
static void copy_elements(const void *from, void *to, int count, MPI_Datatype type)
{
    MPI_Gather(from, count, type, to, count, type, 0, MPI_COMM_SELF);
}

/* In a tree from rank 0, whatever the root is: each rank holds the result of the ranks from its own
 * on, in their order. MPI_Reduce_local(in, inout) is inout = in op inout, so this rank's value is
 * the left side and must be passed as in. */
static void reduce(bamboo_comm_t *comm, const void *in, void *out, int count, MPI_Datatype type,
                   MPI_Op op, int root)
{
    const int size = comm->size, me = bamboo_comm_rank(comm, bamboo_current->rank);
    struct elements partial = elements(count, type), received = elements(count, type);
    copy_elements(in == MPI_IN_PLACE ? out : in, partial.at, count, type);
    for (int bit = 1; bit < size; bit *= 2) {
        if (me & bit) {
            send(comm, partial.at, count, type, me - bit);
            break;
        }
        if (me + bit < size) {
            receive(comm, received.at, count, type, me + bit);
            MPI_Reduce_local(partial.at, received.at, count, type, op);
            swap(&partial, &received);
        }
    }
    if (me == 0 && root == 0) {
        copy_elements(partial.at, out, count, type);
    } else if (me == 0) {
        send(comm, partial.at, count, type, root);
    } else if (me == root) {
        receive(comm, out, count, type, 0);
    }
    free(partial.memory);
    free(received.memory);
}

int bamboo_mpi_reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                      bamboo_comm_t *comm)
{
    begin("MPI_Reduce", &comm, root);
    reduce(comm, in, out, count, type, op, root);
    return end_call();
}

/* The same values in the same order at every rank, of a number of ranks that is a power of two: in
 * the round of bit, two ranks exchange what 2 * bit of them have combined. */
static void reduce_everywhere(bamboo_comm_t *comm, const void *in, void *out, int count,
                              MPI_Datatype type, MPI_Op op)
{
    const int me = bamboo_comm_rank(comm, bamboo_current->rank);
    struct elements received = elements(count, type), partial = {NULL, out};
    if (in != MPI_IN_PLACE) {
        copy_elements(in, out, count, type);
    }
    for (int bit = 1; bit < comm->size; bit *= 2) {
        const int other = me ^ bit;
        bamboo_request_t *requests[] = {
            bamboo_begin_recv(received.at, count, type, other, 0, comm, 1),
            bamboo_begin_send(partial.at, count, type, other, 0, comm, 1)};
        bamboo_await_all(2, requests, MPI_STATUSES_IGNORE);
        if (me < other) {
            swap(&partial, &received);
        }
        MPI_Reduce_local(received.at, partial.at, count, type, op);
    }
    if (partial.at != out) {
        copy_elements(partial.at, out, count, type);
    }
    free(partial.memory);
    free(received.memory);
}

int bamboo_mpi_allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                         bamboo_comm_t *comm)
{
    begin("MPI_Allreduce", &comm, 0);
    if ((comm->size & (comm->size - 1)) == 0) {
        reduce_everywhere(comm, in, out, count, type, op);
    } else {
        reduce(comm, in, out, count, type, op, 0);
        broadcast(comm, out, count, type, 0);
    }
    return end_call();
}

/* After the round of bit, a rank has combined the 2 * bit ranks up to its own. exclusive: out gets
 * those before it. */
static void scan_ranks(bamboo_comm_t *comm, const void *in, void *out, int count, MPI_Datatype type,
                       MPI_Op op, int exclusive)
{
    const int size = comm->size, me = bamboo_comm_rank(comm, bamboo_current->rank);
    struct elements partial = elements(count, type), received = elements(count, type);
    int none = exclusive; /* so far */
    copy_elements(in == MPI_IN_PLACE ? out : in, partial.at, count, type);
    if (!exclusive) {
        copy_elements(partial.at, out, count, type);
    }
    for (int bit = 1; bit < size; bit *= 2) {
        bamboo_request_t *requests[2] = {NULL, NULL};
        if (me >= bit) {
            requests[0] = bamboo_begin_recv(received.at, count, type, me - bit, 0, comm, 1);
        }
        if (me + bit < size) {
            requests[1] = bamboo_begin_send(partial.at, count, type, me + bit, 0, comm, 1);
        }
        bamboo_await_all(2, requests, MPI_STATUSES_IGNORE);
        if (me < bit) {
            continue;
        }
        if (none) {
            copy_elements(received.at, out, count, type);
            none = 0;
        } else {
            MPI_Reduce_local(received.at, out, count, type, op);
        }
        MPI_Reduce_local(received.at, partial.at, count, type, op);
    }
    free(partial.memory);
    free(received.memory);
}

int bamboo_mpi_scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                    bamboo_comm_t *comm)
{
    begin("MPI_Scan", &comm, 0);
    scan_ranks(comm, in, out, count, type, op, 0);
    return end_call();
}

int bamboo_mpi_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                      bamboo_comm_t *comm)
{
    begin("MPI_Exscan", &comm, 0);
    scan_ranks(comm, in, out, count, type, op, 1);
    return end_call();
}

/* ---- blocks from ranks to ranks ---- */

/* One block for each peer: as MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw describe them. */
struct blocks {
    const void *buf;
    const int *counts;         /* NULL: count */
    const int *displacements;  /* in extents, or with types in bytes */
    const MPI_Aint *places;    /* or these, in bytes */
    const MPI_Datatype *types; /* NULL: type */
    int count;
    MPI_Datatype type;
    MPI_Aint stride; /* bytes between blocks, or of an element of displacements; 0: one for all */
};

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    return extent;
}

/* The same block for all. */
static struct blocks one_block(const void *buf, int count, MPI_Datatype type)
{
    return (struct blocks){.buf = buf, .count = count, .type = type};
}

static struct blocks equal_blocks(const void *buf, int count, MPI_Datatype type)
{
    return (struct blocks){
        .buf = buf, .count = count, .type = type, .stride = count * extent_of(type)};
}

static struct blocks unequal_blocks(const void *buf, const int *counts, const int *displacements,
                                    MPI_Datatype type)
{
    return (struct blocks){.buf = buf,
                           .counts = counts,
                           .displacements = displacements,
                           .type = type,
                           .stride = extent_of(type)};
}

static struct blocks typed_blocks(const void *buf, const int *counts, const int *displacements,
                                  const MPI_Aint *places, const MPI_Datatype *types)
{
    return (struct blocks){.buf = buf,
                           .counts = counts,
                           .displacements = displacements,
                           .places = places,
                           .types = types,
                           .stride = 1};
}

static struct blocks block_at(const struct blocks *all, int i)
{
    MPI_Aint place = all->places != NULL          ? all->places[i]
                     : all->displacements != NULL ? all->displacements[i] * all->stride
                                                  : i * all->stride;
    return one_block((const char *) all->buf + place,
                     all->counts != NULL ? all->counts[i] : all->count,
                     all->types != NULL ? all->types[i] : all->type);
}

/* Peers: rank i of the communicator, or list[i]. */
struct peers {
    int n;
    const int *list;
    int grid; /* along each dimension the one below and the one above: if both are one rank, what
                 goes to the one above comes from the one below */
};

static int peer(const struct peers *peers, int i)
{
    return peers->list != NULL ? peers->list[i] : i;
}

/* Sends a block to each of `to`, and receives one from each of `from`. In place, the rank's own
 * block stays where it is. */
static void move_blocks(bamboo_comm_t *comm, struct peers to, struct blocks sent, struct peers from,
                        struct blocks received, int in_place)
{
    const int me = in_place ? bamboo_comm_rank(comm, bamboo_current->rank) : -1;
    bamboo_request_t **requests = allocate((size_t) (to.n + from.n) * sizeof(*requests));
    int n = 0;
    for (int i = 0; i < from.n; i++) {
        struct blocks block = block_at(&received, i);
        if (peer(&from, i) != me) {
            requests[n++] = bamboo_begin_recv((void *) block.buf, block.count, block.type,
                                              peer(&from, i), from.grid ? i % 2 : 0, comm, 1);
        }
    }
    for (int i = 0; i < to.n; i++) {
        struct blocks block = block_at(&sent, i);
        if (peer(&to, i) != me) {
            requests[n++] = bamboo_begin_send(block.buf, block.count, block.type, peer(&to, i),
                                              to.grid ? 1 - i % 2 : 0, comm, 1);
        }
    }
    bamboo_await_all(n, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static struct peers everyone(const bamboo_comm_t *comm)
{
    return (struct peers){comm->size, NULL, 0};
}

static struct peers one(const int *rank)
{
    return (struct peers){1, rank, 0};
}

static const struct peers no_peers = {0, NULL, 0};
static const struct blocks no_blocks;

/* sent: one block; received: blocks, at the root only. */
static int gather(const char *call, bamboo_comm_t *comm, int root, struct blocks sent,
                  struct blocks received)
{
    const int me = begin(call, &comm, root), in_place = sent.buf == MPI_IN_PLACE;
    move_blocks(comm, in_place ? no_peers : one(&root), sent,
                me == root ? everyone(comm) : no_peers, received, in_place);
    return end_call();
}

static int is_root(bamboo_comm_t *comm, int root)
{
    return bamboo_comm_rank(bamboo_comm_of(comm), bamboo_current->rank) == root;
}

int bamboo_mpi_gather(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                      MPI_Datatype type, int root, bamboo_comm_t *comm)
{
    return gather("MPI_Gather", comm, root, one_block(in, in_count, in_type),
                  is_root(comm, root) ? equal_blocks(out, count, type) : no_blocks);
}

int bamboo_mpi_gatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                       const int *counts, const int *displacements, MPI_Datatype type, int root,
                       bamboo_comm_t *comm)
{
    return gather("MPI_Gatherv", comm, root, one_block(in, in_count, in_type),
                  is_root(comm, root) ? unequal_blocks(out, counts, displacements, type)
                                      : no_blocks);
}

/* sent: blocks, at the root only; received: one block. */
static void scatter(bamboo_comm_t *comm, int root, struct blocks sent, struct blocks received)
{
    const int me = bamboo_comm_rank(comm, bamboo_current->rank),
              in_place = received.buf == MPI_IN_PLACE;
    move_blocks(comm, me == root ? everyone(comm) : no_peers, sent,
                in_place ? no_peers : one(&root), received, in_place);
}

int bamboo_mpi_scatter(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                       MPI_Datatype type, int root, bamboo_comm_t *comm)
{
    const int me = begin("MPI_Scatter", &comm, root);
    scatter(comm, root, me == root ? equal_blocks(in, in_count, in_type) : no_blocks,
            one_block(out, count, type));
    return end_call();
}

int bamboo_mpi_scatterv(const void *in, const int *counts, const int *displacements,
                        MPI_Datatype in_type, void *out, int count, MPI_Datatype type, int root,
                        bamboo_comm_t *comm)
{
    const int me = begin("MPI_Scatterv", &comm, root);
    scatter(comm, root, me == root ? unequal_blocks(in, counts, displacements, in_type) : no_blocks,
            one_block(out, count, type));
    return end_call();
}

/* Reduces to rank 0, which scatters. */
int bamboo_mpi_reduce_scatter(const void *in, void *out, const int *counts, MPI_Datatype type,
                              MPI_Op op, bamboo_comm_t *comm)
{
    const int me = begin("MPI_Reduce_scatter", &comm, 0);
    int *displacements = allocate((size_t) comm->size * sizeof(int)), total = 0;
    for (int i = 0; i < comm->size; i++) {
        displacements[i] = total;
        total += counts[i];
    }
    struct elements all = elements(total, type);
    reduce(comm, in == MPI_IN_PLACE ? out : in, all.at, total, type, op, 0);
    scatter(comm, 0, unequal_blocks(all.at, counts, displacements, type),
            one_block(out, counts[me], type));
    free(all.memory);
    free(displacements);
    return end_call();
}

int bamboo_mpi_reduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type,
                                    MPI_Op op, bamboo_comm_t *comm)
{
    comm = bamboo_comm_of(comm);
    int *counts = allocate((size_t) comm->size * sizeof(int));
    for (int i = 0; i < comm->size; i++) {
        counts[i] = count;
    }
    bamboo_mpi_reduce_scatter(in, out, counts, type, op, comm);
    free(counts);
    return MPI_SUCCESS;
}

static int allgather(const char *call, bamboo_comm_t *comm, struct blocks sent,
                     struct blocks received)
{
    const int me = begin(call, &comm, 0), in_place = sent.buf == MPI_IN_PLACE;
    move_blocks(comm, everyone(comm), in_place ? block_at(&received, me) : sent, everyone(comm),
                received, in_place);
    return end_call();
}

int bamboo_mpi_allgather(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                         MPI_Datatype type, bamboo_comm_t *comm)
{
    return allgather("MPI_Allgather", comm, one_block(in, in_count, in_type),
                     equal_blocks(out, count, type));
}

int bamboo_mpi_allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                          const int *counts, const int *displacements, MPI_Datatype type,
                          bamboo_comm_t *comm)
{
    return allgather("MPI_Allgatherv", comm, one_block(in, in_count, in_type),
                     unequal_blocks(out, counts, displacements, type));
}

/* In place, what is sent is packed before anything is received. */
static int alltoall(const char *call, bamboo_comm_t *comm, struct blocks sent,
                    struct blocks received)
{
    begin(call, &comm, 0);
    if (sent.buf != MPI_IN_PLACE) {
        move_blocks(comm, everyone(comm), sent, everyone(comm), received, 0);
        return end_call();
    }
    int *counts = allocate(2 * (size_t) comm->size * sizeof(int)), total = 0;
    int *displacements = counts + comm->size;
    for (int i = 0; i < comm->size; i++) {
        struct blocks block = block_at(&received, i);
        displacements[i] = total;
        total += (int) bamboo_size(block.count, block.type);
    }
    char *packed = allocate((size_t) total);
    int position = 0;
    for (int i = 0; i < comm->size; i++) {
        struct blocks block = block_at(&received, i);
        MPI_Pack(block.buf, block.count, block.type, packed, total, &position, MPI_COMM_SELF);
        counts[i] = position - displacements[i];
    }
    move_blocks(comm, everyone(comm), unequal_blocks(packed, counts, displacements, MPI_PACKED),
                everyone(comm), received, 0);
    free(packed);
    free(counts);
    return end_call();
}

int bamboo_mpi_alltoall(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                        MPI_Datatype type, bamboo_comm_t *comm)
{
    return alltoall("MPI_Alltoall", comm,
                    in == MPI_IN_PLACE ? one_block(in, 0, type)
                                       : equal_blocks(in, in_count, in_type),
                    equal_blocks(out, count, type));
}

int bamboo_mpi_alltoallv(const void *in, const int *in_counts, const int *in_displacements,
                         MPI_Datatype in_type, void *out, const int *counts,
                         const int *displacements, MPI_Datatype type, bamboo_comm_t *comm)
{
    return alltoall("MPI_Alltoallv", comm,
                    in == MPI_IN_PLACE ? one_block(in, 0, type)
                                       : unequal_blocks(in, in_counts, in_displacements, in_type),
                    unequal_blocks(out, counts, displacements, type));
}

int bamboo_mpi_alltoallw(const void *in, const int *in_counts, const int *in_displacements,
                         const MPI_Datatype *in_types, void *out, const int *counts,
                         const int *displacements, const MPI_Datatype *types, bamboo_comm_t *comm)
{
    return alltoall("MPI_Alltoallw", comm,
                    typed_blocks(in, in_counts, in_displacements, NULL, in_types),
                    typed_blocks(out, counts, displacements, NULL, types));
}

/* ---- between neighbours of a topology ---- */

static int neighbours(const char *call, bamboo_comm_t *comm, struct blocks sent,
                      struct blocks received)
{
    begin(call, &comm, 0);
    const bamboo_topology_t *topology = comm->topology;
    if (topology == NULL) {
        bamboo_fail("the communicator has no topology");
    }
    const int grid = topology->kind == MPI_CART;
    move_blocks(comm, (struct peers){topology->outdegree, topology->to, grid}, sent,
                (struct peers){topology->indegree, topology->from, grid}, received, 0);
    return end_call();
}

int bamboo_mpi_neighbor_allgather(const void *in, int in_count, MPI_Datatype in_type, void *out,
                                  int count, MPI_Datatype type, bamboo_comm_t *comm)
{
    return neighbours("MPI_Neighbor_allgather", comm, one_block(in, in_count, in_type),
                      equal_blocks(out, count, type));
}

int bamboo_mpi_neighbor_allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                                   const int *counts, const int *displacements, MPI_Datatype type,
                                   bamboo_comm_t *comm)
{
    return neighbours("MPI_Neighbor_allgatherv", comm, one_block(in, in_count, in_type),
                      unequal_blocks(out, counts, displacements, type));
}

int bamboo_mpi_neighbor_alltoall(const void *in, int in_count, MPI_Datatype in_type, void *out,
                                 int count, MPI_Datatype type, bamboo_comm_t *comm)
{
    return neighbours("MPI_Neighbor_alltoall", comm, equal_blocks(in, in_count, in_type),
                      equal_blocks(out, count, type));
}

int bamboo_mpi_neighbor_alltoallv(const void *in, const int *in_counts, const int *in_displacements,
                                  MPI_Datatype in_type, void *out, const int *counts,
                                  const int *displacements, MPI_Datatype type, bamboo_comm_t *comm)
{
    return neighbours("MPI_Neighbor_alltoallv", comm,
                      unequal_blocks(in, in_counts, in_displacements, in_type),
                      unequal_blocks(out, counts, displacements, type));
}

int bamboo_mpi_neighbor_alltoallw(const void *in, const int *in_counts, const MPI_Aint *in_places,
                                  const MPI_Datatype *in_types, void *out, const int *counts,
                                  const MPI_Aint *places, const MPI_Datatype *types,
                                  bamboo_comm_t *comm)
{
    return neighbours("MPI_Neighbor_alltoallw", comm,
                      typed_blocks(in, in_counts, NULL, in_places, in_types),
                      typed_blocks(out, counts, NULL, places, types));
}
