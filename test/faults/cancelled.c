/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cancelled TYPE THREADS: threads that pack and unpack are cancelled at random moments. TYPE is
 * deferred, or asynchronous: they then pack datatypes that were used before, to memory that they
 * have, as Open MPI's own engine survives it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

enum { COUNT = 5, LAYOUTS = 10, LONGEST = 300 };

typedef struct victim {
    pthread_t thread;
    const layout_t *layout;
    message_t message, into;
    unsigned char *stream, *packed;
    atomic_long rounds, wrong;
} victim_t;

static bool asynchronous;

/* The bytes moved at its end are not known, unless it ended between two rounds. */
static void *pack_until_cancelled(void *argument)
{
    victim_t *v = argument;
    const int bytes = (int) v->message.bytes;
    if (asynchronous) {
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    }
    for (;; pthread_testcancel()) {
        int at = 0, back = 0;
        MPI_Pack(v->message.buf, COUNT, v->layout->type, v->packed, bytes, &at, MPI_COMM_SELF);
        MPI_Unpack(v->packed, bytes, &back, v->into.buf, COUNT, v->layout->type, MPI_COMM_SELF);
        v->wrong += at != bytes || back != bytes ||
                    memcmp(v->packed, v->stream, (size_t) bytes) != 0 ||
                    memcmp(v->into.block, v->message.block, (size_t) v->into.block_size) != 0;
        v->rounds++;
    }
    return NULL;
}

static void prepare(victim_t *v, const layout_t *l)
{
    v->layout = l;
    v->message = msg_new(l, COUNT);
    v->into = msg_new(l, COUNT);
    v->stream = stream_new(l, COUNT, 7);
    v->packed = must_malloc((size_t) v->message.bytes);
    msg_fill(&v->message, v->stream);
    msg_clear(&v->into);
}

static void release(victim_t *v)
{
    msg_free(&v->message);
    msg_free(&v->into);
    free(v->stream);
    free(v->packed);
}

int cancelled_main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[2]) : 100;
    uint64_t random = (uint64_t) getpid();
    layout_t *layouts[LAYOUTS];
    long rounds = 0;
    asynchronous = argc > 1 && strcmp(argv[1], "asynchronous") == 0;
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    alarm(LONGEST); /* a lock that a thread took with it */
    for (int i = 0; i < LAYOUTS; i++) {
        layouts[i] = traffic_layout((unsigned) i);
        check(moves_right(layouts[i], COUNT), "before, layout %d", i);
    }
    traffic_start(&(traffic_options_t){.threads = 1});
    for (int i = 0; i < n; i++) {
        victim_t v = {.rounds = 0};
        prepare(&v, layouts[i % LAYOUTS]);
        check(pthread_create(&v.thread, NULL, pack_until_cancelled, &v) == 0, "thread %d", i);
        usleep((useconds_t) (random_next(&random) % 6000));
        pthread_cancel(v.thread);
        /* It ends in no other way. glibc's result is not PTHREAD_CANCELED where cancellation was
         * put off and then allowed. */
        const int joined = pthread_join(v.thread, NULL);
        check(joined == 0 && v.wrong == 0, "thread %d: %ld of %ld rounds are wrong", i,
              (long) v.wrong, (long) v.rounds);
        rounds += v.rounds;
        release(&v);
    }
    check(rounds > n, "the threads have packed before they were cancelled");
    traffic_stop();
    for (int i = 0; i < LAYOUTS; i++) {
        check(moves_right(layouts[i], COUNT), "afterwards, layout %d", i);
        lay_free(layouts[i]);
    }
    return check_finish();
}
