/* SPDX-License-Identifier: BSD-3-Clause */
/* What a transport does with messages besides moving them: it probes them, matches them out of
   order, cancels them and cuts off what has no room. The datatypes live on, and so do the requests
   that Open MPI uses again: the next messages are right. Needs two ranks. */
#include <stdlib.h>

#include "exchange.h"
#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { LENGTHS = 5, TAG = 3, OTHER_TAG = 4, DEEP = 4 };

/* Elements: short messages, and such as every transport cuts. */
static const int lengths[LENGTHS] = {1, 40, 700, 9000, 150000};

static const layout_t *shape;  /* sent */
static const layout_t *spread; /* received: other places, the same signature */

static unsigned seed_of(int salt)
{
    return (unsigned) (salt * 13 + 1);
}

static void send(int n, int salt, int tag)
{
    unsigned char *stream = stream_new(shape, n, seed_of(salt));
    message_t m = msg_new(shape, n);
    msg_fill(&m, stream);
    MPI_Send(m.buf, n, shape->type, 1, tag, MPI_COMM_WORLD);
    check(msg_holds(&m, stream, m.bytes), "%d elements: the send buffer", n);
    msg_free(&m);
    free(stream);
}

static void check_received(const message_t *m, int n, int salt, const char *how)
{
    unsigned char *stream = stream_new(shape, n, seed_of(salt));
    check(msg_holds(m, stream, n * shape->size), "%d elements, %s", n, how);
    free(stream);
}

static void receive(int n, int salt, int tag, const char *how)
{
    message_t m = msg_new(spread, n);
    msg_clear(&m);
    MPI_Recv(m.buf, n, spread->type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_received(&m, n, salt, how);
    msg_free(&m);
}

static void check_probed(MPI_Status *status, int n, int tag)
{
    int count = -1;
    MPI_Get_count(status, spread->type, &count);
    check(n == count && tag == status->MPI_TAG && 0 == status->MPI_SOURCE,
          "probed: %d elements of tag %d from rank %d, and not %d of tag %d", count,
          status->MPI_TAG, status->MPI_SOURCE, n, tag);
}

/* The second of two messages is probed and received before the first. */
static void probed(int n)
{
    MPI_Status status;
    int flag = 0;
    if (my_rank == 0) {
        MPI_Request first;
        unsigned char *stream = stream_new(shape, n, seed_of(1));
        message_t m = msg_new(shape, n);
        msg_fill(&m, stream);
        MPI_Isend(m.buf, n, shape->type, 1, TAG, MPI_COMM_WORLD, &first);
        send(n + 1, 2, OTHER_TAG);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
        check(msg_holds(&m, stream, m.bytes), "%d elements: the send buffer", n);
        msg_free(&m);
        free(stream);
        return;
    }
    MPI_Probe(0, OTHER_TAG, MPI_COMM_WORLD, &status);
    check_probed(&status, n + 1, OTHER_TAG);
    receive(n + 1, 2, OTHER_TAG, "after MPI_Probe");
    while (!flag) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    }
    check_probed(&status, n, TAG);
    receive(n, 1, TAG, "after MPI_Iprobe");
}

/* Several are matched before one is received, and then received from the last to the first. */
static void matched_before_received(int n)
{
    MPI_Request requests[DEEP];
    message_t m[DEEP];
    if (my_rank == 0) {
        unsigned char *streams[DEEP];
        for (int i = 0; i < DEEP; i++) {
            streams[i] = stream_new(shape, n + i, seed_of(i));
            m[i] = msg_new(shape, n + i);
            msg_fill(&m[i], streams[i]);
            MPI_Isend(m[i].buf, n + i, shape->type, 1, TAG, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(DEEP, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < DEEP; i++) {
            check(msg_holds(&m[i], streams[i], m[i].bytes), "%d elements: the send buffer", n + i);
            msg_free(&m[i]);
            free(streams[i]);
        }
        return;
    }
    MPI_Message found[DEEP];
    for (int i = 0; i < DEEP; i++) {
        MPI_Status status;
        MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &found[i], &status);
        check_probed(&status, n + i, TAG);
    }
    for (int i = DEEP - 1; i >= 0; i--) {
        m[i] = msg_new(spread, n + i);
        msg_clear(&m[i]);
        MPI_Imrecv(m[i].buf, n + i, spread->type, &found[i], &requests[i]);
    }
    for (int i = 0; i < DEEP; i++) { /* MPI_Waitall crashes in 5.0.7's pml ucx, also without DAME */
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        check_received(&m[i], n + i, i, "matched before it was received");
        msg_free(&m[i]);
    }
}

/* A receive without a sender. Its memory stays, and the next message finds the next receive. */
static void cancelled_receives(int n)
{
    if (my_rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* all cancelled */
        send(n, 5, TAG);
        return;
    }
    for (int i = 0; i < DEEP; i++) {
        MPI_Request r;
        MPI_Status status;
        int cancelled = 0;
        message_t m = msg_new(spread, n);
        msg_clear(&m);
        if (0 == i % 2) {
            MPI_Irecv(m.buf, n, spread->type, 0, TAG, MPI_COMM_WORLD, &r);
        } else {
            MPI_Recv_init(m.buf, n, spread->type, 0, TAG, MPI_COMM_WORLD, &r);
            MPI_Start(&r);
        }
        MPI_Cancel(&r);
        MPI_Wait(&r, &status);
        MPI_Test_cancelled(&status, &cancelled);
        check(cancelled, "%d elements: a receive is cancelled", n);
        if (r != MPI_REQUEST_NULL) {
            MPI_Request_free(&r);
        }
        check(msg_holds(&m, NULL, 0), "%d elements: memory of a receive that was cancelled", n);
        msg_free(&m);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    receive(n, 5, TAG, "after receives that were cancelled");
}

/* Half the room. Nothing but the places of the elements is written, and the next message is whole.
 */
static void truncated(int n)
{
    if (my_rank == 0) {
        send(2 * n, 6, TAG);
        send(n, 7, TAG);
        return;
    }
    int class = MPI_SUCCESS;
    unsigned char *stream = stream_new(spread, n, seed_of(8));
    message_t m = msg_new(spread, n);
    msg_clear(&m);
    const int rc = MPI_Recv(m.buf, n, spread->type, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(rc, &class);
    check(class == MPI_ERR_TRUNCATE, "%d elements with room for %d: error class %d", 2 * n, n,
          class);
    msg_place(&m, 0, n, stream); /* which of the elements have come is not defined */
    check(msg_holds(&m, stream, m.bytes), "%d elements with room for %d: memory around them", 2 * n,
          n);
    msg_free(&m);
    free(stream);
    receive(n, 7, TAG, "after one that was too long");
}

int matching_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);
    layout_t *sent = lay_vector(2, 3, 5, doubles);
    layout_t *received = lay_spread(sent, 16);
    lay_commit(sent);
    lay_commit(received);
    shape = sent;
    spread = received;
    for (int i = 0; my_rank < 2 && i < LENGTHS; i++) {
        probed(lengths[i]);
        if (matched_receives_are_right()) {
            matched_before_received(lengths[i]);
        }
        cancelled_receives(lengths[i]);
        if (truncated_messages_are_right()) {
            truncated(lengths[i]);
        }
    }
    lay_free(received);
    lay_free(sent);
    lay_free(doubles);
    return check_finish();
}
