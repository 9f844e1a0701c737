#include "version.h"

#include <stdio.h>
#include <string.h>

#include "mpi.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* Tests compile with another version, to see the refusal. */
#ifndef DT_COMPILED_VERSION
#define DT_COMPILED_VERSION                                                                        \
    TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#endif

const char *dt_version_compiled(void)
{
    return DT_COMPILED_VERSION;
}

/* Internal structures may change with any release, so all three numbers must agree. */
bool dt_version_agrees(char *running, size_t size)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    char number[32] = "unknown";
    /* "Open MPI v4.1.4, package: ..." */
    if (MPI_SUCCESS == PMPI_Get_library_version(library, &length)) {
        (void) sscanf(library, "Open MPI v%31[^, ]", number);
    }
    (void) snprintf(running, size, "%s", number);
    return 0 == strcmp(number, DT_COMPILED_VERSION);
}
