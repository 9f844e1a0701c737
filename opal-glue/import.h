/*
 * Open MPI datatypes to dame programs.
 */
#ifndef DT_IMPORT_H
#define DT_IMPORT_H

#include <stdbool.h>

#include "dame/dame.h"
#include "stats.h"

struct opal_datatype_t;

/*
 * Builds the program of a datatype, or gives NULL and the reason. Counts and times itself. The
 * caller frees with dame_program_free(). Reads the datatype only. `tree` is empty memory to work
 * in, and is left empty.
 */
dame_program_t *dt_import(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                          dt_decline_t *declined);

/* How programs are built from now on, and whether the verifier looks at them. */
void dt_import_start(const dame_options_t *options, bool verify);

/* The two sources a type tree can come from; private to the importer and its tests. *limit is set
 * when the answer is DT_DECLINE_LIMIT. */

/* From the constructor calls that Open MPI keeps for MPI_Type_get_contents. */
dt_decline_t dt_import_constructors(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                                    dame_limit_t *limit, const dame_type_t **out);

/* From OPAL's own description, for predefined and library-internal datatypes. */
dt_decline_t dt_import_description(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                                   dame_limit_t *limit, const dame_type_t **out);

/* What a failed dame call means for the datatype. */
dt_decline_t dt_import_declined(dame_status_t status);

/* `type` with the bounds that Open MPI gives the datatype; they are taken, never recomputed. */
dame_status_t dt_import_bounds(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                               const dame_type_t *type, const dame_type_t **out);

/*
 * DT_DECLINE_BOUNDS, logged, when size or true bounds are not what Open MPI says. To be asked for
 * every datatype on the way, not only the outermost: Open MPI's own engine is what the peers have.
 */
dt_decline_t dt_import_check(const struct opal_datatype_t *datatype, const dame_type_t *type);

#endif
