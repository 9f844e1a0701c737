/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dt/dame: the component users touch. Selection, start and stop.
 */
#include "dt_dame.h"

#include "base/lock.h"
#include "ompi-mca-dame/show_last_run.h"
#include "ompi-mca-dame/state.h"

static int dame_open(void);
static int dame_close(void);
static int dame_register(void);
static int dame_query(mca_base_module_t **module, int *priority);
static int dame_enable(void);
static void dame_init_top(void);
static void dame_init_bottom(void);
static void dame_finalize_top(void);
static void dame_finalize_bottom(void);
static void dame_disable(void);

__attribute__((visibility("default"))) extern const mca_dt_base_component_t mca_dt_dame_component;

const mca_dt_base_component_t mca_dt_dame_component = {
    .dtc_version =
        {
            DT_BASE_VERSION_1_0_0,
            .mca_component_name = "dame",
            DT_ABI_VERSION(component, DAME_MAJOR_VERSION, DAME_MINOR_VERSION, DAME_RELEASE_VERSION),
            .mca_open_component = dame_open,
            .mca_close_component = dame_close,
            .mca_query_component = dame_query,
            .mca_register_component_params = dame_register,
        },
    .dtc_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
};

static mca_dt_base_module_t dame_module = {
    .seam = {.enable = dame_enable, .disable = dame_disable},
    .dtm_init_top = dame_init_top,
    .dtm_init_bottom = dame_init_bottom,
    .dtm_finalize_top = dame_finalize_top,
    .dtm_finalize_bottom = dame_finalize_bottom,
};

static int output = -1;
static bool fits; /* what we know of Open MPI */
static bool running;

/* ---- In a patched Open MPI ------------------------------------------------------------------ */

static bool chosen;

static void init_bottom(int argc, char **argv, int requested, int *provided)
{
    (void) argc;
    (void) argv;
    (void) requested;
    (void) provided;
    dame_init_bottom();
}

static ompi_hook_base_component_t callbacks = {
    .hookm_version.mca_component_name = "dame",
    .hookm_mpi_init_bottom = init_bottom,
    .hookm_mpi_finalize_top = dame_finalize_top,
};

/* Not in a program that uses Open MPI's datatypes without MPI_Init. */
static bool has_callbacks(void)
{
    return dt_abi_has_seam() &&
           (ompi_hook_base_framework.framework_flags & MCA_BASE_FRAMEWORK_FLAG_OPEN) != 0;
}

static bool is_before_mpi_init(void)
{
    return &ompi_mpi_state == NULL || ompi_mpi_state < OMPI_MPI_STATE_INIT_STARTED;
}

static void say_asked_by(void)
{
    static char seam[] = "Open MPI's framework dt", slots[] = "rewritten slots", *asked_by;
    asked_by = dt_abi_has_seam() ? seam : slots;
    (void) mca_base_component_var_register(
        &mca_dt_dame_component.dtc_version, "asked_by",
        "How Open MPI's data comes to DAME: through slots of functions, which DAME rewrites, or, "
        "in a patched Open MPI, through its own framework dt (doc/seam.md)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, MCA_BASE_VAR_FLAG_DEFAULT_ONLY, OPAL_INFO_LVL_4,
        MCA_BASE_VAR_SCOPE_CONSTANT, &asked_by);
}

/* ---- Selection, start and stop -------------------------------------------------------------- */

/* If register failed, Open MPI would drop the component, and `--mca dt dame` would abort the
 * job. */
static int dame_register(void)
{
    fits = dt_openmpi_fits();
    if (!fits) {
        return OPAL_SUCCESS;
    }
    mca_dt_dame_register_params(&mca_dt_dame_component.dtc_version);
    say_asked_by();
    fits = mca_dt_dame_register_pvars(&mca_dt_dame_component.dtc_version);
    if (dt_abi_has_seam() && is_before_mpi_init()) { /* ompi_info */
        dt_last_run_register();
    }
    return OPAL_SUCCESS;
}

static int dame_open(void)
{
    output = opal_output_open(NULL);
    opal_output_set_verbosity(output, mca_dt_dame_params.verbose);
    if (dt_abi_has_seam()) {
        dt_state_before_choice();
    }
    return OPAL_SUCCESS;
}

static int dame_close(void)
{
    if (dt_abi_has_seam() && !chosen) {
        dt_state_after_choice("opal");
    }
    chosen = false;
    if (0 <= output) {
        opal_output_close(output);
        output = -1;
    }
    return OPAL_SUCCESS;
}

static int dame_query(mca_base_module_t **module, int *priority)
{
    dt_glue_answer(&dame_module.seam);
    *module = &dame_module.seam.super;
    *priority = mca_dt_dame_params.priority;
    return OPAL_SUCCESS;
}

static int dame_enable(void)
{
    chosen = true;
    dt_glue_options_t options = {
        .program = mca_dt_dame_program_options(),
        .promotion = mca_dt_dame_promote_options(),
        .code_files = (mca_dt_dame_params.dump & MCA_DT_DAME_DUMP_ASM) != 0,
        .verify = mca_dt_dame_params.verify,
        .direct = mca_dt_dame_params.direct_pack,
        .devices = mca_dt_dame_params.devices,
        .tallies = mca_dt_dame_params.last_run,
        .times = mca_dt_dame_params.report != MCA_DT_DAME_REPORT_NONE,
        .hear_time = mca_dt_dame_hear_time,
        .raw_files = (mca_dt_dame_params.dump & MCA_DT_DAME_DUMP_RAW) != 0,
        .dump = (mca_dt_dame_params.dump &
                 (MCA_DT_DAME_DUMP_RAW | MCA_DT_DAME_DUMP_PROGRAM | MCA_DT_DAME_DUMP_ASM)) != 0
                    ? mca_dt_dame_params.dump_dir
                    : NULL,
        .papi_events = mca_dt_dame_params.papi_events == NULL ? "" : mca_dt_dame_params.papi_events,
        .import_threshold = mca_dt_dame_import_threshold(),
        .layout_cache = (size_t) mca_dt_dame_params.layout_cache_size,
        .output = output,
        .verbosity = &mca_dt_dame_params.verbose,
    };
    running = fits && dt_glue_start(&options);
    if (running) {
        mca_dt_dame_finish_start();
        if (mca_dt_dame_params.verbose >= DT_LOG_STATE) {
            char text[256];
            dt_log_state(false, "%s", mca_dt_dame_state(text, sizeof(text)));
        }
        if (has_callbacks()) {
            (void) ompi_hook_base_register_callbacks(&callbacks);
        }
    }
    return running ? OPAL_SUCCESS : OPAL_ERR_NOT_SUPPORTED;
}

static void dame_init_top(void)
{
    if (running) {
        dt_glue_opens_components(true);
    }
}

static void dame_init_bottom(void)
{
    if (running) {
        dt_glue_opens_components(false);
        mca_dt_dame_hints_open();
        mca_dt_dame_snapshots_start();
        mca_dt_dame_offer_sde();
    }
}

/* Writing output is a cancellation point; MPI_Finalize shall not become one. */
static void dame_finalize_top(void)
{
    if (running) {
        const int cancel_state = dame_cancel_defer();
        mca_dt_dame_hints_close();
        mca_dt_dame_publish();
        dame_cancel_restore(cancel_state);
    }
}

static void dame_finalize_bottom(void)
{
    if (running) {
        const int cancel_state = dame_cancel_defer();
        mca_dt_dame_collect();
        dame_cancel_restore(cancel_state);
    }
}

static void dame_disable(void)
{
    if (running) {
        dame_finalize_bottom();
        if (has_callbacks()) {
            (void) ompi_hook_base_deregister_callbacks(&callbacks);
        }
        dt_glue_stop();
        running = false;
    }
}
