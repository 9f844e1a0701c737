/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include "messages.h"
#include "real.h"

void calls_blocked(const call_t *call, bool sends, int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm)
{
    traffic_t traffic = {0};
    message_t message =
        message_started(sends, message_bytes(count, type, peer), peer, tag, comm, call->begin);
    message_count(&message, &traffic);
    message_waited(&message, call, call_enter(call, CLASS_WAIT, traffic));
}

void calls_started(const call_t *call, bool sends, int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, MPI_Request request)
{
    traffic_t traffic = {0};
    message_t message =
        message_started(sends, message_bytes(count, type, peer), peer, tag, comm, call->begin);
    if (sends) {
        message_count(&message, &traffic);
    }
    call_enter(call, CLASS_START, traffic);
    request_started(request, &message);
}

void calls_persistent(const call_t *call, bool sends, int count, MPI_Datatype type, int peer,
                      int tag, MPI_Comm comm, MPI_Request request)
{
    message_t message = message_to_start(sends, message_bytes(count, type, peer), peer, tag, comm);
    call_enter(call, CLASS_START, (traffic_t){0});
    request_persistent(request, &message);
}

void calls_restarted(const call_t *call, int n, const MPI_Request *requests,
                     const MPI_Fint *fortran)
{
    traffic_t traffic = {0};
    for (int i = 0; i < n; i++) {
        message_t message = request_restarted(
            requests != NULL ? requests[i] : real_request(fortran[i]), call->begin);
        if (message.sent) {
            message_count(&message, &traffic);
        }
    }
    call_enter(call, CLASS_START, traffic);
}

void calls_exchanged(const call_t *call, int sends, MPI_Datatype sent, int to, int send_tag,
                     int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    traffic_t traffic = {0};
    message_t out =
        message_started(true, message_bytes(sends, sent, to), to, send_tag, comm, call->begin);
    message_t in =
        message_started(false, message_bytes(count, type, peer), peer, tag, comm, call->begin);
    message_count(&out, &traffic);
    message_count(&in, &traffic);
    unsigned site = call_enter(call, CLASS_WAIT, traffic);
    message_waited(&out, call, site);
    message_waited(&in, call, site);
}
