/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sde.h"

#include <dlfcn.h>
#include <stddef.h>

/* sde_lib.h of PAPI 7. */
typedef void *init_fn(const char *library);
typedef int register_fn(void *library, const char *event, int mode, int type,
                        long long (*read)(void *argument), void *argument);
typedef int describe_fn(void *library, const char *event, const char *description);

enum { READ_ONLY_DELTA = 0x00, READ_ONLY_INSTANT = 0x10, LONG_LONG = 0 };

/* PAPI looks for libsde in the process when it is initialised. NULL: without PAPI. */
static void *find_libsde(void)
{
    if (dlsym(RTLD_DEFAULT, "papi_sde_init") != NULL) {
        return dlopen(NULL, RTLD_NOW); /* the program itself has it */
    }
    return dlsym(RTLD_DEFAULT, "PAPI_library_init") != NULL
               ? dlopen("libsde.so.1", RTLD_NOW | RTLD_GLOBAL)
               : NULL;
}

int32_t dame_sde_offer(const char *library, const dame_sde_counter_t *counters, int32_t n)
{
    void *libsde = find_libsde();
    int32_t taken = 0;
    if (libsde == NULL) {
        return 0;
    }
    init_fn *init = (init_fn *) (uintptr_t) dlsym(libsde, "papi_sde_init");
    register_fn *add = (register_fn *) (uintptr_t) dlsym(libsde, "papi_sde_register_counter_cb");
    describe_fn *describe = (describe_fn *) (uintptr_t) dlsym(libsde, "papi_sde_describe_counter");
    void *handle = init == NULL || add == NULL ? NULL : init(library);
    for (int32_t i = 0; handle != NULL && i < n; i++) {
        const dame_sde_counter_t *counter = &counters[i];
        if (add(handle, counter->name, counter->is_level ? READ_ONLY_INSTANT : READ_ONLY_DELTA,
                LONG_LONG, counter->read, counter->argument) == 0) {
            taken++;
            if (describe != NULL) {
                (void) describe(handle, counter->name, counter->description);
            }
        }
    }
    return taken;
}
