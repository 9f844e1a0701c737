#include "dt_plan.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/glue.h"

/* Not in ompi_info, in MPI_T_init_thread, or in MPI_Session_init. */
static bool is_in_mpi_init(void)
{
    return NULL != &ompi_mpi_state && OMPI_MPI_STATE_INIT_STARTED == ompi_mpi_state;
}

/* mpirun hands its --mca on as variables of the environment. */
static bool has_parameters(void)
{
    static const char prefix[] = "OMPI_MCA_dt_";
    extern char **environ;
    for (char **at = environ; NULL != *at; at++) {
        if (0 == strncmp(*at, prefix, sizeof(prefix) - 1)) {
            return true;
        }
    }
    return false;
}

/* Programs that have PAPI may look for DAME's counters (measure/sde.h). */
static bool has_papi(void)
{
    return NULL != dlsym(RTLD_DEFAULT, "PAPI_library_init") ||
           NULL != dlsym(RTLD_DEFAULT, "papi_sde_init");
}

static bool may_be_put_off(void)
{
    return dt_openmpi_is_of_series() && is_in_mpi_init() && !has_parameters();
}

/* Is mca_dt_dame.so where it usually is, and will it be there after a chdir()? */
static bool has_dame(void)
{
    Dl_info info;
    char path[PATH_MAX];
    if (0 == dladdr((void *) (uintptr_t) &has_dame, &info) || '/' != *info.dli_fname) {
        return false;
    }
    const int directory = (int) (strrchr(info.dli_fname, '/') - info.dli_fname);
    const int length =
        snprintf(path, sizeof(path), "%.*s/mca_dt_dame.so", directory, info.dli_fname);
    return length < (int) sizeof(path) && 0 == access(path, R_OK);
}

static bool may_wait(const char *engine)
{
    return 0 == strcmp("dame", engine) && has_dame() && !has_papi();
}

dt_plan_t dt_plan_by_environment(void)
{
    const char *engine = getenv("OMPI_MCA_dt");
    return NULL != engine && may_be_put_off() && may_wait(engine) ? DT_PLAN_LATE : DT_PLAN_NOW;
}

/* Is the parameter, which its owner has not registered yet, set in a file? */
static bool is_set(const char *component, const char *name, int *storage)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    const int index = mca_base_var_register("ompi", "dt", component, name, "Looked at early.",
                                            MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9,
                                            MCA_BASE_VAR_SCOPE_READONLY, storage);
    return 0 > index || OPAL_SUCCESS != mca_base_var_get_value(index, NULL, &source, NULL) ||
           MCA_BASE_VAR_SOURCE_DEFAULT != source;
}

/* Does no file give an engine another priority, or want to know which is used? */
static bool opal_is_first(void)
{
    static int values[3];
    return !is_set("dame", "priority", &values[0]) && !is_set("opal", "priority", &values[1]) &&
           !is_set("dame", "verbose", &values[2]);
}

dt_plan_t dt_plan_for(const char *selection)
{
    const char *engine = NULL == selection ? "" : selection;
    if (!may_be_put_off()) {
        return DT_PLAN_NOW;
    }
    if ('\0' == *engine ? opal_is_first() : 0 == strcmp("opal", engine)) {
        return DT_PLAN_NEVER;
    }
    return may_wait(engine) ? DT_PLAN_LATE : DT_PLAN_NOW;
}
