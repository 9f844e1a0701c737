/* Is the running Open MPI the one we were compiled for (glue.h)? */
#include "glue.h"

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

/* Internal structures may change with any release, so all three numbers must agree. */
bool dt_version_agrees(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    char running[32] = "unknown";
    /* "Open MPI v4.1.4, package: ..." */
    if (MPI_SUCCESS == PMPI_Get_library_version(library, &length)) {
        (void) sscanf(library, "Open MPI v%31[^, ]", running);
    }
    if (0 == strcmp(running, DT_COMPILED_VERSION)) {
        return true;
    }
    dt_log_once_a_job("compiled for Open MPI %s, but this is Open MPI %s; Open MPI's own datatype "
                      "engine is used. Rebuild DAME against this Open MPI.",
                      DT_COMPILED_VERSION, running);
    return false;
}
