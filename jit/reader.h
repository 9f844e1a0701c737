/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers: threads that run kernels which may be taken away.
 *
 * A thread says when it goes into kernels and when it is out again, with two plain stores; who
 * wants to reuse the memory of a kernel first puts another in its place, then waits until every
 * reader that is inside has come out. The expensive half of the memory barrier is on the waiting
 * side (membarrier(2), Linux 4.14).
 */
#ifndef DAME_READER_H
#define DAME_READER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct dame_reader {
    _Atomic uint64_t epoch; /* odd: inside */
    pthread_t thread;       /* its owner */
    struct dame_reader *next;
    struct dame_reader **link; /* what points to it, NULL: not in the list */
} dame_reader_t;

/*
 * The calling thread's reader, zero before; to be removed before its memory goes away. In the child
 * of a fork() only the readers of the thread that forked are left.
 */
void dame_reader_add(dame_reader_t *reader);
void dame_reader_remove(dame_reader_t *reader);

/*
 * Between the two calls kernels may be run. Not nested: a signal handler that interrupts a kernel
 * runs none.
 *
 * A signal handler may jump out of a kernel (siglongjmp). The thread then counts as inside, so
 * dame_readers_wait() waits for it, until it next enters or leaves. Entering again starts a new odd
 * epoch, which ends the abandoned one; leaving makes the epoch even.
 */
static inline void dame_reader_enter(dame_reader_t *reader)
{
    const uint64_t epoch = atomic_load_explicit(&reader->epoch, memory_order_relaxed);
    atomic_store_explicit(&reader->epoch, (epoch + 1) | 1, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void dame_reader_leave(dame_reader_t *reader)
{
    const uint64_t epoch = atomic_load_explicit(&reader->epoch, memory_order_relaxed);
    atomic_store_explicit(&reader->epoch, (epoch | 1) + 1, memory_order_release);
}

/*
 * Makes dame_readers_wait() fast: the first one of a process would take 5 to 20 ms where there are
 * threads. Before the first thread is made it takes some microseconds. Returns 0 when the system
 * has no membarrier.
 */
int dame_readers_prepare(void);

/*
 * Waits until no reader runs code that it found before the call. Returns 1, or 0 when that cannot
 * be known: the system has no membarrier, or a reader is still inside after a hundredth of a
 * second. The calling thread is not inside.
 */
int dame_readers_wait(void);

#endif
