/*
 * Whole-number parameters with a range, as MCA enumerators: a value that is no number or out of
 * range gets Open MPI's own message with variable, value and valid values, and ompi_info shows the
 * range.
 */
#ifndef DT_RANGE_H
#define DT_RANGE_H

#include "ompi_config.h"

#include "opal/mca/base/mca_base_var_enum.h"

typedef struct dt_range {
    mca_base_var_enum_t super;
    int low;
    int high;
    bool bytes; /* K, M and G after a number stand for powers of 1024 */
} dt_range_t;

/* Makes `range` an enumerator of [low, high]. It must live as long as the parameter: give it static
 * storage. */
void dt_range_init(dt_range_t *range, int low, int high);

/* The same for a number of bytes, which may be written with K, M or G. */
void dt_range_init_bytes(dt_range_t *range, int low, int high);

#endif
