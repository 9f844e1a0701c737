#include "thread.h"

#include <stddef.h>

#include "dame/heap.h"
#include "jit/lock.h"

/* Of all engines, for fork() alone. Under DAME_LOCK_THREADS. */
static dame_threads_t *all;

static void thread_ends(void *value)
{
    dame_thread_t *thread = value;
    dame_threads_t *threads = thread->of;
    if (NULL != threads->at_end) {
        threads->at_end(thread);
    }
    dame_reader_remove(&thread->reader);
    dame_lock(DAME_LOCK_THREADS);
    dame_counts_remove_thread(threads->counts, &thread->cells);
    dame_unlock(DAME_LOCK_THREADS);
    thread->ended = true;
    thread->enlisted = false; /* another key's destructor may still move data */
    if (threads->owns) {
        dame_heap_free(thread);
    }
}

/* A thread is only counted in when its end will be noticed. */
void dame_thread_enlist(dame_threads_t *threads, dame_thread_t *thread)
{
    thread->enlisted = true;
    dame_lock(DAME_LOCK_THREADS);
    const bool watched =
        threads->running && !thread->ended && 0 == pthread_setspecific(threads->key, thread);
    if (watched) {
        thread->of = threads;
        dame_counts_add_thread(threads->counts, &thread->cells);
    }
    dame_unlock(DAME_LOCK_THREADS);
    if (watched) {
        dame_reader_add(&thread->reader);
    } else if (NULL != threads->on_unwatched) {
        threads->on_unwatched(threads->argument);
    }
}

dame_thread_t *dame_thread_of(dame_threads_t *threads)
{
    dame_thread_t *thread = threads->running ? pthread_getspecific(threads->key) : NULL;
    if (NULL != thread) {
        return thread;
    }
    thread = dame_heap_zalloc(sizeof(*thread));
    if (NULL == thread) {
        if (NULL != threads->on_unwatched) {
            threads->on_unwatched(threads->argument);
        }
        return NULL;
    }
    dame_thread_enlist(threads, thread);
    if (!thread->cells.listed) {
        dame_heap_free(thread);
        return NULL;
    }
    return thread;
}

/* In the child of a fork(), which has no other thread. */
static void in_child(void)
{
    for (dame_threads_t *threads = all; NULL != threads; threads = threads->next) {
        dame_thread_t *thread = pthread_getspecific(threads->key);
        dame_counts_keep_thread(threads->counts, NULL != thread ? &thread->cells : NULL);
        if (NULL != threads->in_child) {
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
    (void) dame_lock_at_fork(DAME_LOCK_THREADS, in_child);
    dame_lock(DAME_LOCK_THREADS);
    threads->running = 0 == pthread_key_create(&threads->key, thread_ends);
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
    (void) pthread_key_delete(threads->key);
    dame_cells_t *cells = threads->counts->threads;
    dame_counts_keep_thread(threads->counts, NULL);
    dame_unlock(DAME_LOCK_THREADS);
    while (NULL != cells) { /* the first member of a thread */
        dame_thread_t *thread = (dame_thread_t *) cells;
        cells = cells->next;
        dame_reader_remove(&thread->reader);
        if (threads->owns) {
            dame_heap_free(thread);
        }
    }
}
