/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait: the needs of each before its task goes on (its firing rule), and its results. */
#include <stdlib.h>

#include "calls.h"
#include "options.h"
#include "place.h"
#include "remote.h"

/* ---- statuses ---- */

static void empty(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE) {
        MPI_Status_set_elements(status, MPI_BYTE, 0);
        MPI_Status_set_cancelled(status, 0);
        status->MPI_SOURCE = MPI_ANY_SOURCE;
        status->MPI_TAG = MPI_ANY_TAG;
        status->MPI_ERROR = MPI_SUCCESS;
    }
}

static int is_done(const bamboo_request_t *request)
{
    return request != NULL && request->active && request->complete;
}

/* Hands a completed request back; one that is not persistent is deleted. */
static void hand_back(bamboo_request_t **request, MPI_Status *status)
{
    bamboo_request_t *done = *request;
    if (!is_done(done)) {
        empty(status);
        return;
    }
    if (status != MPI_STATUS_IGNORE) {
        *status = done->status;
    }
    if (done->persistent) {
        done->active = 0;
    } else {
        bamboo_request_delete(done);
        *request = NULL;
    }
}

static MPI_Status *element(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

static MPI_Status *array_of(MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status;
}

/* ---- waiting ---- */

static void enter(const char *call, int count)
{
    bamboo_enter(call);
    if (count < 0) {
        bamboo_fail("count %d is negative", count);
    }
}

static int mark_awaited(int count, bamboo_request_t **requests)
{
    int pending = 0;
    bamboo_current->open = requests;
    bamboo_current->open_count = count;
    for (int i = 0; i < count; i++) {
        if (bamboo_is_pending(requests[i])) {
            requests[i]->awaited = 1;
            pending++;
        }
    }
    return pending;
}

void bamboo_await_all(int count, bamboo_request_t **requests, MPI_Status *statuses)
{
    bamboo_wait_for(mark_awaited(count, requests));
    for (int i = 0; i < count; i++) {
        hand_back(&requests[i], element(statuses, i));
    }
}

/* -1: no request is active; 0: none complete; 1: at least one. */
static int look_at_requests(int count, bamboo_request_t **requests)
{
    int active = 0;
    for (int i = 0; i < count; i++) {
        if (is_done(requests[i])) {
            return 1;
        }
        active |= bamboo_is_pending(requests[i]);
    }
    return active ? 0 : -1;
}

static void await_one(int count, bamboo_request_t **requests)
{
    if (look_at_requests(count, requests) == 0) {
        mark_awaited(count, requests);
        bamboo_wait_for(1);
        for (int i = 0; i < count; i++) {
            if (requests[i] != NULL) {
                requests[i]->awaited = 0;
            }
        }
    }
}

static void take_any(int count, bamboo_request_t **requests, int *index, MPI_Status *status)
{
    *index = MPI_UNDEFINED;
    for (int i = 0; i < count; i++) {
        if (is_done(requests[i])) {
            *index = i;
            hand_back(&requests[i], status);
            return;
        }
    }
    empty(status);
}

static void take_some(int count, bamboo_request_t **requests, int *done, int *indices,
                      MPI_Status *statuses)
{
    int taken = 0, active = look_at_requests(count, requests);
    for (int i = 0; i < count; i++) {
        if (is_done(requests[i])) {
            indices[taken] = i;
            hand_back(&requests[i], element(statuses, taken));
            taken++;
        }
    }
    *done = active < 0 ? MPI_UNDEFINED : taken;
}

int bamboo_mpi_waitall(int count, bamboo_request_t **requests, MPI_Status *statuses)
{
    enter("MPI_Waitall", count);
    bamboo_await_all(count, requests, statuses);
    return MPI_SUCCESS;
}

int bamboo_mpi_wait(bamboo_request_t **request, MPI_Status *status)
{
    enter("MPI_Wait", 1);
    bamboo_await_all(1, request, array_of(status));
    return MPI_SUCCESS;
}

int bamboo_mpi_waitany(int count, bamboo_request_t **requests, int *index, MPI_Status *status)
{
    enter("MPI_Waitany", count);
    await_one(count, requests);
    take_any(count, requests, index, status);
    return MPI_SUCCESS;
}

int bamboo_mpi_waitsome(int count, bamboo_request_t **requests, int *done, int *indices,
                        MPI_Status *statuses)
{
    enter("MPI_Waitsome", count);
    await_one(count, requests);
    take_some(count, requests, done, indices, statuses);
    return MPI_SUCCESS;
}

/* ---- tests: a task that tests in vain lets the others run, then looks again ---- */

static void let_others_run(void)
{
    bamboo_current->tests = 1;
    bamboo_yield();
    bamboo_current->tests = 0;
}

static int some_pending(int count, bamboo_request_t **requests)
{
    for (int i = 0; i < count; i++) {
        if (bamboo_is_pending(requests[i])) {
            return 1;
        }
    }
    return 0;
}

static int test_all(int count, bamboo_request_t **requests, int *flag, MPI_Status *statuses)
{
    if (some_pending(count, requests)) {
        let_others_run();
    }
    *flag = !some_pending(count, requests);
    if (*flag) {
        bamboo_await_all(count, requests, statuses);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_test(bamboo_request_t **request, int *flag, MPI_Status *status)
{
    enter("MPI_Test", 1);
    return test_all(1, request, flag, array_of(status));
}

int bamboo_mpi_request_get_status(bamboo_request_t *request, int *flag, MPI_Status *status)
{
    enter("MPI_Request_get_status", 1);
    if (some_pending(1, &request)) {
        let_others_run();
    }
    *flag = !some_pending(1, &request);
    if (*flag && is_done(request) && status != MPI_STATUS_IGNORE) {
        *status = request->status;
    } else if (*flag && !is_done(request)) {
        empty(status);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_testall(int count, bamboo_request_t **requests, int *flag, MPI_Status *statuses)
{
    enter("MPI_Testall", count);
    return test_all(count, requests, flag, statuses);
}

int bamboo_mpi_testany(int count, bamboo_request_t **requests, int *index, int *flag,
                       MPI_Status *status)
{
    enter("MPI_Testany", count);
    if (look_at_requests(count, requests) == 0) {
        let_others_run();
    }
    *flag = look_at_requests(count, requests) != 0;
    *index = MPI_UNDEFINED;
    if (*flag) {
        take_any(count, requests, index, status);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_testsome(int count, bamboo_request_t **requests, int *done, int *indices,
                        MPI_Status *statuses)
{
    enter("MPI_Testsome", count);
    if (look_at_requests(count, requests) == 0) {
        let_others_run();
    }
    take_some(count, requests, done, indices, statuses);
    return MPI_SUCCESS;
}

/* ---- one send, one receive, both ---- */

/* Many bytes were sent to a task that has not run since: it is to run first, or memory would fill.
 */
static int floods(int rank)
{
    const bamboo_place_t *place = &bamboo_places[rank],
                         *mine = &bamboo_places[bamboo_current->rank];
    return (place->node == mine->node || bamboo_options.nodes > 0) &&
           bamboo_task_of(rank)->packed > 64 * bamboo_options.eager;
}

int bamboo_mpi_send(const void *buf, int count, MPI_Datatype type, int to, int tag,
                    bamboo_comm_t *comm)
{
    bamboo_enter("MPI_Send");
    bamboo_request_t *send = bamboo_begin_send(buf, count, type, to, tag, comm, 0);
    if (send->complete && to >= 0 && floods(send->peer)) {
        bamboo_yield();
    }
    bamboo_await_all(1, &send, MPI_STATUSES_IGNORE);
    return MPI_SUCCESS;
}

int bamboo_mpi_ssend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm)
{
    bamboo_request_t *send;
    bamboo_mpi_issend(buf, count, type, to, tag, comm, &send);
    bamboo_enter("MPI_Ssend");
    bamboo_await_all(1, &send, MPI_STATUSES_IGNORE);
    return MPI_SUCCESS;
}

int bamboo_mpi_recv(void *buf, int count, MPI_Datatype type, int from, int tag, bamboo_comm_t *comm,
                    MPI_Status *status)
{
    bamboo_enter("MPI_Recv");
    bamboo_request_t *recv = bamboo_begin_recv(buf, count, type, from, tag, comm, 0);
    bamboo_await_all(1, &recv, array_of(status));
    return MPI_SUCCESS;
}

int bamboo_mpi_sendrecv(const void *send_buf, int send_count, MPI_Datatype send_type, int to,
                        int send_tag, void *recv_buf, int recv_count, MPI_Datatype recv_type,
                        int from, int recv_tag, bamboo_comm_t *comm, MPI_Status *status)
{
    MPI_Status both[2];
    bamboo_enter("MPI_Sendrecv");
    bamboo_request_t *requests[] = {
        bamboo_begin_recv(recv_buf, recv_count, recv_type, from, recv_tag, comm, 0),
        bamboo_begin_send(send_buf, send_count, send_type, to, send_tag, comm, 0)};
    bamboo_await_all(2, requests, both);
    if (status != MPI_STATUS_IGNORE) {
        *status = both[0];
    }
    return MPI_SUCCESS;
}

/* What is sent is copied first. */
int bamboo_mpi_sendrecv_replace(void *buf, int count, MPI_Datatype type, int to, int send_tag,
                                int from, int recv_tag, bamboo_comm_t *comm, MPI_Status *status)
{
    const int bytes = (int) bamboo_size(count, type);
    int position = 0;
    void *copy = bamboo_allocate((size_t) bytes);
    MPI_Pack(buf, count, type, copy, bytes, &position, MPI_COMM_SELF);
    bamboo_mpi_sendrecv(copy, bytes, MPI_PACKED, to, send_tag, buf, count, type, from, recv_tag,
                        comm, status);
    free(copy);
    return MPI_SUCCESS;
}

/* ---- probes ---- */

static bamboo_message_t *find_message(bamboo_request_t *probe)
{
    bamboo_message_t *message = bamboo_match(probe);
    if (message == NULL) {
        bamboo_remote_pull(probe->context);
        message = bamboo_match(probe);
    }
    if (message != NULL && message->when > bamboo_now(probe->owner->node)) {
        return NULL; /* still on a modelled link */
    }
    return message;
}

int bamboo_mpi_probe(int from, int tag, bamboo_comm_t *comm, MPI_Status *status)
{
    bamboo_enter("MPI_Probe");
    bamboo_request_t *probe = bamboo_request(REQUEST_PROBE, NULL, 0, MPI_BYTE, from, tag, comm);
    bamboo_message_t *message;
    probe->active = 1;
    if (from == MPI_PROC_NULL) {
        bamboo_complete_empty(probe);
    } else if ((message = bamboo_match(probe)) == NULL) {
        bamboo_post(probe, bamboo_world_size > bamboo_task_count);
    } else {
        bamboo_probed(probe, message);
        bamboo_complete(probe, message->when);
    }
    bamboo_await_all(1, &probe, array_of(status));
    return MPI_SUCCESS;
}

int bamboo_mpi_iprobe(int from, int tag, bamboo_comm_t *comm, int *flag, MPI_Status *status)
{
    bamboo_enter("MPI_Iprobe");
    bamboo_request_t *probe = bamboo_request(REQUEST_PROBE, NULL, 0, MPI_BYTE, from, tag, comm);
    bamboo_message_t *message = NULL;
    if (from == MPI_PROC_NULL) {
        bamboo_set_status(probe, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    } else if ((message = find_message(probe)) == NULL) {
        let_others_run();
        message = find_message(probe);
    }
    *flag = from == MPI_PROC_NULL || message != NULL;
    if (message != NULL) {
        bamboo_probed(probe, message);
    }
    if (*flag && status != MPI_STATUS_IGNORE) {
        *status = probe->status;
    }
    bamboo_request_delete(probe);
    return MPI_SUCCESS;
}
