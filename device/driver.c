/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "driver.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* dlsym() returns functions as data. */
static int look_up(void *object, const char *symbol, void *function)
{
    void *found = dlsym(object, symbol);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static int look_up_all(void *object, dame_driver_t *driver)
{
#define LOOK_UP(field, symbol, arguments) look_up(object, symbol, &driver->field) &&
    const int has_all = DAME_DRIVER_FUNCTIONS(LOOK_UP) 1;
#undef LOOK_UP
    (void) look_up(object, "dame_load_host_code", &driver->load_host_code);
    return has_all;
}

/* A walk over loaded objects. Not dlopen(), which allocates an error message if it fails. */
typedef struct walk {
    unsigned long long loaded_before; /* objects, when an earlier walk found none */
    unsigned long long loaded;
} walk_t;

/* Ends the walk at the driver, or at once if nothing was loaded since the earlier one. */
enum { GO_ON, FOUND, AS_BEFORE };

static int look_at(struct dl_phdr_info *object, size_t size, void *argument)
{
    walk_t *walk = argument;
    const char *slash = strrchr(object->dlpi_name, '/');
    (void) size;
    walk->loaded = object->dlpi_adds;
    return walk->loaded == walk->loaded_before ? AS_BEFORE
           : strncmp(slash != NULL ? slash + 1 : object->dlpi_name, "libcuda.so", 10) == 0 ? FOUND
                                                                                           : GO_ON;
}

static bool is_loaded(void)
{
    static _Atomic unsigned long long without; /* objects loaded when none was the driver */
    walk_t walk = {.loaded_before = atomic_load_explicit(&without, memory_order_relaxed)};
    const int end = dl_iterate_phdr(look_at, &walk);
    if (end == GO_ON) {
        atomic_store_explicit(&without, walk.loaded, memory_order_relaxed);
    }
    return end == FOUND;
}

const dame_driver_t *dame_driver_find(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static dame_driver_t driver;
    static _Atomic(const dame_driver_t *) found;
    const dame_driver_t *before = atomic_load(&found);
    if (before != NULL || !is_loaded()) {
        return before;
    }
    void *object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD); /* it stays, if it is there */
    if (object == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (atomic_load(&found) == NULL && look_up_all(object, &driver)) {
        atomic_store(&found, &driver);
    }
    pthread_mutex_unlock(&lock);
    return atomic_load(&found);
}

const char *dame_driver_error(const dame_driver_t *driver, cu_result_t error)
{
    const char *name = NULL;
    return driver->error_name(error, &name) == 0 && name != NULL ? name : "an unknown error";
}
