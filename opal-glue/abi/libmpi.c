/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions with Open MPI's own handles (abi/prototypes.h). */
#include "abi.h"

#if OMPI_MAJOR_VERSION >= 6
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* libmpi.so.<version> is beside libopen_mpi.so.<version>. It may not be loaded: programs may use
 * libmpi_abi, and ompi_info neither. */
static int open_libmpi(struct dl_phdr_info *info, size_t size, void *libmpi)
{
    static const char implementation[] = "/libopen_mpi.so";
    const char *name = strstr(info->dlpi_name, implementation);
    char path[PATH_MAX];
    (void) size;
    if (name == NULL ||
        0 > snprintf(path, sizeof(path), "%.*s/libmpi.so%s", (int) (name - info->dlpi_name),
                     info->dlpi_name, name + sizeof(implementation) - 1)) {
        return 0;
    }
    *(void **) libmpi = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return 1;
}

void *dt_abi_mpi_function(const char *name)
{
    static void *libmpi;
    if (libmpi == NULL) {
        (void) dl_iterate_phdr(open_libmpi, &libmpi);
    }
    void *function = libmpi == NULL ? NULL : dlsym(libmpi, name);
    return function != NULL ? function : dlsym(RTLD_DEFAULT, name);
}
#endif
