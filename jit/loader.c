/* SPDX-License-Identifier: BSD-3-Clause */
/* dlopen() of providers, once a process each. */
#define _GNU_SOURCE
#include "loader.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/spare.h"

/* The objects that were tried, under DAME_LOCK_COMPILER. */
static struct {
    dev_t device;
    ino_t file;
    const dame_provider_t *provider; /* NULL: failed, or is being tried */
} tried[16];
static int ntried;

enum { MOST_TRIED = sizeof(tried) / sizeof(tried[0]) };

static int find_object(const struct stat *object)
{
    int i = 0;
    while (i < ntried && (tried[i].device != object->st_dev || tried[i].file != object->st_ino)) {
        i++;
    }
    return i;
}

/* ---- who is inside ---- */

enum { STEPS = 10000, STEP_NS = 1000000 };

static atomic_int inside; /* calls, of all threads; changes under DAME_LOCK_LOADER */
static _Thread_local int own;
static atomic_int is_ending;
static pid_t process;

static int others_inside(void)
{
    return atomic_load(&inside) > own;
}

/* fork() waits. It has the lock, which dame_wait_for() gives back meanwhile. */
static void wait_for_others(void)
{
    for (int i = 0; i < STEPS && others_inside(); i++) {
        dame_wait_for(DAME_LOCK_LOADER, STEP_NS);
    }
}

/* In the child. */
static void leave_others(void)
{
    atomic_store(&inside, own);
}

int dame_loader_enter(void)
{
    if (!dame_lock_at_fork(DAME_LOCK_LOADER, leave_others) ||
        !dame_lock_before_fork(DAME_LOCK_LOADER, wait_for_others)) {
        return 0;
    }
    dame_lock(DAME_LOCK_LOADER);
    own++;
    atomic_fetch_add(&inside, 1);
    dame_unlock(DAME_LOCK_LOADER);
    if (atomic_load(&is_ending)) {
        dame_loader_leave();
        return 0;
    }
    return 1;
}

void dame_loader_leave(void)
{
    dame_lock(DAME_LOCK_LOADER);
    own--;
    atomic_fetch_sub(&inside, 1);
    dame_wake(DAME_LOCK_LOADER);
    dame_unlock(DAME_LOCK_LOADER);
}

/* ---- the end of the process ---- */

/* Takes no lock: exit() may be called by who holds one. */
static void wait_for_all(void)
{
    atomic_store(&is_ending, 1);
    for (int i = 0; i < STEPS && others_inside() && getpid() == process; i++) {
        (void) nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
    }
}

/* What a thread's end and, of the thread that calls it, exit() begin with; glibc's. */
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void wait_before_exit(void *unused)
{
    (void) unused;
    wait_for_all();
}

void dame_loader_wait_at_exit(void)
{
    static atomic_flag is_first = ATOMIC_FLAG_INIT;
    if (__cxa_thread_atexit_impl != NULL && getpid() == gettid() &&
        !atomic_flag_test_and_set(&is_first)) {
        (void) __cxa_thread_atexit_impl(wait_before_exit, NULL, &__dso_handle);
    }
    dame_at_exit(wait_for_all);
}

/* ---- loading ---- */

/* LLVM's constructors end the process when they get no memory. LLVM 19 and its libraries take 190
 * MiB of addresses, and a compilation needs what jit/l/provider.c asks for. */
enum { SPARE_MIB = 512 };

static const dame_provider_t *open_object(const char *path, char message[DAME_LOADER_MESSAGE])
{
    if (!dame_has_spare((size_t) SPARE_MIB << 20)) {
        snprintf(message, DAME_LOADER_MESSAGE,
                 "%s is not loaded: the process may not have %d MiB more memory", path, SPARE_MIB);
        return NULL;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        snprintf(message, DAME_LOADER_MESSAGE, "%s cannot be loaded: %s", path, dlerror());
        return NULL;
    }
    dame_at_exit(wait_for_all); /* comes before the destructors of the object just loaded */
    const dame_provider_t *(*get)(void) = NULL;
    void *symbol = dlsym(object, DAME_PROVIDER_SYMBOL);
    memcpy(&get, &symbol, sizeof(get)); /* ISO C has no cast for it */
    const dame_provider_t *provider = get != NULL ? get() : NULL;
    if (get == NULL) {
        snprintf(message, DAME_LOADER_MESSAGE, "%s has no function %s()", path,
                 DAME_PROVIDER_SYMBOL);
    } else if (provider == NULL || provider->version != DAME_PROVIDER_VERSION) {
        snprintf(message, DAME_LOADER_MESSAGE,
                 "%s has version %d of the interface, but version %d is needed", path,
                 provider != NULL ? (int) provider->version : 0, DAME_PROVIDER_VERSION);
        provider = NULL;
    }
    return provider; /* the object stays even if it is useless: its constructors have run */
}

const dame_provider_t *dame_loader_load(const char *path, char message[DAME_LOADER_MESSAGE])
{
    struct stat object;
    message[0] = '\0';
    if (stat(path, &object) != 0) {
        return NULL;
    }
    dame_lock(DAME_LOCK_COMPILER);
    const int at = find_object(&object);
    const int is_new = at == ntried && at < MOST_TRIED;
    const dame_provider_t *provider = at < ntried ? tried[at].provider : NULL;
    if (is_new) {
        tried[at].device = object.st_dev;
        tried[at].file = object.st_ino;
        ntried++;
    }
    dame_unlock(DAME_LOCK_COMPILER);
    if (is_new) {
        process = getpid();
        dame_at_exit(wait_for_all); /* waits while it is loaded */
        if (dame_loader_enter()) {
            provider = open_object(path, message);
            dame_loader_leave();
        }
        dame_lock(DAME_LOCK_COMPILER);
        tried[at].provider = provider;
        dame_unlock(DAME_LOCK_COMPILER);
    }
    return provider;
}

void dame_loader_fail(const dame_provider_t *provider)
{
    dame_lock(DAME_LOCK_COMPILER);
    for (int i = 0; i < ntried; i++) {
        tried[i].provider = tried[i].provider != provider ? tried[i].provider : NULL;
    }
    dame_unlock(DAME_LOCK_COMPILER);
}
