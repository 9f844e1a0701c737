/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dame_papi.so: hardware events by PAPI, beside an application that may use PAPI itself.
 *
 * An application starts, stops and destroys event sets of its own, may unregister its threads and
 * shut PAPI down and start it again. So nothing of ours lives from one use to the next: a use makes
 * its event sets, counts, and destroys them, and no code of the application runs in between. PAPI
 * is never shut down, because the application may rely on it by then.
 */
#include "papi.h"

#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Components of PAPI count independently of each other, and one event set belongs to one of them.
 * A thread has one running event set of a component. */
static struct {
    int32_t n;
    int codes[DAME_COUNTERS];
    int components[DAME_COUNTERS];
} events;

/* The place of an event's set in use->sets: the first event of its component. */
static int32_t set_of(int32_t event)
{
    int32_t first = 0;
    while (events.components[first] != events.components[event]) {
        first++;
    }
    return first;
}

/* PAPI has no texts before it is initialised and after it is shut down. */
static const char *error_text(int error)
{
    const char *text = PAPI_strerror(error);
    return text == NULL ? "PAPI is not initialised" : text;
}

/* ---- A use ---------------------------------------------------------------------------------- */

static void destroy(dame_papi_use_t *use)
{
    for (int32_t i = 0; i < events.n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all are filled */
        if (use->sets[i] != PAPI_NULL) {
            (void) PAPI_cleanup_eventset(use->sets[i]);
            (void) PAPI_destroy_eventset(&use->sets[i]);
        }
    }
}

static int fill_sets(dame_papi_use_t *use)
{
    int error = PAPI_OK;
    for (int32_t i = 0; i < events.n; i++) {
        use->sets[i] = PAPI_NULL;
    }
    for (int32_t i = 0; i < events.n && error == PAPI_OK; i++) {
        int *set = &use->sets[set_of(i)];
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): filled above */
        if (*set == PAPI_NULL) {
            error = PAPI_create_eventset(set);
        }
        if (error == PAPI_OK) {
            error = PAPI_add_event(*set, events.codes[i]);
        }
    }
    return error;
}

static int begin_events(dame_papi_use_t *use)
{
    int error = fill_sets(use);
    int32_t started = 0;
    while (error == PAPI_OK && started < events.n) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all are filled */
        if (use->sets[started] != PAPI_NULL) {
            error = PAPI_start(use->sets[started]);
        }
        started += PAPI_OK == error;
    }
    if (error != PAPI_OK) {
        for (int32_t i = 0; i < started; i++) {
            if (use->sets[i] != PAPI_NULL) {
                (void) PAPI_stop(use->sets[i], NULL);
            }
        }
        destroy(use);
    }
    return error;
}

static int end_events(dame_papi_use_t *use, int64_t *counts)
{
    long long values[DAME_COUNTERS][DAME_COUNTERS];
    int32_t used[DAME_COUNTERS] = {0};
    int error = PAPI_OK;
    for (int32_t i = 0; i < events.n; i++) {
        if (use->sets[i] != PAPI_NULL) {
            const int stopped = PAPI_stop(use->sets[i], values[i]);
            error = stopped == PAPI_OK ? error : stopped;
        }
    }
    if (error == PAPI_OK) {
        for (int32_t i = 0; i < events.n; i++) { /* a set's values come in the order of adding */
            counts[i] = values[set_of(i)][used[set_of(i)]++];
        }
    }
    destroy(use);
    return error;
}

/* ---- Which events --------------------------------------------------------------------------- */

static void complain_of_papi(char *why, size_t room, const char *name, int error)
{
    const size_t length = strlen(why);
    const PAPI_component_info_t *component = NULL;
    int code;
    if (error == PAPI_ECMP_DISABLED) {
        component = PAPI_get_component_info(
            PAPI_event_name_to_code(name, &code) == PAPI_OK ? PAPI_get_event_component(code) : 0);
    }
    (void) snprintf(why + length, room - length, "%s%s: %s%s%s", length == 0 ? "" : "; ", name,
                    error_text(error), component == NULL ? "" : ", ",
                    component == NULL ? "" : component->disabled_reason);
}

/* Takes the event in if it can be counted together with those before. */
static int try_event(const char *name)
{
    dame_papi_use_t use;
    int64_t counts[DAME_COUNTERS];
    int code;
    int error = PAPI_event_name_to_code(name, &code);
    if (error != PAPI_OK) {
        return error;
    }
    events.codes[events.n] = code;
    events.components[events.n] = PAPI_get_event_component(code);
    events.n++;
    error = begin_events(&use);
    if (error == PAPI_OK) {
        error = end_events(&use, counts);
    }
    if (error != PAPI_OK && error != PAPI_EISRUN) { /* the application is counting: later, then */
        events.n--;
        return error;
    }
    return PAPI_OK;
}

static int32_t open_papi(const char **names, int32_t n, char *why, size_t room)
{
    *why = '\0';
    const int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        (void) snprintf(why, room, "PAPI_library_init: %s",
                        version < 0 ? error_text(version) : "PAPI is of another version");
        return 0;
    }
    const int threads = PAPI_thread_init(pthread_self); /* no change where the application has */
    if (threads != PAPI_OK) {
        (void) snprintf(why, room, "PAPI_thread_init: %s", error_text(threads));
        return 0;
    }
    for (int32_t i = 0; i < n; i++) {
        const int error = try_event(names[i]);
        if (error == PAPI_OK) {
            names[events.n - 1] = names[i];
        } else {
            complain_of_papi(why, room, names[i], error);
        }
    }
    return events.n;
}

__attribute__((visibility("default"))) const dame_papi_t *dame_papi(void)
{
    static const dame_papi_t papi = {
        .version = DAME_PAPI_VERSION,
        .open = open_papi,
        .begin = begin_events,
        .end = end_events,
        .error_text = error_text,
    };
    return &papi;
}
