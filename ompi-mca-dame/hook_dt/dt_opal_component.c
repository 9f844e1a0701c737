/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The built-in component "opal": Open MPI's own datatype engine. Being chosen means that nothing is
 * changed.
 */
#include "dt_framework.h"

#include "ompi-mca-dame/param.h"

static int opal_register(void);
static int opal_query(mca_base_module_t **module, int *priority);

static int component_priority = 50;

const mca_dt_base_component_t mca_dt_opal_component = {
    .dtc_version =
        {
            DT_BASE_VERSION_1_0_0,
            .mca_component_name = "opal",
            DT_ABI_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION),
            .mca_query_component = opal_query,
            .mca_register_component_params = opal_register,
        },
    .dtc_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
};

static mca_dt_base_module_t opal_module;

static int opal_register(void)
{
    static dt_values_t percent;
    static const dt_param_t priority = {
        &mca_dt_opal_component.dtc_version, "priority",
        "Priority of Open MPI's own datatype engine. The dt component with the highest priority is "
        "used",
        OPAL_INFO_LVL_3, false};
    dt_values_numbers(&percent, 0, 100);
    dt_param_register(&priority, &percent, &component_priority);
    return OPAL_SUCCESS;
}

static int opal_query(mca_base_module_t **module, int *priority)
{
    *module = &opal_module.seam.super;
    *priority = component_priority;
    return OPAL_SUCCESS;
}
