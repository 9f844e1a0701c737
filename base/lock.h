/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The locks of a process, all in one place because fork() takes every one of them.
 *
 * fork(): the handlers take all locks in the order listed, so a child finds them free and the data
 * that they protect consistent. Then, in the child, every hook removes what belongs to threads it
 * does not have. fork() must not be called by a signal handler that interrupted the holder of a
 * lock.
 *
 * Cancellation: a thread is not cancelled while it holds a lock, so the holder may write files. A
 * cancellation that is pending takes effect at the first cancellation point after dame_unlock().
 * Asynchronous cancellation, which MPI does not allow, may hit the holder of a brief lock.
 */
#ifndef DAME_LOCK_H
#define DAME_LOCK_H

#include <stdint.h>

/* A thread that holds several locks took them in this order. */
typedef enum dame_lock {
    DAME_LOCK_CALLER,     /* the outermost, for callers of all rooms below them */
    DAME_LOCK_DEVICES,    /* for callers of device/: its holder waits for devices, and compiles */
    DAME_LOCK_LAYOUTS,    /* engine/layout.c, and what callers keep of datatypes */
    DAME_LOCK_GATE,       /* engine/promoter.c: its holder compiles */
    DAME_LOCK_STATISTICS, /* engine/tally.c, promoter.c: reading them for a report, and ending the
                             objects that they are read from; its holder does not compile */
    DAME_LOCK_THREADS,    /* engine/thread.c, counts.c: the lists of threads */
    DAME_LOCK_OBSERVER,   /* for callers that observe compilations, with the gate's lock held */
    DAME_LOCK_COUNTERS,   /* measure/counters.c: its holder loads PAPI; what callers keep of
                             its counts */
    DAME_LOCK_PROFILE,    /* measure/profile.c: the machine's measurements */
    DAME_LOCK_BACKGROUND, /* background.c: the orders */
    DAME_LOCK_LOADER,     /* loader.c: threads inside loaded objects; functions of exit() */
    DAME_LOCK_COMPILER,   /* jit.c with codes.c, code_arena.c, perf_map.c, perf_dump.c, gdb.c;
                             providers.c, loader.c */
    DAME_LOCK_READERS,    /* reader.c: the list of readers */
    DAME_LOCKS
} dame_lock_t;

void dame_lock(dame_lock_t lock);
int dame_trylock(dame_lock_t lock); /* 0: another thread holds it */
void dame_unlock(dame_lock_t lock);

/* The same, 20 ns faster, for a holder that meets no cancellation point: cancellation stays as it
 * is. */
void dame_lock_briefly(dame_lock_t lock);
void dame_unlock_briefly(dame_lock_t lock);

/*
 * The holder of `lock`, and of no other, gives it back until another thread calls dame_wake(), then
 * takes it again. It may also return earlier. The thread is not cancelled meanwhile.
 */
void dame_wait(dame_lock_t lock);
void dame_wait_for(dame_lock_t lock, int64_t ns); /* .. so long at most */
void dame_wake(dame_lock_t lock);                 /* with the lock held: wakes all that wait */

/*
 * Has fork() call `in_child` in the child, with all locks held. One hook a lock; the same one may
 * be given again. Hooks do not allocate: another thread of the parent may have been inside
 * malloc(). Returns 0 when the handlers of fork() could not be installed (memory is out).
 */
int dame_lock_at_fork(dame_lock_t lock, void (*in_child)(void));

/*
 * Has fork() call `wait` before it takes the locks behind this one, with this one held, for which
 * `wait` may call dame_wait_for(): other threads may end what needs no lock before it in the list.
 * One hook a lock; the same one may be given again. Returns as above.
 */
int dame_lock_before_fork(dame_lock_t lock, void (*wait)(void));

/*
 * atexit() that no fork() falls into: the C library does not release its lock of these functions in
 * the child, so exit() there would wait for ever. With no lock held from DAME_LOCK_LOADER on.
 */
void dame_at_exit(void (*function)(void));

/*
 * A lock that is not listed because its owner knows nothing of this room (base/heap.h): at
 * fork(), it is taken after all others and given back before them, in the child too. One of these;
 * the same one may be given again. Returns as above.
 */
int dame_lock_innermost_at_fork(void (*take)(void), void (*release)(void));

/*
 * Between the two calls the thread is not cancelled, without a lock: around output, which takes a
 * lock of Open MPI's. They may be nested; restore is given what defer returned.
 */
int dame_cancel_defer(void);
void dame_cancel_restore(int state);

#endif
