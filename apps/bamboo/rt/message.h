/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests, and messages between tasks of a process. */
#ifndef BAMBOO_RT_MESSAGE_H
#define BAMBOO_RT_MESSAGE_H

#include "task.h"

typedef enum bamboo_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_PROBE } bamboo_kind_t;

struct bamboo_request {
    bamboo_kind_t kind;
    unsigned char synchronous, persistent, active, complete, freed;
    unsigned char awaited;   /* its completion counts for the firing rule of its owner */
    unsigned char wild;      /* posted, and MPI does not know of it */
    unsigned char pulled;    /* MPI's message was taken out before: when is known */
    const char *call, *file; /* where it was made */
    int line;
    bamboo_ns_t when;
    bamboo_task_t *owner;
    void *buf, *owned; /* owned: goes with the request */
    int count;
    MPI_Datatype type;
    int peer;    /* rank in the world, or MPI_ANY_SOURCE */
    int tag;     /* or MPI_ANY_TAG */
    int context; /* of comm, with a bit for collective operations */
    bamboo_comm_t *comm;
    unsigned stream; /* of a message from another process, see apps/bamboo/net/net.h */
    int process;     /* that it is from */
    MPI_Status status;
    bamboo_request_t *next;
};

/* Sent and not received yet. */
typedef struct bamboo_message {
    int context, tag;
    int from; /* rank in the world */
    size_t bytes;
    void *packed; /* the bytes, packed by MPI_Pack(): the send is complete */
    bamboo_task_t *to;
    bamboo_request_t *send; /* or the send that waits */
    MPI_Message remote;     /* or MPI has it, from another process */
    bamboo_ns_t when;
    struct bamboo_message *next;
} bamboo_message_t;

/* new() holds the datatype and the communicator, delete() lets them go. */
bamboo_request_t *bamboo_request_new(MPI_Datatype type, bamboo_comm_t *comm);
void bamboo_request_delete(bamboo_request_t *request);
int bamboo_is_pending(const bamboo_request_t *request); /* NULL is not */

/* At a time; 0: now. Then the status is valid. A request that was freed meanwhile is deleted. */
void bamboo_complete(bamboo_request_t *request, bamboo_ns_t when);
void bamboo_complete_empty(bamboo_request_t *request); /* MPI_PROC_NULL */

/* A send to a task of this process; when: its bytes have arrived there, 0: it is on the same node.
 */
void bamboo_send_local(bamboo_request_t *send, bamboo_task_t *to, bamboo_ns_t when);

/* The message that has arrived first of those that the receive or probe matches, or NULL. If it is
 * a receive, the message is taken out of the list. */
bamboo_message_t *bamboo_match(bamboo_request_t *recv);
/* Moves a message that was matched to where it is received. The caller has seen that it is not
 * remote. */
void bamboo_receive(bamboo_message_t *message, bamboo_request_t *recv);
void bamboo_post(bamboo_request_t *recv, int wild); /* at the end of the owner's list */

/* A message for a task: completes probes that match; returns the first receive that matches, which
 * is taken out of the list, or NULL after adding the message to those that have arrived. */
bamboo_request_t *bamboo_deliver(bamboo_message_t *message, bamboo_task_t *to);
void bamboo_message_delete(bamboo_message_t *message);
void bamboo_probed(bamboo_request_t *probe, const bamboo_message_t *message);

size_t bamboo_size(int count, MPI_Datatype type); /* bytes of data */
/* from: rank in the world, or MPI_PROC_NULL. */
void bamboo_set_status(bamboo_request_t *request, int from, int tag, size_t bytes);

#endif
