/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: the life of layouts and of their codes, for any caller. It has no global state but
 * the lists that fork() goes through; a process may have several.
 *
 * A caller has handles (use.h) for its datatypes, and a dame_thread_t in each thread that moves
 * data. It gets layouts (layout.h), calls credit.h and promote.h at each message for the work
 * besides moving it, and moves it by the layout's program (dame/program.h, dame/cursor.h) inside
 * the thread's reader.
 */
#ifndef DAME_ENGINE_H
#define DAME_ENGINE_H

#include "promote.h"
#include "tally.h"
#include "timing.h"

typedef struct dame_engine_options {
    dame_promote_options_t promotion; /* when programs are compiled, and how */
    size_t layout_cache;              /* most bytes kept of layouts that no datatype has any more */
    bool tallies;                     /* count for each datatype */
    bool times;                       /* .. and take times, which needs that */
} dame_engine_options_t;

/* Zero before dame_engine_start(). The caller uses its pieces, by their headers. */
typedef struct dame_engine {
    dame_counts_t counts;
    dame_threads_t threads; /* its callbacks are the caller's, on_unwatched is the engine's */
    dame_layouts_t layouts;
    dame_promoter_t promoter;
    dame_tallies_t tallies;
    dame_timing_t timing;
    const dame_observer_t *observer; /* the caller's; set before the start, stays */
} dame_engine_t;

/* The default observer: ignores all events. */
extern const dame_observer_t dame_no_observer;

/* Once, or again after dame_engine_stop(); the strings in the options stay until then. Threads may
 * be enlisted from then on. */
void dame_engine_start(dame_engine_t *engine, const dame_engine_options_t *options);

/* Before the last datatypes give up their layouts: nothing is compiled any more. */
void dame_engine_settle(dame_engine_t *engine);

/* When no thread uses it any more and no datatype has a layout. Its counts stay, and threads may go
 * on counting. saves: this process writes the machine's profile. */
void dame_engine_stop(dame_engine_t *engine, bool saves);

/* After dame_engine_stop(), before the engine is freed: no thread may move data with it any more.
 * False: a compilation could not be stopped and will report to the engine, which has to stay. */
bool dame_engine_end(dame_engine_t *engine);

/*
 * A datatype that shares its program with no other: fills in the handle for it. The program is the
 * engine's from then on, until dame_engine_close_private(). DAME_ERR_NOMEM: nothing has happened.
 */
dame_status_t dame_engine_open_private(dame_engine_t *engine, dame_program_t *program,
                                       dame_use_t *use);
void dame_engine_close_private(dame_engine_t *engine, dame_use_t *use);

/* Locked (layout.h): as dame_layout_new(), and promotion knows of it. */
dame_layout_t *dame_engine_new_layout(dame_engine_t *engine, const dame_layout_source_t *source,
                                      const void *datatype, uint64_t fingerprint);

#endif
