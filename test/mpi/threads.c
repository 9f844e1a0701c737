/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: threads create, use and free datatypes, each for itself and one together.
   Needs two ranks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { THREADS = 4, ROUNDS = 150, SHARED_ROUNDS = 200 };

typedef struct worker {
    pthread_t thread;
    int number;
    MPI_Comm comm;
} worker_t;

static pthread_barrier_t barrier;
static layout_t *shared_layout;

/* A datatype of a kind and size that depend on the state only: the peer makes the same. */
static layout_t *random_layout(uint64_t *state)
{
    int n = 2 + (int) (random_next(state) % 40), k = 1 + (int) (random_next(state) % 5);
    layout_t *ints = lay_basic(MPI_INT, 4, 4), *doubles = lay_basic(MPI_DOUBLE, 8, 8), *l;
    int lengths[40], displs[40];

    for (int i = 0, at = 0; i < 40; i++) {
        lengths[i] = (int) (random_next(state) % 4);
        displs[i] = at + (int) (random_next(state) % 3);
        at = displs[i] + lengths[i];
    }
    switch (random_next(state) % 4) {
    case 0:
        l = lay_vector(n * 20, k, k + 2, doubles);
        break;
    case 1:
        l = lay_indexed(n < 40 ? n : 40, lengths, displs, ints);
        break;
    case 2:
        l = lay_struct(2, (int[]){k, 3}, (MPI_Aint[]){8, 128}, (layout_t *[]){doubles, ints});
        break;
    default: {
        layout_t *inner = lay_vector(k, 1, 3, ints);
        l = lay_hvector(n, 2, 200, inner);
        lay_free(inner);
    }
    }
    lay_commit(l);
    lay_free(ints);
    lay_free(doubles);
    return l;
}

static void exchange(worker_t *w, const layout_t *l, int64_t count, int round)
{
    unsigned char *mine = stream_new(l, count, (unsigned) (round * 8 + w->number + my_rank));
    unsigned char *theirs = stream_new(l, count, (unsigned) (round * 8 + w->number + 1 - my_rank));
    message_t out = msg_new(l, count), in = msg_new(l, count);
    MPI_Request r[2];

    msg_fill(&out, mine);
    msg_clear(&in);
    MPI_Irecv(in.buf, (int) count, l->type, 1 - my_rank, round, w->comm, &r[0]);
    MPI_Isend(out.buf, (int) count, l->type, 1 - my_rank, round, w->comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    check(msg_holds(&in, theirs, in.bytes), "thread %d, round %d: received", w->number, round);
    check(msg_holds(&out, mine, out.bytes), "thread %d, round %d: sent", w->number, round);
    msg_free(&out);
    msg_free(&in);
    free(mine);
    free(theirs);
}

static void *work(void *arg)
{
    worker_t *w = arg;
    uint64_t state = 1000 + (uint64_t) w->number;

    for (int round = 0; round < ROUNDS; round++) {
        layout_t *l = random_layout(&state);
        int64_t count = 1 + (int64_t) (random_next(&state) % 30);
        exchange(w, l, count, round);
        check(moves_right(l, (int) count), "thread %d, round %d: Pack, Unpack", w->number, round);
        lay_free(l);
    }
    uint64_t same = 5; /* all threads meet one new datatype at once */
    for (int round = 0; round < SHARED_ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        if (w->number == 0) {
            shared_layout = random_layout(&same);
        }
        pthread_barrier_wait(&barrier);
        check(moves_right(shared_layout, 1 + round % 7), "thread %d, shared round %d", w->number,
              round);
        if (0 == round % 4) {
            exchange(w, shared_layout, 20, ROUNDS + round);
        }
        pthread_barrier_wait(&barrier);
        if (w->number == 0) {
            lay_free(shared_layout);
        }
    }
    return NULL;
}

int threads_main(int argc, char **argv)
{
    worker_t workers[THREADS];

    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; my_rank < 2 && i < THREADS; i++) {
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        if (my_rank < 2) {
            pthread_join(workers[i].thread, NULL);
        }
        MPI_Comm_free(&workers[i].comm);
    }
    pthread_barrier_destroy(&barrier);
    return check_finish();
}
