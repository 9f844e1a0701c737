/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions in Fortran: mpif.h and the module mpi, which call mpi_send_(), and with Open MPI
 * the module mpi_f08, which calls mpi_send_f08_() with the same arguments. They do not call
 * MPI_Send but PMPI_Send, so that the functions for C would not see them. All arguments are
 * addresses.
 */
#include "calls.h"
#include "messages.h"
#include "overlap.h"
#include "real.h"
#include "waits.h"

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

typedef MPI_Fint fint;

#define TYPE(handle)    (real_type(*(handle)))
#define COMM(handle)    (real_comm(*(handle)))
#define REQUEST(handle) (real_request(*(handle)))

/* Both bindings of a function. */
#define BOTH(MACRO, name, NAME, ...)                                                               \
    MACRO(mpi_##name##_, "MPI_" NAME, ##__VA_ARGS__)                                               \
    MACRO(mpi_##name##_f08_, "MPI_" NAME, ##__VA_ARGS__)

#define BINDING(name, ...)                                                                         \
    PUBLIC void name(__VA_ARGS__);                                                                 \
    PUBLIC void name(__VA_ARGS__)

#define CALLED(name, text, ...)                                                                    \
    call_t call = call_begin(text, PC);                                                            \
    REAL(name)(__VA_ARGS__);                                                                       \
    call_end(&call);                                                                               \
    if (!call.measured) {                                                                          \
        return;                                                                                    \
    }

/* ---- begin and end ---- */

#define INIT(name, text)                                                                           \
    BINDING(name, fint *error)                                                                     \
    {                                                                                              \
        REAL(name)(error);                                                                         \
        overlap_start();                                                                           \
    }
#define INIT_THREAD(name, text)                                                                    \
    BINDING(name, fint *required, fint *provided, fint *error)                                     \
    {                                                                                              \
        REAL(name)(required, provided, error);                                                     \
        overlap_start();                                                                           \
    }
#define FINALIZE(name, text)                                                                       \
    BINDING(name, fint *error)                                                                     \
    {                                                                                              \
        overlap_finish(true);                                                                      \
        REAL(name)(error);                                                                         \
    }
#define ABORT(name, text)                                                                          \
    BINDING(name, fint *comm, fint *code, fint *error)                                             \
    {                                                                                              \
        overlap_finish(false);                                                                     \
        REAL(name)(comm, code, error);                                                             \
    }
BOTH(INIT, init, "Init")
BOTH(INIT_THREAD, init_thread, "Init_thread")
BOTH(FINALIZE, finalize, "Finalize")
BOTH(ABORT, abort, "Abort")

/* ---- functions of which only the time is noted ---- */

#define P2  void *a, void *b
#define P3  P2, void *c
#define P4  P3, void *d
#define P5  P4, void *e
#define P6  P5, void *f
#define P7  P6, void *g
#define P8  P7, void *h
#define P9  P8, void *i
#define P10 P9, void *j
#define P11 P10, void *k
#define P12 P11, void *l
#define A2  a, b
#define A3  A2, c
#define A4  A3, d
#define A5  A4, e
#define A6  A5, f
#define A7  A6, g
#define A8  A7, h
#define A9  A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l

/* The request is the argument before the last. */
#define REQUEST3  b
#define REQUEST7  f
#define REQUEST8  g
#define REQUEST9  h
#define REQUEST10 i
#define REQUEST11 j
#define REQUEST12 k

#define PLAIN_BINDING(name, text, class, n)                                                        \
    BINDING(name, P##n)                                                                            \
    {                                                                                              \
        CALLED(name, text, A##n)                                                                   \
        call_enter(&call, class, (traffic_t){0});                                                  \
    }
#define NONBLOCKING_BINDING(name, text, n)                                                         \
    BINDING(name, P##n)                                                                            \
    {                                                                                              \
        CALLED(name, text, A##n)                                                                   \
        call_enter(&call, CLASS_START, (traffic_t){0});                                            \
        request_collective(REQUEST((fint *) REQUEST##n));                                          \
    }
#define PLAIN(class, name, fortran, n, declaration, arguments)                                     \
    BOTH(PLAIN_BINDING, fortran, #name, class, n)
#define NONBLOCKING(name, fortran, n, declaration, arguments)                                      \
    BOTH(NONBLOCKING_BINDING, fortran, #name, n)
#include "functions.def"

/* ---- messages ---- */

#define MESSAGE   void *buffer, fint *count, fint *type, fint *peer, fint *tag, fint *comm
#define FORWARDED buffer, count, type, peer, tag, comm
#define IN_C      *count, TYPE(type), *peer, *tag, COMM(comm)

#define SEND(name, text)                                                                           \
    BINDING(name, MESSAGE, fint *error)                                                            \
    {                                                                                              \
        CALLED(name, text, FORWARDED, error)                                                       \
        calls_blocked(&call, true, IN_C);                                                          \
    }
#define RECV(name, text)                                                                           \
    BINDING(name, MESSAGE, fint *status, fint *error)                                              \
    {                                                                                              \
        CALLED(name, text, FORWARDED, status, error)                                               \
        calls_blocked(&call, false, IN_C);                                                         \
    }
#define STARTING(name, text, sends)                                                                \
    BINDING(name, MESSAGE, fint *request, fint *error)                                             \
    {                                                                                              \
        CALLED(name, text, FORWARDED, request, error)                                              \
        calls_started(&call, sends, IN_C, REQUEST(request));                                       \
    }
#define PERSISTENT(name, text, sends)                                                              \
    BINDING(name, MESSAGE, fint *request, fint *error)                                             \
    {                                                                                              \
        CALLED(name, text, FORWARDED, request, error)                                              \
        calls_persistent(&call, sends, IN_C, REQUEST(request));                                    \
    }
#define SENDRECV(name, text)                                                                       \
    BINDING(name, void *from, fint *sends, fint *sent, fint *to, fint *send_tag, MESSAGE,          \
            fint *status, fint *error)                                                             \
    {                                                                                              \
        CALLED(name, text, from, sends, sent, to, send_tag, FORWARDED, status, error)              \
        calls_exchanged(&call, *sends, TYPE(sent), *to, *send_tag, IN_C);                          \
    }
#define SENDRECV_REPLACE(name, text)                                                               \
    BINDING(name, void *buffer, fint *count, fint *type, fint *to, fint *send_tag, fint *peer,     \
            fint *tag, fint *comm, fint *status, fint *error)                                      \
    {                                                                                              \
        CALLED(name, text, buffer, count, type, to, send_tag, peer, tag, comm, status, error)      \
        calls_exchanged(&call, *count, TYPE(type), *to, *send_tag, IN_C);                          \
    }
BOTH(SEND, send, "Send")
BOTH(SEND, bsend, "Bsend")
BOTH(SEND, ssend, "Ssend")
BOTH(SEND, rsend, "Rsend")
BOTH(RECV, recv, "Recv")
BOTH(STARTING, isend, "Isend", true)
BOTH(STARTING, ibsend, "Ibsend", true)
BOTH(STARTING, issend, "Issend", true)
BOTH(STARTING, irsend, "Irsend", true)
BOTH(STARTING, irecv, "Irecv", false)
BOTH(PERSISTENT, send_init, "Send_init", true)
BOTH(PERSISTENT, bsend_init, "Bsend_init", true)
BOTH(PERSISTENT, ssend_init, "Ssend_init", true)
BOTH(PERSISTENT, rsend_init, "Rsend_init", true)
BOTH(PERSISTENT, recv_init, "Recv_init", false)
BOTH(SENDRECV, sendrecv, "Sendrecv")
BOTH(SENDRECV_REPLACE, sendrecv_replace, "Sendrecv_replace")

#define PROBE(name, text)                                                                          \
    BINDING(name, fint *peer, fint *tag, fint *comm, fint *status, fint *error)                    \
    {                                                                                              \
        CALLED(name, text, peer, tag, comm, status, error)                                         \
        call_enter(&call, CLASS_WAIT, (traffic_t){0});                                             \
    }
#define IPROBE(name, text)                                                                         \
    BINDING(name, fint *peer, fint *tag, fint *comm, fint *flag, fint *status, fint *error)        \
    {                                                                                              \
        CALLED(name, text, peer, tag, comm, flag, status, error)                                   \
        call_enter_test(&call);                                                                    \
    }
#define MPROBE(name, text)                                                                         \
    BINDING(name, fint *peer, fint *tag, fint *comm, fint *message, fint *status, fint *error)     \
    {                                                                                              \
        CALLED(name, text, peer, tag, comm, message, status, error)                                \
        messages_wild = true;                                                                      \
        call_enter(&call, CLASS_WAIT, (traffic_t){0});                                             \
    }
#define MRECV(name, text)                                                                          \
    BINDING(name, void *buffer, fint *count, fint *type, fint *message, fint *status, fint *error) \
    {                                                                                              \
        CALLED(name, text, buffer, count, type, message, status, error)                            \
        call_enter(                                                                                \
            &call, CLASS_WAIT,                                                                     \
            (traffic_t){.received = 1, .received_bytes = message_bytes(*count, TYPE(type), 0)});   \
    }
BOTH(PROBE, probe, "Probe")
BOTH(IPROBE, iprobe, "Iprobe")
BOTH(MPROBE, mprobe, "Mprobe")
BOTH(MRECV, mrecv, "Mrecv")

#define START(name, text)                                                                          \
    BINDING(name, fint *request, fint *error)                                                      \
    {                                                                                              \
        CALLED(name, text, request, error)                                                         \
        calls_restarted(&call, 1, NULL, request);                                                  \
    }
#define STARTALL(name, text)                                                                       \
    BINDING(name, fint *n, fint *requests, fint *error)                                            \
    {                                                                                              \
        CALLED(name, text, n, requests, error)                                                     \
        calls_restarted(&call, *n, NULL, requests);                                                \
    }
BOTH(START, start, "Start")
BOTH(STARTALL, startall, "Startall")

#define COMM_FREE(name, text)                                                                      \
    BINDING(name, fint *comm, fint *error)                                                         \
    {                                                                                              \
        call_t call = call_begin(text, PC);                                                        \
        if (call.measured) {                                                                       \
            messages_forget(COMM(comm));                                                           \
        }                                                                                          \
        REAL(name)(comm, error);                                                                   \
        call_end(&call);                                                                           \
        if (!call.measured) {                                                                      \
            return;                                                                                \
        }                                                                                          \
        call_enter(&call, CLASS_OTHER, (traffic_t){0});                                            \
    }
BOTH(COMM_FREE, comm_free, "Comm_free")
BOTH(COMM_FREE, comm_disconnect, "Comm_disconnect")

/* ---- completion ---- */

/* As CALLED, for a call that overwrites `n` requests. */
#define COMPLETED(name, text, n, requests, ...)                                                    \
    call_t call = call_begin(text, PC);                                                            \
    if (call.measured) {                                                                           \
        waits_keep_fortran(n, requests);                                                           \
    }                                                                                              \
    REAL(name)(__VA_ARGS__);                                                                       \
    call_end(&call);                                                                               \
    if (!call.measured) {                                                                          \
        return;                                                                                    \
    }

#define REQUEST_FREE(name, text)                                                                   \
    BINDING(name, fint *request, fint *error)                                                      \
    {                                                                                              \
        COMPLETED(name, text, 1, request, request, error)                                          \
        waits_freed();                                                                             \
        call_enter(&call, CLASS_START, (traffic_t){0});                                            \
    }
#define CANCEL(name, text)                                                                         \
    BINDING(name, fint *request, fint *error)                                                      \
    {                                                                                              \
        CALLED(name, text, request, error)                                                         \
        messages_wild = true;                                                                      \
        call_enter(&call, CLASS_START, (traffic_t){0});                                            \
    }
#define WAIT(name, text)                                                                           \
    BINDING(name, fint *request, fint *status, fint *error)                                        \
    {                                                                                              \
        COMPLETED(name, text, 1, request, request, status, error)                                  \
        waits_enter(&call, 1, NULL, 0);                                                            \
    }
#define WAITALL(name, text)                                                                        \
    BINDING(name, fint *n, fint *requests, fint *statuses, fint *error)                            \
    {                                                                                              \
        COMPLETED(name, text, *n, requests, n, requests, statuses, error)                          \
        waits_enter(&call, *n, NULL, 0);                                                           \
    }
#define WAITANY(name, text)                                                                        \
    BINDING(name, fint *n, fint *requests, fint *index, fint *status, fint *error)                 \
    {                                                                                              \
        COMPLETED(name, text, *n, requests, n, requests, index, status, error)                     \
        waits_enter(&call, *index == MPI_UNDEFINED ? 0 : 1, index, 1);                             \
    }
#define WAITSOME(name, text)                                                                       \
    BINDING(name, fint *n, fint *requests, fint *done, fint *indices, fint *statuses, fint *error) \
    {                                                                                              \
        COMPLETED(name, text, *n, requests, n, requests, done, indices, statuses, error)           \
        waits_enter(&call, *done, indices, 1);                                                     \
    }
#define TEST(name, text)                                                                           \
    BINDING(name, fint *request, fint *flag, fint *status, fint *error)                            \
    {                                                                                              \
        COMPLETED(name, text, 1, request, request, flag, status, error)                            \
        waits_enter_test(&call, *flag ? 1 : 0, NULL, 0);                                           \
    }
#define TESTALL(name, text)                                                                        \
    BINDING(name, fint *n, fint *requests, fint *flag, fint *statuses, fint *error)                \
    {                                                                                              \
        COMPLETED(name, text, *n, requests, n, requests, flag, statuses, error)                    \
        waits_enter_test(&call, *flag ? *n : 0, NULL, 0);                                          \
    }
#define TESTANY(name, text)                                                                        \
    BINDING(name, fint *n, fint *requests, fint *index, fint *flag, fint *status, fint *error)     \
    {                                                                                              \
        COMPLETED(name, text, *n, requests, n, requests, index, flag, status, error)               \
        waits_enter_test(&call, *flag &&*index != MPI_UNDEFINED ? 1 : 0, index, 1);                \
    }
#define TESTSOME(name, text)                                                                       \
    BINDING(name, fint *n, fint *requests, fint *done, fint *indices, fint *statuses, fint *error) \
    {                                                                                              \
        COMPLETED(name, text, *n, requests, n, requests, done, indices, statuses, error)           \
        waits_enter_test(&call, *done, indices, 1);                                                \
    }
BOTH(REQUEST_FREE, request_free, "Request_free")
BOTH(CANCEL, cancel, "Cancel")
BOTH(WAIT, wait, "Wait")
BOTH(WAITALL, waitall, "Waitall")
BOTH(WAITANY, waitany, "Waitany")
BOTH(WAITSOME, waitsome, "Waitsome")
BOTH(TEST, test, "Test")
BOTH(TESTALL, testall, "Testall")
BOTH(TESTANY, testany, "Testany")
BOTH(TESTSOME, testsome, "Testsome")
