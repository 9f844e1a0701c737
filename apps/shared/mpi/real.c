/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr */
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPI loaded by dlopen(RTLD_LOCAL), as language bindings do, is not where RTLD_NEXT looks. */
static int find_in_object(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *const *name = context;
    void **found = (void **) context + 1;
    (void) size;
    if (strstr(info->dlpi_name, "mpi") == NULL) {
        return 0;
    }
    void *object = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (object != NULL) {
        *found = dlsym(object, *name);
        dlclose(object); /* it stays, the process loaded it before */
    }
    return *found != NULL;
}

void *real_find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        const void *context[2] = {name, NULL};
        dl_iterate_phdr(find_in_object, (void *) context);
        found = (void *) (uintptr_t) context[1];
    }
    return found;
}

void *real_symbol(const char *name)
{
    void *found = real_find(name);
    if (found == NULL) {
        fprintf(stderr, "dame: no library of this process has %s\n", name);
        abort();
    }
    return found;
}

static int is_standard_abi(struct dl_phdr_info *info, size_t size, void *context)
{
    (void) size;
    (void) context;
    return strstr(info->dlpi_name, "libmpi_abi") != NULL;
}

bool real_is_ours(char *library, size_t room)
{
    static char text[1 << 14]; /* longer than any MPI's MPI_MAX_LIBRARY_VERSION_STRING */
    int length;
    REAL(MPI_Get_library_version)(text, &length);
    bool open = strncmp(text, "Open MPI", 8) == 0;
    for (char *at = text; *at != '\0'; at++) { /* MPICH: "MPICH Version:\t4.0.2\nMPICH ..." */
        if (*at == '\t') {
            *at = ' ';
        }
    }
    text[strcspn(text, ",\n")] = '\0';
    snprintf(library, room, "%s", text);
#ifdef OPEN_MPI
    return open && dl_iterate_phdr(is_standard_abi, NULL) == 0 &&
           real_find("ompi_mpi_comm_world") != NULL;
#else
    return !open && dl_iterate_phdr(is_standard_abi, NULL) == 0;
#endif
}

#ifdef OPEN_MPI
/* Addresses of objects, of which the program may have copies, as the linker makes them. */
static void *handle(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    return found != NULL ? found : real_find(name);
}

MPI_Comm real_world(void)
{
    return handle("ompi_mpi_comm_world");
}

MPI_Comm real_self(void)
{
    return handle("ompi_mpi_comm_self");
}

MPI_Comm real_comm_null(void)
{
    return handle("ompi_mpi_comm_null");
}

MPI_Datatype real_byte(void)
{
    return handle("ompi_mpi_byte");
}
#else
MPI_Comm real_world(void)
{
    return MPI_COMM_WORLD;
}

MPI_Comm real_self(void)
{
    return MPI_COMM_SELF;
}

MPI_Comm real_comm_null(void)
{
    return MPI_COMM_NULL;
}

MPI_Datatype real_byte(void)
{
    return MPI_BYTE;
}
#endif

MPI_Comm real_comm(MPI_Fint handle)
{
#ifdef MPI_Comm_f2c
    return MPI_Comm_f2c(handle);
#else
    return REAL(MPI_Comm_f2c)(handle);
#endif
}

MPI_Datatype real_type(MPI_Fint handle)
{
#ifdef MPI_Type_f2c
    return MPI_Type_f2c(handle);
#else
    return REAL(MPI_Type_f2c)(handle);
#endif
}

MPI_Request real_request(MPI_Fint handle)
{
#ifdef MPI_Request_f2c
    return MPI_Request_f2c(handle);
#else
    return REAL(MPI_Request_f2c)(handle);
#endif
}
