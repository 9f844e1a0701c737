/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait: the needs of each before its task goes on (its firing rule), and the results
 * that it writes then. */
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

static MPI_Status *status_of(const bamboo_task_t *task, int i)
{
    return task->wait.statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &task->wait.statuses[i];
}

static bamboo_task_t *enter(const char *call, int count, bamboo_request_t **requests, int *number,
                            int *indices, MPI_Status *statuses)
{
    bamboo_task_t *task = bamboo_enter(call);
    if (count < 0) {
        bamboo_fail("count %d is negative", count);
    }
    task->wait.one[0] = task->wait.one[1] = NULL;
    task->wait.count = count;
    task->wait.requests = requests;
    task->wait.number = number;
    task->wait.indices = indices;
    task->wait.statuses = statuses;
    return task;
}

/* ---- all ---- */

static void finish_all(bamboo_task_t *task)
{
    for (int i = 0; i < task->wait.count; i++) {
        hand_back(&task->wait.requests[i], status_of(task, i));
    }
}

static int await_all(void)
{
    bamboo_task_t *task = bamboo_current;
    int needs = 0;
    for (int i = 0; i < task->wait.count; i++) {
        if (bamboo_is_pending(task->wait.requests[i])) {
            task->wait.requests[i]->awaited = 1;
            needs++;
        }
    }
    return bamboo_wait_for(needs, finish_all);
}

int bamboo_mpi_waitall(int count, bamboo_request_t **requests, MPI_Status *statuses)
{
    enter("MPI_Waitall", count, requests, NULL, NULL, statuses);
    return await_all();
}

int bamboo_mpi_wait(bamboo_request_t **request, MPI_Status *status)
{
    enter("MPI_Wait", 1, request, NULL, NULL,
          status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return await_all();
}

/* ---- one or some ---- */

/* -1: no request is active; 0: none complete; 1: at least one. */
static int look(const bamboo_task_t *task)
{
    int active = 0;
    for (int i = 0; i < task->wait.count; i++) {
        if (is_done(task->wait.requests[i])) {
            return 1;
        }
        active |= bamboo_is_pending(task->wait.requests[i]);
    }
    return active ? 0 : -1;
}

static void forget_awaited(bamboo_task_t *task)
{
    for (int i = 0; i < task->wait.count; i++) {
        if (task->wait.requests[i] != NULL) {
            task->wait.requests[i]->awaited = 0;
        }
    }
}

static void finish_any(bamboo_task_t *task)
{
    forget_awaited(task);
    *task->wait.number = MPI_UNDEFINED;
    for (int i = 0; i < task->wait.count; i++) {
        if (is_done(task->wait.requests[i])) {
            *task->wait.number = i;
            hand_back(&task->wait.requests[i], status_of(task, 0));
            return;
        }
    }
    empty(status_of(task, 0));
}

static void finish_some(bamboo_task_t *task)
{
    int done = 0, active = look(task);
    forget_awaited(task);
    for (int i = 0; i < task->wait.count; i++) {
        if (is_done(task->wait.requests[i])) {
            task->wait.indices[done] = i;
            hand_back(&task->wait.requests[i], status_of(task, done));
            done++;
        }
    }
    *task->wait.number = active < 0 ? MPI_UNDEFINED : done;
}

static int await_one(void (*finish)(bamboo_task_t *))
{
    bamboo_task_t *task = bamboo_current;
    if (look(task) != 0) {
        return bamboo_wait_for(0, finish);
    }
    for (int i = 0; i < task->wait.count; i++) {
        if (bamboo_is_pending(task->wait.requests[i])) {
            task->wait.requests[i]->awaited = 1;
        }
    }
    return bamboo_wait_for(1, finish);
}

int bamboo_mpi_waitany(int count, bamboo_request_t **requests, int *index, MPI_Status *status)
{
    enter("MPI_Waitany", count, requests, index, NULL,
          status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return await_one(finish_any);
}

int bamboo_mpi_waitsome(int count, bamboo_request_t **requests, int *done, int *indices,
                        MPI_Status *statuses)
{
    enter("MPI_Waitsome", count, requests, done, indices, statuses);
    return await_one(finish_some);
}

/* ---- tests: a task that tests in vain lets the others run, then looks again ---- */

static int found(int *flag, void (*finish)(bamboo_task_t *))
{
    *flag = 1;
    return bamboo_wait_for(0, finish);
}

static int all_done(const bamboo_task_t *task)
{
    for (int i = 0; i < task->wait.count; i++) {
        if (bamboo_is_pending(task->wait.requests[i])) {
            return 0;
        }
    }
    return 1;
}

/* The task is ready again at once, behind the others; the answer is written when it is resumed. */
static int later(void (*look_again)(bamboo_task_t *))
{
    bamboo_task_t *task = bamboo_current;
    task->finish = look_again;
    task->tests = 1;
    bamboo_make_ready(task);
    return 0;
}

static void test_all_again(bamboo_task_t *task)
{
    task->tests = 0;
    if ((*task->wait.number = all_done(task))) {
        finish_all(task);
    }
}

static int test_all(int *flag)
{
    if (all_done(bamboo_current)) {
        return found(flag, finish_all);
    }
    return later(test_all_again);
}

int bamboo_mpi_test(bamboo_request_t **request, int *flag, MPI_Status *status)
{
    enter("MPI_Test", 1, request, flag, NULL,
          status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return test_all(flag);
}

int bamboo_mpi_testall(int count, bamboo_request_t **requests, int *flag, MPI_Status *statuses)
{
    enter("MPI_Testall", count, requests, flag, NULL, statuses);
    return test_all(flag);
}

/* indices holds the flag. */
static void test_any_again(bamboo_task_t *task)
{
    task->tests = 0;
    *task->wait.indices = look(task) != 0;
    if (*task->wait.indices) {
        finish_any(task);
    } else {
        *task->wait.number = MPI_UNDEFINED;
    }
}

int bamboo_mpi_testany(int count, bamboo_request_t **requests, int *index, int *flag,
                       MPI_Status *status)
{
    bamboo_task_t *task = enter("MPI_Testany", count, requests, index, flag,
                                status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    if (look(task) != 0) {
        return found(flag, finish_any);
    }
    return later(test_any_again);
}

static void test_some_again(bamboo_task_t *task)
{
    task->tests = 0;
    finish_some(task);
}

int bamboo_mpi_testsome(int count, bamboo_request_t **requests, int *done, int *indices,
                        MPI_Status *statuses)
{
    bamboo_task_t *task = enter("MPI_Testsome", count, requests, done, indices, statuses);
    if (look(task) != 0) {
        return bamboo_wait_for(0, finish_some);
    }
    return later(test_some_again);
}

/* ---- one send, one receive, both ---- */

/* The receive is the last. */
static void finish_own(bamboo_task_t *task)
{
    for (int i = 0; i < 2; i++) {
        if (task->wait.one[i] != NULL) {
            hand_back(&task->wait.one[i], task->wait.one[i]->kind == REQUEST_SEND
                                              ? MPI_STATUS_IGNORE
                                              : status_of(task, 0));
        }
    }
}

static int await_own(bamboo_request_t *first, bamboo_request_t *second, MPI_Status *status)
{
    bamboo_task_t *task = bamboo_current;
    int needs = 0;
    task->wait.count = 0;
    task->wait.one[0] = first;
    task->wait.one[1] = second;
    task->wait.statuses = status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status;
    for (int i = 0; i < 2; i++) {
        if (bamboo_is_pending(task->wait.one[i])) {
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): NULL is not pending */
            task->wait.one[i]->awaited = 1;
            needs++;
        }
    }
    return bamboo_wait_for(needs, finish_own);
}

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
    bamboo_task_t *task = bamboo_enter("MPI_Send");
    bamboo_request_t *send = bamboo_begin_send(buf, count, type, to, tag, comm, 0);
    if (send->complete && to >= 0 && floods(send->peer)) {
        task->wait.count = 0;
        task->wait.one[0] = send;
        task->wait.one[1] = NULL;
        task->finish = finish_own;
        bamboo_make_ready(task);
        return 0;
    }
    return await_own(send, NULL, MPI_STATUS_IGNORE);
}

int bamboo_mpi_ssend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm)
{
    bamboo_enter("MPI_Ssend");
    bamboo_request_t *send = bamboo_request(REQUEST_SEND, (void *) buf, count, type, to, tag, comm);
    send->synchronous = 1;
    bamboo_start(send);
    return await_own(send, NULL, MPI_STATUS_IGNORE);
}

int bamboo_mpi_recv(void *buf, int count, MPI_Datatype type, int from, int tag, bamboo_comm_t *comm,
                    MPI_Status *status)
{
    bamboo_enter("MPI_Recv");
    return await_own(bamboo_begin_recv(buf, count, type, from, tag, comm, 0), NULL, status);
}

int bamboo_mpi_sendrecv(const void *send_buf, int send_count, MPI_Datatype send_type, int to,
                        int send_tag, void *recv_buf, int recv_count, MPI_Datatype recv_type,
                        int from, int recv_tag, bamboo_comm_t *comm, MPI_Status *status)
{
    bamboo_enter("MPI_Sendrecv");
    bamboo_request_t *recv =
        bamboo_begin_recv(recv_buf, recv_count, recv_type, from, recv_tag, comm, 0);
    bamboo_request_t *send =
        bamboo_begin_send(send_buf, send_count, send_type, to, send_tag, comm, 0);
    return await_own(send, recv, status);
}

/* ---- probes ---- */

static bamboo_message_t *find(bamboo_request_t *probe)
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
    probe->active = 1;
    if (from == MPI_PROC_NULL) {
        bamboo_complete_empty(probe);
        return await_own(probe, NULL, status);
    }
    bamboo_message_t *message = bamboo_match(probe);
    if (message == NULL) {
        bamboo_post(probe, bamboo_world_size > bamboo_task_count);
    } else {
        bamboo_probed(probe, message);
        bamboo_complete(probe, message->when);
    }
    return await_own(probe, NULL, status);
}

static void probe_again(bamboo_task_t *task)
{
    bamboo_request_t *probe = task->wait.one[0];
    bamboo_message_t *message = find(probe);
    task->tests = 0;
    *task->wait.number = message != NULL;
    if (message != NULL) {
        bamboo_probed(probe, message);
        if (task->wait.statuses != MPI_STATUSES_IGNORE) {
            *task->wait.statuses = probe->status;
        }
    }
    bamboo_request_delete(probe);
}

int bamboo_mpi_iprobe(int from, int tag, bamboo_comm_t *comm, int *flag, MPI_Status *status)
{
    bamboo_task_t *task = enter("MPI_Iprobe", 0, NULL, flag, NULL,
                                status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    bamboo_request_t *probe = bamboo_request(REQUEST_PROBE, NULL, 0, MPI_BYTE, from, tag, comm);
    task->wait.one[0] = probe;
    if (from == MPI_PROC_NULL) {
        *flag = 1;
        bamboo_complete_empty(probe);
        if (status != MPI_STATUS_IGNORE) {
            *status = probe->status;
        }
        bamboo_request_delete(probe);
        return 1;
    }
    if (find(probe) != NULL) {
        probe_again(task);
        return 1;
    }
    return later(probe_again);
}
