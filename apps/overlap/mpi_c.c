/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions in C. In a process of another MPI than this library's, they must hand on handles
 * of any size: such as are passed by value are as wide as a pointer. Hence functions with names and
 * prototypes of their own, which only the linker knows by MPI's names.
 */
#include "calls.h"
#include "messages.h"
#include "overlap.h"
#include "real.h"
#include "waits.h"

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

#ifdef OPEN_MPI
#define WIDE(handle) handle
#else
#define WIDE(handle) uintptr_t
#endif

/* The head of a function, with its declaration. */
#define FUNCTION_OF(name, declaration)                                                             \
    PUBLIC int wide_##name declaration __asm__("MPI_" #name);                                      \
    int wide_##name declaration
#define FUNCTION(name, ...) FUNCTION_OF(name, (__VA_ARGS__))
#define REAL_OF(name)       REAL_AS(__typeof__(&wide_##name), "MPI_" #name)

/* `code` = the real function, and its time in `call`. */
#define CALLED(name, arguments)                                                                    \
    call_t call = call_begin("MPI_" #name, PC);                                                    \
    int code = REAL_OF(name) arguments;                                                            \
    call_end(&call)

/* ---- begin and end ---- */

FUNCTION(Init, int *argc, char ***argv)
{
    int code = REAL_OF(Init)(argc, argv);
    overlap_start();
    return code;
}

FUNCTION(Init_thread, int *argc, char ***argv, int required, int *provided)
{
    int code = REAL_OF(Init_thread)(argc, argv, required, provided);
    overlap_start();
    return code;
}

FUNCTION(Finalize, void)
{
    overlap_finish(true);
    return REAL_OF(Finalize)();
}

FUNCTION(Abort, WIDE(MPI_Comm) comm, int error)
{
    overlap_finish(false);
    return REAL_OF(Abort)(comm, error);
}

/* ---- functions of which only the time is noted ---- */

#define PLAIN(class, name, fortran, n, declaration, arguments)                                     \
    FUNCTION_OF(name, declaration)                                                                 \
    {                                                                                              \
        CALLED(name, arguments);                                                                   \
        if (call.measured) {                                                                       \
            call_enter(&call, class, (traffic_t){0});                                              \
        }                                                                                          \
        return code;                                                                               \
    }
#define NONBLOCKING(name, fortran, n, declaration, arguments)                                      \
    FUNCTION_OF(name, declaration)                                                                 \
    {                                                                                              \
        CALLED(name, arguments);                                                                   \
        if (call.measured) {                                                                       \
            call_enter(&call, CLASS_START, (traffic_t){0});                                        \
            if (code == MPI_SUCCESS) {                                                             \
                request_collective(*request);                                                      \
            }                                                                                      \
        }                                                                                          \
        return code;                                                                               \
    }
#include "functions.def"

/* ---- messages ---- */

#define MESSAGE int count, WIDE(MPI_Datatype) type, int peer, int tag, WIDE(MPI_Comm) comm
#define SEND(name)                                                                                 \
    FUNCTION(name, const void *buffer, MESSAGE)                                                    \
    {                                                                                              \
        CALLED(name, (buffer, count, type, peer, tag, comm));                                      \
        if (call.measured && code == MPI_SUCCESS) {                                                \
            calls_blocked(&call, true, count, type, peer, tag, comm);                              \
        }                                                                                          \
        return code;                                                                               \
    }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define ISEND(name)                                                                                \
    FUNCTION(name, const void *buffer, MESSAGE, MPI_Request *request)                              \
    {                                                                                              \
        CALLED(name, (buffer, count, type, peer, tag, comm, request));                             \
        if (call.measured && code == MPI_SUCCESS) {                                                \
            calls_started(&call, true, count, type, peer, tag, comm, *request);                    \
        }                                                                                          \
        return code;                                                                               \
    }
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

FUNCTION(Recv, void *buffer, MESSAGE, MPI_Status *status)
{
    CALLED(Recv, (buffer, count, type, peer, tag, comm, status));
    if (call.measured && code == MPI_SUCCESS) {
        calls_blocked(&call, false, count, type, peer, tag, comm);
    }
    return code;
}

FUNCTION(Irecv, void *buffer, MESSAGE, MPI_Request *request)
{
    CALLED(Irecv, (buffer, count, type, peer, tag, comm, request));
    if (call.measured && code == MPI_SUCCESS) {
        calls_started(&call, false, count, type, peer, tag, comm, *request);
    }
    return code;
}

FUNCTION(Sendrecv, const void *from, int sends, WIDE(MPI_Datatype) sent, int to, int send_tag,
         void *buffer, MESSAGE, MPI_Status *status)
{
    CALLED(Sendrecv,
           (from, sends, sent, to, send_tag, buffer, count, type, peer, tag, comm, status));
    if (call.measured && code == MPI_SUCCESS) {
        calls_exchanged(&call, sends, sent, to, send_tag, count, type, peer, tag, comm);
    }
    return code;
}

FUNCTION(Sendrecv_replace, void *buffer, int count, WIDE(MPI_Datatype) type, int to, int send_tag,
         int peer, int tag, WIDE(MPI_Comm) comm, MPI_Status *status)
{
    CALLED(Sendrecv_replace, (buffer, count, type, to, send_tag, peer, tag, comm, status));
    if (call.measured && code == MPI_SUCCESS) {
        calls_exchanged(&call, count, type, to, send_tag, count, type, peer, tag, comm);
    }
    return code;
}

FUNCTION(Probe, int peer, int tag, WIDE(MPI_Comm) comm, MPI_Status *status)
{
    CALLED(Probe, (peer, tag, comm, status));
    if (call.measured) {
        call_enter(&call, CLASS_WAIT, (traffic_t){0});
    }
    return code;
}

/* A matched message may be any of several: its receive cannot be compared. */
FUNCTION(Mprobe, int peer, int tag, WIDE(MPI_Comm) comm, MPI_Message *message, MPI_Status *status)
{
    CALLED(Mprobe, (peer, tag, comm, message, status));
    if (call.measured) {
        messages_wild = true;
        call_enter(&call, CLASS_WAIT, (traffic_t){0});
    }
    return code;
}

FUNCTION(Improbe, int peer, int tag, WIDE(MPI_Comm) comm, int *flag, MPI_Message *message,
         MPI_Status *status)
{
    CALLED(Improbe, (peer, tag, comm, flag, message, status));
    if (call.measured) {
        messages_wild = true;
        call_enter_test(&call);
    }
    return code;
}

FUNCTION(Mrecv, void *buffer, int count, WIDE(MPI_Datatype) type, MPI_Message *message,
         MPI_Status *status)
{
    CALLED(Mrecv, (buffer, count, type, message, status));
    if (call.measured && code == MPI_SUCCESS) {
        call_enter(&call, CLASS_WAIT,
                   (traffic_t){.received = 1, .received_bytes = message_bytes(count, type, 0)});
    }
    return code;
}

FUNCTION(Iprobe, int peer, int tag, WIDE(MPI_Comm) comm, int *flag, MPI_Status *status)
{
    CALLED(Iprobe, (peer, tag, comm, flag, status));
    if (call.measured) {
        call_enter_test(&call);
    }
    return code;
}

/* ---- persistent requests ---- */

#define INIT(name, constant, sends)                                                                \
    FUNCTION(name, constant void *buffer, MESSAGE, MPI_Request *request)                           \
    {                                                                                              \
        CALLED(name, (buffer, count, type, peer, tag, comm, request));                             \
        if (call.measured && code == MPI_SUCCESS) {                                                \
            calls_persistent(&call, sends, count, type, peer, tag, comm, *request);                \
        }                                                                                          \
        return code;                                                                               \
    }
INIT(Send_init, const, true)
INIT(Bsend_init, const, true)
INIT(Ssend_init, const, true)
INIT(Rsend_init, const, true)
INIT(Recv_init, , false)

FUNCTION(Start, MPI_Request *request)
{
    CALLED(Start, (request));
    if (call.measured && code == MPI_SUCCESS) {
        calls_restarted(&call, 1, request, NULL);
    }
    return code;
}

FUNCTION(Startall, int count, MPI_Request requests[])
{
    CALLED(Startall, (count, requests));
    if (call.measured && code == MPI_SUCCESS) {
        calls_restarted(&call, count, requests, NULL);
    }
    return code;
}

FUNCTION(Request_free, MPI_Request *request)
{
    call_t call = call_begin("MPI_Request_free", PC);
    if (call.measured) {
        waits_keep(1, request);
        waits_freed();
    }
    int code = REAL_OF(Request_free)(request);
    call_end(&call);
    if (call.measured) {
        call_enter(&call, CLASS_START, (traffic_t){0});
    }
    return code;
}

FUNCTION(Cancel, MPI_Request *request)
{
    CALLED(Cancel, (request));
    if (call.measured) {
        messages_wild = true;
        call_enter(&call, CLASS_START, (traffic_t){0});
    }
    return code;
}

#define FREE(name)                                                                                 \
    FUNCTION(name, MPI_Comm *comm)                                                                 \
    {                                                                                              \
        MPI_Comm before = *comm;                                                                   \
        CALLED(name, (comm));                                                                      \
        if (call.measured) {                                                                       \
            messages_forget(before);                                                               \
            call_enter(&call, CLASS_OTHER, (traffic_t){0});                                        \
        }                                                                                          \
        return code;                                                                               \
    }
FREE(Comm_free)
FREE(Comm_disconnect)

/* ---- completion ---- */

/* As CALLED, for a call that overwrites `n` requests. */
#define COMPLETED(name, n, requests, arguments)                                                    \
    call_t call = call_begin("MPI_" #name, PC);                                                    \
    if (call.measured) {                                                                           \
        waits_keep(n, requests);                                                                   \
    }                                                                                              \
    int code = REAL_OF(name) arguments;                                                            \
    call_end(&call)

FUNCTION(Wait, MPI_Request *request, MPI_Status *status)
{
    COMPLETED(Wait, 1, request, (request, status));
    if (call.measured) {
        waits_enter(&call, 1, NULL, 0);
    }
    return code;
}

FUNCTION(Waitall, int count, MPI_Request requests[], MPI_Status statuses[])
{
    COMPLETED(Waitall, count, requests, (count, requests, statuses));
    if (call.measured) {
        waits_enter(&call, count, NULL, 0);
    }
    return code;
}

FUNCTION(Waitany, int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    COMPLETED(Waitany, count, requests, (count, requests, index, status));
    if (call.measured) {
        waits_enter(&call, *index == MPI_UNDEFINED ? 0 : 1, index, 0);
    }
    return code;
}

FUNCTION(Waitsome, int count, MPI_Request requests[], int *n, int indices[], MPI_Status statuses[])
{
    COMPLETED(Waitsome, count, requests, (count, requests, n, indices, statuses));
    if (call.measured) {
        waits_enter(&call, *n, indices, 0);
    }
    return code;
}

FUNCTION(Test, MPI_Request *request, int *flag, MPI_Status *status)
{
    COMPLETED(Test, 1, request, (request, flag, status));
    if (call.measured) {
        waits_enter_test(&call, *flag ? 1 : 0, NULL, 0);
    }
    return code;
}

FUNCTION(Testall, int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    COMPLETED(Testall, count, requests, (count, requests, flag, statuses));
    if (call.measured) {
        waits_enter_test(&call, *flag ? count : 0, NULL, 0);
    }
    return code;
}

FUNCTION(Testany, int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    COMPLETED(Testany, count, requests, (count, requests, index, flag, status));
    if (call.measured) {
        waits_enter_test(&call, *flag && *index != MPI_UNDEFINED ? 1 : 0, index, 0);
    }
    return code;
}

FUNCTION(Testsome, int count, MPI_Request requests[], int *n, int indices[], MPI_Status statuses[])
{
    COMPLETED(Testsome, count, requests, (count, requests, n, indices, statuses));
    if (call.measured) {
        waits_enter_test(&call, *n, indices, 0);
    }
    return code;
}
