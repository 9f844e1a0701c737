/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layout: the program that moves its data, the state of its compilation, and its counts.
 *
 * Datatypes that move the same bytes share one dame_layout_t. It lives as long as one of them does,
 * and somewhat longer: an application that makes the same datatype for every message finds its
 * program again. Layouts without a datatype are kept up to a number of bytes; those without a
 * datatype for longest are freed first.
 *
 * "Locked": the caller holds DAME_LOCK_LAYOUTS (base/lock.h), which the caller may also use for its
 * own data about datatypes.
 */
#ifndef DAME_LAYOUT_H
#define DAME_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "countdown.h"
#include "counts.h"
#include "dame/program.h"

struct dame_measured;
struct dame_promoter;
struct dame_tally;

typedef struct dame_hints dame_hints_t;

/*
 * When the program is compiled for one direction. Files that promote change it (promote.c,
 * promote_fixed.c, promote_measured.c, order.c). All but `countdown` is written under the gate's
 * lock, and `after` and `measured` before the countdown says that a use is timed.
 */
typedef struct dame_promotion {
    dame_countdown_t countdown; /* to the next event */
    int32_t period; /* at a fixed use: from that attempt to the one after it; measured: from the
                       event before to the next one */
    _Atomic int32_t after;     /* uses from one that is timed to the next event */
    _Atomic int32_t runs_code; /* not 0: its program runs machine code, unless it was evicted */
    bool is_ordered;           /* code for it is made in the background (order.h) */
    int32_t reported_arm;      /* measured: the arm last reported to observers; 0: the
                                  interpreter */
    struct dame_measured *measured; /* owned; NULL: nothing is measured yet */
} dame_promotion_t;

static inline int32_t dame_period_doubled(int32_t period)
{
    return period > INT32_MAX / 2 ? INT32_MAX : 2 * period;
}

/* At a fixed use: the next attempt comes after `period` uses without code, the one after it waits
 * twice as long. Where the programs in use do not fit the memory for code, compiling them again
 * gains little. */
static inline void dame_promotion_back_off(dame_promotion_t *promotion)
{
    const int32_t period = promotion->period;
    dame_countdown_set(&promotion->countdown, dame_countdown_without_code(period));
    promotion->period = dame_period_doubled(period);
}

/* Tells layouts apart; all 128 bits are compared. */
typedef struct dame_layout_key {
    uint64_t high, low;
} dame_layout_key_t;

static inline bool dame_layout_key_equals(dame_layout_key_t a, dame_layout_key_t b)
{
    return a.low == b.low && a.high == b.high;
}

typedef struct dame_layout dame_layout_t;
struct dame_layout {
    _Atomic uint64_t credit_epoch;  /* its number, from 1 on, never used twice; above
                                       DAME_EPOCH_NUMBER_BITS, how often credits for its uses were
                                       revoked (credit.h) */
    dame_program_t *program;        /* owned; NULL: declined */
    _Atomic int32_t declined;       /* the caller's reason, 0: DAME moves its data */
    atomic_bool by_native[2];       /* [dame_dir_t]; whole messages are left to the other engine */
    dame_promotion_t promotions[2]; /* [dame_dir_t] */
    struct dame_promoter *promoter; /* the promoter that decides about it, or NULL */
    _Atomic(struct dame_tally *) tally; /* of the first datatype that had one, or NULL */
    _Atomic(dame_hints_t *) hints;      /* owned; hints.h; NULL: the user gave none */
    _Atomic int32_t holds;              /* of dame_layout_hold() */
    /* layout.c's, locked: */
    int32_t datatypes; /* that have it */
    bool is_shared;    /* other datatypes may find it, by fingerprint and key */
    uint64_t fingerprint;
    dame_layout_key_t key;
    size_t bytes;                 /* of layout and program; machine code has its own bound */
    dame_layout_t *next;          /* of its hash chain; of those that are to be freed */
    dame_layout_t *newer, *older; /* of those that are unused */
};

/* How a caller's datatypes become layouts; called locked. */
typedef struct dame_layout_source {
    /* The datatype's key; two datatypes of one key have one layout. False: memory is out. */
    bool (*key)(const void *datatype, dame_layout_key_t *key);
    /* Its program, the engine's from then on. NULL: the caller declines it, for *declined. */
    dame_program_t *(*build)(const void *datatype, int32_t *declined);
    int32_t passing; /* the one reason for declining that may be gone next time */
} dame_layout_source_t;

/* All layouts of an engine that are shared, by their fingerprint. Locked, except `known`. */
typedef struct dame_layouts {
    dame_layout_t **chains;
    size_t mask; /* number of chains - 1 */
    size_t layouts;
    uint64_t number;                /* the last one */
    dame_layout_t *newest, *oldest; /* of the unused ones, by when they became so */
    size_t unused;                  /* bytes of those */
    size_t most_unused;
    dame_counts_t *counts;
    _Atomic uint32_t known[1024]; /* number of shared layouts, by their fingerprint */
} dame_layouts_t;

enum { DAME_EPOCH_NUMBER_BITS = 40 };

static inline uint64_t dame_layout_epoch(const dame_layout_t *layout)
{
    return atomic_load_explicit(&layout->credit_epoch, memory_order_relaxed);
}

/* Its number. */
static inline uint64_t dame_layout_number(const dame_layout_t *layout)
{
    return dame_layout_epoch(layout) & ((UINT64_C(1) << DAME_EPOCH_NUMBER_BITS) - 1);
}

/* Uses that threads have credit for end with the next one. Any thread. */
static inline void dame_layout_revoke_credits(dame_layout_t *layout)
{
    atomic_fetch_add_explicit(&layout->credit_epoch, UINT64_C(1) << DAME_EPOCH_NUMBER_BITS,
                              memory_order_relaxed);
}

/* most_unused: bytes of unused layouts, those without a datatype or hold, that are kept. `counts`
 * stays. */
void dame_layouts_start(dame_layouts_t *layouts, dame_counts_t *counts, size_t most_unused);

/* Returns whether a layout with this fingerprint may be known. Any thread, with no lock; without
 * one, a layout that another thread has just made can be missed. */
static inline bool dame_layout_may_be_known(const dame_layouts_t *layouts, uint64_t fingerprint)
{
    return atomic_load_explicit(
               &layouts->known[fingerprint % (sizeof(layouts->known) / sizeof(layouts->known[0]))],
               memory_order_relaxed) != 0;
}

/*
 * Locked: the layout of a datatype with this fingerprint, any number that is equal for datatypes of
 * one key, or NULL if it is not known. The returned layout counts one datatype more.
 */
dame_layout_t *dame_layout_find(dame_layouts_t *layouts, const dame_layout_source_t *source,
                                const void *datatype, uint64_t fingerprint);

/* Locked: makes a new layout. The caller registers it with promotion, by
 * dame_promote_layout_init(), before it releases the lock. NULL when memory is out. */
dame_layout_t *dame_layout_new(dame_layouts_t *layouts, const dame_layout_source_t *source,
                               const void *datatype, uint64_t fingerprint);

/* Without the lock: a layout of a program, which it owns from then on, that no other datatype will
 * find. NULL when memory is out; then the program is still the caller's. */
dame_layout_t *dame_layout_private(dame_layouts_t *layouts, dame_program_t *program);

/* Locked: a datatype ends. Returns layouts to pass to dame_promoter_free() once the lock has been
 * released. */
dame_layout_t *dame_layout_put(dame_layouts_t *layouts, dame_layout_t *layout);

/*
 * For callers that use a layout longer than they hold a datatype of it. The caller of the first
 * holds a datatype, so the layout cannot be freed meanwhile; it takes no lock. The second takes the
 * lock, and returns layouts to pass to dame_promoter_free(). Any thread.
 */
static inline void dame_layout_hold(dame_layout_t *layout)
{
    atomic_fetch_add_explicit(&layout->holds, 1, memory_order_relaxed);
    /* before the caller gives up its reference to the datatype */
    atomic_thread_fence(memory_order_release);
}
dame_layout_t *dame_layout_release(dame_layouts_t *layouts, dame_layout_t *layout);

/* Returns all unused layouts, for dame_promoter_free(). No thread may be using any. */
dame_layout_t *dame_layouts_clear(dame_layouts_t *layouts);

/* Frees the chains, after that, if no layout is left. */
void dame_layouts_stop(dame_layouts_t *layouts);

#endif
