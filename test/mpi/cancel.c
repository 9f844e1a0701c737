/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads use MPI while their cancellation is pending. MPI_Pack and MPI_Unpack have no cancellation
   points in Open MPI; DAME adds none, even while it writes to files, and no thread waits for one
   that is gone. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { THREADS = 40, LONGEST = 60 };

typedef struct job {
    pthread_t thread;
    layout_t *layout;
    bool done; /* packed, unpacked and freed */
    bool ok;
} job_t;

static bool use(const layout_t *l)
{
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        ok = moves_right(l, 2) && ok;
    }
    return ok;
}

static void *use_while_cancelled(void *arg)
{
    job_t *job = arg;
    pthread_cancel(pthread_self());
    job->ok = use(job->layout);
    lay_free(job->layout);
    job->done = true;
    pthread_testcancel();
    return NULL;
}

static void join(const job_t *job, int i)
{
    void *result = NULL;
    pthread_join(job->thread, &result);
    check(job->done && job->ok, "thread %d: %s", i, job->done ? "packed" : "cancelled inside MPI");
    check(result == PTHREAD_CANCELED, "thread %d is cancelled in the end", i);
}

/* One thread after another, or all at once. */
static void cancel_threads(bool at_once)
{
    static job_t jobs[THREADS];
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    for (int i = 0; i < THREADS; i++) {
        layout_t *l = lay_vector(20 + i, 1, 2 + i % 3, ints);
        lay_commit(l);
        jobs[i] = (job_t){.layout = l};
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&jobs[i].thread, NULL, use_while_cancelled, &jobs[i]);
        if (!at_once) {
            join(&jobs[i], i);
        }
    }
    for (int i = 0; at_once && i < THREADS; i++) {
        join(&jobs[i], i);
    }
    lay_free(ints);
}

int cancel_main(int argc, char **argv)
{
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    alarm(LONGEST); /* a lock that a cancelled thread took with it */
    cancel_threads(false);
    cancel_threads(true);
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *l = lay_vector(100, 1, 2, ints);
    lay_commit(l);
    check(use(l), "the main thread, after them");
    lay_free(l);
    lay_free(ints);
    return check_finish();
}
