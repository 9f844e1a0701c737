#define _GNU_SOURCE
#include "jit/reader.h"

#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "jit/fork.h"

enum {
    LONGEST_WAIT_NS = 10 * 1000 * 1000
}; /* a kernel may move gigabytes; a caller may not wait
      for that */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dame_reader_t *readers;
static dame_reader_t *forking; /* the reader of the thread that forks */

static void insert(dame_reader_t *reader)
{
    reader->next = readers;
    reader->link = &readers;
    if (readers != NULL) {
        readers->link = &reader->next;
    }
    readers = reader;
}

void dame_reader_add(dame_reader_t *reader)
{
    dame_fork_guard();
    reader->thread = pthread_self();
    pthread_mutex_lock(&lock);
    insert(reader);
    pthread_mutex_unlock(&lock);
}

void dame_reader_remove(dame_reader_t *reader)
{
    pthread_mutex_lock(&lock);
    if (reader->link != NULL) {
        *reader->link = reader->next;
        if (reader->next != NULL) {
            reader->next->link = reader->link;
        }
        reader->link = NULL;
    }
    pthread_mutex_unlock(&lock);
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
    /* A process has to register first; a system that has no membarrier refuses that, too. */
    return dame_readers_prepare() &&
           syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Has the reader, if it is inside now, come out before `deadline`? */
static int wait_for(const dame_reader_t *reader, int64_t deadline)
{
    const uint64_t epoch = atomic_load_explicit(&reader->epoch, memory_order_acquire);
    if (epoch % 2 == 0) {
        return 1;
    }
    while (atomic_load_explicit(&reader->epoch, memory_order_acquire) == epoch) {
        if (now_ns() > deadline) {
            return 0;
        }
        sched_yield();
    }
    return 1;
}

int dame_readers_wait(void)
{
    pthread_mutex_lock(&lock);
    int out = readers == NULL || barrier();
    const int64_t deadline = now_ns() + LONGEST_WAIT_NS;
    for (const dame_reader_t *reader = readers; out && reader != NULL; reader = reader->next) {
        out = wait_for(reader, deadline);
    }
    pthread_mutex_unlock(&lock);
    return out;
}

void dame_readers_before_fork(void)
{
    pthread_mutex_lock(&lock);
    forking = readers;
    while (forking != NULL && !pthread_equal(forking->thread, pthread_self())) {
        forking = forking->next;
    }
}

/* The other threads, and with them what their readers lived in, are not in the child. */
void dame_readers_after_fork(int is_child)
{
    if (is_child) {
        readers = NULL;
        if (forking != NULL) {
            insert(forking);
        }
    }
    pthread_mutex_unlock(&lock);
}
