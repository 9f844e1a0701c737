/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A datatype from OPAL's own description (opal/datatype/opal_datatype_internal.h), for predefined
 * and library-internal datatypes: a flat list of elements, which are vectors of a basic type, and
 * of loops around parts of the list.
 */
#ifndef DT_IMPORT_DESC_H
#define DT_IMPORT_DESC_H

#include "dame/type.h"
#include "opal-glue/types.h"

struct opal_datatype_t;

/* DT_DECLINE_NONE and its type in memory of the tree, or the reason why not. *limit is set when the
 * answer is DT_DECLINE_LIMIT. */
dt_decline_t dt_import_desc(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                            dame_limit_t *limit, const dame_type_t **out);

#endif
