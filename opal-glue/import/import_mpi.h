/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A datatype from the constructor calls that made it (contents.h), which Open MPI keeps for
 * MPI_Type_get_contents. Types that have no such record are read from OPAL's description.
 */
#ifndef DT_IMPORT_MPI_H
#define DT_IMPORT_MPI_H

#include "dame/type.h"
#include "opal-glue/types.h"

struct opal_datatype_t;

/* DT_DECLINE_NONE and its type in memory of the tree, or the reason why not. *limit is set when the
 * answer is DT_DECLINE_LIMIT. */
dt_decline_t dt_import_mpi(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                           dame_limit_t *limit, const dame_type_t **out);

#endif
