/* The dt/dame component; private to its files. */
#ifndef DT_DAME_H
#define DT_DAME_H

#include "opal-glue/dt.h"

/* Values of the parameter `report`. */
typedef enum mca_dt_dame_report {
    MCA_DT_DAME_REPORT_NONE,
    MCA_DT_DAME_REPORT_RANK0,
    MCA_DT_DAME_REPORT_ALL
} mca_dt_dame_report_t;

/* Registers the component's performance variables. */
void mca_dt_dame_register_pvars(const mca_base_component_t *component);

/* Prints this process's counters to stderr. MPI must still be initialised. */
void mca_dt_dame_print_report(mca_dt_dame_report_t who);

#endif
