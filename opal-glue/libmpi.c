/* MPI functions with Open MPI's own handles (abi/prototypes.h). */
#include "abi/abi.h"

#if OMPI_MAJOR_VERSION >= 6
#include <dlfcn.h>
#include <link.h>
#include <string.h>

static int find_libmpi(struct dl_phdr_info *info, size_t size, void *found)
{
    (void) size;
    if (NULL == strstr(info->dlpi_name, "/libmpi.so.")) {
        return 0;
    }
    *(void **) found = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return NULL != *(void **) found;
}

void *dt_abi_mpi_function(const char *name)
{
    static void *libmpi; /* loaded with us, since we are linked with it */
    if (NULL == libmpi) {
        (void) dl_iterate_phdr(find_libmpi, &libmpi);
    }
    void *function = NULL == libmpi ? NULL : dlsym(libmpi, name);
    return NULL != function ? function : dlsym(RTLD_DEFAULT, name);
}
#endif
