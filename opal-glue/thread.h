/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread keeps for itself: what the engine counts in it, and cursors of messages in
 * progress. In one place, so that a fragment looks it up once. And the engine of this process.
 */
#ifndef DT_THREAD_H
#define DT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/dame.h"
#include "engine/engine.h"
#include "engine/staging.h"
#include "opal-glue/convertor/native_mark.h"
#include "types.h"

struct opal_datatype_t;

/* Open MPI is one a process, and so is the engine that moves its data. */
extern dame_engine_t dt_engine;

/*
 * The cursor of a message in progress, so that fragments in sequence need no search. It is found by
 * datatype, user buffer, count and position. It is valid for any message that agrees in these, so a
 * stale one is never wrong.
 */
typedef struct dt_cached_cursor {
    const struct opal_datatype_t *datatype; /* NULL: unused */
    uint64_t generation; /* of the table, when datatype was last known to be the one of serial */
    uint64_t serial;     /* of the datatype's table entry */
    dt_native_mark_t mark;
    dame_cursor_t cursor;
} dt_cached_cursor_t;

/* They are found by the convertor's address; two messages that share one only cost searches. */
enum { DT_CURSORS_LOG2 = 4, DT_CURSORS = 1 << DT_CURSORS_LOG2 };

typedef struct dt_thread {
    dame_thread_t base;
    bool has_probe;   /* the native engine moves fragments, see sample.h */
    bool asks_native; /* Open MPI's functions are called for its own engine: where it has the seam
                         (abi/seam.h), they ask DAME back, and it declines */
    uint32_t short_messages; /* of datatypes without an entry, see break_even.h */
    dt_cached_cursor_t cursors[DT_CURSORS];
    dame_staging_t staging;
} dt_thread_t;

extern _Thread_local dt_thread_t dt_thread_data;

/* The calling thread's, enlisted or not. Never NULL. */
static inline dt_thread_t *dt_thread_here(void)
{
    dt_thread_t *thread = &dt_thread_data;
    /* Compilers think the address cheap and ask for it again and again; in a loaded object it is a
       call of __tls_get_addr(). */
    __asm__("" : "+r"(thread));
    return thread;
}

/* The calling thread's, enlisted. Never NULL. */
static inline dt_thread_t *dt_thread(void)
{
    dt_thread_t *thread = dt_thread_here();
    if (__builtin_expect(!thread->base.enlisted, 0)) {
        dame_thread_enlist(&dt_engine.threads, &thread->base);
    }
    return thread;
}

static inline void dt_thread_add(dt_thread_t *thread, dt_counter_t counter, int64_t n)
{
    dame_cells_add(&thread->base.cells.count[counter], n);
}

static inline void dt_count(dt_counter_t counter, int64_t n)
{
    dt_thread_add(dt_thread(), counter, n);
}

/* Reasons are counted behind the counters. */
static inline void dt_count_declined(dt_decline_t reason)
{
    dame_cells_add(&dt_thread()->base.cells.count[(int) DT_COUNTERS + (int) reason], 1);
}

/* A message is left to Open MPI's own engine. */
static inline void dt_count_left(dt_decline_t reason, int64_t bytes)
{
    dt_count(DT_COUNT_messages_declined, 1);
    dt_count(DT_COUNT_bytes_left, bytes);
    if (dt_decline_is_of_message(reason)) { /* others are counted once for each datatype */
        dt_count_declined(reason);
    }
}

#endif
