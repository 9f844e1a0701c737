/* SPDX-License-Identifier: BSD-3-Clause */
/* What is noted of each call of MPI. */
#include "shared/mpi/intercept.h"
#include "shared/mpi/real.h"
#include "messages.h"
#include "overlap.h"

/* The message of a call, or the one that it receives. */
static message_t started(const mpi_call_t *call, bool sends)
{
    int64_t bytes = message_bytes(call->count, intercept_type(call, call->type), call->peer);
    return message_started(sends, bytes, call->peer, call->tag, intercept_comm(call), call->note);
}

/* The message that MPI_Sendrecv sends; that of MPI_Sendrecv_replace has the other's count and type.
 */
static message_t sent(const mpi_call_t *call)
{
    bool replaces = call->kind == KIND_SENDRECV_REPLACE;
    int64_t bytes = message_bytes(replaces ? call->count : call->sent_count,
                                  intercept_type(call, replaces ? call->type : call->sent_type),
                                  call->sent_peer);
    return message_started(true, bytes, call->sent_peer, call->sent_tag, intercept_comm(call),
                           call->note);
}

static void enter_message(const mpi_call_t *call, const call_t *time, bool sends)
{
    traffic_t traffic = {0};
    message_t message = started(call, sends);
    message_count(&message, &traffic);
    message_waited(&message, time, call_enter(time, CLASS_WAIT, traffic));
}

static void enter_exchange(const mpi_call_t *call, const call_t *time)
{
    traffic_t traffic = {0};
    message_t out = sent(call), in = started(call, false);
    message_count(&out, &traffic);
    message_count(&in, &traffic);
    unsigned site = call_enter(time, CLASS_WAIT, traffic);
    message_waited(&out, time, site);
    message_waited(&in, time, site);
}

static void enter_start(const mpi_call_t *call, const call_t *time, bool sends)
{
    traffic_t traffic = {0};
    message_t message = started(call, sends);
    if (sends) {
        message_count(&message, &traffic);
    }
    call_enter(time, CLASS_START, traffic);
    request_started(intercept_request(call, 0), &message);
}

static void enter_init(const mpi_call_t *call, const call_t *time, bool sends)
{
    int64_t bytes = message_bytes(call->count, intercept_type(call, call->type), call->peer);
    message_t message = message_to_start(sends, bytes, call->peer, call->tag, intercept_comm(call));
    call_enter(time, CLASS_START, (traffic_t){0});
    request_persistent(intercept_request(call, 0), &message);
}

static void enter_restart(const mpi_call_t *call, const call_t *time)
{
    traffic_t traffic = {0};
    for (int i = 0; i < call->n; i++) {
        message_t message = request_restarted(intercept_request(call, i), call->note);
        if (message.sent) {
            message_count(&message, &traffic);
        }
    }
    call_enter(time, CLASS_START, traffic);
}

/* Of those that are complete: the requests that are known, and active. */
static void enter_completion(const mpi_call_t *call, const call_t *time)
{
    MPI_Request handle;
    traffic_t traffic = {0};
    int known = 0, collectives = 0;
    unsigned site = 0;
    for (int i = 0; call->kind == KIND_WAIT && intercept_completed(call, i, &handle); i++) {
        const request_t *request = request_of(handle);
        if (request != NULL && request->active) {
            known++;
            collectives += request->collective;
            if (!request->message.sent) { /* what is sent was counted at its start */
                message_count(&request->message, &traffic);
            }
        }
    }
    if (call->kind == KIND_WAIT) {
        bool all = collectives > 0 && collectives == known;
        site = call_enter(time, all ? CLASS_COLLECTIVE : CLASS_WAIT, traffic);
    } else {
        call_enter_test(time);
    }
    for (int i = 0; intercept_completed(call, i, &handle); i++) {
        request_t *request = request_of(handle);
        if (request != NULL) {
            if (call->kind == KIND_WAIT && request->active) {
                message_waited(&request->message, time, site);
            }
            request_completed(request, false);
        }
    }
    messages_lost += call->kept == NULL ? call->n : 0;
}

bool intercept_before(mpi_call_t *call)
{
    if (call->kind == KIND_INIT) {
        return true;
    }
    if (call->kind == KIND_FINALIZE || call->kind == KIND_ABORT) {
        overlap_finish(call->kind == KIND_FINALIZE);
        return false;
    }
    if (!call_is_measured()) {
        return false;
    }
    call->note = overlap_now();
    if (call->kind == KIND_REQUEST_FREE) {
        request_t *request = request_of(intercept_request(call, 0));
        if (request != NULL) {
            request_completed(request, true);
        }
    } else if (call->kind == KIND_COMM_FREE) {
        messages_forget(intercept_comm(call));
    }
    return true;
}

/* Messages of calls that failed are left out. */
static void enter_point_to_point(const mpi_call_t *call, const call_t *time)
{
    switch (call->kind) {
    case KIND_SEND:
    case KIND_RECV:
        enter_message(call, time, call->kind == KIND_SEND);
        break;
    case KIND_SENDRECV:
    case KIND_SENDRECV_REPLACE:
        enter_exchange(call, time);
        break;
    case KIND_ISEND:
    case KIND_IRECV:
        enter_start(call, time, call->kind == KIND_ISEND);
        break;
    case KIND_SEND_INIT:
    case KIND_RECV_INIT:
        enter_init(call, time, call->kind == KIND_SEND_INIT);
        break;
    case KIND_START:
        enter_restart(call, time);
        break;
    case KIND_MRECV:
        call_enter(time, CLASS_WAIT,
                   (traffic_t){.received = 1,
                               .received_bytes = message_bytes(
                                   call->count, intercept_type(call, call->type), 0)});
        break;
    default:
        break;
    }
}

void intercept_after(const mpi_call_t *call, int code)
{
    if (call->kind == KIND_INIT) {
        overlap_start();
        return;
    }
    const call_t time = {call->function, call->pc, call->note, overlap_now()};
    switch (call->kind) {
    case KIND_MPROBE: /* a matched message may be any of several: its receive cannot be compared */
        messages_wild = true;
        __attribute__((fallthrough));
    case KIND_PROBE:
        call_enter(&time, CLASS_WAIT, (traffic_t){0});
        break;
    case KIND_IMPROBE:
        messages_wild = true;
        __attribute__((fallthrough));
    case KIND_IPROBE:
        call_enter_test(&time);
        break;
    case KIND_CANCEL:
        messages_wild = true;
        __attribute__((fallthrough));
    case KIND_REQUEST_FREE:
        call_enter(&time, CLASS_START, (traffic_t){0});
        break;
    case KIND_WAIT:
    case KIND_TEST:
        enter_completion(call, &time);
        break;
    case KIND_COLLECTIVE:
        call_enter(&time, CLASS_COLLECTIVE, (traffic_t){0});
        break;
    case KIND_ICOLLECTIVE:
        call_enter(&time, CLASS_START, (traffic_t){0});
        if (code == MPI_SUCCESS) {
            request_collective(intercept_request(call, 0));
        }
        break;
    case KIND_COMM_FREE:
    case KIND_OTHER:
        call_enter(&time, CLASS_OTHER, (traffic_t){0});
        break;
    default:
        if (code == MPI_SUCCESS) {
            enter_point_to_point(call, &time);
        }
    }
}
