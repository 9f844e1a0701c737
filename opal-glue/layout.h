/*
 * What DAME knows of a layout: the program that moves its data, when that is compiled, and what was
 * counted of it.
 *
 * Datatypes of one layout (layout_key.h) share one dt_layout_t. It lives as long as one of them
 * does, and somewhat longer: an application that makes the same datatype for every message finds
 * its program again. Layouts without a datatype are kept up to a number of bytes; those whose last
 * datatype has been gone for longest are freed first.
 */
#ifndef DT_LAYOUT_H
#define DT_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dame/program.h"
#include "dame/type.h"
#include "layout_key.h"
#include "stats.h"

struct opal_datatype_t;
struct dame_measured;
struct dt_tally;

typedef struct dt_hints dt_hints_t;

#define DT_TIMED INT32_MIN /* a countdown: the next use is to be timed */

/*
 * When the program is compiled for one direction. Only promote.c and promote.h use it. All but
 * `countdown` is written under the gate's lock, and `after` and `measured` before DT_TIMED.
 */
typedef struct dt_promotion {
    _Atomic int32_t countdown; /* uses until the next event; > 0: counted while there is no code;
                                  < 0: counted always, towards 0; 0: never */
    int32_t period; /* at a fixed use: from that attempt to the one after it; measured: from the
                       event before to the next one */
    _Atomic int32_t after;     /* uses from one that is timed to the next event */
    _Atomic int32_t runs_code; /* not 0: its program runs machine code, unless it was evicted */
    bool is_ordered;           /* code for it is made in the background (order.h) */
    int32_t noted;             /* measured: the arm that the report was told; 0: the interpreter */
    struct dame_measured *measured; /* owned; NULL: nothing is measured yet */
} dt_promotion_t;

typedef struct dt_layout dt_layout_t;
struct dt_layout {
    _Atomic uint64_t ticket;       /* its number, from 1 on, never used twice; above DT_NUMBER_BITS,
                                      how often grants of its uses were called in (recent.h) */
    dame_program_t *program;       /* owned; NULL: declined */
    _Atomic dt_decline_t declined; /* DT_DECLINE_NONE when DAME moves its data */
    atomic_bool by_native[2];      /* [dame_dir_t]; whole messages are left to the native engine */
    dt_promotion_t promotions[2];  /* [dame_dir_t] */
    _Atomic(struct dt_tally *) tally; /* of tally.c, named after the first datatype; NULL: none is
                                         kept */
    _Atomic(dt_hints_t *) hints;      /* owned; hints.h; NULL: the user gave none */
    _Atomic int32_t holds;            /* of dt_layout_hold() */
    /* layout.c's, under the table's lock: */
    int32_t datatypes; /* that have an entry in the table */
    bool is_shared;    /* other datatypes may find it, by sketch and key */
    uint64_t sketch;
    dt_layout_key_t key;
    size_t bytes;               /* of layout and program; machine code has its own bound */
    dt_layout_t *next;          /* of its hash chain; of those that are to be freed */
    dt_layout_t *newer, *older; /* of those that are unused */
};

enum { DT_NUMBER_BITS = 40 };

static inline uint64_t dt_layout_ticket(const dt_layout_t *layout)
{
    return atomic_load_explicit(&layout->ticket, memory_order_relaxed);
}

/* Uses that threads were granted end with the next one. Any thread. */
static inline void dt_layout_call_in(dt_layout_t *layout)
{
    atomic_fetch_add_explicit(&layout->ticket, UINT64_C(1) << DT_NUMBER_BITS, memory_order_relaxed);
}

/* Once a process: most bytes of unused layouts, those without a datatype or hold. */
void dt_layout_start(size_t most_unused);

/* May a layout with this sketch be known? Any thread, with no lock; without one, a layout that
 * another thread has just imported can be missed. */
bool dt_layout_may_be_known(uint64_t sketch);

/* The layout of a datatype with this sketch, or NULL if it is not known. The caller holds the
 * table's lock. Uses memory of `tree`, which is empty before and after. */
dt_layout_t *dt_layout_find(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                            uint64_t sketch);

/* Imports a layout that is not known; the same conditions. NULL when memory is out. */
dt_layout_t *dt_layout_import(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                              uint64_t sketch);

/* The datatype ends. Returns layouts that dt_layout_free() is to be given once the table's lock,
 * which is held, has been released. */
dt_layout_t *dt_layout_put(dt_layout_t *layout);

/* Frees these layouts, which nobody can find any more (NULL: there are none). Takes locks. */
void dt_layout_free(dt_layout_t *layouts);

/*
 * For those who use a layout longer than they hold a datatype of it. The caller of the first holds
 * a datatype, so the layout cannot be freed meanwhile; it takes no lock. The second takes the
 * table's lock, and may free the layout. Any thread.
 */
static inline void dt_layout_hold(dt_layout_t *layout)
{
    atomic_fetch_add_explicit(&layout->holds, 1, memory_order_relaxed);
    /* before the caller gives up its reference to the datatype: see is_absent() in table.c */
    atomic_thread_fence(memory_order_release);
}
void dt_layout_release(dt_layout_t *layout);

/* Frees the unused layouts. No thread may be using the table. */
void dt_layout_clear(void);

#endif
