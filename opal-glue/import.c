#include "import.h"

#include "opal/datatype/opal_datatype.h"
#include "thread.h"

dt_decline_t dt_import_declined(dame_status_t status)
{
    switch (status) {
    case DAME_OK:
        return DT_DECLINE_NONE;
    case DAME_ERR_NOMEM:
        return DT_DECLINE_MEMORY;
    case DAME_ERR_RANGE:
        return DT_DECLINE_RANGE;
    case DAME_ERR_VERIFY:
        return DT_DECLINE_PROGRAM;
    default:
        return DT_DECLINE_UNKNOWN;
    }
}

dame_status_t dt_import_bounds(dame_tree_t *tree, const opal_datatype_t *datatype,
                               const dame_type_t *type, const dame_type_t **out)
{
    int64_t extent = datatype->ub - datatype->lb;
    if (type->lb == datatype->lb && type->extent == extent) {
        *out = type;
        return DAME_OK;
    }
    return dame_type_resized(tree, datatype->lb, extent, type, out);
}

static bool agrees(const opal_datatype_t *datatype, const dame_type_t *type)
{
    return (size_t) type->size == datatype->size &&
           (0 == type->size ||
            (type->true_lb == datatype->true_lb && type->true_ub == datatype->true_ub));
}

static dt_decline_t build(dame_tree_t *tree, const opal_datatype_t *datatype,
                          dame_program_t **program)
{
    const dame_type_t *type;
    dt_decline_t declined = dt_import_constructors(tree, datatype, &type);
    if (DT_DECLINE_NONE == declined && !agrees(datatype, type)) {
        declined = DT_DECLINE_BOUNDS;
    }
    if (DT_DECLINE_NONE == declined) {
        declined = dt_import_declined(dame_program_build(type, program));
    }
    dame_tree_reset(tree);
    if (DT_DECLINE_NONE == declined && (*program)->depth > DAME_CURSOR_DEPTH) {
        dame_program_free(*program); /* its cursors would need the heap on the fragment path */
        *program = NULL;
        declined = DT_DECLINE_DEPTH;
    }
    return declined;
}

dame_program_t *dt_import(dame_tree_t *tree, const opal_datatype_t *datatype,
                          dt_decline_t *declined)
{
    dame_program_t *program = NULL;
    int64_t start = dt_now();
    *declined = build(tree, datatype, &program);
    dt_count(DT_COUNT_import_ns, dt_now() - start);
    dt_count(NULL != program ? DT_COUNT_types_imported : DT_COUNT_types_declined, 1);
    if (NULL == program) {
        dt_count_declined(*declined);
    }
    return program;
}
