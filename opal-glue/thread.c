#include "thread.h"

#include <pthread.h>
#include <stddef.h>

#include "jit/lock.h"

_Thread_local dt_thread_t dt_thread_data;
void (*dt_thread_at_end)(dt_thread_t *thread);
void (*dt_thread_in_child)(const dt_thread_t *thread);

static pthread_key_t key; /* of a thread's dt_thread_data, for thread_ends() */
static bool running;
static void (*tell_unwatched)(void);

static void thread_ends(void *value)
{
    dt_thread_t *thread = value;
    if (NULL != dt_thread_at_end) {
        dt_thread_at_end(thread);
    }
    dame_reader_remove(&thread->reader);
    dame_lock(DAME_LOCK_STATS);
    dt_stats_remove_thread(&thread->stats);
    dame_unlock(DAME_LOCK_STATS);
    thread->ended = true;
    thread->enlisted = false; /* another key's destructor may still use MPI */
}

/* A thread is only counted in when its end will be noticed. */
void dt_thread_enlist(dt_thread_t *thread)
{
    thread->enlisted = true;
    dame_lock(DAME_LOCK_STATS);
    const bool watched = running && !thread->ended && 0 == pthread_setspecific(key, thread);
    if (watched) {
        dt_stats_add_thread(&thread->stats);
    }
    dame_unlock(DAME_LOCK_STATS);
    if (watched) {
        dame_reader_add(&thread->reader);
    } else if (NULL != tell_unwatched) {
        tell_unwatched();
    }
}

/* In the child of a fork(), which has no other thread. */
static void in_child(void)
{
    dt_thread_t *thread = pthread_getspecific(key);
    dt_stats_keep_thread(NULL != thread ? &thread->stats : NULL);
    if (NULL != dt_thread_in_child) {
        dt_thread_in_child(thread);
    }
}

void dt_thread_start(void (*on_unwatched)(void))
{
    if (!running) {
        tell_unwatched = on_unwatched;
        running = 0 == pthread_key_create(&key, thread_ends);
        (void) dame_lock_at_fork(DAME_LOCK_STATS, in_child);
    }
}
