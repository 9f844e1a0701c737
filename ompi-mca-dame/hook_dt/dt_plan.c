/* SPDX-License-Identifier: BSD-3-Clause */
#include "dt_plan.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/glue.h"

/* Not in ompi_info, in MPI_T_init_thread, or in MPI_Session_init. */
static bool is_in_mpi_init(void)
{
    return &ompi_mpi_state != NULL && ompi_mpi_state == OMPI_MPI_STATE_INIT_STARTED;
}

/* ---- Is another parameter of the framework set? --------------------------------------------- */

/* mpirun hands its --mca on as variables of the environment. */
static bool environment_has_parameters(void)
{
    static const char prefix[] = "OMPI_MCA_dt_";
    extern char **environ;
    for (char **at = environ; *at != NULL; at++) {
        if (strncmp(*at, prefix, sizeof(prefix) - 1) == 0) {
            return true;
        }
    }
    return false;
}

/* A file of parameters has lines "name = value". */
static bool file_has_parameters(const char *name)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(name, "re");
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = strncmp(line + strspn(line, " \t"), "dt_", 3) == 0;
    }
    if (file != NULL) {
        (void) fclose(file);
    }
    return found;
}

/* The value of a string parameter of MCA's own, or NULL. */
static const char *mca_value(const char *name)
{
    const int index = mca_base_var_find("opal", "mca", "base", name);
    const char *const *value = NULL;
    return 0 > index || mca_base_var_get_value(index, &value, NULL, NULL) != OPAL_SUCCESS ||
                   value == NULL
               ? NULL
               : *value;
}

/* True also when it cannot be known. */
static bool files_have_parameters(void)
{
    const char *files = mca_value("param_files"), *last = mca_value("override_param_file");
    const char *more = mca_value("param_file_prefix");
    if (files == NULL || (more != NULL && *more != '\0')) {
        return true;
    }
    while (*files != '\0') {
        char name[PATH_MAX];
        const size_t length = strcspn(files, ",:");
        (void) snprintf(name, sizeof(name), "%.*s", (int) length, files);
        if (file_has_parameters(name)) {
            return true;
        }
        files += length + (files[length] != '\0');
    }
    return last != NULL && file_has_parameters(last);
}

/* ---- The plan ------------------------------------------------------------------------------- */

/* mca_dt_dame.so where it usually is, if that is known and will be the same after a chdir(). */
static bool name_of_dame(char path[PATH_MAX])
{
    Dl_info info;
    if (dladdr((void *) (uintptr_t) &name_of_dame, &info) == 0 || *info.dli_fname != '/') {
        return false;
    }
    const int directory = (int) (strrchr(info.dli_fname, '/') - info.dli_fname);
    return PATH_MAX > snprintf(path, PATH_MAX, "%.*s/mca_dt_dame.so", directory, info.dli_fname);
}

static bool has_dame(void)
{
    char path[PATH_MAX];
    return name_of_dame(path) && access(path, R_OK) == 0;
}

/* As Open MPI would load it; it stays loaded. */
static bool loads(const char *path)
{
    return access(path, R_OK) == 0 && dlopen(path, RTLD_LAZY | RTLD_GLOBAL) != NULL;
}

bool dt_plan_has_dame(void)
{
    char path[PATH_MAX];
    const char *at = mca_value("component_path");
    if (name_of_dame(path) && loads(path)) {
        return true;
    }
    while (at != NULL && *at != '\0') {
        const int length = (int) strcspn(at, ":");
        if (PATH_MAX > snprintf(path, sizeof(path), "%.*s/mca_dt_dame.so", length, at) &&
            loads(path)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

/* Programs that have PAPI may look for DAME's counters (measure/sde.h). */
static bool has_papi(void)
{
    return dlsym(RTLD_DEFAULT, "PAPI_library_init") != NULL ||
           dlsym(RTLD_DEFAULT, "papi_sde_init") != NULL;
}

bool dt_plan_is_late(void)
{
    const char *engine = getenv("OMPI_MCA_dt");
    return DT_ABI_LIBMPI_HAS_MPI && engine != NULL && strcmp("dame", engine) == 0 &&
           dt_openmpi_is_of_series() && is_in_mpi_init() && !environment_has_parameters() &&
           !files_have_parameters() && has_dame() && !has_papi();
}
