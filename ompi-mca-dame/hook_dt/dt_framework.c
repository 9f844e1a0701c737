/* SPDX-License-Identifier: BSD-3-Clause */
#include "dt_framework.h"

#include "ompi-mca-dame/state.h"

#if DT_ABI_STATIC_COMPONENTS_ARE_POINTERS_TO_POINTERS
static const mca_base_component_t *const native = &mca_dt_opal_component.dtc_version;
static const mca_base_component_t **static_components[] = {(const mca_base_component_t **) &native,
                                                           NULL};
#else
static const mca_base_component_t *static_components[] = {&mca_dt_opal_component.dtc_version, NULL};
#endif

mca_base_framework_t dt_base_framework = {
    .framework_project = "opal",
    .framework_name = "dt",
    .framework_description = "Engines that move the data of derived datatypes",
    .framework_static_components = static_components,
    .framework_output = -1,
};

static const mca_dt_base_module_t *chosen;

int dt_framework_start(void)
{
    int rc = mca_base_framework_open(&dt_base_framework, MCA_BASE_OPEN_DEFAULT);
    if (rc != OPAL_SUCCESS) {
        return rc;
    }
    dt_state_before_choice();
    mca_base_module_t *module = NULL;
    mca_base_component_t *component = NULL;
    rc = mca_base_select("dt", dt_base_framework.framework_output,
                         &dt_base_framework.framework_components, &module, &component, NULL);
    if (rc == OPAL_SUCCESS) { /* otherwise not requested: Open MPI's own functions stay */
        chosen = (const mca_dt_base_module_t *) module;
        if (chosen->seam.enable != NULL) {
            (void) chosen->seam.enable();
        }
    }
    dt_state_after_choice(rc == OPAL_SUCCESS ? component->mca_component_name : NULL);
    return OPAL_SUCCESS;
}

const mca_dt_base_module_t *dt_framework_module(void)
{
    return chosen;
}

void dt_framework_stop(void)
{
    if (chosen != NULL && chosen->seam.disable != NULL) {
        chosen->seam.disable();
    }
    chosen = NULL;
    /* Registering and opening each took a reference. */
    (void) mca_base_framework_close(&dt_base_framework);
    if (mca_base_framework_is_registered(&dt_base_framework)) {
        (void) mca_base_framework_close(&dt_base_framework);
    }
}
