/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between processes. A tag of MPI's holds the tag of the message, whether it is of a
 * collective operation, and the indices of both tasks; each context has a communicator of MPI's. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "options.h"
#include "place.h"
#include "remote.h"

static MPI_Comm comms[BAMBOO_CONTEXTS];
static int highest_tag, me; /* this process */

static MPI_Request *active; /* and what each is for */
static bamboo_request_t **owners;
static int *indices;
static MPI_Status *statuses;
static int active_count, active_room;

static int adds_latency(void)
{
    return bamboo_options.link.latency > 0;
}

/* Not between processes that act as one node. */
static int is_late(int process)
{
    return adds_latency() && process / bamboo_options.share != me / bamboo_options.share;
}

const char *bamboo_remote_start(void)
{
    int found, *bound, processes, vf = bamboo_options.vf;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    highest_tag = INT_MAX;
    if (processes == 1) {
        return NULL;
    }
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    highest_tag = (int) ((found ? *bound : 32767) / (2LL * vf * vf)) - 1;
    if (highest_tag < 0) {
        return "--vf: MPI has too few tags for this number of tasks";
    }
    for (int i = 0; i < BAMBOO_CONTEXTS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN); /* to say which rank's call it was */
    }
    return adds_latency() ? bamboo_net_start() : NULL;
}

void bamboo_remote_stop(void)
{
    bamboo_net_stop();
    for (int i = 0; i < BAMBOO_CONTEXTS && bamboo_world_size > bamboo_task_count; i++) {
        MPI_Comm_free(&comms[i]);
    }
}

int bamboo_remote_highest_tag(void)
{
    return highest_tag;
}

int bamboo_remote_active(void)
{
    return active_count;
}

/* ---- tags ---- */

static int encode(int context, int tag, int from_local, int to_local)
{
    int vf = bamboo_options.vf;
    return ((tag * 2 + context % 2) * vf + from_local) * vf + to_local;
}

static void decode(int code, int *tag, int *collective, int *from_local, int *to_local)
{
    int vf = bamboo_options.vf;
    *to_local = code % vf;
    *from_local = code / vf % vf;
    *collective = code / vf / vf % 2;
    *tag = code / vf / vf / 2;
}

/* ---- requests ---- */

static void *grow(void *old, size_t element, int room)
{
    void *memory = realloc(old, element * (size_t) room);
    if (memory == NULL) {
        bamboo_fail("no memory for %d requests", room);
    }
    return memory;
}

static MPI_Request *add_request(bamboo_request_t *request)
{
    if (active_count == active_room) {
        active_room = active_room > 0 ? 2 * active_room : 64;
        active = grow(active, sizeof(*active), active_room);
        owners = grow(owners, sizeof(*owners), active_room);
        indices = grow(indices, sizeof(*indices), active_room);
        statuses = grow(statuses, sizeof(*statuses), active_room);
    }
    owners[active_count] = request;
    return &active[active_count++];
}

/* What MPI keeps in order between two processes, and only that. */
static unsigned stream_of(int context, int code)
{
    return (unsigned) code * 31 + (unsigned) context / 2;
}

void bamboo_remote_send(bamboo_request_t *send, int process, int to_local)
{
    int code = encode(send->context, send->tag, send->owner->local, to_local);
    MPI_Comm comm = comms[send->context / 2];
    bamboo_counts.remote_messages++;
    if (is_late(process)) {
        bamboo_net_sent(process, stream_of(send->context, code), bamboo_now(send->owner->node));
    }
    if (send->synchronous) {
        MPI_Issend(send->buf, send->count, send->type, process, code, comm, add_request(send));
    } else {
        MPI_Isend(send->buf, send->count, send->type, process, code, comm, add_request(send));
    }
}

void bamboo_remote_recv(bamboo_request_t *recv, int process, int from_local)
{
    int code = encode(recv->context, recv->tag, from_local, recv->owner->local);
    recv->status.MPI_SOURCE = bamboo_comm_rank(recv->comm, recv->peer);
    recv->status.MPI_TAG = recv->tag;
    recv->process = process;
    recv->stream = stream_of(recv->context, code);
    MPI_Irecv(recv->buf, recv->count, recv->type, process, code, comms[recv->context / 2],
              add_request(recv));
}

void bamboo_remote_receive(bamboo_message_t *message, bamboo_request_t *recv)
{
    recv->status.MPI_SOURCE = bamboo_comm_rank(recv->comm, message->from);
    recv->status.MPI_TAG = message->tag;
    recv->pulled = 1;
    recv->when = message->when;
    MPI_Imrecv(recv->buf, recv->count, recv->type, &message->remote, add_request(recv));
    bamboo_message_delete(message);
}

/* When the next message of a stream may be seen. */
static bamboo_ns_t seen_at(int process, unsigned stream)
{
    return bamboo_net_when_sent(process, stream) + (bamboo_ns_t) bamboo_options.link.latency;
}

static void finish(bamboo_request_t *request, const MPI_Status *status, int failed)
{
    if (failed && status->MPI_ERROR != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(status->MPI_ERROR, text, &length);
        bamboo_fail("a message of another process, of rank %d's %s at %s:%d: %s",
                    request->owner->rank, request->call, request->file, request->line, text);
    }
    bamboo_ns_t when = 0;
    if (request->kind == REQUEST_RECV) {
        int from = request->status.MPI_SOURCE, tag = request->status.MPI_TAG;
        request->status = *status;
        request->status.MPI_SOURCE = from;
        request->status.MPI_TAG = tag;
        if (request->pulled || is_late(request->process)) {
            when = request->pulled ? request->when : seen_at(request->process, request->stream);
            when = when > bamboo_now(request->owner->node) ? when : 0;
        }
    }
    bamboo_complete(request, when);
}

/* ---- messages from anywhere ---- */

/* MPI tells the length in bytes of a message whatever its datatype is. */
static size_t length(const MPI_Status *status)
{
    MPI_Count bytes;
    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes == MPI_UNDEFINED ? 0 : (size_t) bytes;
}

/* A sender's messages arrive in their order, whatever the times of its streams are. */
static void not_before_others(bamboo_message_t *message, const bamboo_task_t *to)
{
    for (const bamboo_message_t *other = to->arrived; other != NULL; other = other->next) {
        if (other->from == message->from && other->when > message->when) {
            message->when = other->when;
        }
    }
}

void bamboo_remote_pull(int context)
{
    MPI_Comm comm = comms[context / 2];
    int flag = bamboo_world_size > bamboo_task_count;
    while (flag) {
        MPI_Message remote;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &remote, &status);
        if (!flag) {
            return;
        }
        int tag, collective, from_local, to_local;
        decode(status.MPI_TAG, &tag, &collective, &from_local, &to_local);
        bamboo_task_t *to = &bamboo_tasks[to_local];
        bamboo_message_t *message = bamboo_allocate(sizeof(*message));
        *message = (bamboo_message_t){.context = context / 2 * 2 + collective,
                                      .from = bamboo_rank_at(status.MPI_SOURCE, from_local),
                                      .tag = tag,
                                      .bytes = length(&status),
                                      .remote = remote,
                                      .to = to};
        if (is_late(status.MPI_SOURCE)) {
            message->when = seen_at(status.MPI_SOURCE, stream_of(context, status.MPI_TAG));
            not_before_others(message, to);
        }
        bamboo_request_t *recv = bamboo_deliver(message, to);
        if (recv != NULL) {
            bamboo_remote_receive(message, recv);
        }
    }
}

void bamboo_remote_poll(void)
{
    int done = 0;
    if (active_count > 0) {
        int failed =
            MPI_Testsome(active_count, active, &done, indices, statuses) == MPI_ERR_IN_STATUS;
        for (int i = 0; i < done; i++) {
            bamboo_request_t *request = owners[indices[i]];
            owners[indices[i]] = NULL;
            finish(request, &statuses[i], failed);
        }
        int kept = 0;
        for (int i = 0; i < active_count && done > 0; i++) {
            if (owners[i] != NULL) {
                owners[kept] = owners[i];
                active[kept++] = active[i];
            }
        }
        active_count = done > 0 ? kept : active_count;
    }
    for (int context = 0; context < BAMBOO_CONTEXTS && bamboo_world_size > bamboo_task_count;
         context++) {
        int wild = 0;
        for (int i = 0; i < bamboo_task_count; i++) {
            wild += bamboo_tasks[i].wildcards[context];
        }
        if (wild > 0) {
            bamboo_remote_pull(2 * context);
        }
    }
}

/* Receives that no sender will answer; sends are waited for. */
void bamboo_remote_cancel_receives(void)
{
    for (int i = 0; i < active_count; i++) {
        if (owners[i]->kind == REQUEST_RECV) {
            MPI_Cancel(&active[i]);
        }
    }
}
