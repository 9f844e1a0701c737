/*
 * Calls every function that libdame-overlap takes the place of, once, and prints what came out:
 * with and without the library it must be the same. Two ranks. Arguments differ from each other
 * wherever they can, so that two that change places are seen.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24 };

static int rank, peer, line;
static int in[N], out[N];

/* The received numbers of both ranks; then new ones to send. */
static void show(const char *what)
{
    int all[2 * N];
    PMPI_Gather(in, N, MPI_INT, all, N, MPI_INT, 0, MPI_COMM_WORLD);
    unsigned long sum = 5381;
    for (int i = 0; i < 2 * N && rank == 0; i++) {
        sum = sum * 33 + (unsigned) all[i];
    }
    if (rank == 0) {
        printf("%s %lx\n", what, sum);
    }
    line++;
    for (int i = 0; i < N; i++) {
        in[i] = -1;
        out[i] = 1000 * line + 100 * rank + i;
    }
}

static const int counts[2] = {3, 2}, places[2] = {5, 1}, other_places[2] = {9, 13};
static MPI_Request request;

static void finish(const char *what)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show(what);
}

static void messages(void)
{
    MPI_Request requests[4];
    MPI_Status status, statuses[4];
    int index, indices[4], n = 0, flag = 0;
    static char buffer[4096];
    MPI_Buffer_attach(buffer, sizeof(buffer));
#define SENDS(name)                                                                                \
    MPI_Irecv(in, 7, MPI_INT, peer, 11, MPI_COMM_WORLD, &request);                                 \
    MPI_Barrier(MPI_COMM_WORLD);                                                                   \
    MPI_##name(out, 7, MPI_INT, peer, 11, MPI_COMM_WORLD);                                         \
    finish(#name)
    SENDS(Send);
    SENDS(Bsend);
    SENDS(Ssend);
    SENDS(Rsend);
#define STARTS(name)                                                                               \
    MPI_Irecv(in + 1, 8, MPI_INT, peer, 12, MPI_COMM_WORLD, &requests[0]);                         \
    MPI_Barrier(MPI_COMM_WORLD);                                                                   \
    MPI_##name(out, 8, MPI_INT, peer, 12, MPI_COMM_WORLD, &requests[1]);                           \
    MPI_Waitall(2, requests, statuses);                                                            \
    show(#name)
    STARTS(Isend);
    STARTS(Ibsend);
    STARTS(Issend);
    STARTS(Irsend);
#define INITS(name)                                                                                \
    MPI_Recv_init(in + 2, 6, MPI_INT, peer, 13, MPI_COMM_WORLD, &requests[0]);                     \
    MPI_##name(out, 6, MPI_INT, peer, 13, MPI_COMM_WORLD, &requests[1]);                           \
    MPI_Start(&requests[0]);                                                                       \
    MPI_Barrier(MPI_COMM_WORLD);                                                                   \
    MPI_Startall(1, &requests[1]);                                                                 \
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                                                 \
    MPI_Request_free(&requests[0]);                                                                \
    MPI_Request_free(&requests[1]);                                                                \
    show(#name)
    INITS(Send_init);
    INITS(Bsend_init);
    INITS(Ssend_init);
    INITS(Rsend_init);
    MPI_Sendrecv(out, 5, MPI_INT, peer, 14 + rank, in, 9, MPI_INT, peer, 14 + peer, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_INT, &in[N - 1]);
    show("Sendrecv");
    memcpy(in, out, sizeof(in));
    MPI_Sendrecv_replace(in, 5, MPI_INT, peer, 16 + rank, peer, 16 + peer, MPI_COMM_WORLD, &status);
    in[N - 1] = status.MPI_TAG;
    show("Sendrecv_replace");

    MPI_Isend(out, 4, MPI_INT, peer, 18, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out + 4, 4, MPI_INT, peer, 19, MPI_COMM_WORLD, &requests[1]);
    MPI_Probe(peer, 19, MPI_COMM_WORLD, &status);
    in[N - 1] = status.MPI_TAG;
    while (!flag) {
        MPI_Iprobe(peer, 18, MPI_COMM_WORLD, &flag, &status);
    }
    in[N - 2] = status.MPI_TAG;
    MPI_Recv(in, 4, MPI_INT, peer, 19, MPI_COMM_WORLD, &status);
    MPI_Recv(in + 8, 4, MPI_INT, peer, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Waitsome(2, requests, &n, indices, statuses);
    in[N - 3] = index + n;
    show("Probe");

    MPI_Message message;
    MPI_Isend(out, 4, MPI_INT, peer, 20, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out + 4, 3, MPI_INT, peer, 21, MPI_COMM_WORLD, &requests[1]);
    MPI_Mprobe(peer, 20, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, 4, MPI_INT, &message, &status);
    for (flag = 0; !flag;) {
        MPI_Improbe(peer, 21, MPI_COMM_WORLD, &flag, &message, &status);
    }
    MPI_Mrecv(in + 4, 3, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) {
        MPI_Testall(2, requests, &flag, statuses);
    }
    show("Mprobe");

    for (int i = 0; i < 2; i++) {
        MPI_Irecv(in + 8 * i, 5, MPI_INT, peer, 22 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out + 5 * i, 5, MPI_INT, peer, 22 + i, MPI_COMM_WORLD, &requests[2 + i]);
    }
    for (flag = 0; !flag;) {
        MPI_Test(&requests[1], &flag, &status);
    }
    for (flag = 0; !flag;) {
        MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    }
    in[N - 1] = index;
    for (int done = 0; done < 2; done += n) {
        MPI_Testsome(2, requests + 2, &n, indices, MPI_STATUSES_IGNORE);
    }
    show("Test");
    MPI_Irecv(in, 5, MPI_INT, peer, 24, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &in[0]);
    show("Cancel");
    void *old;
    int bytes;
    MPI_Buffer_detach((void *) &old, &bytes);
}

static void collectives(void)
{
    MPI_Comm c = MPI_COMM_WORLD, ring;
    const int sizes[1] = {2}, periods[1] = {1};
    const int two[2] = {2, 2}, start[2] = {0, 3};
    const int bytes[2] = {0, 12}, half[2] = {3, 3};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    const MPI_Aint far[2] = {4, 24};
#define BOTH(name, iname, ...)                                                                     \
    MPI_##name(__VA_ARGS__);                                                                       \
    show(#name);                                                                                   \
    MPI_##iname(__VA_ARGS__, &request);                                                            \
    finish(#iname)
    BOTH(Barrier, Ibarrier, c);
    BOTH(Bcast, Ibcast, rank == 1 ? out : in, 7, MPI_INT, 1, c);
    BOTH(Reduce, Ireduce, out, in, 7, MPI_INT, MPI_SUM, 1, c);
    BOTH(Allreduce, Iallreduce, out, in, 7, MPI_INT, MPI_PROD, c);
    BOTH(Scan, Iscan, out, in, 7, MPI_INT, MPI_SUM, c);
    BOTH(Exscan, Iexscan, out, in, 7, MPI_INT, MPI_SUM, c);
    BOTH(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, c);
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, out, in, 3, MPI_INT, MPI_SUM, c);
    BOTH(Gather, Igather, out, 3, MPI_INT, in, 3, MPI_INT, 1, c);
    BOTH(Scatter, Iscatter, out, 3, MPI_INT, in, 3, MPI_INT, 1, c);
    BOTH(Allgather, Iallgather, out, 3, MPI_INT, in, 3, MPI_INT, c);
    BOTH(Alltoall, Ialltoall, out, 3, MPI_INT, in, 3, MPI_INT, c);
    BOTH(Gatherv, Igatherv, out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 1, c);
    BOTH(Scatterv, Iscatterv, out, counts, places, MPI_INT, in, counts[rank], MPI_INT, 1, c);
    BOTH(Allgatherv, Iallgatherv, out, counts[rank], MPI_INT, in, counts, places, MPI_INT, c);
    BOTH(Alltoallv, Ialltoallv, out, half, places, MPI_INT, in, half, other_places, MPI_INT, c);
    BOTH(Alltoallw, Ialltoallw, out, half, bytes, types, in, half, bytes, types, c);
    MPI_Cart_create(c, 1, sizes, periods, 0, &ring);
    BOTH(Neighbor_allgather, Ineighbor_allgather, out, 3, MPI_INT, in, 3, MPI_INT, ring);
    BOTH(Neighbor_alltoall, Ineighbor_alltoall, out, 3, MPI_INT, in, 3, MPI_INT, ring);
    BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, out, two, start, MPI_INT, in, two, places,
         MPI_INT, ring);
    MPI_Neighbor_allgatherv(out, 2, MPI_INT, in, two, places, MPI_INT, ring);
    show("Neighbor_allgatherv");
    MPI_Neighbor_alltoallw(out, two, far, types, in, two, far, types, ring);
    show("Neighbor_alltoallw");
    MPI_Comm_free(&ring);
}

static void others(void)
{
    MPI_Comm a, b, d;
    MPI_Group group, one;
    MPI_Win win;
    MPI_File file;
    int first[1] = {peer};
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_split(a, 0, -rank, &b);
    MPI_Comm_group(b, &group);
    MPI_Comm_create(b, group, &d);
    MPI_Comm_rank(b, &in[0]);
    MPI_Comm_size(d, &in[1]);
    show("Comm_split");
    MPI_Comm_free(&b);
    MPI_Comm_disconnect(&d);
    MPI_Group_free(&group);

    MPI_Win_create(in, sizeof(in), sizeof(int), MPI_INFO_NULL, a, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, 3, MPI_INT, peer, 2, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    show("Win_fence");
    MPI_Barrier(a);
    MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win);
    MPI_Put(out, 4, MPI_INT, peer, 1, 4, MPI_INT, win);
    MPI_Win_flush(peer, win);
    MPI_Win_unlock(peer, win);
    MPI_Barrier(a);
    show("Win_lock");
    MPI_Barrier(a);
    MPI_Win_lock_all(0, win);
    MPI_Put(out, 5, MPI_INT, peer, 3, 5, MPI_INT, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(a);
    show("Win_lock_all");
    MPI_Barrier(a);
    MPI_Comm_group(a, &group);
    MPI_Group_incl(group, 1, first, &one);
    MPI_Win_post(one, 0, win);
    MPI_Win_start(one, 0, win);
    MPI_Put(out, 6, MPI_INT, peer, 4, 6, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    show("Win_post");
    MPI_Group_free(&one);
    MPI_Group_free(&group);
    MPI_Win_free(&win);

    if (MPI_File_open(a, "every.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_write_at_all(file, rank * 12, out, 3, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_Barrier(a);
        MPI_File_read_at_all(file, peer * 12, in, 3, MPI_INT, MPI_STATUS_IGNORE);
        show("File_write_at_all");
        MPI_File_seek(file, 24 + rank * 8, MPI_SEEK_SET);
        MPI_File_write_all(file, out, 2, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_Barrier(a);
        MPI_File_seek(file, 24 + peer * 8, MPI_SEEK_SET);
        MPI_File_read_all(file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
        show("File_write_all");
        MPI_File_close(&file);
    }
    MPI_Comm_free(&a);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    peer = 1 - rank;
    show("start");
    messages();
    collectives();
    others();
    MPI_Finalize();
    return 0;
}
