/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs of the threads that run programs, and the wait until all have left one. */
#define _DEFAULT_SOURCE /* syscall */
#include "reader.h"

#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "base/lock.h"

enum {
    LONGEST_WAIT_NS = 10 * 1000 * 1000
}; /* a kernel may move gigabytes; a caller may not wait
      for that */

static dame_reader_t *readers; /* under DAME_LOCK_READERS */

static void insert(dame_reader_t *reader)
{
    reader->next = readers;
    reader->link = &readers;
    if (readers != NULL) {
        readers->link = &reader->next;
    }
    readers = reader;
}

/* In the child of a fork(). The other threads are not there; a thread may have several readers. */
static void keep_own(void)
{
    dame_reader_t *reader = readers;
    readers = NULL;
    while (reader != NULL) {
        dame_reader_t *next = reader->next;
        reader->link = NULL;
        if (pthread_equal(reader->thread, pthread_self())) {
            insert(reader);
        }
        reader = next;
    }
}

void dame_reader_add(dame_reader_t *reader)
{
    (void) dame_lock_at_fork(DAME_LOCK_READERS, keep_own);
    reader->thread = pthread_self();
    dame_lock(DAME_LOCK_READERS);
    insert(reader);
    dame_unlock(DAME_LOCK_READERS);
}

void dame_reader_remove(dame_reader_t *reader)
{
    dame_lock(DAME_LOCK_READERS);
    if (reader->link != NULL) {
        *reader->link = reader->next;
        if (reader->next != NULL) {
            reader->next->link = reader->link;
        }
        reader->link = NULL;
    }
    dame_unlock(DAME_LOCK_READERS);
}

int dame_readers_prepare(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* Every thread of the process passes a memory barrier before it returns 1. */
static int barrier(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) {
        return 1;
    }
    /* A process has to register first; a system without membarrier also refuses that. */
    return dame_readers_prepare() &&
           syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static int64_t reader_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Returns whether the reader, if it is inside now, comes out before `deadline`. */
static int wait_for(const dame_reader_t *reader, int64_t deadline)
{
    const uint64_t epoch = atomic_load_explicit(&reader->epoch, memory_order_acquire);
    if (epoch % 2 == 0) {
        return 1;
    }
    while (atomic_load_explicit(&reader->epoch, memory_order_acquire) == epoch) {
        if (reader_now_ns() > deadline) {
            return 0;
        }
        sched_yield();
    }
    return 1;
}

int dame_readers_wait(void)
{
    dame_lock(DAME_LOCK_READERS);
    int out = readers == NULL || barrier();
    const int64_t deadline = reader_now_ns() + LONGEST_WAIT_NS;
    for (const dame_reader_t *reader = readers; out && reader != NULL; reader = reader->next) {
        out = wait_for(reader, deadline);
    }
    dame_unlock(DAME_LOCK_READERS);
    return out;
}
