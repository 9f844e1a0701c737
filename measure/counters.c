/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "counters.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "base/lock.h"
#include "papi.h"

/* OFF before the start, without events, in a child of fork(), and after whatever went wrong. */
enum { OFF, CHOSEN, COUNTS };
static _Atomic int state = OFF;

/* Written under DAME_LOCK_COUNTERS before `state` becomes COUNTS, and not changed then. */
static struct {
    const dame_papi_t *papi;
    char *text; /* owned: the names, separated by '\0' */
    const char *names[DAME_COUNTERS];
    int32_t n;
    const char *object;
    void (*tell)(const char *text);
} counters;

static _Atomic int64_t missed;
static _Atomic int last_error;

/* ---- The object ----------------------------------------------------------------------------- */

/* Beside the object that this function is part of. */
static int beside(char *path, size_t room)
{
    Dl_info info;
    if (dladdr((void *) (uintptr_t) &dame_counters_start, &info) == 0 || info.dli_fname == NULL) {
        return 0;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const int length = slash == NULL ? 0 : (int) (slash - info.dli_fname) + 1;
    return snprintf(path, room, "%.*sdame_papi.so", length, info.dli_fname) < (int) room;
}

/* NULL, and why PAPI is absent. */
static const dame_papi_t *load_papi(const char *path, char *why, size_t room)
{
    struct stat found;
    if (stat(path, &found) != 0) {
        (void) snprintf(why, room, "%s: %s", path,
                        errno == ENOENT ? "not installed (DAME was built without PAPI?)"
                                        : strerror(errno));
        return NULL;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = object == NULL ? NULL : dlsym(object, "dame_papi");
    if (symbol == NULL) {
        const char *error = dlerror();
        (void) snprintf(why, room, "%s", error == NULL ? path : error);
        return NULL;
    }
    const dame_papi_t *(*give)(void);
    *(void **) &give = symbol;
    const dame_papi_t *papi = give();
    if (papi->version != DAME_PAPI_VERSION) {
        (void) snprintf(why, room, "%s is of another version of DAME", path);
        return NULL;
    }
    return papi;
}

/* Leaves the safe state behind if anything in here does not return. */
static void load_and_open(void)
{
    char path[PATH_MAX];
    char why[PATH_MAX + 256] = "";
    atomic_store_explicit(&state, OFF, memory_order_relaxed);
    const char *object = counters.object;
    if (object == NULL && beside(path, sizeof(path))) {
        object = path;
    }
    counters.papi = object == NULL ? NULL : load_papi(object, why, sizeof(why));
    const int32_t asked = counters.n;
    counters.n =
        counters.papi == NULL ? 0 : counters.papi->open(counters.names, asked, why, sizeof(why));
    if (counters.n < asked && counters.tell != NULL) {
        counters.tell(why);
    }
    if (counters.n > 0) {
        atomic_store_explicit(&state, COUNTS, memory_order_release);
    }
}

/* Loads PAPI unless that was tried before. */
static int first_use(void)
{
    dame_lock(DAME_LOCK_COUNTERS);
    if (atomic_load_explicit(&state, memory_order_relaxed) == CHOSEN) {
        load_and_open();
    }
    dame_unlock(DAME_LOCK_COUNTERS);
    return atomic_load_explicit(&state, memory_order_acquire) == COUNTS;
}

/* ---- Start and stop ------------------------------------------------------------------------- */

/* PAPI's counters are those of the parent. */
static void counters_in_child(void)
{
    atomic_store_explicit(&state, OFF, memory_order_relaxed);
}

int dame_counters_start(const char *events, const char *object, void (*tell)(const char *text))
{
    counters.text = dame_heap_alloc(strlen(events) + 1);
    if (counters.text == NULL || !dame_lock_at_fork(DAME_LOCK_COUNTERS, counters_in_child)) {
        return 0;
    }
    (void) strcpy(counters.text, events);
    char *rest = counters.text;
    counters.n = 0;
    for (char *name; counters.n < DAME_COUNTERS && (name = strsep(&rest, ",")) != NULL;) {
        if (*name != '\0') {
            counters.names[counters.n++] = name;
        }
    }
    counters.object = object;
    counters.tell = tell;
    atomic_store_explicit(&state, counters.n > 0 ? CHOSEN : OFF, memory_order_release);
    return 1;
}

void dame_counters_stop(void)
{
    atomic_store_explicit(&state, OFF, memory_order_relaxed);
    counters.n = 0;
    dame_heap_free(counters.text);
    counters.text = NULL;
}

/* ---- A use ---------------------------------------------------------------------------------- */

static int miss(int error)
{
    atomic_fetch_add_explicit(&missed, 1, memory_order_relaxed);
    atomic_store_explicit(&last_error, error, memory_order_relaxed);
    return 0;
}

int dame_counters_begin(dame_papi_use_t *use)
{
    const int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now == OFF || (now == CHOSEN && !first_use())) {
        return 0;
    }
    use->cancel_state =
        dame_cancel_defer(); /* PAPI closes files, where a thread may be cancelled */
    const int error = counters.papi->begin(use);
    if (error != 0) {
        dame_cancel_restore(use->cancel_state);
        return miss(error);
    }
    return 1;
}

int dame_counters_end(dame_papi_use_t *use, int64_t counts[DAME_COUNTERS])
{
    const int error = counters.papi->end(use, counts);
    dame_cancel_restore(use->cancel_state);
    return error == 0 ? 1 : miss(error);
}

/* ---- Counts --------------------------------------------------------------------------------- */

int32_t dame_counters_number(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == COUNTS ? counters.n : 0;
}

const char *dame_counters_name(int32_t event)
{
    return counters.names[event];
}

int64_t dame_counters_missed(const char **why)
{
    const int64_t n = atomic_load_explicit(&missed, memory_order_relaxed);
    *why = n == 0
               ? ""
               : counters.papi->error_text(atomic_load_explicit(&last_error, memory_order_relaxed));
    return n;
}
