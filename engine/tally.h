/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The statistics of each datatype, for reports.
 *
 * A tally belongs to all datatypes of one name and one layout that an engine uses, one after the
 * other or at the same time, and outlives them: applications create the same datatype again and
 * again. It receives events of codes as an observer.
 */
#ifndef DAME_TALLY_H
#define DAME_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/rates.h"
#include "observer.h"
#include "words.h"

enum { DAME_TALLY_NAME = 40, DAME_TALLY_WORDS = 64 };

typedef struct dame_row_moved {
    int64_t uses;
    int64_t bytes;
    dame_rate_t rate;
} dame_row_moved_t;

enum { DAME_STEPS = 4 };

/* From this use on, this code ran: a name such as "x:plain", or "interp", the interpreter again. */
typedef struct dame_code_step {
    int64_t use;
    char code[DAME_CODE_NAME];
} dame_code_step_t;

/* What became of one direction; before the first step it is the interpreter that runs. */
typedef struct dame_history {
    int32_t nsteps; /* the first, and the last ones */
    int32_t ncosts; /* of the layout that changed last */
    dame_code_step_t steps[DAME_STEPS];
    dame_code_cost_t costs[DAME_COSTS];
} dame_history_t;

/* All datatypes of one name and layout that this process has used. Plain data. */
typedef struct dame_tally_row {
    char name[DAME_TALLY_NAME]; /* "": without a name */
    char words[DAME_TALLY_WORDS];
    int64_t size; /* of an element */
    int64_t datatypes;
    dame_row_moved_t moved[DAME_WORKS][DAME_TIERS];
    dame_rate_t native[DAME_WORKS]; /* the same work by the native engine */
    int64_t compiled_at[2];         /* [dame_dir_t]: the use; 0: was not compiled */
    int64_t compile_ns;
    int64_t demoted;               /* times that machine code was not faster */
    dame_history_t history[2];     /* [dame_dir_t] */
    int64_t left_uses[DAME_WORKS]; /* uses that dame_tally_leave() counted */
    int64_t left_bytes[DAME_WORKS];
    int32_t left_why; /* of the last one */
} dame_tally_row_t;

/* The times of a tally: most of its memory, so made only while times are taken. */
typedef struct dame_times {
    dame_moved_t moved[DAME_WORKS][DAME_TIERS];
    dame_native_t native[DAME_WORKS];
} dame_times_t;

typedef struct dame_tally dame_tally_t;
struct dame_tally {
    dame_amounts_t amounts; /* first: handles and credits point to it */
    dame_tally_t *next;
    dame_tally_t *beside; /* in its chain */
    uint64_t number;      /* from 1 on */
    char name[DAME_TALLY_NAME];
    char words[DAME_TALLY_WORDS];
    int64_t size;
    _Atomic int64_t datatypes;
    dame_times_t *times;            /* owned; NULL: none are taken */
    _Atomic int64_t compiled_at[2]; /* [dame_dir_t]: the use; 0: was not compiled */
    _Atomic int64_t compile_ns;
    _Atomic int64_t demoted;
    dame_tier_t runs[2]; /* [dame_dir_t]; what the last step runs; under DAME_LOCK_GATE */
    dame_history_t
        history[2]; /* [dame_dir_t]; DAME_LOCK_STATISTICS; changes also need the gate's */
    dame_amount_t left[DAME_WORKS]; /* to the caller's other engine */
    _Atomic int32_t left_why;
};

enum { DAME_TALLY_CHAINS = 256 };

/* Those of an engine. Changed with DAME_LOCK_LAYOUTS held; tallies are only ever added. */
typedef struct dame_tallies {
    bool on;
    bool times; /* tallies have them */
    int count;
    _Atomic(dame_tally_t *) first;
    dame_tally_t *chains[DAME_TALLY_CHAINS]; /* by name and words */
    dame_counts_t *counts;
    dame_observer_t observer; /* what promotion tells */
} dame_tallies_t;

/* Once. `counts` stays. */
void dame_tallies_init(dame_tallies_t *tallies, dame_counts_t *counts);

/* Before the first datatype: are tallies kept? And after the last use of any. */
void dame_tallies_start(dame_tallies_t *tallies, bool on, bool times);
void dame_tallies_stop(dame_tallies_t *tallies);

/* Gives a handle its tally, by the datatype's name and its layout, which has a program. `own`: each
 * name has a tally; else it is the layout's, named after its first datatype. With
 * DAME_LOCK_LAYOUTS held. */
void dame_tally_open(dame_tallies_t *tallies, dame_use_t *use, const char *name, bool own);

/* The tally of a name, a layout in words, and its size; NULL if tallies are off or memory is out.
 * With DAME_LOCK_LAYOUTS held. */
dame_tally_t *dame_tally_get(dame_tallies_t *tallies, const char *name, const char *words,
                             int64_t size);

/* The caller's other engine moves a message, for a reason that the caller numbers. `tally` may be
 * NULL: off. Any thread. */
static inline void dame_tally_leave(dame_tally_t *tally, dame_work_t work, int64_t bytes,
                                    int32_t why)
{
    if (tally != NULL) {
        atomic_fetch_add_explicit(&tally->left[work].uses, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&tally->left[work].bytes, bytes, memory_order_relaxed);
        atomic_store_explicit(&tally->left_why, why, memory_order_relaxed);
    }
}

static inline dame_tally_t *dame_tally_of(const dame_use_t *use)
{
    return (dame_tally_t *) use->amounts; /* its first member */
}

/* Uses so far, except those that are counted in a dame_credit_t. */
static inline int64_t dame_tally_uses(const dame_tally_t *tally, dame_work_t work)
{
    int64_t uses = 0;
    for (int tier = 0; tier < DAME_TIERS; tier++) {
        uses += atomic_load_explicit(&tally->amounts.of[work][tier].uses, memory_order_relaxed);
    }
    return uses;
}

/* A message begins that no dame_credit_t counts. Returns the number of this use among those of its
 * kind, except those that are counted there. */
static inline int64_t dame_tally_use(dame_tally_t *tally, dame_work_t work, dame_tier_t tier,
                                     int64_t bytes)
{
    dame_amounts_add(&tally->amounts, work, tier, 1, bytes);
    return dame_tally_uses(tally, work);
}

/* ---- Reports; any thread. Those of all tallies: with no lock from DAME_LOCK_LAYOUTS on held, also
 * while the engine stops ---- */

/* The rows with the most bytes, those first. Returns how many, at most `room`. */
int dame_tally_rows(const dame_tallies_t *tallies, dame_tally_row_t *rows, int room);

/* Nanoseconds that `work` took, estimated from samples; 0 without any. */
int64_t dame_tallies_ns(const dame_tallies_t *tallies, dame_work_t work);

/* Uses, or bytes, of all datatypes; and of one tally. */
int64_t dame_tallies_total(const dame_tallies_t *tallies, dame_work_t work, dame_tier_t tier,
                           bool bytes);
int64_t dame_tally_total(const dame_tallies_t *tallies, const dame_tally_t *tally, dame_work_t work,
                         dame_tier_t tier, bool bytes);

/* What a byte costs in nanoseconds, < 0 when that is not known. */
double dame_tally_rate(const dame_tally_t *tally, dame_work_t work, dame_tier_t tier);

#endif
