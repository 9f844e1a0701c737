/* SPDX-License-Identifier: BSD-3-Clause */
/* Latency and bandwidth, added to messages. */
#include "net.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

long long bamboo_net_arrival(const bamboo_link_t *link, long long now, long long *port_free,
                             size_t bytes)
{
    long long start = now > *port_free ? now : *port_free;
    *port_free = start + (long long) ((double) bytes * link->ns_byte);
    return *port_free + (long long) link->latency;
}

/* ---- processes of one machine ---- */

enum { STREAMS = 512, TIMES = 64 };

/* From one process to another. Written by the sender only. */
struct times {
    _Atomic unsigned sent[STREAMS];
    _Atomic long long when[STREAMS][TIMES];
};

static MPI_Win window = MPI_WIN_NULL;
static struct times *from_me; /* [to] */
static struct times **to_me;  /* [from], my element of its array */
static unsigned (*received)[STREAMS];
static int processes;

const char *bamboo_net_start(void)
{
    MPI_Comm here;
    int me, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    if (count < processes) {
        return "latency is added on one machine only";
    }
    MPI_Aint bytes = (MPI_Aint) processes * (MPI_Aint) sizeof(struct times);
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &from_me, &window);
    memset(from_me, 0, (size_t) bytes);
    to_me = calloc((size_t) processes, sizeof(*to_me));
    received = calloc((size_t) processes, sizeof(*received));
    int missing = to_me == NULL || received == NULL, any;
    MPI_Allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any) { /* the others would wait for a process that gives up alone */
        return "no memory for the times of messages (--latency)";
    }
    for (int from = 0; from < processes; from++) {
        MPI_Aint size;
        int unit;
        struct times *base;
        MPI_Win_shared_query(window, from, &size, &unit, &base);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): any is not 0 then */
        to_me[from] = base + me;
    }
    return NULL;
}

void bamboo_net_stop(void)
{
    if (window != MPI_WIN_NULL) {
        MPI_Win_free(&window);
    }
    free(to_me);
    free(received);
    to_me = NULL;
    received = NULL;
}

void bamboo_net_sent(int to, unsigned stream, long long now)
{
    struct times *times = &from_me[to];
    unsigned i = stream % STREAMS;
    unsigned count = atomic_load_explicit(&times->sent[i], memory_order_relaxed);
    atomic_store_explicit(&times->when[i][count % TIMES], now, memory_order_relaxed);
    atomic_store_explicit(&times->sent[i], count + 1, memory_order_release);
}

long long bamboo_net_when_sent(int from, unsigned stream)
{
    struct times *times = to_me[from];
    unsigned i = stream % STREAMS;
    unsigned next = received[from][i]++;
    (void) atomic_load_explicit(&times->sent[i], memory_order_acquire);
    return atomic_load_explicit(&times->when[i][next % TIMES], memory_order_relaxed);
}
