/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the program, by channel: peer, tag, communicator and direction. The n-th message that
 * one rank sends on a channel is the n-th that the other receives there, so that `dame overlap` can
 * compare their times without a message having told them. Of each channel up to SAMPLES messages
 * are kept, every 2^k-th, with k growing as the run does: both ends keep the same ones.
 *
 * Where the order is unknown (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Cancel), `messages_wild` is set, and
 * nothing that this rank receives can be compared.
 */
#ifndef OVERLAP_MESSAGES_H
#define OVERLAP_MESSAGES_H

#include <mpi.h>

#include "overlap.h"

enum { SAMPLES = 128, CHANNELS = 1024, REQUESTS = 1 << 15 };

typedef struct sample {
    int64_t ready;      /* the send was started, or the receive posted */
    int64_t begin, end; /* of the call that waited for it; 0: none did */
    uint32_t site;
} sample_t;

typedef struct channel {
    uintptr_t comm; /* the handle; 0: the communicator is freed */
    int peer, tag;
    bool sends;
    int world; /* the peer's rank in MPI_COMM_WORLD */
    int size;  /* of the communicator */
    int64_t count, bytes, stride;
    sample_t *samples; /* of the messages 0, stride, 2 stride, ...; NULL: memory was out */
} channel_t;

extern channel_t messages_channels[CHANNELS];
extern int messages_nchannels;
extern bool messages_wild;
extern int64_t messages_lost; /* messages and requests that there was no room for */

/* A message that was started. */
typedef struct message {
    int channel;     /* -1: none is watched */
    bool sent, none; /* none: of MPI_PROC_NULL */
    int64_t number, bytes;
} message_t;

bool messages_open(void);

/* The bytes of a buffer; 0 for MPI_PROC_NULL. */
int64_t message_bytes(int count, MPI_Datatype type, int peer);

/* A message with its channel, that is not started. `bytes` is message_bytes(). */
message_t message_to_start(bool sends, int64_t bytes, int peer, int tag, MPI_Comm comm);

/* A message was started, at a time. `bytes` is message_bytes(). */
message_t message_started(bool sends, int64_t bytes, int peer, int tag, MPI_Comm comm,
                          int64_t when);

void message_count(const message_t *message, traffic_t *traffic);

/* A call waited for it. */
void message_waited(const message_t *message, const call_t *call, unsigned site);

/* The communicator is about to be freed: its handle may come again. */
void messages_forget(MPI_Comm comm);

/* ---- requests ---- */

typedef struct request {
    uintptr_t handle;
    bool used, persistent, active, collective;
    message_t message; /* of a persistent one: without a number until it is started */
} request_t;

void request_started(MPI_Request handle, const message_t *message);
void request_collective(MPI_Request handle);
void request_persistent(MPI_Request handle, const message_t *message);
/* MPI_Start: starts its message. */
message_t request_restarted(MPI_Request handle, int64_t when);

/* NULL: nothing is known of it. */
request_t *request_of(MPI_Request handle);
/* The request is complete, or with `freed` gone. */
void request_completed(request_t *request, bool freed);

#endif
