/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { USES = 24 /* of a datatype */, PAGE = 4096, SOME_COUNTS = 5 };

typedef struct lane {
    pthread_t thread;
    _Atomic pid_t tid;
    int index;
    MPI_Comm comm;
    long wrong; /* rounds */
    _Atomic long rounds;
    void *memory; /* of its stack */
    size_t size;
} lane_t;

static traffic_options_t options;
static lane_t lanes[TRAFFIC_THREADS];
static atomic_bool stopping;

/* ---- datatypes ------------------------------------------------------------------------------ */

static layout_t *blocks_of(unsigned number, const layout_t *of)
{
    enum { MOST = 40 };
    int lengths[MOST], displacements[MOST], n = 5 + (int) (number % 35), at = 0;
    for (int i = 0; i < n; i++) {
        lengths[i] = 1 + (int) ((number + (unsigned) i * 7) % 5);
        displacements[i] = at + (int) ((number + (unsigned) i) % 3);
        at = displacements[i] + lengths[i] + 1;
    }
    return lay_indexed(n, lengths, displacements, of);
}

layout_t *traffic_layout(unsigned number)
{
    layout_t *number_of = 0 == number % 2 ? lay_basic(MPI_DOUBLE, 8, 8) : lay_basic(MPI_INT, 4, 4);
    const int n = 3 + (int) (number % 97);
    layout_t *inner, *l;
    switch (number % 5) {
    case 0:
        l = lay_vector(n, 1, 3, number_of);
        break;
    case 1:
        l = lay_vector(n, 1 + (int) (number % 9), 11, number_of);
        break;
    case 2:
        l = blocks_of(number, number_of);
        break;
    case 3:
        inner = lay_vector(1 + (int) (number % 7), 2, 3, number_of);
        l = lay_hvector(n, 1, 200 + (MPI_Aint) lay_extent(inner), inner);
        lay_free(inner);
        break;
    default:
        inner = blocks_of(number, number_of);
        l = lay_resized(inner, 0, lay_extent(inner) + 24);
        lay_free(inner);
    }
    lay_commit(l);
    lay_free(number_of);
    return l;
}

/* ---- rounds --------------------------------------------------------------------------------- */

static bool swap_right(const lane_t *lane, const layout_t *l, int count, unsigned seed)
{
    const int other = 1 - my_rank;
    unsigned char *sent = stream_new(l, count, seed + (unsigned) my_rank);
    unsigned char *expected = stream_new(l, count, seed + (unsigned) other);
    message_t out = msg_new(l, count), in = msg_new(l, count);
    msg_fill(&out, sent);
    msg_clear(&in);
    MPI_Sendrecv(out.buf, count, l->type, other, 1, in.buf, count, l->type, other, 1, lane->comm,
                 MPI_STATUS_IGNORE);
    const bool right = msg_holds(&in, expected, in.bytes) && msg_holds(&out, sent, out.bytes);
    msg_free(&in);
    msg_free(&out);
    free(expected);
    free(sent);
    return right;
}

/* Does the other rank also want to stop? */
static bool both_stop(const lane_t *lane)
{
    int mine = stopping, other = mine;
    if (!options.pack_only) {
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - my_rank, 2, &other, 1, MPI_INT, 1 - my_rank, 2,
                     lane->comm, MPI_STATUS_IGNORE);
    }
    return mine && other;
}

static void *run(void *argument)
{
    lane_t *lane = argument;
    if (options.in_thread != NULL) {
        options.in_thread(lane->index);
    }
    lane->tid = (pid_t) syscall(SYS_gettid);
    for (unsigned type = (unsigned) lane->index; !both_stop(lane); type += TRAFFIC_THREADS) {
        layout_t *l = traffic_layout(type);
        for (unsigned use = 0; use < USES; use++) {
            const int count = 1 + (int) (use * use % SOME_COUNTS);
            const bool right =
                (options.pack_only || swap_right(lane, l, count, type * USES + use)) &&
                moves_right(l, count);
            lane->wrong += !right;
            lane->rounds++;
        }
        lay_free(l);
    }
    return NULL;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* How much of its stack a thread has written to. */
static size_t stack_used(const lane_t *lane)
{
    const char *at = (const char *) lane->memory + PAGE;
    const char *end = (const char *) lane->memory + lane->size;
    while (at < end && *at == 0) {
        at++;
    }
    return (size_t) (end - at);
}

/* A stack of this size in memory of its own, with a page below that traps. */
static void give_stack(lane_t *lane, pthread_attr_t *attr)
{
    lane->size = options.stack + PAGE;
    lane->memory =
        mmap(NULL, lane->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lane->memory == MAP_FAILED || mprotect(lane->memory, PAGE, PROT_NONE) != 0 ||
        pthread_attr_setstack(attr, (char *) lane->memory + PAGE, options.stack) != 0) {
        fprintf(stderr, "a stack of %zu bytes is too small for this C library\n", options.stack);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void traffic_start(const traffic_options_t *wanted)
{
    options = *wanted;
    stopping = false;
    if (world_size != 2) {
        fprintf(stderr, "this takes two ranks, not %d\n", world_size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < options.threads; i++) {
        lanes[i] = (lane_t){.index = i};
        MPI_Comm_dup(MPI_COMM_WORLD, &lanes[i].comm);
    }
    for (int i = 0; i < options.threads; i++) {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        if (options.stack != 0) {
            give_stack(&lanes[i], &attr);
        }
        if (pthread_create(&lanes[i].thread, &attr, run, &lanes[i]) != 0) {
            perror("pthread_create");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        pthread_attr_destroy(&attr);
    }
}

void traffic_stop(void)
{
    stopping = true;
    for (int i = 0; i < options.threads; i++) {
        pthread_join(lanes[i].thread, NULL);
        check(lanes[i].wrong == 0 && 0 < lanes[i].rounds, "thread %d: %ld of %ld rounds are wrong",
              i, lanes[i].wrong, (long) lanes[i].rounds);
        MPI_Comm_free(&lanes[i].comm);
        if (lanes[i].memory != NULL) {
            printf("rank %d: a thread has used %zu of %zu bytes of its stack\n", my_rank,
                   stack_used(&lanes[i]), options.stack);
            munmap(lanes[i].memory, lanes[i].size);
        }
    }
}

long traffic_rounds(void)
{
    long rounds = 0;
    for (int i = 0; i < options.threads; i++) {
        rounds += lanes[i].rounds;
    }
    return rounds;
}

void traffic_wait(long rounds)
{
    const long end = traffic_rounds() + rounds;
    while (traffic_rounds() < end) {
        usleep(1000);
    }
}

pthread_t traffic_thread(int i)
{
    return lanes[i].thread;
}

pid_t traffic_tid(int i)
{
    return lanes[i].tid;
}
