/*
 * dt/dame: the component users touch. Parameters, selection, start and stop.
 */
#include "dt_dame.h"

#include "opal-glue/range.h"
#include "opal-glue/glue.h"
#include "opal/util/output.h"

static int dame_open(void);
static int dame_close(void);
static int dame_register(void);
static int dame_query(mca_base_module_t **module, int *priority);
static void dame_enable(void);
static void dame_finalize_top(void);
static void dame_disable(void);

OMPI_MODULE_DECLSPEC extern const mca_dt_base_component_t mca_dt_dame_component;

const mca_dt_base_component_t mca_dt_dame_component = {
    .dtc_version =
        {
            OMPI_DT_BASE_VERSION_1_0_0,
            .mca_component_name = "dame",
            MCA_BASE_MAKE_VERSION(component, DAME_MAJOR_VERSION, DAME_MINOR_VERSION,
                                  DAME_RELEASE_VERSION),
            .mca_open_component = dame_open,
            .mca_close_component = dame_close,
            .mca_query_component = dame_query,
            .mca_register_component_params = dame_register,
        },
    .dtc_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
};

static mca_dt_base_module_t dame_module = {
    .dtm_enable = dame_enable,
    .dtm_finalize_top = dame_finalize_top,
    .dtm_disable = dame_disable,
};

static int param_priority = 20;
static int param_verbose;
static bool param_verify;
static int param_report = MCA_DT_DAME_REPORT_NONE;

static int output = -1;
static bool running;

/* A parameter whose values have names or a range. A bad value gets Open MPI's own message, which
 * names variable, value and valid values; `storage` keeps the default. */
static void register_param(const char *name, const char *help, mca_base_var_type_t type,
                           mca_base_var_enum_t *values, mca_base_var_info_lvl_t level,
                           const char *fallback, void *storage)
{
    int rc =
        mca_base_component_var_register(&mca_dt_dame_component.dtc_version, name, help, type,
                                        values, 0, 0, level, MCA_BASE_VAR_SCOPE_READONLY, storage);
    if (0 > rc) {
        opal_output(0, "dt:dame: parameter dt_dame_%s: the default, %s, is used.", name, fallback);
    }
}

static int dame_register(void)
{
    static const mca_base_var_enum_value_t report_values[] = {
        {MCA_DT_DAME_REPORT_NONE, "none"},
        {MCA_DT_DAME_REPORT_RANK0, "rank0"},
        {MCA_DT_DAME_REPORT_ALL, "all"},
        {0, NULL},
    };
    static dt_range_t percent;
    dt_range_init(&percent, 0, 100);
    register_param("priority",
                   "Priority of DAME. The dt component with the highest priority is used; Open "
                   "MPI's own engine has 50, so DAME moves data only when it is asked for by name "
                   "or given a higher priority (default: 20).",
                   MCA_BASE_VAR_TYPE_INT, &percent.super, OPAL_INFO_LVL_3, "20", &param_priority);
    register_param("verbose",
                   "How much DAME tells on stderr: 0 nothing but errors, 10 what it sets up "
                   "(default: 0).",
                   MCA_BASE_VAR_TYPE_INT, &percent.super, OPAL_INFO_LVL_3, "0", &param_verbose);
    register_param("verify",
                   "Compare everything DAME packs and unpacks with Open MPI's own engine. A "
                   "difference is reported with the datatype's program, the native result is used, "
                   "and the datatype is left to the native engine from then on. Slow; for finding "
                   "out whether DAME is to blame (default: false).",
                   MCA_BASE_VAR_TYPE_BOOL, &mca_base_var_enum_bool, OPAL_INFO_LVL_3, "false",
                   &param_verify);
    mca_base_var_enum_t *values = NULL;
    (void) mca_base_var_enum_create("dt_dame_report", report_values, &values);
    register_param(
        "report",
        "Print at MPI_Finalize what DAME did in a process: datatypes imported and "
        "declined with reasons, messages, bytes, fragments, cut blocks and time. none: "
        "nothing; rank0: rank 0 of MPI_COMM_WORLD prints its own counts; all: every rank "
        "does (default: none).",
        MCA_BASE_VAR_TYPE_INT, values, OPAL_INFO_LVL_2, "none", &param_report);
    if (NULL != values) {
        OBJ_RELEASE(values);
    }
    mca_dt_dame_register_pvars(&mca_dt_dame_component.dtc_version);
    return OPAL_SUCCESS;
}

static int dame_open(void)
{
    opal_output_stream_t stream;
    OBJ_CONSTRUCT(&stream, opal_output_stream_t);
    stream.lds_want_stderr = true;
    stream.lds_verbose_level = param_verbose;
    output = opal_output_open(&stream);
    OBJ_DESTRUCT(&stream);
    return OPAL_SUCCESS;
}

static int dame_close(void)
{
    if (0 <= output) {
        opal_output_close(output);
        output = -1;
    }
    return OPAL_SUCCESS;
}

static int dame_query(mca_base_module_t **module, int *priority)
{
    *module = &dame_module.super;
    *priority = param_priority;
    return OPAL_SUCCESS;
}

static void dame_enable(void)
{
    dt_glue_options_t options = {
        .verify = param_verify,
        .times = MCA_DT_DAME_REPORT_NONE != param_report,
        .output = output,
    };
    running = dt_glue_start(&options);
}

static void dame_finalize_top(void)
{
    if (running && MCA_DT_DAME_REPORT_NONE != param_report) {
        mca_dt_dame_print_report((mca_dt_dame_report_t) param_report);
    }
}

static void dame_disable(void)
{
    if (running) {
        dt_glue_stop();
        running = false;
    }
}
