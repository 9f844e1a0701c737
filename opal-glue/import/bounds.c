/* SPDX-License-Identifier: BSD-3-Clause */
#include "bounds.h"

#include <inttypes.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/log.h"

dt_decline_t dt_bounds_declined(dame_status_t status)
{
    switch (status) {
    case DAME_OK:
        return DT_DECLINE_NONE;
    case DAME_ERR_NOMEM:
        return DT_DECLINE_MEMORY;
    case DAME_ERR_RANGE:
        return DT_DECLINE_RANGE;
    case DAME_ERR_LIMIT:
        return DT_DECLINE_LIMIT;
    case DAME_ERR_VERIFY:
        return DT_DECLINE_PROGRAM;
    default:
        return DT_DECLINE_UNKNOWN;
    }
}

dame_status_t dt_bounds_apply(dame_tree_t *tree, const opal_datatype_t *datatype,
                              const dame_type_t *type, const dame_type_t **out)
{
    int64_t extent = datatype->ub - datatype->lb;
    if (type->lb == datatype->lb && type->extent == extent) {
        *out = type;
        return DAME_OK;
    }
    return dame_type_resized(tree, datatype->lb, extent, type, out);
}

dt_decline_t dt_bounds_check(const opal_datatype_t *datatype, const dame_type_t *type)
{
    if ((size_t) type->size == datatype->size &&
        (type->size == 0 ||
         (type->true_lb == datatype->true_lb && type->true_ub == datatype->true_ub))) {
        return DT_DECLINE_NONE;
    }
    dt_log_of(DT_LOG_TYPES, datatype->name,
              "size %" PRId64 ", true bounds [%" PRId64 ", %" PRId64
              "); Open MPI says %zu, [%td, %td)",
              type->size, type->true_lb, type->true_ub, datatype->size, datatype->true_lb,
              datatype->true_ub);
    return DT_DECLINE_BOUNDS;
}
