/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are more than one: of threads, in each other's gaps, in partitions. */
#include <pthread.h>
#include <stdlib.h>

#include "play.h"

static void *of_thread(void *p)
{
    op_message(p);
    return NULL;
}

/* Open MPI counts the elements of a datatype when it is first asked, not made for threads. */
static void count_elements(const play_t *p)
{
    MPI_Status status;
    int n;
    MPI_Status_set_elements(&status, MPI_BYTE, (int) p->program->shapes[p->step->b].size);
    MPI_Get_elements(&status, p->types[p->step->b], &n);
}

void op_threads(play_t *p)
{
    play_t plays[THREADS];
    pthread_t threads[THREADS];
    if (!rules.threads) {
        op_message(p);
        return;
    }
    for (int i = 0; i < THREADS; i++) {
        plays[i] = *p;
        plays[i].threaded = true;
        plays[i].random = mixed(p->step->seed, (uint64_t) i, 3);
        MPI_Comm_dup(p->comm, &plays[i].comm); /* with its error handler */
    }
    count_elements(p);
    for (int i = 0; i < THREADS; i++) {
        must(pthread_create(&threads[i], NULL, of_thread, &plays[i]) ? NULL : p);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&plays[i].comm);
    }
}

/* Blocks of two messages take turns in one buffer. */
void op_interleaved(play_t *p)
{
    const int basic = p->program->basics[0], length = 1 + (int) pick(p, 5),
              n = 1 + (int) pick(p, 200);
    const int bytes = basic_size(basic) * length;
    const int to = (p->rank + 1) % p->size, from = (p->rank + p->size - 1) % p->size;
    int64_t *runs = must(malloc((size_t) n * 2 * sizeof *runs));
    for (int i = 0; i < n; i++) {
        runs[2 * i] = 2 * (int64_t) i * bytes;
        runs[2 * i + 1] = bytes;
    }
    const shape_t shape = {.runs = runs,
                           .nruns = n,
                           .size = (int64_t) n * bytes,
                           .extent = 2 * (int64_t) n * bytes,
                           .true_ub = 2 * (int64_t) n * bytes};
    buffer_t out = buffer_of(p, &shape, 1), in = buffer_of(p, &shape, 1);
    MPI_Request requests[4];
    MPI_Datatype type;

    MPI_Type_vector(n, length, 2 * length, basic_type(basic), &type);
    MPI_Type_commit(&type);
    for (int round = 0; round < p->step->rounds; round++) {
        const uint64_t seed = mixed(p->step->seed, (uint64_t) round, (uint64_t) from);
        buffer_fill(&out, mixed(p->step->seed, (uint64_t) round, (uint64_t) p->rank));
        buffer_fill(&in, seed + 5);
        for (int k = 0; k < 2; k++) {
            MPI_Irecv(in.parts[0].zero + k * bytes, 1, type, from, 70 + k, p->comm, &requests[k]);
        }
        for (int k = 1; k >= 0; k--) {
            MPI_Isend(out.parts[0].zero + k * bytes, 1, type, to, 70 + k, p->comm,
                      &requests[2 + k]);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        buffer_t sent = buffer_of(p, &shape, 1);
        buffer_fill(&sent, seed);
        for (int k = 0; k < 2; k++) {
            unsigned char *stream = must(malloc((size_t) shape.size));
            shape_pack(&shape, sent.parts[0].zero + k * bytes, shape.size, stream);
            shape_unpack(&shape, in.want + (in.parts[0].zero - in.block) + k * bytes, shape.size,
                         stream);
            free(stream);
        }
        buffer_free(&sent);
        buffer_check(p, &in, "received");
        buffer_check(p, &out, "send buffer");
    }
    MPI_Type_free(&type);
    buffer_free(&in);
    buffer_free(&out);
    free(runs);
}

#if MPI_VERSION >= 4
void op_partitioned(play_t *p)
{
    const int to = (p->rank + 1) % p->size, from = (p->rank + p->size - 1) % p->size;
    const int partitions = 1 + (int) pick(p, 4), count = p->step->count;
    const int b = p->step->b, a = p->program->shapes[p->step->a].size == p->program->shapes[b].size
                                      ? p->step->a
                                      : b;
    const shape_t *sent = &p->program->shapes[a], *got = &p->program->shapes[b];
    const int total = partitions * count;
    buffer_t out = buffer_of(p, sent, total), in = buffer_of(p, got, total);
    MPI_Request requests[2];

    if (total == 0 || sent->size == 0) {
        buffer_free(&in);
        buffer_free(&out);
        return;
    }
    MPI_Psend_init(out.parts[0].zero, partitions, count, p->types[a], to, 80, p->comm,
                   MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in.parts[0].zero, partitions, count, p->types[b], from, 80, p->comm,
                   MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < p->step->rounds && round < 5; round++) {
        const uint64_t seed = mixed(p->step->seed, (uint64_t) round, (uint64_t) from);
        buffer_fill(&out, mixed(p->step->seed, (uint64_t) round, (uint64_t) p->rank));
        buffer_fill(&in, seed + 5);
        MPI_Startall(2, requests);
        for (int i = partitions - 1; i >= 0; i--) {
            MPI_Pready(i, requests[0]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        unsigned char *stream = stream_of(p, sent, total, seed);
        expect(&in, 0, 0, stream, total * sent->size);
        free(stream);
        buffer_check(p, &in, "received");
        buffer_check(p, &out, "send buffer");
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    buffer_free(&in);
    buffer_free(&out);
}
#else
void op_partitioned(play_t *p)
{
    op_message(p);
}
#endif
