/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The promoter compiles the programs of an engine's layouts. It has the jit, the measured costs,
 * the machine's profile, and the switch that stops all compiling. When a program is, promote.h
 * says.
 */
#ifndef DAME_PROMOTER_H
#define DAME_PROMOTER_H

#include "order.h"

enum { DAME_LONGEST_CODE_NAME = 160 }; /* bytes */

typedef struct dame_promote_options {
    int32_t threshold; /* the use that compiles, 1 being the first; 0: nothing is compiled; below 0:
                          when that is measured to pay */
    const char *profile; /* measured: where the machine's profile is (measure/profile.h), "" or NULL
                            for none. The caller's, until dame_promoter_stop() */
    const int *explore;  /* measured: per cent of the time that may be spent on the search for the
                            fastest code, 0 to 100; may change; until dame_promoter_stop() */
    const char *native;  /* measured: name of another engine of the caller, which may also move
                            whole messages; NULL if absent */
    dame_jit_options_t jit; /* its strings are the caller's, and stay until dame_promoter_stop() */
    dame_order_options_t order; /* the caller's, until dame_promoter_start() returns */
} dame_promote_options_t;

typedef struct dame_promoter {
    dame_jit_t *jit;         /* NULL: the engine compiles nothing */
    dame_costs_t costs;      /* under the gate's lock */
    dame_orders_t orders;    /* under the gate's lock */
    atomic_bool compiles;    /* only the holder of the gate's lock changes it, and only to false */
    atomic_bool is_prepared; /* profile and code cache were looked for, or need not be */
    _Atomic int32_t threshold; /* of new layouts */
    bool must_stay;            /* a thread that could not be stopped still uses jit, and logs to
                                  orders */
    dame_jit_stats_t last;     /* when jit was destroyed */
    dame_promote_options_t options;
    dame_counts_t *counts;
    dame_layouts_t *layouts;
    const dame_observer_t *observers[2]; /* the tally's, NULL if absent; the caller's */
    struct dame_promoter *next;          /* another engine's, under the gate's lock */
} dame_promoter_t;

/* The pieces of the engine, which all stay; `tally` may be NULL. Before the start, once. */
void dame_promoter_init(dame_promoter_t *promoter, dame_counts_t *counts, dame_layouts_t *layouts,
                        const dame_observer_t *tally, const dame_observer_t *observer);

/* Before the first layout. If dame_jit_create() rejects the options, logs why, and nothing is
 * compiled. Copies the options, but not their strings. */
void dame_promoter_start(dame_promoter_t *promoter, const dame_promote_options_t *options);

/* A datatype got its layout, and may be used often: reads the profile and the names of files with
 * code, once, so that no message waits for that. No lock is held. */
void dame_promoter_prepare(dame_promoter_t *promoter);

/* From now on nothing is compiled any more, and so nothing is taken away from programs that live:
 * they keep the kernels that they have. Returns when no thread compiles. Any thread. */
void dame_promoter_disable(dame_promoter_t *promoter);

/* Ends layouts that can no longer be found (a list, or NULL), their programs and codes. No lock is
 * held. Any thread. */
void dame_promoter_free(dame_promoter_t *promoter, dame_layout_t *layouts);

/* Before the last layouts end: nothing is compiled any more, and no order holds a layout. */
void dame_promoter_settle(dame_promoter_t *promoter);

/* After the last layout, with no thread inside. Counts stay. saves: the profile is written; other
 * processes of the job, with similar measurements, need not wait for that. */
void dame_promoter_stop(dame_promoter_t *promoter, bool saves);

/* Sums up all machine code made so far. Any thread, with no lock from DAME_LOCK_STATISTICS on held.
 * */
void dame_promoter_stats(dame_promoter_t *promoter, dame_jit_stats_t *stats);

/*
 * For those who compile; with the gate's lock held. Writes the name of a datatype's machine code
 * for perf and GDB, which read it up to the end of the line, and returns it. NULL: no name is
 * needed.
 */
const char *dame_promoter_name_code(const dame_promoter_t *promoter, const dame_use_t *use,
                                    char name[DAME_LONGEST_CODE_NAME]);

/* A program runs other machine code than before, made in `ns`: counts it, and tells. */
void dame_promoter_compiled(const dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                            int64_t ns);

/* Compiling ended with `status`: counts that. If the system lets no code run, stops compiling, and
 * tells. */
void dame_promoter_failed(dame_promoter_t *promoter, dame_status_t status);

/* Tells both observers. */
void dame_promoter_tell(const dame_promoter_t *promoter, const dame_event_t *event);

/* With the gate's lock held, so that nothing is evicted meanwhile: calls `visit` for each direction
 * of a layout that the caller holds. */
void dame_promoter_with_code(const dame_layout_t *layout, void *argument,
                             void (*visit)(void *argument, const dame_program_t *program,
                                           dame_dir_t dir));

static inline const dame_observer_t *dame_promoter_observer(const dame_promoter_t *promoter)
{
    return promoter->observers[1];
}

#endif
