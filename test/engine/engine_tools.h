/* SPDX-License-Identifier: BSD-3-Clause */
/* An engine for the tests of this folder. Messages printed once a node are kept, and events of
 * compilations are counted. */
#ifndef TEST_ENGINE_TOOLS_H
#define TEST_ENGINE_TOOLS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/heap.h"
#include "engine/credit.h"
#include "engine/engine.h"
#include "test/glue/checks.h"

static dame_engine_t engine;

static char last_said[1024];
static long said;
static long compiled;              /* events */
static const char *type_name = ""; /* of all datatypes */

static void hear(void *unused, const dame_event_t *event)
{
    (void) unused;
    compiled += DAME_EVENT_COMPILED == event->kind;
    if (event->kind == DAME_EVENT_DENIED) {
        (void) snprintf(last_said, sizeof(last_said), "denied: %d", event->error);
        said++;
    }
}

static void name_datatype(void *unused, const dame_use_t *use, char *name, size_t room)
{
    (void) unused, (void) use;
    (void) snprintf(name, room, "%s", type_name);
}

static void hear_log(void *unused, dame_log_level_t level, const char *text)
{
    (void) unused;
    if (level == DAME_LOG_PROBLEM) {
        (void) snprintf(last_said, sizeof(last_said), "%s", text);
        said++;
    }
}

static const dame_observer_t observer = {.event = hear, .name = name_datatype, .log = hear_log};

/* Starts the engine; dame_engine_stop() ends it, and it may start again. */
static inline void start_engine(const dame_promote_options_t *options)
{
    engine.observer = &observer;
    dame_engine_start(&engine, &(dame_engine_options_t){.promotion = *options});
}

static inline void stop_engine(void)
{
    dame_engine_stop(&engine, true);
}

/* A layout with a program, which it owns, and the handle of a datatype of it. */
static inline void new_use(dame_use_t *use, dame_program_t *program)
{
    static uint64_t number;
    dame_layout_t *layout = dame_heap_zalloc(sizeof(*layout));
    if (layout == NULL || program == NULL) {
        abort();
    }
    layout->program = program;
    atomic_store(&layout->credit_epoch, ++number);
    dame_promote_layout_init(&engine.promoter, layout);
    *use = (dame_use_t){.layout = layout};
}

static inline void end_use(dame_use_t *use)
{
    dame_promoter_free(&engine.promoter, use->layout);
    use->layout = NULL;
}

static inline int64_t total(dame_counter_t counter)
{
    return dame_counts_total(&engine.counts, counter);
}

static inline int64_t code_stat(dame_code_stat_t stat)
{
    dame_jit_stats_t stats;
    dame_promoter_stats(&engine.promoter, &stats);
    return dame_code_stat(&stats, stat);
}

#endif
