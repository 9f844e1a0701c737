/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages from one task to another: the calls that start them. */
#include "calls.h"

#include <limits.h>
#include <stdio.h>

#include "comm.h"
#include "options.h"
#include "place.h"
#include "remote.h"

/* ---- arguments ---- */

/* A wrong argument ends the job, as MPI's default error handler does. Ranks become those of the
 * world. */
bamboo_request_t *bamboo_request(bamboo_kind_t kind, void *buf, int count, MPI_Datatype type,
                                 int peer, int tag, bamboo_comm_t *comm)
{
    comm = bamboo_comm_of(comm);
    if (count < 0) {
        bamboo_fail("count %d is negative", count);
    }
    if (peer >= comm->size ||
        (peer < 0 && peer != MPI_PROC_NULL && (kind == REQUEST_SEND || peer != MPI_ANY_SOURCE))) {
        bamboo_fail("rank %d: the communicator has ranks 0 to %d", peer, comm->size - 1);
    }
    if ((tag < 0 || tag > bamboo_remote_highest_tag()) &&
        (kind == REQUEST_SEND || tag != MPI_ANY_TAG)) {
        bamboo_fail("tag %d: tags are 0 to %d with %d tasks a process", tag,
                    bamboo_remote_highest_tag(), bamboo_options.vf);
    }
    bamboo_request_t *made = bamboo_request_new(type, comm);
    made->kind = kind;
    made->buf = buf;
    made->count = count;
    made->peer = peer >= 0 ? bamboo_comm_world_rank(comm, peer) : peer;
    made->tag = tag;
    made->context = 2 * comm->context;
    return made;
}

/* ---- starting ---- */

static int modelled(void)
{
    return bamboo_options.nodes > 0;
}

static void start_send(bamboo_request_t *send)
{
    const bamboo_place_t *place = &bamboo_places[send->peer];
    const bamboo_place_t *mine = &bamboo_places[send->owner->rank];
    if (place->node != mine->node && !modelled()) {
        bamboo_remote_send(send, place->node, place->local);
        return;
    }
    bamboo_ns_t when = 0;
    if (place->node != mine->node) {
        bamboo_node_t *node = send->owner->node;
        when = bamboo_net_arrival(&bamboo_options.link, bamboo_now(node), &node->port_free,
                                  bamboo_size(send->count, send->type));
    }
    bamboo_send_local(send, bamboo_task_of(send->peer), when);
}

static void start_recv(bamboo_request_t *recv)
{
    bamboo_message_t *message = bamboo_match(recv);
    if (message != NULL && message->remote != MPI_MESSAGE_NULL) {
        bamboo_remote_receive(message, recv);
        return;
    }
    if (message != NULL) {
        bamboo_receive(message, recv);
        return;
    }
    /* Not MPI's yet while one before it, which could match the same message, is not. */
    int outside = bamboo_world_size > bamboo_task_count;
    int any = recv->peer == MPI_ANY_SOURCE;
    const bamboo_place_t *place = any ? NULL : &bamboo_places[recv->peer];
    int remote = outside && (any || place->node != bamboo_places[recv->owner->rank].node);
    if (remote && !any && recv->tag != MPI_ANY_TAG &&
        recv->owner->wildcards[recv->context / 2] == 0) {
        bamboo_remote_recv(recv, place->node, place->local);
    } else {
        bamboo_post(recv, remote);
    }
}

void bamboo_start(bamboo_request_t *started)
{
    started->active = 1;
    started->complete = 0;
    if (started->peer == MPI_PROC_NULL) {
        bamboo_complete_empty(started);
    } else if (started->kind == REQUEST_SEND) {
        start_send(started);
    } else {
        start_recv(started);
    }
}

bamboo_task_t *bamboo_task_of(int rank)
{
    const bamboo_place_t *place = &bamboo_places[rank];
    return &bamboo_tasks[(bamboo_options.nodes > 0 ? place->node * bamboo_options.vf : 0) +
                         place->local];
}

bamboo_request_t *bamboo_begin_send(const void *buf, int count, MPI_Datatype type, int to, int tag,
                                    bamboo_comm_t *comm, int collective)
{
    bamboo_request_t *send = bamboo_request(REQUEST_SEND, (void *) buf, count, type, to, tag, comm);
    send->context += collective;
    bamboo_start(send);
    return send;
}

bamboo_request_t *bamboo_begin_recv(void *buf, int count, MPI_Datatype type, int from, int tag,
                                    bamboo_comm_t *comm, int collective)
{
    bamboo_request_t *recv = bamboo_request(REQUEST_RECV, buf, count, type, from, tag, comm);
    recv->context += collective;
    bamboo_start(recv);
    return recv;
}

/* ---- MPI_Isend and its like ---- */

int bamboo_mpi_isend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_enter("MPI_Isend");
    *made = bamboo_begin_send(buf, count, type, to, tag, comm, 0);
    return MPI_SUCCESS;
}

int bamboo_mpi_issend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                      bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_enter("MPI_Issend");
    *made = bamboo_request(REQUEST_SEND, (void *) buf, count, type, to, tag, comm);
    (*made)->synchronous = 1;
    bamboo_start(*made);
    return MPI_SUCCESS;
}

int bamboo_mpi_irecv(void *buf, int count, MPI_Datatype type, int from, int tag,
                     bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_enter("MPI_Irecv");
    *made = bamboo_begin_recv(buf, count, type, from, tag, comm, 0);
    return MPI_SUCCESS;
}

/* ---- buffered: a copy that goes with its request; the program's buffer is not needed ---- */

static bamboo_request_t *send_copy(const void *buf, int count, MPI_Datatype type, int to, int tag,
                                   bamboo_comm_t *comm)
{
    const size_t bytes = bamboo_size(count, type);
    int position = 0;
    if (bytes > INT_MAX) {
        bamboo_fail("a buffered message of %zu bytes", bytes);
    }
    bamboo_request_t *send = bamboo_request(REQUEST_SEND, bamboo_allocate(bytes), (int) bytes,
                                            MPI_PACKED, to, tag, comm);
    send->owned = send->buf;
    MPI_Pack(buf, count, type, send->buf, send->count, &position, MPI_COMM_SELF);
    bamboo_start(send);
    return send;
}

int bamboo_mpi_bsend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm)
{
    bamboo_enter("MPI_Bsend");
    bamboo_request_t *send = send_copy(buf, count, type, to, tag, comm);
    return bamboo_mpi_request_free(&send);
}

int bamboo_mpi_ibsend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                      bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_mpi_bsend(buf, count, type, to, tag, comm);
    return bamboo_mpi_isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, made);
}

int bamboo_mpi_buffer_attach(void *buffer, int bytes)
{
    bamboo_task_t *task = bamboo_enter("MPI_Buffer_attach");
    task->buffer = buffer;
    task->buffer_bytes = bytes;
    return MPI_SUCCESS;
}

int bamboo_mpi_buffer_detach(void *buffer, int *bytes)
{
    const bamboo_task_t *task = bamboo_enter("MPI_Buffer_detach");
    *(void **) buffer = task->buffer;
    *bytes = task->buffer_bytes;
    return MPI_SUCCESS;
}

/* ---- persistent ---- */

int bamboo_mpi_send_init(const void *buf, int count, MPI_Datatype type, int to, int tag,
                         bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_enter("MPI_Send_init");
    *made = bamboo_request(REQUEST_SEND, (void *) buf, count, type, to, tag, comm);
    (*made)->persistent = 1;
    return MPI_SUCCESS;
}

int bamboo_mpi_ssend_init(const void *buf, int count, MPI_Datatype type, int to, int tag,
                          bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_mpi_send_init(buf, count, type, to, tag, comm, made);
    (*made)->synchronous = 1;
    return MPI_SUCCESS;
}

int bamboo_mpi_recv_init(void *buf, int count, MPI_Datatype type, int from, int tag,
                         bamboo_comm_t *comm, bamboo_request_t **made)
{
    bamboo_enter("MPI_Recv_init");
    *made = bamboo_request(REQUEST_RECV, buf, count, type, from, tag, comm);
    (*made)->persistent = 1;
    return MPI_SUCCESS;
}

int bamboo_mpi_start(bamboo_request_t **persistent)
{
    bamboo_enter("MPI_Start");
    if (*persistent == NULL || !(*persistent)->persistent || (*persistent)->active) {
        bamboo_fail("the request is not an inactive persistent one");
    }
    bamboo_start(*persistent);
    return MPI_SUCCESS;
}

int bamboo_mpi_startall(int count, bamboo_request_t **requests)
{
    for (int i = 0; i < count; i++) {
        bamboo_mpi_start(&requests[i]);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_request_free(bamboo_request_t **freed)
{
    bamboo_enter("MPI_Request_free");
    if (*freed == NULL) {
        bamboo_fail("MPI_REQUEST_NULL cannot be freed");
    }
    if (!(*freed)->active || (*freed)->complete) {
        bamboo_request_delete(*freed);
    } else {
        (*freed)->freed = 1;
    }
    *freed = NULL;
    return MPI_SUCCESS;
}

/* ---- the rest of MPI that knows ranks ---- */

int bamboo_mpi_init(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    bamboo_enter("MPI_Init")->initialised = 1;
    return MPI_SUCCESS;
}

int bamboo_mpi_init_thread(int *argc, char ***argv, int required, int *provided)
{
    *provided = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
    return bamboo_mpi_init(argc, argv);
}

int bamboo_mpi_initialized(int *flag)
{
    *flag = bamboo_enter("MPI_Initialized")->initialised;
    return MPI_SUCCESS;
}

/* MPI itself is finalised behind the last task. */
int bamboo_mpi_finalize(void)
{
    bamboo_task_t *task = bamboo_enter("MPI_Finalize");
    task->finalised = 1;
    bamboo_attributes_delete(bamboo_comm_of(&bamboo_self));
    return MPI_SUCCESS;
}

int bamboo_mpi_finalized(int *flag)
{
    *flag = bamboo_enter("MPI_Finalized")->finalised;
    return MPI_SUCCESS;
}

int bamboo_mpi_abort(bamboo_comm_t *comm, int code)
{
    (void) comm;
    fflush(NULL);
    return MPI_Abort(MPI_COMM_WORLD, code);
}

double bamboo_mpi_wtime(void)
{
    return 1e-9 * (double) bamboo_now(bamboo_enter("MPI_Wtime")->node);
}

int bamboo_mpi_pack(const void *in, int count, MPI_Datatype type, void *out, int out_bytes,
                    int *position, bamboo_comm_t *comm)
{
    (void) comm;
    return MPI_Pack(in, count, type, out, out_bytes, position, MPI_COMM_WORLD);
}

int bamboo_mpi_unpack(const void *in, int in_bytes, int *position, void *out, int count,
                      MPI_Datatype type, bamboo_comm_t *comm)
{
    (void) comm;
    return MPI_Unpack(in, in_bytes, position, out, count, type, MPI_COMM_WORLD);
}

int bamboo_mpi_pack_size(int count, MPI_Datatype type, bamboo_comm_t *comm, int *bytes)
{
    (void) comm;
    return MPI_Pack_size(count, type, MPI_COMM_WORLD, bytes);
}
