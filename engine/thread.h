/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread keeps for itself: its counters, and whether it runs kernels at the moment. A caller
 * keeps one in each thread's own memory, zero at first, with what else it needs there, so that a
 * message looks it up once.
 */
#ifndef DAME_THREAD_H
#define DAME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"
#include "jit/reader.h"

typedef struct dame_threads dame_threads_t;

typedef struct dame_thread dame_thread_t;
struct dame_thread {
    dame_cells_t cells;    /* first */
    dame_reader_t reader;  /* inside while kernels run */
    dame_threads_t *of;    /* once it was enlisted */
    dame_thread_t *beside; /* the same thread's with another engine; thread.c's */
    struct list *list;     /* of those; thread.c's */
    bool enlisted;         /* nothing more to do for dame_thread_enlist() */
    bool ended;            /* it has left the lists, and may not come back */
    int32_t until_sample;  /* fragments, see timing.h */
    int32_t interval;      /* until_sample when it was set */
    uint32_t random;
    int32_t tick; /* uses of layouts that are settled, until one of them is looked at */
    void *memory; /* owned: of dame_thread_of(); NULL: the caller's */
};

/* Those of an engine. Each callback may be NULL. */
struct dame_threads {
    dame_threads_t *next; /* another engine's, under DAME_LOCK_THREADS */
    dame_counts_t *counts;
    bool running;
    bool owns;      /* threads are those of dame_thread_of(), in the engine's memory */
    void *argument; /* of the callbacks */
    void (*on_unwatched)(void *argument);  /* a thread is not enlisted, see below */
    void (*at_end)(dame_thread_t *thread); /* in each thread that ends */
    void (*in_child)(void *argument, dame_thread_t *thread); /* in a child of fork(), with its only
                                                                thread, NULL: it was not enlisted */
};

/*
 * Before the first thread is enlisted; `threads` has its callbacks. A thread is not enlisted if its
 * end cannot be noticed. Each such thread calls on_unwatched(), because no thread can wait for it
 * to leave machine code. No-op when it is running.
 */
void dame_threads_start(dame_threads_t *threads, dame_counts_t *counts);

/* Forgets the threads that are enlisted, and frees those that it owns; none of them may be counting
 * or running kernels, but they may end at the same time. A caller with threads that may go on after
 * that does not call it: then ends of threads are noticed for as long as the process lives, and
 * `threads` stays. */
void dame_threads_stop(dame_threads_t *threads);

/* The calling thread's, made and enlisted at its first call, for callers with `owns`. It takes a
 * lock; the result is valid until at_end(). NULL: memory is out, or the thread's end cannot be
 * noticed; then nothing is compiled from now on, and programs may be run without a reader.
 */
dame_thread_t *dame_thread_of(dame_threads_t *threads);

/* Puts the calling thread's counters among those that are added up, and its reader among those that
 * dame_readers_wait() waits for. */
void dame_thread_enlist(dame_threads_t *threads, dame_thread_t *thread);

#endif
