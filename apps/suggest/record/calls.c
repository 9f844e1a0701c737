/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded of each call of MPI. */
#include <string.h>

#include "shared/mpi/intercept.h"
#include "record.h"

enum { REQUESTS = 4096 };

/* An active sending, or a persistent request. */
typedef struct entry {
    MPI_Request request;
    bool taken, persistent, sends;
    int sending;
    record_call_t call;
    char type[MPI_MAX_OBJECT_NAME];
} entry_t;

static entry_t entries[REQUESTS];
static int used; /* entries that were ever taken */
static record_lock_t lock = ATOMIC_FLAG_INIT;

/* The message of a call, or the one that it receives or, with `sends`, sends. false: not a message
 * of contiguous basic elements to a process. */
static bool describe(record_call_t *out, char *name, const mpi_call_t *call, bool sends)
{
    bool other = sends && call->kind == KIND_SENDRECV; /* its COUNT is that of the received one */
    const void *buffer = sends ? call->in : call->out;
    int peer = other ? call->sent_peer : call->peer;
    int count = other ? call->sent_count : call->count;
    int integers, addresses, types, combiner, length = 0, size = 0;
    MPI_Datatype type = intercept_type(call, other ? call->sent_type : call->type);
    MPI_Aint lb, extent;
    if (peer == MPI_PROC_NULL || count <= 0 || type == MPI_DATATYPE_NULL || buffer == NULL ||
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) {
        return false;
    }
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lb, &extent);
    if (combiner != MPI_COMBINER_NAMED || size <= 0 || extent != size) {
        atomic_fetch_add(&record_lost[LOST_DERIVED], 1);
        return false;
    }
    PMPI_Type_get_name(type, name, &length);
    *out = (record_call_t){.function = call->function,
                           .pc = call->pc,
                           .buffer = (uintptr_t) buffer,
                           .bytes = (int64_t) count * size,
                           .element = size,
                           .type = length > 0 && strchr(name, ' ') == NULL ? name : "MPI_BYTE"};
    return true;
}

/* message.c looks at buffers that have their last stores: these are settled first. */
static int send_settled(const record_call_t *message, bool completes_later)
{
    record_settle(message->buffer, (size_t) message->bytes);
    return record_send(message, completes_later);
}

static void receive_settled(const record_call_t *message)
{
    record_settle(message->buffer, (size_t) message->bytes);
    record_receive(message);
}

static void done_settled(int sending)
{
    if (sending >= 0) {
        record_settle(0, 0);
        record_done(sending);
    }
}

/* Returns the number of the sending for keep_sending(); -1: none. */
static int sent(const mpi_call_t *call)
{
    record_call_t message;
    char name[MPI_MAX_OBJECT_NAME] = "";
    return describe(&message, name, call, true) ? send_settled(&message, call->kind == KIND_ISEND)
                                                : -1;
}

static void received(const mpi_call_t *call)
{
    record_call_t message;
    char name[MPI_MAX_OBJECT_NAME] = "";
    if (describe(&message, name, call, false)) {
        receive_settled(&message);
    }
}

/* The caller holds the lock. NULL: there is none, or no room. */
static entry_t *entry_of(MPI_Request request, bool make)
{
    int i = 0;
    while (i < used && !(entries[i].taken && entries[i].request == request)) {
        i++;
    }
    for (int j = 0; i == used && make && j < REQUESTS; j++) {
        if (!entries[j].taken) {
            used = j < used ? used : j + 1;
            entries[j] = (entry_t){.request = request, .taken = true, .sending = -1};
            return &entries[j];
        }
    }
    return i < used ? &entries[i] : NULL;
}

/* The request that a sending is completed with. */
static void keep_sending(MPI_Request request, int sending)
{
    if (sending < 0) {
        return;
    }
    record_lock(&lock);
    entry_t *entry = request == MPI_REQUEST_NULL ? NULL : entry_of(request, true);
    int before = entry == NULL ? sending : entry->sending;
    if (entry != NULL) {
        entry->sending = sending;
    }
    record_unlock(&lock);
    done_settled(before); /* of a request that was freed, or complete at once */
}

static void keep_persistent(const mpi_call_t *call, bool sends)
{
    record_call_t message;
    char name[MPI_MAX_OBJECT_NAME] = "";
    if (!describe(&message, name, call, sends)) {
        return;
    }
    record_lock(&lock);
    entry_t *entry = entry_of(intercept_request(call, 0), true);
    if (entry != NULL) {
        entry->persistent = true;
        entry->sends = sends;
        entry->call = message;
        memcpy(entry->type, message.type, strlen(message.type) + 1);
        entry->call.type = entry->type;
    }
    record_unlock(&lock);
}

static void started(MPI_Request request)
{
    record_lock(&lock);
    entry_t *entry = entry_of(request, false);
    bool known = entry != NULL && entry->persistent;
    entry_t copy = known ? *entry : (entry_t){.sending = -1};
    copy.call.type = copy.type;
    record_unlock(&lock);
    if (!known) {
        return;
    }
    if (!copy.sends) {
        receive_settled(&copy.call);
        return;
    }
    int sending = send_settled(&copy.call, true);
    record_lock(&lock);
    entry = entry_of(request, false);
    if (entry != NULL) {
        entry->sending = sending;
    }
    record_unlock(&lock);
}

/* A request is complete; or freed: then it is not persistent any more. */
static void completed(MPI_Request request, bool freed)
{
    int sending = -1;
    if (request == MPI_REQUEST_NULL) {
        return;
    }
    record_lock(&lock);
    entry_t *entry = entry_of(request, false);
    if (entry != NULL) {
        sending = entry->sending;
        entry->sending = -1;
        entry->taken = entry->persistent && !freed;
    }
    record_unlock(&lock);
    done_settled(sending);
}

static void finish(void)
{
    int rank = 0, size = 1, length = 0, finalized = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    PMPI_Finalized(&finalized);
    if (!finalized) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        PMPI_Get_library_version(version, &length);
        version[strcspn(version, ",\n")] = '\0';
        record_settle(0, 0);
        record_write(rank, size, version);
    }
}

bool intercept_before(mpi_call_t *call)
{
    switch (call->kind) {
    case KIND_SEND:
        sent(call);
        return false;
    case KIND_ISEND:
        call->note = sent(call);
        return true;
    case KIND_SENDRECV:
        sent(call);
        __attribute__((fallthrough));
    case KIND_RECV:
    case KIND_IRECV:
        received(call);
        return false;
    case KIND_START:
        for (int i = 0; i < call->n; i++) {
            started(intercept_request(call, i));
        }
        return false;
    case KIND_REQUEST_FREE:
        completed(intercept_request(call, 0), true);
        return false;
    case KIND_FINALIZE:
        finish();
        return false;
    case KIND_SEND_INIT:
    case KIND_RECV_INIT:
    case KIND_WAIT:
    case KIND_TEST:
        return true;
    default:
        return false;
    }
}

void intercept_after(const mpi_call_t *call, int code)
{
    MPI_Request request;
    switch (call->kind) {
    case KIND_ISEND:
        keep_sending(code == MPI_SUCCESS ? intercept_request(call, 0) : MPI_REQUEST_NULL,
                     (int) call->note);
        break;
    case KIND_SEND_INIT:
    case KIND_RECV_INIT:
        if (code == MPI_SUCCESS) {
            keep_persistent(call, call->kind == KIND_SEND_INIT);
        }
        break;
    default: /* KIND_WAIT, KIND_TEST */
        for (int i = 0; intercept_completed(call, i, &request); i++) {
            completed(request, false);
        }
    }
}
