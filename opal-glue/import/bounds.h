/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Size and bounds of an imported datatype against those that Open MPI gives it: its own engine is
 * what the peers have, so its bounds are taken and never recomputed.
 */
#ifndef DT_BOUNDS_H
#define DT_BOUNDS_H

#include "dame/type.h"
#include "opal-glue/types.h"

struct opal_datatype_t;

/* Why a datatype is declined for which a dame call failed with `status`. */
dt_decline_t dt_bounds_declined(dame_status_t status);

/* `type` with the datatype's lower bound and extent. */
dame_status_t dt_bounds_apply(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                              const dame_type_t *type, const dame_type_t **out);

/* DT_DECLINE_BOUNDS, logged, when size or true bounds are not the datatype's. To be asked for every
 * datatype on the way, not only for the outermost. */
dt_decline_t dt_bounds_check(const struct opal_datatype_t *datatype, const dame_type_t *type);

#endif
