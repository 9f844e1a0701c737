/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and local copies that credit (credit.h) does not cover: promotion decides about them,
 * they are counted and timed, and credit is granted for the next ones. For every caller; how
 * bytes move is the caller's. And whole messages, pieces and copies for callers that move them by
 * the layout's program alone.
 */
#ifndef DAME_RUN_H
#define DAME_RUN_H

#include "dame/cursor.h"
#include "engine.h"

typedef struct dame_begin dame_begin_t;

/* How a caller moves; `thread` is the calling thread's. */
typedef struct dame_begin_ops {
    /* Moves the message or a fragment of it. Returns bytes. */
    int64_t (*move)(dame_begin_t *it, dame_thread_t *thread);
    /* Moves a whole message `times` more times, by what moved it; its bytes stay the same. */
    void (*repeat)(dame_begin_t *it, dame_thread_t *thread, int times);
    /* Returns whether the caller's other engine moves the message. Asked after promotion's
     * decision. NULL: no. */
    bool (*is_native)(const dame_begin_t *it);
    /* For callers that take samples: has the thread a probe for it, or may one open with the
     * message, use number `use` of its tally? And with a probe: moves as move() does, or returns
     * -1. */
    bool (*opens)(dame_begin_t *it, dame_thread_t *thread, dame_tally_t *tally, int64_t use);
    int64_t (*sample)(dame_begin_t *it, dame_thread_t *thread);
} dame_begin_ops_t;

/* A message, or a local copy, that begins. The caller's own data follows it. */
struct dame_begin {
    const dame_begin_ops_t *ops;
    const dame_use_t *use; /* DAME moves its data */
    dame_work_t work;
    int64_t bytes;    /* of the message */
    size_t count;     /* its elements, at `base` */
    const void *base; /* user memory */
    char *packed;     /* of the fragment */
    bool is_whole;    /* which is the message */
    bool in_probe;    /* the thread has a probe: the other engine moves fragments for samples */
    bool is_native;   /* the other engine moves this message */
};

/* One that begins outside of probes. */
static inline dame_begin_t dame_begin(const dame_begin_ops_t *ops, const dame_use_t *use,
                                      dame_work_t work, int64_t bytes, int64_t count,
                                      uintptr_t base, char *packed, bool is_whole)
{
    return (dame_begin_t){ops,    use,      work,  bytes, (size_t) count, (const void *) base,
                          packed, is_whole, false, false};
}

/* Moves it, or its first fragment. Returns bytes. The thread is outside its reader. */
int64_t dame_run_begin(dame_engine_t *engine, dame_thread_t *thread, dame_begin_t *it);

/* Moves another fragment. Returns bytes. */
int64_t dame_run_continue(dame_engine_t *engine, dame_thread_t *thread, dame_begin_t *it);

/* The move() of a copy by the program: from `base` to `packed`. */
int64_t dame_run_copied(dame_begin_t *it, dame_thread_t *thread);

/* A whole message of `count` elements; its bytes fit in 64 bits. */
void dame_run_whole(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, uintptr_t base, int64_t count, char *packed);

/* Exactly `length` bytes from the cursor's position on, at most those that are left. The one at
 * position 0 begins a message. */
void dame_run_piece(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, dame_cursor_t *cursor, char *packed, int64_t length);

/* A copy within memory, as dame_program_copy() does it; dame_program_is_apart() holds. */
void dame_run_copy(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                   uintptr_t to, uintptr_t from, int64_t count);

#endif
