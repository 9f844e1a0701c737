/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's functions in C, by its profiling interface. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

/* ---- sending ---- */

#define SEND(name)                                                                                 \
    PUBLIC int MPI_##name(const void *buffer, int count, MPI_Datatype type, int peer, int tag,     \
                          MPI_Comm comm)                                                           \
    {                                                                                              \
        calls_sent("MPI_" #name, PC, buffer, count, type, peer, false);                            \
        return PMPI_##name(buffer, count, type, peer, tag, comm);                                  \
    }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define ISEND(name)                                                                                \
    PUBLIC int MPI_##name(const void *buffer, int count, MPI_Datatype type, int peer, int tag,     \
                          MPI_Comm comm, MPI_Request *request)                                     \
    {                                                                                              \
        int sending = calls_sent("MPI_" #name, PC, buffer, count, type, peer, true);               \
        int code = PMPI_##name(buffer, count, type, peer, tag, comm, request);                     \
        calls_request(code == MPI_SUCCESS ? *request : MPI_REQUEST_NULL, sending);                 \
        return code;                                                                               \
    }
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

#define SEND_INIT(name)                                                                            \
    PUBLIC int MPI_##name(const void *buffer, int count, MPI_Datatype type, int peer, int tag,     \
                          MPI_Comm comm, MPI_Request *request)                                     \
    {                                                                                              \
        int code = PMPI_##name(buffer, count, type, peer, tag, comm, request);                     \
        if (code == MPI_SUCCESS) {                                                                 \
            calls_persistent(*request, true, "MPI_" #name, PC, buffer, count, type, peer);         \
        }                                                                                          \
        return code;                                                                               \
    }
SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)

/* ---- receiving ---- */

PUBLIC int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                    MPI_Status *status)
{
    calls_received("MPI_Recv", PC, buffer, count, type, peer);
    return PMPI_Recv(buffer, count, type, peer, tag, comm, status);
}

PUBLIC int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    calls_received("MPI_Irecv", PC, buffer, count, type, peer);
    return PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
}

PUBLIC int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm, MPI_Request *request)
{
    int code = PMPI_Recv_init(buffer, count, type, peer, tag, comm, request);
    if (code == MPI_SUCCESS) {
        calls_persistent(*request, false, "MPI_Recv_init", PC, buffer, count, type, peer);
    }
    return code;
}

PUBLIC int MPI_Sendrecv(const void *from, int sends, MPI_Datatype sent, int to, int send_tag,
                        void *buffer, int count, MPI_Datatype type, int peer, int tag,
                        MPI_Comm comm, MPI_Status *status)
{
    calls_sent("MPI_Sendrecv", PC, from, sends, sent, to, false);
    calls_received("MPI_Sendrecv", PC, buffer, count, type, peer);
    return PMPI_Sendrecv(from, sends, sent, to, send_tag, buffer, count, type, peer, tag, comm,
                         status);
}

/* ---- requests ---- */

PUBLIC int MPI_Start(MPI_Request *request)
{
    calls_started(*request);
    return PMPI_Start(request);
}

PUBLIC int MPI_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++) {
        calls_started(requests[i]);
    }
    return PMPI_Startall(count, requests);
}

PUBLIC int MPI_Request_free(MPI_Request *request)
{
    calls_completed(*request, true);
    return PMPI_Request_free(request);
}

/* A copy of requests, as they are before a call that may complete them; NULL when memory is out. */
static MPI_Request *copied(int count, const MPI_Request *requests)
{
    MPI_Request *copy = malloc(((size_t) count + 1) * sizeof(*copy));
    if (copy != NULL && count > 0) {
        memcpy(copy, requests, (size_t) count * sizeof(*copy));
    }
    return copy;
}

/* `n` requests of a copy are complete: those of `indices`, or the first ones. Frees the copy. */
static void completed(MPI_Request *copy, int n, const int *indices)
{
    for (int i = 0; copy != NULL && n != MPI_UNDEFINED && i < n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): n is at most its count */
        calls_completed(copy[indices == NULL ? i : indices[i]], false);
    }
    free(copy);
}

PUBLIC int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Request before = *request;
    int code = PMPI_Wait(request, status);
    calls_completed(before, false);
    return code;
}

PUBLIC int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    MPI_Request *before = copied(count, requests);
    int code = PMPI_Waitall(count, requests, statuses);
    completed(before, count, NULL);
    return code;
}

PUBLIC int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    MPI_Request *before = copied(count, requests);
    int code = PMPI_Waitany(count, requests, index, status);
    completed(before, *index == MPI_UNDEFINED ? 0 : 1, index);
    return code;
}

PUBLIC int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                        MPI_Status statuses[])
{
    MPI_Request *before = copied(count, requests);
    int code = PMPI_Waitsome(count, requests, done, indices, statuses);
    completed(before, *done, indices);
    return code;
}

PUBLIC int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request before = *request;
    int code = PMPI_Test(request, flag, status);
    if (*flag) {
        calls_completed(before, false);
    }
    return code;
}

PUBLIC int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    MPI_Request *before = copied(count, requests);
    int code = PMPI_Testall(count, requests, flag, statuses);
    completed(before, *flag ? count : 0, NULL);
    return code;
}

PUBLIC int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    MPI_Request *before = copied(count, requests);
    int code = PMPI_Testany(count, requests, index, flag, status);
    completed(before, *flag && *index != MPI_UNDEFINED ? 1 : 0, index);
    return code;
}

PUBLIC int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
                        MPI_Status statuses[])
{
    MPI_Request *before = copied(count, requests);
    int code = PMPI_Testsome(count, requests, done, indices, statuses);
    completed(before, *done, indices);
    return code;
}

PUBLIC int MPI_Finalize(void)
{
    calls_finish();
    return PMPI_Finalize();
}
