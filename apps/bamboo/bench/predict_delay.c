/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network for one process that sends messages to itself: preloaded, it holds each receive back
 * until PREDICT_LATENCY microseconds of the process's CPU time have passed since the message was
 * sent. CPU time, so that other jobs of the machine hardly matter. For apps/bamboo/bench/predict_worker only:
 * blocking receives and persistent requests are not supported; tags are 1 to TAGS - 1.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAGS = 1024, FLYING = 8, REQUESTS = 4096 };

/* The messages of a tag, in their order: when those are there that were sent last. */
static struct tag {
    long sent, posted;
    double there[FLYING];
} tags[TAGS];

/* Receives under way. A slot is free when its request is MPI_REQUEST_NULL or its tag 0. */
static struct receive {
    MPI_Request request;
    int tag;
    long number;
} receives[REQUESTS];
static int nreceives; /* slots that were used */

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double) now.tv_sec + 1e-3 * (double) now.tv_nsec;
}

static double latency_us(void)
{
    static double latency = -1;
    if (latency < 0) {
        const char *text = getenv("PREDICT_LATENCY");
        latency = text == NULL ? 0 : strtod(text, NULL);
    }
    return latency;
}

#define REAL(function)                                                                             \
    ((__typeof__(&function)) __extension__({                                                       \
        static void *real_;                                                                        \
        if (real_ == NULL) {                                                                       \
            real_ = dlsym(RTLD_NEXT, #function);                                                   \
        }                                                                                          \
        real_;                                                                                     \
    }))

static int is_delayed(int tag)
{
    return tag > 0 && tag < TAGS;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (is_delayed(tag)) {
        tags[tag].there[tags[tag].sent++ % FLYING] = now_us() + latency_us();
    }
    return REAL(MPI_Isend)(buffer, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int code = REAL(MPI_Irecv)(buffer, count, type, peer, tag, comm, request), slot = 0;
    if (!is_delayed(tag)) {
        return code;
    }
    while (slot < nreceives && receives[slot].tag != 0) {
        slot++;
    }
    if (slot == REQUESTS) {
        fprintf(stderr, "predict_delay: more than %d receives\n", REQUESTS);
        abort();
    }
    nreceives += slot == nreceives;
    receives[slot] = (struct receive){*request, tag, tags[tag].posted++};
    return code;
}

static struct receive *receive_of(MPI_Request request)
{
    for (int slot = 0; request != MPI_REQUEST_NULL && slot < nreceives; slot++) {
        if (receives[slot].tag != 0 && receives[slot].request == request) {
            return &receives[slot];
        }
    }
    return NULL;
}

/* When a message is there; a time that never comes: it is not sent yet. */
static double time_of(const struct receive *receive)
{
    const struct tag *of = &tags[receive->tag];
    return receive->number >= of->sent ? 1e300 : of->there[receive->number % FLYING];
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    double last = 0;
    for (int i = 0; i < count; i++) {
        struct receive *receive = receive_of(requests[i]);
        if (receive != NULL) {
            last = time_of(receive) > last ? time_of(receive) : last;
            receive->tag = 0;
        }
    }
    while (now_us() < last) {
    }
    return REAL(MPI_Waitall)(count, requests, statuses);
}

/* Asks MPI only for the requests that are due. */
int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    static MPI_Request due[REQUESTS];
    static struct receive *received[REQUESTS];
    static int at[REQUESTS];
    double now = now_us();
    int n = 0;
    for (int i = 0; i < count && n < REQUESTS; i++) {
        struct receive *receive = receive_of(requests[i]);
        if (requests[i] != MPI_REQUEST_NULL && (receive == NULL || time_of(receive) <= now)) {
            due[n] = requests[i];
            received[n] = receive;
            at[n++] = i;
        }
    }
    *done = 0;
    int code = n == 0 ? MPI_SUCCESS : REAL(MPI_Testsome)(n, due, done, indices, statuses);
    for (int d = 0; d < *done && *done != MPI_UNDEFINED; d++) {
        int i = indices[d];
        requests[at[i]] = due[i];
        if (received[i] != NULL) {
            received[i]->tag = 0;
        }
        indices[d] = at[i];
    }
    return code;
}
