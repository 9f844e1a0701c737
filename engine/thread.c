/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread.h"

#include <pthread.h>
#include <stddef.h>

#include "base/heap.h"
#include "base/lock.h"

/* The threads of all engines, for fork(), and the key that finds a thread's list. Under
 * DAME_LOCK_THREADS. */
static dame_threads_t *all;
static pthread_key_t key;
static bool has_key;

/* What a thread has with each of the engines. Under DAME_LOCK_THREADS, because an engine may end at
 * the same time as a thread. */
typedef struct list {
    dame_thread_t *first;
} list_t;

static _Thread_local list_t mine;

static void unlink_thread(list_t *list, const dame_thread_t *thread)
{
    dame_thread_t **at = &list->first;
    while (*at != NULL && thread != *at) {
        at = &(*at)->beside;
    }
    if (*at != NULL) {
        *at = thread->beside;
    }
}

/* Only a thread's counts remain. */
static void end_thread(dame_thread_t *thread)
{
    dame_threads_t *threads = thread->of;
    dame_reader_remove(&thread->reader);
    dame_counts_remove_thread(threads->counts, &thread->cells);
    thread->ended = true;
    thread->enlisted = false; /* another key's destructor may still move data */
    if (threads->owns) {
        dame_heap_free(thread->memory);
    }
}

static void thread_ends(void *value)
{
    list_t *list = value;
    dame_lock(DAME_LOCK_THREADS);
    while (list->first != NULL) {
        dame_thread_t *thread = list->first;
        list->first = thread->beside;
        if (thread->of->at_end != NULL) {
            thread->of->at_end(thread);
        }
        end_thread(thread);
    }
    dame_unlock(DAME_LOCK_THREADS);
}

/* A thread is only counted in when its end will be noticed. Locked. */
static bool watch(dame_threads_t *threads, dame_thread_t *thread)
{
    if (!threads->running || thread->ended || pthread_setspecific(key, &mine) != 0) {
        return false;
    }
    thread->of = threads;
    thread->list = &mine;
    thread->beside = mine.first;
    mine.first = thread;
    dame_counts_add_thread(threads->counts, &thread->cells);
    return true;
}

void dame_thread_enlist(dame_threads_t *threads, dame_thread_t *thread)
{
    thread->enlisted = true;
    dame_cells_prepare(&thread->cells);
    dame_lock(DAME_LOCK_THREADS);
    const bool watched = watch(threads, thread);
    dame_unlock(DAME_LOCK_THREADS);
    if (watched) {
        dame_reader_add(&thread->reader);
    } else if (threads->on_unwatched != NULL) {
        threads->on_unwatched(threads->argument);
    }
}

/* The calling thread's with this engine, or NULL. Locked. */
static dame_thread_t *find_here(const dame_threads_t *threads)
{
    dame_thread_t *thread = mine.first;
    while (thread != NULL && threads != thread->of) {
        thread = thread->beside;
    }
    return thread;
}

dame_thread_t *dame_thread_of(dame_threads_t *threads)
{
    dame_lock(DAME_LOCK_THREADS);
    dame_thread_t *thread = find_here(threads);
    dame_unlock(DAME_LOCK_THREADS);
    if (thread != NULL) {
        return thread;
    }
    void *memory = dame_heap_zalloc(sizeof(*thread) + sizeof(dame_credit_t));
    if (memory == NULL) {
        if (threads->on_unwatched != NULL) {
            threads->on_unwatched(threads->argument);
        }
        return NULL;
    }
    thread = dame_credit_aligned(memory);
    thread->memory = memory;
    dame_thread_enlist(threads, thread);
    if (!thread->cells.listed) {
        dame_heap_free(memory);
        return NULL;
    }
    return thread;
}

/* In the child of a fork(), which has no other thread. */
static void threads_in_child(void)
{
    for (dame_threads_t *threads = all; threads != NULL; threads = threads->next) {
        dame_thread_t *thread = find_here(threads);
        dame_counts_keep_thread(threads->counts, thread != NULL ? &thread->cells : NULL);
        if (threads->in_child != NULL) {
            threads->in_child(threads->argument, thread);
        }
    }
}

void dame_threads_start(dame_threads_t *threads, dame_counts_t *counts)
{
    if (threads->running) {
        return;
    }
    threads->counts = counts;
    (void) dame_lock_at_fork(DAME_LOCK_THREADS, threads_in_child);
    dame_lock(DAME_LOCK_THREADS);
    has_key = has_key || pthread_key_create(&key, thread_ends) == 0;
    threads->running = has_key;
    if (threads->running) {
        threads->next = all;
        all = threads;
    }
    dame_unlock(DAME_LOCK_THREADS);
}

void dame_threads_stop(dame_threads_t *threads)
{
    if (!threads->running) {
        return;
    }
    dame_lock(DAME_LOCK_THREADS);
    dame_threads_t **at = &all;
    while (threads != *at) {
        at = &(*at)->next;
    }
    *at = threads->next;
    threads->running = false;
    while (threads->counts->threads != NULL) {
        /* cells are the first member of a thread */
        dame_thread_t *thread = (dame_thread_t *) threads->counts->threads;
        unlink_thread(thread->list, thread);
        end_thread(thread);
    }
    dame_unlock(DAME_LOCK_THREADS);
}
