/* Collective operations, communicators and topologies with random arguments, from a seed that all
 * ranks share. Rank 0 prints what each rank got, call by call. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, MOST = 40, RANKS = 16, ROOM = 4 * MOST * RANKS };

static unsigned long long state = 12345;
static int rank, size, in[ROOM], out[ROOM], counts[RANKS], places[RANKS], bytes[RANKS];
static int sent[RANKS], sent_places[RANKS], sent_bytes[RANKS];
static MPI_Datatype types[RANKS], pair;
static MPI_Comm comm;

/* For rank 0 to print at the end: mpirun mixes the lines of ranks. */
static char text[1 << 20];
static size_t length;

static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    length += (size_t) vsnprintf(text + length, sizeof(text) - length, format, list);
    va_end(list);
}

static void print_all(void)
{
    MPI_Status status;
    int n = (int) length;
    if (rank > 0) {
        MPI_Send(text, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < size; i++) {
        fwrite(text, 1, (size_t) n, stdout);
        if (i + 1 < size) {
            MPI_Recv(text, sizeof(text), MPI_CHAR, i + 1, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &n);
        }
    }
}

static int below(int bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int) (state >> 33) % bound;
}

static void fill(void)
{
    for (int i = 0; i < ROOM; i++) {
        in[i] = (rank + 1) * 1000 + i;
        out[i] = -1;
    }
}

static void show(const char *call)
{
    unsigned sum = 0;
    for (int i = 0; i < ROOM; i++) {
        sum = sum * 31 + (unsigned) out[i];
    }
    say("%d %s %08x\n", rank, call, sum);
    fill();
}

/* The same for all ranks; what rank i sends to rank j is counts[j], if not otherwise said. */
static void draw(void)
{
    int at = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = below(MOST);
        places[i] = at;
        bytes[i] = at * (int) sizeof(int);
        at += counts[i] + below(3);
        types[i] = MPI_INT;
    }
}

static void blocks(void)
{
    const int n = below(MOST), root = below(size), in_place = below(2);
    draw();
    MPI_Gather(in_place && rank == root ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, root,
               comm);
    show("gather");
    MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, root, comm);
    show("gatherv");
    MPI_Scatter(in, n, MPI_INT, in_place && rank == root ? MPI_IN_PLACE : out, n, MPI_INT, root,
                comm);
    show("scatter");
    MPI_Scatterv(in, counts, places, MPI_INT, out, counts[rank], MPI_INT, root, comm);
    show("scatterv");
    MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm);
    show("allgather");
    memcpy(out, in, sizeof(in));
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, n, MPI_INT, comm);
    show("allgather in place");
    MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, comm);
    show("allgatherv");
    MPI_Allgather(in, n, MPI_INT, out, n, pair, comm); /* every second int, of the same size */
    show("allgather of another type");
    MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
    show("alltoall");
    memcpy(out, in, sizeof(in));
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, n, MPI_INT, comm);
    show("alltoall in place");
    for (int i = 0; i < size; i++) { /* rank i receives counts[i] from each */
        sent[i] = counts[i];
        sent_places[i] = places[i];
        sent_bytes[i] = bytes[i];
    }
    for (int i = 0; i < size; i++) {
        places[i] = i * (counts[rank] + 1);
        bytes[i] = places[i] * (int) sizeof(int);
    }
    for (int i = 0; i < size; i++) {
        places[i] = i * (sent[rank] + 1);
        counts[i] = sent[rank];
    }
    MPI_Alltoallv(in, sent, sent_places, MPI_INT, out, counts, places, MPI_INT, comm);
    show("alltoallv");
    MPI_Alltoallw(in, sent, sent_bytes, types, out, counts, bytes, types, comm);
    show("alltoallw");
}

/* Affine functions modulo 10007: composing them does not commute. */
static void compose(void *left, void *inout, int *n, MPI_Datatype *type)
{
    const int *x = left;
    int *y = inout;
    (void) type;
    for (int i = 0; i + 1 < *n; i += 2) {
        int a = x[i] * y[i] % 10007, b = (x[i] * y[i + 1] + x[i + 1]) % 10007;
        y[i] = a;
        y[i + 1] = b;
    }
}

static void reductions(void)
{
    const int n = 2 * (1 + below(MOST / 2)), root = below(size);
    MPI_Op op = MPI_SUM;
    if (below(2)) {
        MPI_Op_create(compose, 0, &op);
        for (int i = 0; i < ROOM; i++) {
            in[i] = (in[i] * 7 + rank) % 10007;
        }
    }
    draw();
    MPI_Reduce(in, out, n, MPI_INT, op, root, comm);
    show("reduce");
    memcpy(out, in, sizeof(in));
    MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_INT, op, comm);
    show("allreduce in place");
    MPI_Scan(in, out, n, MPI_INT, op, comm);
    show("scan");
    memcpy(out, in, sizeof(in));
    MPI_Scan(MPI_IN_PLACE, out, n, MPI_INT, op, comm);
    show("scan in place");
    MPI_Exscan(in, out, n, MPI_INT, op, comm);
    if (rank == 0) {
        out[0] = 0;
    }
    show("exscan");
    for (int i = 0; i < size; i++) {
        counts[i] = counts[i] / 2 * 2;
    }
    MPI_Reduce_scatter(in, out, counts, MPI_INT, op, comm);
    show("reduce_scatter");
    MPI_Reduce_scatter_block(in, out, n, MPI_INT, op, comm);
    show("reduce_scatter_block");
    if (op != MPI_SUM) {
        MPI_Op_free(&op);
    }
}

static void show_list(const char *call, int n, const int *list)
{
    memcpy(out, list, (size_t) n * sizeof(int));
    show(call);
}

static void neighbours(MPI_Comm topology, int from, int to)
{
    const int n = 1 + below(MOST);
    MPI_Aint at[RANKS];
    MPI_Neighbor_allgather(in, n, MPI_INT, out, n, MPI_INT, topology);
    show("neighbor_allgather");
    MPI_Neighbor_alltoall(in, n, MPI_INT, out, n, MPI_INT, topology);
    show("neighbor_alltoall");
    for (int i = 0; i < RANKS; i++) {
        counts[i] = n;
        places[i] = i * n;
        at[i] = (MPI_Aint) (i * n) * (MPI_Aint) sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Neighbor_allgatherv(in, n, MPI_INT, out, counts, places, MPI_INT, topology);
    show("neighbor_allgatherv");
    MPI_Neighbor_alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, topology);
    show("neighbor_alltoallv");
    MPI_Neighbor_alltoallw(in, counts, at, types, out, counts, at, types, topology);
    show("neighbor_alltoallw");
    say("%d has %d and %d neighbours\n", rank, from, to);
}

static void grids(void)
{
    int dims[2] = {0, 0}, periods[2] = {below(2), below(2)}, coords[2], remain[2] = {1, 0}, list[8];
    int kind, found[2], wraps[2];
    MPI_Comm grid, part;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, 0, &grid);
    MPI_Topo_test(grid, &kind);
    MPI_Cart_get(grid, 2, found, wraps, coords);
    MPI_Cart_rank(grid, coords, &list[0]);
    MPI_Cart_shift(grid, 0, 1, &list[1], &list[2]);
    MPI_Cart_shift(grid, 1, -2, &list[3], &list[4]);
    list[5] = kind == MPI_CART ? coords[0] * 100 + coords[1] : -1;
    for (int i = 1; i < 5; i++) {
        list[i] = list[i] == MPI_PROC_NULL ? -7 : list[i];
    }
    show_list("cart", 6, list);
    neighbours(grid, 4, 4);
    MPI_Cart_sub(grid, remain, &part);
    MPI_Allgather(&rank, 1, MPI_INT, out, 1, MPI_INT, part);
    show("cart_sub");
    MPI_Comm_free(&part);
    MPI_Comm_free(&grid);
}

/* Each rank sends to the next `n`, and so receives from those before. */
static void graphs(void)
{
    const int n = 1 + below(size < 3 ? 1 : 2);
    int from[2], to[2], index[RANKS], edges[2 * RANKS], degrees[3], list[4] = {0};
    MPI_Comm graph;
    for (int i = 0; i < n; i++) {
        from[i] = (rank + size - 1 - i) % size;
        to[i] = (rank + 1 + i) % size;
    }
    MPI_Dist_graph_create_adjacent(comm, n, from, MPI_UNWEIGHTED, n, to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &degrees[0], &degrees[1], &degrees[2]);
    neighbours(graph, degrees[0], degrees[1]);
    MPI_Comm_free(&graph);
    for (int i = 0; i < size; i++) { /* a ring, both ways */
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI_Graph_create(comm, size, index, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, rank, &list[0]);
    MPI_Graph_neighbors(graph, rank, 2, &list[1]);
    show_list("graph", 3, list);
    if (size > 2) { /* two edges between two ranks: which message is which is not said */
        neighbours(graph, 2, 2);
    }
    MPI_Comm_free(&graph);
}

static int copied;

static int copy(MPI_Comm old, int key, void *extra, void *value, void *result, int *flag)
{
    (void) old, (void) key, (void) extra;
    copied++;
    *(void **) result = (char *) value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int forget(MPI_Comm old, int key, void *value, void *extra)
{
    (void) old, (void) key, (void) value, (void) extra;
    copied += 100;
    return MPI_SUCCESS;
}

static void groups(void)
{
    MPI_Group all, some, others, both;
    MPI_Comm part, twin;
    int ranges[1][3] = {{0, size - 1, 2}}, list[6] = {0}, zero = 0, key, flag;
    static char anything[4];
    char *value;
    MPI_Comm_group(comm, &all);
    MPI_Group_range_incl(all, 1, ranges, &some);
    MPI_Group_excl(all, 1, &zero, &others);
    MPI_Group_intersection(some, others, &both);
    MPI_Group_size(both, &list[0]);
    MPI_Group_free(&both);
    MPI_Group_union(others, some, &both);
    MPI_Group_translate_ranks(all, 1, &zero, both, &list[1]);
    MPI_Group_compare(all, both, &list[2]);
    list[2] = list[2] == MPI_SIMILAR;
    MPI_Group_rank(some, &list[3]);
    list[3] = list[3] == MPI_UNDEFINED ? -1 : list[3];
    show_list("groups", 4, list);
    MPI_Comm_create(comm, some, &part);
    if (part != MPI_COMM_NULL) {
        MPI_Allgather(&rank, 1, MPI_INT, out, 1, MPI_INT, part);
        show("comm_create");
        MPI_Comm_free(&part);
        MPI_Comm_create_group(comm, some, 9, &part);
        MPI_Allgather(&rank, 1, MPI_INT, out, 1, MPI_INT, part);
        show("comm_create_group");
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&both);
    MPI_Group_free(&others);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    copied = 0;
    MPI_Comm_create_keyval(copy, forget, &key, NULL);
    MPI_Comm_set_attr(comm, key, anything);
    MPI_Comm_dup(comm, &twin);
    MPI_Comm_get_attr(twin, key, &value, &flag);
    MPI_Comm_compare(comm, twin, &list[0]);
    say("%d attribute %d %d %d %d\n", rank, flag, (int) (value - anything), copied,
        list[0] == MPI_CONGRUENT);
    MPI_Comm_free(&twin);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_get_attr(comm, key, &value, &flag);
    MPI_Comm_free_keyval(&key);
    say("%d attribute %d %d\n", rank, flag, copied);
}

/* Messages of the less usual kinds, to the next rank. */
static void messages(void)
{
    const int n = 1 + below(MOST), next = (rank + 1) % size, last = (rank + size - 1) % size;
    int bytes_attached;
    char memory[8 * MOST + 2 * MPI_BSEND_OVERHEAD], *attached;
    MPI_Request request;
    MPI_Buffer_attach(memory, sizeof(memory));
    MPI_Bsend(in, n, MPI_INT, next, 3, comm);
    MPI_Recv(out, n, MPI_INT, last, 3, comm, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&attached, &bytes_attached);
    show(attached == memory && bytes_attached == sizeof(memory) ? "bsend" : "detach");
    MPI_Irecv(out, n, MPI_INT, last, 4, comm, &request);
    MPI_Barrier(comm);
    MPI_Rsend(in, n, MPI_INT, next, 4, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("rsend");
    memcpy(out, in, sizeof(in));
    MPI_Sendrecv_replace(out, n, pair, next, 5, last, 5, comm, MPI_STATUS_IGNORE);
    show("sendrecv_replace");
}

static void files(const char *name)
{
    MPI_File file;
    int mine[4] = {rank, rank + 1, rank + 2, rank + 3};
    MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset) rank * (MPI_Offset) sizeof(mine), mine, 4, MPI_INT,
                          MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(comm);
    MPI_File_sync(file);
    MPI_File_read_at(file, 0, out, 4 * size, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    show("file");
}

int main(int argc, char **argv)
{
    char name[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    state += argc > 1 ? (unsigned long long) atoi(argv[1]) : 0;
    snprintf(name, sizeof(name), "collectives.%s.%d", argc > 2 ? argv[2] : "file", size);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair);
    MPI_Type_commit(&pair);
    fill();
    for (int round = 0; round < ROUNDS; round++) {
        comm = MPI_COMM_WORLD;
        if (round % 3 == 2) { /* backwards */
            MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
            MPI_Comm_rank(comm, &rank);
            fill();
        }
        blocks();
        reductions();
        grids();
        graphs();
        groups();
        messages();
        if (round % 3 == 2) {
            MPI_Comm_free(&comm);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            fill();
        }
    }
    comm = MPI_COMM_WORLD;
    files(name);
    print_all();
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
