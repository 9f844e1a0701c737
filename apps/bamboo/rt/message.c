/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between tasks of a process: one copy from datatype to datatype, or through memory if the
 * sender is early. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "message.h"
#include "options.h"
#include "types.h"

static bamboo_request_t *free_requests;

bamboo_request_t *bamboo_request_new(MPI_Datatype type, bamboo_comm_t *comm)
{
    bamboo_request_t *request = free_requests;
    if (request == NULL) {
        request = bamboo_allocate(sizeof(*request));
    } else {
        free_requests = request->next;
        memset(request, 0, sizeof(*request));
    }
    request->owner = bamboo_current;
    request->call = bamboo_current->call;
    request->file = bamboo_current->file;
    request->line = bamboo_current->line;
    request->type = type;
    request->comm = comm;
    bamboo_type_hold(type);
    bamboo_comm_hold(comm);
    return request;
}

void bamboo_request_delete(bamboo_request_t *request)
{
    bamboo_type_release(request->type);
    bamboo_comm_release(request->comm);
    free(request->owned);
    request->next = free_requests;
    free_requests = request;
}

int bamboo_is_pending(const bamboo_request_t *request)
{
    return request != NULL && request->active && !request->complete;
}

size_t bamboo_size(int count, MPI_Datatype type)
{
    MPI_Count bytes;
    MPI_Type_size_x(type, &bytes);
    return (size_t) bytes * (size_t) count;
}

void bamboo_set_status(bamboo_request_t *request, int from, int tag, size_t bytes)
{
    MPI_Status_set_elements_x(&request->status, MPI_BYTE, (MPI_Count) bytes);
    MPI_Status_set_cancelled(&request->status, 0);
    request->status.MPI_SOURCE = from >= 0 ? bamboo_comm_rank(request->comm, from) : from;
    request->status.MPI_TAG = tag;
    request->status.MPI_ERROR = MPI_SUCCESS;
}

static void complete_now(void *what)
{
    bamboo_request_t *request = what;
    request->complete = 1;
    if (request->awaited) {
        request->awaited = 0;
        bamboo_fulfil(request->owner);
    }
    if (request->freed) {
        if (request->persistent) {
            request->active = 0;
        }
        bamboo_request_delete(request);
    }
}

void bamboo_complete(bamboo_request_t *request, bamboo_ns_t when)
{
    bamboo_task_t *owner = request->owner;
    if (when == 0 || (owner == bamboo_current && when <= bamboo_now(owner->node))) {
        complete_now(request);
    } else {
        bamboo_at_time(owner->node, when, complete_now, request);
    }
}

void bamboo_complete_empty(bamboo_request_t *request)
{
    bamboo_set_status(request, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    bamboo_complete(request, 0);
}

/* ---- copies ---- */

static void check_room(size_t bytes, const bamboo_request_t *recv)
{
    size_t room = bamboo_size(recv->count, recv->type);
    if (bytes > room) {
        bamboo_fail("a message of %zu bytes is too long for the %zu bytes of rank %d's %s at %s:%d",
                    bytes, room, recv->owner->rank, recv->call, recv->file, recv->line);
    }
}

/* MPI_Gather() of one process is the copy from a datatype to another that implementations do in one
 * pass; it wants equal sizes. A message to oneself may be shorter than what receives it. */
static void copy_message(const void *from, int count, MPI_Datatype type, size_t bytes,
                         bamboo_request_t *recv)
{
    if (bytes == 0) {
        return;
    }
    if (bytes == bamboo_size(recv->count, recv->type)) {
        MPI_Gather(from, count, type, recv->buf, recv->count, recv->type, 0, MPI_COMM_SELF);
    } else {
        MPI_Sendrecv(from, count, type, 0, 0, recv->buf, recv->count, recv->type, 0, 0,
                     MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
}

/* A long send, or a synchronous one, that its receiver has found at a time. On a modelled link it
 * completes when its bytes have left, a synchronous one when the receiver's word has come back. */
static void complete_send(bamboo_request_t *send, bamboo_ns_t when, bamboo_ns_t found)
{
    const bamboo_ns_t latency = (bamboo_ns_t) bamboo_options.link.latency;
    if (when == 0) {
        bamboo_complete(send, 0);
    } else if (send->synchronous) {
        bamboo_complete(send, (found > when ? found : when) + latency);
    } else {
        bamboo_complete(send, found > when - latency ? found : when - latency);
    }
}

static void received(bamboo_request_t *recv, int from, int tag, size_t bytes, bamboo_ns_t when)
{
    bamboo_set_status(recv, from, tag, bytes);
    bamboo_complete(recv, when);
}

void bamboo_receive(bamboo_message_t *message, bamboo_request_t *recv)
{
    bamboo_request_t *send = message->send;
    check_room(message->bytes, recv);
    if (send != NULL) {
        copy_message(send->buf, send->count, send->type, message->bytes, recv);
        complete_send(send, message->when, bamboo_now(recv->owner->node));
    } else if (message->bytes > 0) {
        copy_message(message->packed, (int) message->bytes, MPI_PACKED, message->bytes, recv);
    }
    received(recv, message->from, message->tag, message->bytes, message->when);
    bamboo_message_delete(message);
}

void bamboo_message_delete(bamboo_message_t *message)
{
    if (message->packed != NULL) {
        message->to->packed -= message->bytes;
    }
    free(message->packed);
    free(message);
}

/* ---- matching ---- */

static int matches(const bamboo_request_t *recv, const bamboo_message_t *message)
{
    return recv->context == message->context &&
           (recv->peer == MPI_ANY_SOURCE || recv->peer == message->from) &&
           (recv->tag == MPI_ANY_TAG || recv->tag == message->tag);
}

void bamboo_probed(bamboo_request_t *probe, const bamboo_message_t *message)
{
    bamboo_set_status(probe, message->from, message->tag, message->bytes);
}

bamboo_message_t *bamboo_match(bamboo_request_t *recv)
{
    bamboo_task_t *owner = recv->owner;
    bamboo_message_t **first = NULL;
    for (bamboo_message_t **link = &owner->arrived; *link != NULL; link = &(*link)->next) {
        if (matches(recv, *link) && (first == NULL || (*link)->when < (*first)->when)) {
            first = link;
            if ((*first)->when == 0) {
                break; /* none is earlier */
            }
        }
    }
    if (first == NULL) {
        return NULL;
    }
    bamboo_message_t *message = *first;
    if (recv->kind == REQUEST_RECV) {
        *first = message->next;
        if (*first == NULL) {
            owner->arrived_end = first;
        }
    }
    return message;
}

void bamboo_post(bamboo_request_t *recv, int wild)
{
    bamboo_task_t *owner = recv->owner;
    recv->next = NULL;
    recv->wild = wild != 0;
    owner->wildcards[recv->context / 2] += recv->wild;
    *owner->posted_end = recv;
    owner->posted_end = &recv->next;
}

bamboo_request_t *bamboo_deliver(bamboo_message_t *message, bamboo_task_t *to)
{
    for (bamboo_request_t **link = &to->posted; *link != NULL;) {
        bamboo_request_t *recv = *link;
        if (!matches(recv, message)) {
            link = &recv->next;
            continue;
        }
        *link = recv->next;
        if (*link == NULL) {
            to->posted_end = link;
        }
        to->wildcards[recv->context / 2] -= recv->wild;
        recv->wild = 0;
        if (recv->kind == REQUEST_RECV) {
            return recv;
        }
        bamboo_probed(recv, message);
        bamboo_complete(recv, message->when);
    }
    message->next = NULL;
    *to->arrived_end = message;
    to->arrived_end = &message->next;
    return NULL;
}

void bamboo_send_local(bamboo_request_t *send, bamboo_task_t *to, bamboo_ns_t when)
{
    bamboo_message_t here = {.context = send->context,
                             .from = send->owner->rank,
                             .tag = send->tag,
                             .bytes = bamboo_size(send->count, send->type),
                             .send = send,
                             .remote = MPI_MESSAGE_NULL,
                             .to = to,
                             .when = when};
    bamboo_counts.local_messages++;
    /* Found first without a message of its own: a receiver that waits is the common case. */
    for (bamboo_request_t *recv = to->posted; recv != NULL; recv = recv->next) {
        if (!matches(recv, &here)) {
            continue;
        }
        if (recv->kind == REQUEST_PROBE) {
            break;
        }
        bamboo_deliver(&here, to); /* takes recv out */
        check_room(here.bytes, recv);
        copy_message(send->buf, send->count, send->type, here.bytes, recv);
        received(recv, here.from, here.tag, here.bytes, when);
        complete_send(send, when, 0);
        return;
    }
    bamboo_message_t *message = bamboo_allocate(sizeof(*message));
    *message = here;
    if (!send->synchronous && here.bytes <= bamboo_options.eager && here.bytes <= INT_MAX) {
        int position = 0;
        bamboo_counts.copies_through++;
        if (here.bytes > 0) {
            message->packed = bamboo_allocate(here.bytes);
            to->packed += here.bytes;
            MPI_Pack(send->buf, send->count, send->type, message->packed, (int) here.bytes,
                     &position, MPI_COMM_SELF);
        }
        message->send = NULL;
        bamboo_complete(send, 0);
    }
    bamboo_request_t *recv = bamboo_deliver(message, to);
    if (recv != NULL) {
        bamboo_receive(message, recv);
    }
}
