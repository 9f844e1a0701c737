/* SPDX-License-Identifier: BSD-3-Clause */
#include "messages.h"

#include "shared/mpi/real.h"

channel_t messages_channels[CHANNELS];
int messages_nchannels;
bool messages_wild;
int64_t messages_lost;

enum { CHANNEL_SLOTS = 4 * CHANNELS, NOT_WATCHED = -1 };

static int16_t channel_slots[CHANNEL_SLOTS]; /* a channel's number and 1, by its hash; 0: empty */
static request_t *requests;                  /* by the handle's hash, one behind the other */
static int nrequests;

bool messages_open(void)
{
    requests = overlap_map(REQUESTS * sizeof(*requests));
    return requests != NULL;
}

static uint64_t hashed(uint64_t value)
{
    return value * 0x9e3779b97f4a7c15 >> 32;
}

/* ---- channels ---- */

/* The peer's rank in MPI_COMM_WORLD; -1: it has none, or the communicator is between two groups. */
static int world_rank(MPI_Comm comm, int peer, int *size)
{
    MPI_Group group, all;
    int between = 0, world = -1;
    REAL(MPI_Comm_size)(comm, size);
    REAL(MPI_Comm_test_inter)(comm, &between);
    if (between) {
        return -1;
    }
    REAL(MPI_Comm_group)(comm, &group);
    REAL(MPI_Comm_group)(real_world(), &all);
    REAL(MPI_Group_translate_ranks)(group, 1, &peer, all, &world);
    REAL(MPI_Group_free)(&group);
    REAL(MPI_Group_free)(&all);
    return world < 0 ? -1 : world;
}

/* Its number; NOT_WATCHED: there is no room. */
static int channel_of(bool sends, int peer, int tag, MPI_Comm comm)
{
    uintptr_t handle = (uintptr_t) comm;
    uint64_t key = ((uint64_t) (unsigned) peer << 32 | (unsigned) tag) * 2 + sends;
    unsigned slot = (unsigned) hashed(hashed(key) ^ handle) % CHANNEL_SLOTS;
    for (; channel_slots[slot] != 0; slot = (slot + 1) % CHANNEL_SLOTS) {
        const channel_t *channel = &messages_channels[channel_slots[slot] - 1];
        if (channel->comm == handle && channel->peer == peer && channel->tag == tag &&
            channel->sends == sends) {
            return channel_slots[slot] - 1;
        }
    }
    if (messages_nchannels == CHANNELS) {
        return NOT_WATCHED;
    }
    channel_t *channel = &messages_channels[messages_nchannels++];
    *channel = (channel_t){.comm = handle, .peer = peer, .tag = tag, .sends = sends, .stride = 1};
    channel->world = world_rank(comm, peer, &channel->size);
    channel->samples = channel->world < 0 ? NULL : overlap_map(SAMPLES * sizeof(sample_t));
    channel_slots[slot] = (int16_t) messages_nchannels;
    return messages_nchannels - 1;
}

/* The sample of a message; NULL: it is none of those that are kept. */
static sample_t *sample_of(channel_t *channel, int64_t number)
{
    if (channel->samples == NULL || number % channel->stride != 0) {
        return NULL;
    }
    return number / channel->stride < SAMPLES ? &channel->samples[number / channel->stride] : NULL;
}

static void keep_every_second(channel_t *channel)
{
    for (int s = 0; s < SAMPLES / 2; s++) {
        channel->samples[s] = channel->samples[2 * s];
    }
    channel->stride *= 2;
}

int64_t message_bytes(int count, MPI_Datatype type, int peer)
{
    int size = 0;
    if (peer == MPI_PROC_NULL) {
        return 0;
    }
    REAL(MPI_Type_size)(type, &size);
    return (int64_t) count * (size > 0 ? size : 0);
}

message_t message_to_start(bool sends, int64_t bytes, int peer, int tag, MPI_Comm comm)
{
    message_t message = {.channel = NOT_WATCHED, .sent = sends, .bytes = bytes};
    message.none = peer == MPI_PROC_NULL;
    if (message.none) {
        return message;
    }
    if (!sends && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)) {
        messages_wild = true;
        return message;
    }
    message.channel = channel_of(sends, peer, tag, comm);
    messages_lost += message.channel == NOT_WATCHED;
    return message;
}

static void start_message(message_t *message, int64_t when)
{
    if (message->channel == NOT_WATCHED) {
        return;
    }
    channel_t *channel = &messages_channels[message->channel];
    message->number = channel->count++;
    channel->bytes += message->bytes;
    if (channel->samples != NULL && message->number == SAMPLES * channel->stride) {
        keep_every_second(channel);
    }
    sample_t *sample = sample_of(channel, message->number);
    if (sample != NULL) {
        *sample = (sample_t){.ready = when};
    }
}

message_t message_started(bool sends, int64_t bytes, int peer, int tag, MPI_Comm comm, int64_t when)
{
    message_t message = message_to_start(sends, bytes, peer, tag, comm);
    start_message(&message, when);
    return message;
}

void message_count(const message_t *message, traffic_t *traffic)
{
    if (!message->none && message->sent) {
        traffic->sent++;
        traffic->sent_bytes += message->bytes;
    } else if (!message->none) {
        traffic->received++;
        traffic->received_bytes += message->bytes;
    }
}

void message_waited(const message_t *message, const call_t *call, unsigned site)
{
    sample_t *sample = message->channel == NOT_WATCHED
                           ? NULL
                           : sample_of(&messages_channels[message->channel], message->number);
    if (sample != NULL) {
        sample->begin = call->begin;
        sample->end = call->end;
        sample->site = site;
    }
}

void messages_forget(MPI_Comm comm)
{
    for (int c = 0; c < messages_nchannels; c++) {
        if (messages_channels[c].comm == (uintptr_t) comm) {
            messages_channels[c].comm = 0;
        }
    }
}

/* ---- requests ---- */

/* The slot of a handle, or the free one where it would be; NULL: all are taken. */
static request_t *slot_of(uintptr_t handle)
{
    unsigned slot = (unsigned) hashed(handle) % REQUESTS;
    for (int tries = 0; tries < REQUESTS; tries++, slot = (slot + 1) % REQUESTS) {
        if (!requests[slot].used || requests[slot].handle == handle) {
            return &requests[slot];
        }
    }
    return NULL;
}

static request_t *enter(MPI_Request handle)
{
    request_t *request = slot_of((uintptr_t) handle);
    if (request == NULL || (!request->used && nrequests >= REQUESTS / 2)) {
        messages_lost++;
        return NULL;
    }
    nrequests += !request->used;
    *request = (request_t){.handle = (uintptr_t) handle, .used = true, .active = true};
    request->message = (message_t){.channel = NOT_WATCHED, .none = true};
    return request;
}

/* Those behind it move up where they would be found no longer. */
static void remove_request(request_t *request)
{
    unsigned hole = (unsigned) (request - requests);
    nrequests--;
    requests[hole].used = false;
    for (unsigned s = (hole + 1) % REQUESTS; requests[s].used; s = (s + 1) % REQUESTS) {
        unsigned home = (unsigned) hashed(requests[s].handle) % REQUESTS;
        if ((s - home) % REQUESTS >= (s - hole) % REQUESTS) {
            requests[hole] = requests[s];
            requests[s].used = false;
            hole = s;
        }
    }
}

void request_started(MPI_Request handle, const message_t *message)
{
    request_t *request = enter(handle);
    if (request != NULL) {
        request->message = *message;
    }
}

void request_collective(MPI_Request handle)
{
    request_t *request = enter(handle);
    if (request != NULL) {
        request->collective = true;
    }
}

void request_persistent(MPI_Request handle, const message_t *message)
{
    request_t *request = enter(handle);
    if (request != NULL) {
        request->persistent = true;
        request->active = false;
        request->message = *message;
    }
}

request_t *request_of(MPI_Request handle)
{
    request_t *request = slot_of((uintptr_t) handle);
    return request == NULL || !request->used ? NULL : request;
}

message_t request_restarted(MPI_Request handle, int64_t when)
{
    request_t *request = request_of(handle);
    if (request == NULL || !request->persistent) {
        return (message_t){.channel = NOT_WATCHED, .none = true};
    }
    request->active = true;
    start_message(&request->message, when);
    return request->message;
}

void request_completed(request_t *request, bool freed)
{
    request->active = false;
    if (!request->persistent || freed) {
        remove_request(request);
    }
}
