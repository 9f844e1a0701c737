/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include <string.h>

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

/* false: not a message of contiguous basic elements to a process. */
static bool describe(record_call_t *call, char *name, const char *function, uintptr_t pc,
                     const void *buffer, int count, MPI_Datatype type, int peer)
{
    int integers, addresses, types, combiner, length = 0, size = 0;
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
    *call = (record_call_t){.function = function,
                            .pc = pc,
                            .buffer = (uintptr_t) buffer,
                            .bytes = (int64_t) count * size,
                            .element = size,
                            .type = length > 0 && strchr(name, ' ') == NULL ? name : "MPI_BYTE"};
    return true;
}

int calls_sent(const char *function, uintptr_t pc, const void *buffer, int count, MPI_Datatype type,
               int peer, bool completes_later)
{
    record_call_t call;
    char name[MPI_MAX_OBJECT_NAME] = "";
    return describe(&call, name, function, pc, buffer, count, type, peer)
               ? record_send(&call, completes_later)
               : -1;
}

void calls_received(const char *function, uintptr_t pc, const void *buffer, int count,
                    MPI_Datatype type, int peer)
{
    record_call_t call;
    char name[MPI_MAX_OBJECT_NAME] = "";
    if (describe(&call, name, function, pc, buffer, count, type, peer)) {
        record_receive(&call);
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

void calls_request(MPI_Request request, int sending)
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
    record_done(before); /* of a request that was freed, or complete at once */
}

void calls_persistent(MPI_Request request, bool sends, const char *function, uintptr_t pc,
                      const void *buffer, int count, MPI_Datatype type, int peer)
{
    record_call_t call;
    char name[MPI_MAX_OBJECT_NAME] = "";
    if (!describe(&call, name, function, pc, buffer, count, type, peer)) {
        return;
    }
    record_lock(&lock);
    entry_t *entry = entry_of(request, true);
    if (entry != NULL) {
        entry->persistent = true;
        entry->sends = sends;
        entry->call = call;
        memcpy(entry->type, call.type, strlen(call.type) + 1);
        entry->call.type = entry->type;
    }
    record_unlock(&lock);
}

void calls_started(MPI_Request request)
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
        record_receive(&copy.call);
        return;
    }
    int sending = record_send(&copy.call, true);
    record_lock(&lock);
    entry = entry_of(request, false);
    if (entry != NULL) {
        entry->sending = sending;
    }
    record_unlock(&lock);
}

void calls_completed(MPI_Request request, bool freed)
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
    record_done(sending);
}

void calls_finish(void)
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
