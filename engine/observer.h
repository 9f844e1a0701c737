/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events in the life of layouts' codes. Observers are the tally, for the report, and one of the
 * caller's. Called with the gate's lock held (base/lock.h), and never on the way of a message that
 * needs no decision.
 */
#ifndef DAME_OBSERVER_H
#define DAME_OBSERVER_H

#include <stdint.h>

#include "use.h"

enum { DAME_CODE_NAME = 32, DAME_COSTS = 13 };

/* The cost of a byte with a code, in ticks of the clock (measure/clock.h). */
typedef struct dame_code_cost {
    double ticks;
    char code[DAME_CODE_NAME];
} dame_code_cost_t;

typedef enum dame_event_kind {
    DAME_EVENT_COMPILED, /* for a direction, in `ns`, all decisions included */
    DAME_EVENT_RUNS, /* from now on a direction is moved by `tier`, as `code` names it: by code, the
                        first one or the one that was chosen ("x:plain"); by the interpreter, as its
                        code was given up; or, whole messages, by the caller's other engine */
    DAME_EVENT_COSTS, /* the codes that a direction has tried, as measured: `costs` */
    DAME_EVENT_NOT,   /* compiling for a direction failed with `status` */
    DAME_EVENT_DENIED /* the system lets no code run (`error`: why, 0: not known): nothing is
                         compiled from now on; no `use` */
} dame_event_kind_t;

typedef struct dame_event {
    dame_event_kind_t kind;
    const dame_use_t *use;
    dame_dir_t dir;
    int64_t ns;
    dame_tier_t tier;
    const char *code;
    const dame_code_cost_t *costs;
    int32_t ncosts;
    dame_status_t status;
    int error;
} dame_event_t;

typedef enum dame_log_level {
    DAME_LOG_DETAIL, /* about the set-up, at high verbosity */
    DAME_LOG_PROBLEM /* of this node: of a directory, a file, a policy of the system */
} dame_log_level_t;

/* Each function may be NULL. */
typedef struct dame_observer {
    void *argument;
    void (*event)(void *argument, const dame_event_t *event);
    /* Writes the datatype's name, for perf and GDB, cut to `room`; "" if it has no name. */
    void (*name)(void *argument, const dame_use_t *use, char *name, size_t room);
    /* A message of one line. Without a lock, or with the gate's. */
    void (*log)(void *argument, dame_log_level_t level, const char *text);
} dame_observer_t;

__attribute__((format(printf, 3, 4))) void
dame_observer_log(const dame_observer_t *observer, dame_log_level_t level, const char *format, ...);

#endif
