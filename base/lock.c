/* SPDX-License-Identifier: BSD-3-Clause */
/* The locks of a process, and their state after fork(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#define UNLOCKED                                                                                   \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                    \
    }

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int cancel_state; /* the holder's, before it took the lock */
    _Atomic(void (*)(void)) wait;
    _Atomic(void (*)(void)) in_child;
} locks[] = {
    [DAME_LOCK_CALLER] = UNLOCKED,     [DAME_LOCK_DEVICES] = UNLOCKED,
    [DAME_LOCK_LAYOUTS] = UNLOCKED,    [DAME_LOCK_GATE] = UNLOCKED,
    [DAME_LOCK_STATISTICS] = UNLOCKED, [DAME_LOCK_THREADS] = UNLOCKED,
    [DAME_LOCK_OBSERVER] = UNLOCKED,   [DAME_LOCK_COUNTERS] = UNLOCKED,
    [DAME_LOCK_PROFILE] = UNLOCKED,    [DAME_LOCK_BACKGROUND] = UNLOCKED,
    [DAME_LOCK_LOADER] = UNLOCKED,     [DAME_LOCK_COMPILER] = UNLOCKED,
    [DAME_LOCK_READERS] = UNLOCKED,
};

_Static_assert(sizeof(locks) / sizeof(locks[0]) == DAME_LOCKS, "a lock has no initialiser");

/* ---- fork() ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int installed;

/* Taken after all of locks[], see dame_lock_innermost_at_fork(). */
static _Atomic(void (*)(void)) take_innermost;
static _Atomic(void (*)(void)) release_innermost;
static void (*release_taken)(void); /* by the fork that is under way */

static void call(void (*function)(void))
{
    if (function != NULL) {
        function();
    }
}

static void before_fork(void)
{
    for (int i = 0; i < DAME_LOCKS; i++) {
        dame_lock((dame_lock_t) i);
        call(atomic_load(&locks[i].wait));
    }
    void (*take)(void) = atomic_load(&take_innermost);
    release_taken = take != NULL ? atomic_load(&release_innermost) : NULL;
    call(take);
}

static void release_all(void)
{
    for (int i = DAME_LOCKS - 1; i >= 0; i--) {
        dame_unlock((dame_lock_t) i);
    }
}

static void in_parent(void)
{
    call(release_taken);
    release_all();
}

static void locks_in_child(void)
{
    call(release_taken);
    for (int i = 0; i < DAME_LOCKS; i++) {
        /* The threads that waited are not here, and the C library would wait for them. */
        locks[i].changed = (pthread_cond_t) PTHREAD_COND_INITIALIZER;
        call(atomic_load(&locks[i].in_child));
    }
    release_all();
}

static void install(void)
{
    installed = pthread_atfork(before_fork, in_parent, locks_in_child) == 0;
}

int dame_lock_at_fork(dame_lock_t lock, void (*hook)(void))
{
    pthread_once(&once, install);
    atomic_store(&locks[lock].in_child, hook);
    return installed;
}

int dame_lock_before_fork(dame_lock_t lock, void (*hook)(void))
{
    pthread_once(&once, install);
    atomic_store(&locks[lock].wait, hook);
    return installed;
}

void dame_at_exit(void (*function)(void))
{
    dame_lock(DAME_LOCK_LOADER);
    (void) atexit(function);
    dame_unlock(DAME_LOCK_LOADER);
}

int dame_lock_innermost_at_fork(void (*take)(void), void (*release)(void))
{
    atomic_store(&release_innermost, release);
    atomic_store(&take_innermost, take);
    pthread_once(&once, install);
    return installed;
}

/* ---- locks ---- */

int dame_cancel_defer(void)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

void dame_cancel_restore(int state)
{
    pthread_setcancelstate(state, NULL);
}

void dame_lock(dame_lock_t lock)
{
    pthread_once(&once, install);
    const int state = dame_cancel_defer();
    pthread_mutex_lock(&locks[lock].mutex);
    locks[lock].cancel_state = state;
}

int dame_trylock(dame_lock_t lock)
{
    pthread_once(&once, install);
    const int state = dame_cancel_defer();
    if (pthread_mutex_trylock(&locks[lock].mutex) != 0) {
        dame_cancel_restore(state);
        return 0;
    }
    locks[lock].cancel_state = state;
    return 1;
}

void dame_unlock(dame_lock_t lock)
{
    const int state = locks[lock].cancel_state;
    pthread_mutex_unlock(&locks[lock].mutex);
    dame_cancel_restore(state);
}

void dame_lock_briefly(dame_lock_t lock)
{
    pthread_once(&once, install);
    pthread_mutex_lock(&locks[lock].mutex);
}

void dame_unlock_briefly(dame_lock_t lock)
{
    pthread_mutex_unlock(&locks[lock].mutex);
}

void dame_wait(dame_lock_t lock)
{
    const int state = locks[lock].cancel_state;
    pthread_cond_wait(&locks[lock].changed, &locks[lock].mutex);
    locks[lock].cancel_state = state;
}

void dame_wait_for(dame_lock_t lock, int64_t ns)
{
    const int state = locks[lock].cancel_state;
    const int64_t second = 1000000000;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += until.tv_nsec;
    until.tv_sec += ns / second;
    until.tv_nsec = ns % second;
    pthread_cond_clockwait(&locks[lock].changed, &locks[lock].mutex, CLOCK_MONOTONIC, &until);
    locks[lock].cancel_state = state;
}

void dame_wake(dame_lock_t lock)
{
    pthread_cond_broadcast(&locks[lock].changed);
}
