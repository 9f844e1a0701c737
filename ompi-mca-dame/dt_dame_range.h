/*
 * Whole-number parameters with a range, as MCA enumerators: a value that is no number or out of range
 * gets Open MPI's own message with variable, value and valid values, and ompi_info shows the range.
 */
#ifndef DT_DAME_RANGE_H
#define DT_DAME_RANGE_H

#include "ompi_config.h"

#include "opal/mca/base/mca_base_var_enum.h"

typedef struct mca_dt_dame_range {
    mca_base_var_enum_t super;
    int low;
    int high;
} mca_dt_dame_range_t;

/* Makes `range` an enumerator of [low, high]. It must live as long as the parameter: give it static
 * storage. */
void mca_dt_dame_range_init(mca_dt_dame_range_t *range, int low, int high);

#endif
