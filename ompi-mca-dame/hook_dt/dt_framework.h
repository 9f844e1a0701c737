/* SPDX-License-Identifier: BSD-3-Clause */
/* The framework as the hook component and ompi_info see it. Private to mca_hook_dt.so. */
#ifndef DT_FRAMEWORK_H
#define DT_FRAMEWORK_H

#include "ompi-mca-dame/dt.h"

extern mca_base_framework_t dt_base_framework;
extern const mca_dt_base_component_t mca_dt_opal_component;

/* Opens the framework and chooses an engine. OPAL_ERR_NOT_FOUND: a component the user named does
 * not exist, and the framework has said so. Otherwise dt_framework_module() is set or NULL
 * (native). */
int dt_framework_start(void);
const mca_dt_base_module_t *dt_framework_module(void);
void dt_framework_stop(void);

#endif
