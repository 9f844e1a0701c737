/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "driver.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* dlsym() returns functions as data. */
static int look_up(void *object, const char *symbol, void *function)
{
    void *found = dlsym(object, symbol);
    memcpy(function, &found, sizeof(found));
    return NULL != found;
}

static int look_up_all(void *object, dame_driver_t *driver)
{
#define LOOK_UP(field, symbol, arguments) look_up(object, symbol, &driver->field) &&
    const int has_all = DAME_DRIVER_FUNCTIONS(LOOK_UP) 1;
#undef LOOK_UP
    (void) look_up(object, "dame_load_host_code", &driver->load_host_code);
    return has_all;
}

/* Of loaded objects. Without dlopen(), which allocates memory for the error that there is none. */
static int is_the_driver(struct dl_phdr_info *object, size_t size, void *unused)
{
    const char *slash = strrchr(object->dlpi_name, '/');
    (void) size;
    (void) unused;
    return 0 == strncmp(NULL != slash ? slash + 1 : object->dlpi_name, "libcuda.so", 10);
}

const dame_driver_t *dame_driver_find(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static dame_driver_t driver;
    static _Atomic(const dame_driver_t *) found;
    const dame_driver_t *before = atomic_load(&found);
    if (NULL != before || !dl_iterate_phdr(is_the_driver, NULL)) {
        return before;
    }
    void *object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD); /* it stays, if it is there */
    if (NULL == object) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (NULL == atomic_load(&found) && look_up_all(object, &driver)) {
        atomic_store(&found, &driver);
    }
    pthread_mutex_unlock(&lock);
    return atomic_load(&found);
}

const char *dame_driver_error(const dame_driver_t *driver, cu_result_t error)
{
    const char *name = NULL;
    return 0 == driver->error_name(error, &name) && NULL != name ? name : "an unknown error";
}
