/* SPDX-License-Identifier: BSD-3-Clause */
#include "observer.h"

#include <stdatomic.h>
#include <string.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/import/contents.h"
#include "dump.h"
#include "entry.h"
#include "log.h"
#include "name.h"

static const opal_datatype_t *datatype_of(const dame_use_t *use)
{
    return atomic_load_explicit(&dt_entry_of(use)->key, memory_order_relaxed);
}

static void name_datatype(void *unused, const dame_use_t *use, char *name, size_t room)
{
    (void) unused;
    (void) dt_name_text(dt_contents_name(datatype_of(use)), name, room);
}

static void log_text(void *unused, dame_log_level_t level, const char *text)
{
    (void) unused;
    if (level == DAME_LOG_PROBLEM) {
        dt_log_once_a_node("%s", text);
    } else {
        dt_log("%s", text);
    }
}

static void log_runs(const dame_event_t *event, const char *verb)
{
    const void *where;
    const char *name = dt_contents_name(datatype_of(event->use));
    if (event->tier == DAME_TIER_INTERP) {
        dt_log_of(DT_LOG_SETUP, name, "the interpreter is the fastest: it %ss from now on", verb);
    } else if (event->tier == DAME_TIER_NATIVE) {
        dt_log_of(DT_LOG_SETUP, name, "Open MPI's own engine is faster: it %ss whole messages",
                  verb);
    } else {
        dt_log_of(DT_LOG_SETUP, name, "compiled to %s, %s, %zu bytes", verb, event->code,
                  dame_jit_code(event->use->layout->program, event->dir, &where));
    }
}

static void log_denied(int error)
{
    dt_log_once_a_node(
        "this system does not let a process execute machine code that it makes (%s). DAME's "
        "interpreter moves all data instead: slower, but the same bytes. Allow it (SELinux: the "
        "permission execmem), or set dt_dame_promotion_threshold to 0 to silence this message.",
        error != 0 ? strerror(error) : "no reason given");
}

static void hear_event(void *unused, const dame_event_t *event)
{
    const char *verb = event->dir == DAME_PACK ? "pack" : "unpack";
    (void) unused;
    switch (event->kind) {
    case DAME_EVENT_COMPILED:
        dt_dump_code(dt_entry_dump(dt_entry_of(event->use)), event->use->layout->program,
                     event->dir);
        break;
    case DAME_EVENT_RUNS:
        if (dt_log_wants(DT_LOG_SETUP)) {
            log_runs(event, verb);
        }
        break;
    case DAME_EVENT_NOT:
        if (dt_log_wants(DT_LOG_SETUP)) {
            dt_log_of(DT_LOG_SETUP, dt_contents_name(datatype_of(event->use)),
                      "not compiled to %s: %s", verb, dame_status_text(event->status));
        }
        break;
    case DAME_EVENT_DENIED:
        log_denied(event->error);
        break;
    default:
        break;
    }
}

const dame_observer_t dt_observer = {.event = hear_event, .name = name_datatype, .log = log_text};
