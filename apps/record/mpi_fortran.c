/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions in Fortran: mpif.h and the module mpi, which call mpi_send_(), and with Open MPI
 * the module mpi_f08, which calls mpi_send_f08_() with the same arguments. Open MPI's bindings call
 * PMPI_Send(), so that the hooks for C would not see them.
 *
 * The functions of libmpi's Fortran libraries are weak references: a C program has none.
 */
#include <stdlib.h>

#include "calls.h"

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

typedef MPI_Fint fint;

#define BOTH(MACRO, name, NAME)                                                                    \
    MACRO(mpi_##name##_, pmpi_##name##_, "MPI_" NAME)                                              \
    MACRO(mpi_##name##_f08_, pmpi_##name##_f08_, "MPI_" NAME)

/* The function `name` and the one that it calls. */
#define BINDING(name, original, ...)                                                               \
    extern void original(__VA_ARGS__) __attribute__((weak));                                       \
    PUBLIC void name(__VA_ARGS__);                                                                 \
    PUBLIC void name(__VA_ARGS__)

#define MESSAGE_ARGUMENTS void *buffer, fint *count, fint *type, fint *peer, fint *tag, fint *comm

#define SEND(name, original, text)                                                                 \
    BINDING(name, original, MESSAGE_ARGUMENTS, fint *error)                                        \
    {                                                                                              \
        calls_sent(text, PC, buffer, *count, PMPI_Type_f2c(*type), *peer, false);                  \
        original(buffer, count, type, peer, tag, comm, error);                                     \
    }

#define ISEND(name, original, text)                                                                \
    BINDING(name, original, MESSAGE_ARGUMENTS, fint *request, fint *error)                         \
    {                                                                                              \
        int sending = calls_sent(text, PC, buffer, *count, PMPI_Type_f2c(*type), *peer, true);     \
        original(buffer, count, type, peer, tag, comm, request, error);                            \
        calls_request(PMPI_Request_f2c(*request), sending);                                        \
    }

#define INIT(name, original, text, sends)                                                          \
    BINDING(name, original, MESSAGE_ARGUMENTS, fint *request, fint *error)                         \
    {                                                                                              \
        original(buffer, count, type, peer, tag, comm, request, error);                            \
        calls_persistent(PMPI_Request_f2c(*request), sends, text, PC, buffer, *count,              \
                         PMPI_Type_f2c(*type), *peer);                                             \
    }
#define SEND_INIT(name, original, text) INIT(name, original, text, true)
#define RECV_INIT(name, original, text) INIT(name, original, text, false)

#define RECV(name, original, text)                                                                 \
    BINDING(name, original, MESSAGE_ARGUMENTS, fint *status, fint *error)                          \
    {                                                                                              \
        calls_received(text, PC, buffer, *count, PMPI_Type_f2c(*type), *peer);                     \
        original(buffer, count, type, peer, tag, comm, status, error);                             \
    }

#define IRECV(name, original, text)                                                                \
    BINDING(name, original, MESSAGE_ARGUMENTS, fint *request, fint *error)                         \
    {                                                                                              \
        calls_received(text, PC, buffer, *count, PMPI_Type_f2c(*type), *peer);                     \
        original(buffer, count, type, peer, tag, comm, request, error);                            \
    }

#define SENDRECV(name, original, text)                                                             \
    BINDING(name, original, void *from, fint *sends, fint *sent, fint *to, fint *send_tag,         \
            MESSAGE_ARGUMENTS, fint *status, fint *error)                                          \
    {                                                                                              \
        calls_sent(text, PC, from, *sends, PMPI_Type_f2c(*sent), *to, false);                      \
        calls_received(text, PC, buffer, *count, PMPI_Type_f2c(*type), *peer);                     \
        original(from, sends, sent, to, send_tag, buffer, count, type, peer, tag, comm, status,    \
                 error);                                                                           \
    }

#define START(name, original, text)                                                                \
    BINDING(name, original, fint *request, fint *error)                                            \
    {                                                                                              \
        calls_started(PMPI_Request_f2c(*request));                                                 \
        original(request, error);                                                                  \
    }

#define STARTALL(name, original, text)                                                             \
    BINDING(name, original, fint *count, fint *requests, fint *error)                              \
    {                                                                                              \
        for (fint i = 0; i < *count; i++) {                                                        \
            calls_started(PMPI_Request_f2c(requests[i]));                                          \
        }                                                                                          \
        original(count, requests, error);                                                          \
    }

#define REQUEST_FREE(name, original, text)                                                         \
    BINDING(name, original, fint *request, fint *error)                                            \
    {                                                                                              \
        calls_completed(PMPI_Request_f2c(*request), true);                                         \
        original(request, error);                                                                  \
    }

BOTH(SEND, send, "Send")
BOTH(SEND, bsend, "Bsend")
BOTH(SEND, ssend, "Ssend")
BOTH(SEND, rsend, "Rsend")
BOTH(ISEND, isend, "Isend")
BOTH(ISEND, ibsend, "Ibsend")
BOTH(ISEND, issend, "Issend")
BOTH(ISEND, irsend, "Irsend")
BOTH(SEND_INIT, send_init, "Send_init")
BOTH(SEND_INIT, bsend_init, "Bsend_init")
BOTH(SEND_INIT, ssend_init, "Ssend_init")
BOTH(SEND_INIT, rsend_init, "Rsend_init")
BOTH(RECV, recv, "Recv")
BOTH(IRECV, irecv, "Irecv")
BOTH(RECV_INIT, recv_init, "Recv_init")
BOTH(SENDRECV, sendrecv, "Sendrecv")
BOTH(START, start, "Start")
BOTH(STARTALL, startall, "Startall")
BOTH(REQUEST_FREE, request_free, "Request_free")

/* ---- completion ---- */

/* Requests as they are before a call that may complete them. NULL when memory is out. */
static MPI_Request *copied(fint count, const fint *requests)
{
    MPI_Request *copy = malloc(((size_t) count + 1) * sizeof(*copy));
    for (fint i = 0; copy != NULL && i < count; i++) {
        copy[i] = PMPI_Request_f2c(requests[i]);
    }
    return copy;
}

/* `n` of them are complete: those of `indices`, which count from 1, or the first ones. */
static void completed(MPI_Request *copy, fint n, const fint *indices)
{
    for (fint i = 0; copy != NULL && n != MPI_UNDEFINED && i < n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): n is at most its count */
        calls_completed(copy[indices == NULL ? i : indices[i] - 1], false);
    }
    free(copy);
}

#define WAIT(name, original, text)                                                                 \
    BINDING(name, original, fint *request, fint *status, fint *error)                              \
    {                                                                                              \
        MPI_Request before = PMPI_Request_f2c(*request);                                           \
        original(request, status, error);                                                          \
        calls_completed(before, false);                                                            \
    }

#define WAITALL(name, original, text)                                                              \
    BINDING(name, original, fint *count, fint *requests, fint *statuses, fint *error)              \
    {                                                                                              \
        MPI_Request *before = copied(*count, requests);                                            \
        original(count, requests, statuses, error);                                                \
        completed(before, *count, NULL);                                                           \
    }

#define WAITANY(name, original, text)                                                              \
    BINDING(name, original, fint *count, fint *requests, fint *index, fint *status, fint *error)   \
    {                                                                                              \
        MPI_Request *before = copied(*count, requests);                                            \
        original(count, requests, index, status, error);                                           \
        completed(before, *index == MPI_UNDEFINED ? 0 : 1, index);                                 \
    }

#define WAITSOME(name, original, text)                                                             \
    BINDING(name, original, fint *count, fint *requests, fint *done, fint *indices,                \
            fint *statuses, fint *error)                                                           \
    {                                                                                              \
        MPI_Request *before = copied(*count, requests);                                            \
        original(count, requests, done, indices, statuses, error);                                 \
        completed(before, *done, indices);                                                         \
    }

#define TEST(name, original, text)                                                                 \
    BINDING(name, original, fint *request, fint *flag, fint *status, fint *error)                  \
    {                                                                                              \
        MPI_Request before = PMPI_Request_f2c(*request);                                           \
        original(request, flag, status, error);                                                    \
        if (*flag) {                                                                               \
            calls_completed(before, false);                                                        \
        }                                                                                          \
    }

#define TESTALL(name, original, text)                                                              \
    BINDING(name, original, fint *count, fint *requests, fint *flag, fint *statuses, fint *error)  \
    {                                                                                              \
        MPI_Request *before = copied(*count, requests);                                            \
        original(count, requests, flag, statuses, error);                                          \
        completed(before, *flag ? *count : 0, NULL);                                               \
    }

#define TESTANY(name, original, text)                                                              \
    BINDING(name, original, fint *count, fint *requests, fint *index, fint *flag, fint *status,    \
            fint *error)                                                                           \
    {                                                                                              \
        MPI_Request *before = copied(*count, requests);                                            \
        original(count, requests, index, flag, status, error);                                     \
        completed(before, *flag &&*index != MPI_UNDEFINED ? 1 : 0, index);                         \
    }

BOTH(WAIT, wait, "Wait")
BOTH(WAITALL, waitall, "Waitall")
BOTH(WAITANY, waitany, "Waitany")
BOTH(WAITSOME, waitsome, "Waitsome")
BOTH(TEST, test, "Test")
BOTH(TESTALL, testall, "Testall")
BOTH(TESTANY, testany, "Testany")
BOTH(WAITSOME, testsome, "Testsome")

#define FINALIZE(name, original, text)                                                             \
    BINDING(name, original, fint *error)                                                           \
    {                                                                                              \
        calls_finish();                                                                            \
        original(error);                                                                           \
    }
BOTH(FINALIZE, finalize, "Finalize")
