/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dt framework: engines that move the data of MPI derived datatypes.
 *
 * A stock Open MPI has no such framework; the hook component mca_hook_dt.so registers it. A patched
 * one has it (opal-glue/abi/seam.h), and mca_hook_dt.so does nothing. A component is chosen once,
 * by priority as in every framework, in MPI_Init or at the process's first non-contiguous datatype.
 * The built-in component "opal" represents Open MPI's own engine and does nothing.
 */
#ifndef DT_H
#define DT_H

#include "opal-glue/abi/abi.h"

/* What a chosen component offers. Any function may be NULL. Called from MPI_Init and MPI_Finalize,
 * by one thread; with a late start (hook_dt/dt_plan.h), seam.enable and dtm_init_bottom are called
 * one after the other from MPI_Type_commit or MPI_T_init_thread, and dtm_init_top is not. None of
 * them may fail the job: an engine that cannot work leaves the native one. */
typedef struct mca_dt_base_module_1_0_0_t {
    /* What a patched Open MPI knows of it. enable: begin to move data; in MPI_Init, before the PML
       is set up, unless late. disable: the framework closes; leave every function pointer as it was
       found. */
    opal_dt_base_module_t seam;
    /* Later in MPI_Init; dtm_init_bottom follows unless MPI_Init fails. In Open MPI 5.0 most
       components are open by then. */
    void (*dtm_init_top)(void);
    /* MPI_Init ends; MPI calls are allowed. Not for a program that has only MPI sessions. */
    void (*dtm_init_bottom)(void);
    /* MPI_Finalize begins; MPI calls are still allowed. */
    void (*dtm_finalize_top)(void);
    /* MPI_Finalize has passed its barrier; no MPI call is allowed any more. Not in Open MPI 4.1,
       where only the framework closes. */
    void (*dtm_finalize_bottom)(void);
} mca_dt_base_module_t;

typedef struct mca_dt_base_component_1_0_0_t {
    mca_base_component_t dtc_version; /* mca_query_component gives module and priority */
    mca_base_component_data_t dtc_data;
} mca_dt_base_component_t;

#define DT_BASE_VERSION_1_0_0 DT_ABI_COMPONENT("opal", "dt", 1, 0, 0)

#endif
