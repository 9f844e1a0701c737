/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions, intercepted by its profiling interface: mpi_c.c and mpi_fortran.c take the place
 * of every CALL of mpi.def, in C and in Fortran, and call the function behind it (real.h). The
 * library made of these files defines intercept_before() and intercept_after(). What MPI calls
 * inside a call is handed on unseen.
 *
 * In a process of another MPI than the library's, handles may have another size: they must not be
 * looked at there, and are handed on as they came.
 */
#ifndef APPS_MPI_INTERCEPT_H
#define APPS_MPI_INTERCEPT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "functions.h"

typedef struct mpi_call {
    const char *function; /* "MPI_Send", in static storage */
    mpi_kind_t kind;
    bool fortran;
    uintptr_t pc; /* behind the call in the program */

    /* By their roles; 0 if the function has no such parameter. */
    const void *in, *out;
    int count, peer, tag, sent_count, sent_peer, sent_tag;
    uintptr_t type, sent_type, comm; /* for intercept_type(), intercept_comm() */
    int n;                           /* requests, for intercept_request() */
    const void *requests;
    const int *flag, *done, *indices; /* results */

    int64_t note; /* from intercept_before() to intercept_after() */
    struct kept *kept;
    bool wanted;
} mpi_call_t;

/* Before the call; true: intercept_after() is wanted, with the code that MPI returned. */
bool intercept_before(mpi_call_t *call);
void intercept_after(const mpi_call_t *call, int code);

MPI_Datatype intercept_type(const mpi_call_t *call, uintptr_t type);
MPI_Comm intercept_comm(const mpi_call_t *call);
/* Request i, as it is now. */
MPI_Request intercept_request(const mpi_call_t *call, int i);

/* After a wait or test: the i-th request that is complete, as it was before the call. false: fewer
 * are, or memory was out: then `kept` is NULL. */
bool intercept_completed(const mpi_call_t *call, int i, MPI_Request *request);

/* ---- for mpi_c.c and mpi_fortran.c ---- */

/* Around the call of the real function. */
void intercept_enter(mpi_call_t *call);
void intercept_leave(mpi_call_t *call, int code);

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

/* FIELD(role, argument): notes it in `call`. NUMBER, HANDLE and POINTEE make what is in an argument
 * of the language. */
#define FIELD(role, argument) FIELD_##role argument
#define FIELD_IN              call.in =
#define FIELD_OUT             call.out =
#define FIELD_COUNT           call.count = NUMBER
#define FIELD_TYPE            call.type = (uintptr_t) HANDLE
#define FIELD_PEER            call.peer = NUMBER
#define FIELD_TAG             call.tag = NUMBER
#define FIELD_SENT_COUNT      call.sent_count = NUMBER
#define FIELD_SENT_TYPE       call.sent_type = (uintptr_t) HANDLE
#define FIELD_SENT_PEER       call.sent_peer = NUMBER
#define FIELD_SENT_TAG        call.sent_tag = NUMBER
#define FIELD_COMM            call.comm = (uintptr_t) HANDLE
#define FIELD_FREED_COMM      call.comm = (uintptr_t) POINTEE
#define FIELD_REQUEST         call.n = 1, call.requests =
#define FIELD_N               call.n = NUMBER
#define FIELD_REQUESTS        call.requests =
#define FIELD_INDEX           call.indices =
#define FIELD_DONE            call.done =
#define FIELD_INDICES         call.indices =
#define FIELD_FLAG            call.flag =
#define FIELD_NEW_COMM        (void)
#define FIELD_STATUS          (void)
#define FIELD_STATUSES        (void)
#define FIELD_MESSAGE         (void)
#define FIELD_ROOT            (void)
#define FIELD_OP              (void)
#define FIELD_GROUP           (void)
#define FIELD_WIN             (void)
#define FIELD_FILE            (void)
#define FIELD_OFFSET          (void)
#define FIELD_INT             (void)
#define FIELD_INTS            (void)
#define FIELD_PLACES          (void)
#define FIELD_TYPES           (void)
#define FIELD_ERROR           (void)

#define PASS(role, argument) argument

#endif
