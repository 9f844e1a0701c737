/*
 * What a thread keeps for itself: its counters, whether it runs kernels at the moment, and cursors
 * of messages in progress. In one place, so that a fragment looks it up once.
 */
#ifndef DT_THREAD_H
#define DT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/dame.h"
#include "jit/reader.h"
#include "native_mark.h"
#include "stats.h"

struct opal_datatype_t;

/*
 * The cursor of a message in progress, so that fragments in sequence need no search. It is found by
 * what makes its place: datatype, user buffer, count and position. It is valid for any message that
 * agrees in these, so a stale one is never wrong.
 */
typedef struct dt_place {
    const struct opal_datatype_t *datatype; /* NULL: unused */
    uint64_t generation; /* of the table, when datatype was last known to be the one of serial */
    uint64_t serial;     /* of the datatype's table entry */
    dt_native_mark_t mark;
    dame_cursor_t cursor;
} dt_place_t;

/* Places are found by the convertor's address; two messages that share one only cost searches. */
enum { DT_PLACES_LOG2 = 4, DT_PLACES = 1 << DT_PLACES_LOG2 };

typedef struct dt_thread {
    dt_stats_t stats;
    dame_reader_t reader; /* inside while kernels run */
    bool enlisted;        /* nothing more to do for dt_thread_enlist() */
    bool ended;           /* it has left the lists, and may not come back */
    int32_t until_sample; /* fragments, see sample.h */
    int32_t interval;     /* until_sample when it was set */
    bool has_window;      /* the native engine moves fragments, see sample.h */
    uint32_t random;
    int32_t tick; /* uses of layouts that rest, until one of them is looked at */
    dt_place_t places[DT_PLACES];
} dt_thread_t;

extern _Thread_local dt_thread_t dt_thread_data;

/* sample.c's: called in each thread that ends, and in a child of fork() with its only thread, or
 * NULL when that was not enlisted. NULL: nothing is called. Set while only one thread runs. */
extern void (*dt_thread_at_end)(dt_thread_t *thread);
extern void (*dt_thread_in_child)(const dt_thread_t *thread);

/*
 * Before the first use of dt_thread(). There is no end: threads may end after Open MPI has. A
 * thread whose end cannot be noticed is not enlisted; each such thread calls `on_unwatched`,
 * because nobody can wait for it to leave machine code.
 */
void dt_thread_start(void (*on_unwatched)(void));

/* Puts a thread's counters among those that dt_stats_total() adds up, and its reader among those
 * that dame_readers_wait() waits for. For dt_thread() only. */
void dt_thread_enlist(dt_thread_t *thread);

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
    if (__builtin_expect(!thread->enlisted, 0)) {
        dt_thread_enlist(thread);
    }
    return thread;
}

static inline void dt_count(dt_counter_t counter, int64_t n)
{
    dt_stats_add(&dt_thread()->stats.count[counter], n);
}

static inline void dt_count_declined(dt_decline_t reason)
{
    dt_stats_add(&dt_thread()->stats.declined[reason], 1);
}

#endif
