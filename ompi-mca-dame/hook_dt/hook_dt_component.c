/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hook/dt: the way in. Open MPI opens its hook components in MPI_Init after OPAL's basics and
 * before datatypes, PML and collectives (ompi/runtime/ompi_mpi_init.c), and in ompi_info it
 * registers them.
 */
#include "dt_framework.h"
#include "dt_plan.h"

#include <stdlib.h>

#include "ompi-mca-dame/show_last_run.h"
#include "ompi-mca-dame/state.h"
#include "opal-glue/glue.h"

static int dt_register(void);
static int dt_open(void);
static int dt_close(void);
static void dt_init_top_post_opal(int argc, char **argv, int requested, int *provided);
static void dt_init_bottom(int argc, char **argv, int requested, int *provided);
static void dt_finalize_top(void);
static void dt_finalize_bottom(void);

__attribute__((
    visibility("default"))) extern const ompi_hook_base_component_t mca_hook_dt_component;

const ompi_hook_base_component_t mca_hook_dt_component = {
    .hookm_version =
        {
            DT_ABI_COMPONENT("ompi", "hook", 1, 0, 0),
            .mca_component_name = "dt",
            DT_ABI_VERSION(component, DAME_MAJOR_VERSION, DAME_MINOR_VERSION, DAME_RELEASE_VERSION),
            .mca_open_component = dt_open,
            .mca_close_component = dt_close,
            .mca_register_component_params = dt_register,
        },
    .hookm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .hookm_mpi_init_top_post_opal = dt_init_top_post_opal,
    .hookm_mpi_init_bottom = dt_init_bottom,
    .hookm_mpi_finalize_top = dt_finalize_top,
    .hookm_mpi_finalize_bottom = dt_finalize_bottom,
};

static int start_status;
static bool is_late; /* the framework is to start, and has not been registered yet */

/* Half an installation, in an upgrade say: Open MPI would end the job. */
static bool is_missing(const char *choice)
{
    if (choice == NULL || !dt_state_names_dame(choice) || dt_plan_has_dame()) {
        return false;
    }
    dt_log_once_a_job("mca_dt_dame.so is missing beside mca_hook_dt.so, or cannot be loaded; Open "
                      "MPI's own datatype engine is used. \"dame doctor\" says why.");
    return true;
}

static void register_framework(void)
{
    (void) mca_base_var_register(
        "opal", "dt", NULL, NULL,
        "The engine that moves the data of derived datatypes: dame, or "
        "opal, Open MPI's own. Of several, or when empty, the one with the "
        "highest priority; \"^\" before a list excludes its engines",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, MCA_BASE_VAR_FLAG_SETTABLE, OPAL_INFO_LVL_1,
        MCA_BASE_VAR_SCOPE_ALL_EQ, &dt_base_framework.framework_selection);
    if (is_missing(dt_base_framework.framework_selection)) {
        start_status = OPAL_ERR_NOT_SUPPORTED;
        return;
    }
    start_status = mca_base_framework_register(&dt_base_framework, MCA_BASE_REGISTER_DEFAULT);
    dt_info_show("dt", &dt_base_framework, dt_last_run_register);
}

/* In an Open MPI of another version nothing is registered: the framework and its components are
 * absent. Nor where Open MPI has the framework itself. */
static void register_what_fits(void)
{
    if (!dt_abi_has_seam() && dt_openmpi_fits()) {
        register_framework();
    } else {
        start_status = OPAL_ERR_NOT_SUPPORTED;
    }
}

static void open_framework(void)
{
    if (start_status == OPAL_SUCCESS) {
        start_status = dt_framework_start();
    }
}

/* The delayed start. The environment may be another by now: the choice was made in MPI_Init. */
static void catch_up(void)
{
    static char dame[] = "dame";
    is_late = false;
    dt_base_framework.framework_selection = dame;
    register_what_fits();
    open_framework();
}

/* A component vanishes from ompi_info if its register or open fails, so both succeed. */
static int dt_register(void)
{
    is_late = !dt_abi_has_seam() && dt_plan_is_late();
    if (!is_late) {
        register_what_fits();
    }
    return OPAL_SUCCESS;
}

static int dt_open(void)
{
    if (is_late) {
        dt_deferred_prepare();
    } else {
        open_framework();
    }
    return OPAL_SUCCESS;
}

static int dt_close(void)
{
    dt_deferred_stop();
    if (start_status != OPAL_ERR_NOT_SUPPORTED && !is_late) {
        dt_framework_stop();
    }
    is_late = false;
    return OPAL_SUCCESS;
}

/*
 * The user named a dt component that does not exist, and the framework has printed Open MPI's
 * message for that. In any other framework MPI_Init would fail now; from here, before there is a
 * communicator to raise an error on, the way to the same end is to leave. Otherwise the engine
 * hears that MPI_Init goes on.
 */
static void dt_init_top_post_opal(int argc, char **argv, int requested, int *provided)
{
    (void) argc;
    (void) argv;
    (void) provided;
    if (is_late && requested == MPI_THREAD_MULTIPLE) {
        catch_up();
    }
    if (start_status == OPAL_ERR_NOT_FOUND) {
        dt_state_not_found();
        exit(EXIT_FAILURE);
    }

    const mca_dt_base_module_t *module = dt_framework_module();
    if (module != NULL && module->dtm_init_top != NULL) {
        module->dtm_init_top();
    }
}

static void tell_that_init_ends(void)
{
    const mca_dt_base_module_t *module = dt_framework_module();
    if (module != NULL && module->dtm_init_bottom != NULL) {
        module->dtm_init_bottom();
    }
}

/* In MPI_Type_commit, most often: no failure ends the job any more. */
static void start_late(void)
{
    catch_up();
    tell_that_init_ends();
}

static void dt_init_bottom(int argc, char **argv, int requested, int *provided)
{
    (void) argc;
    (void) argv;
    (void) requested;
    if (!is_late) {
        tell_that_init_ends();
    } else if (provided == NULL || *provided == MPI_THREAD_MULTIPLE ||
               !dt_deferred_wait(start_late)) {
        start_late();
    }
}

static void dt_finalize_top(void)
{
    dt_deferred_stop();
    const mca_dt_base_module_t *module = dt_framework_module();
    if (module != NULL && module->dtm_finalize_top != NULL) {
        module->dtm_finalize_top();
    }
}

static void dt_finalize_bottom(void)
{
    const mca_dt_base_module_t *module = dt_framework_module();
    if (module != NULL && module->dtm_finalize_bottom != NULL) {
        module->dtm_finalize_bottom();
    }
}
