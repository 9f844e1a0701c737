/* SPDX-License-Identifier: BSD-3-Clause */
#include "import_desc.h"

#include "opal-glue/abi/abi.h"
#include "bounds.h"

/* Deeper loops than any program may have. */
enum { MAX_LOOPS = 64 };

static dame_status_t import_element(dame_tree_t *tree, const ddt_elem_desc_t *element,
                                    const dame_type_t **out)
{
    const dame_type_t *basic;
    int64_t size = (int64_t) opal_datatype_basicDatatypes[element->common.type]->size;
    dame_status_t status = dame_type_basic(tree, size, &basic);
    if (status == DAME_OK) {
        status = dame_type_vector(tree, element->count, (int64_t) element->blocklen,
                                  element->extent, basic, out);
    }
    return status;
}

/*
 * The items [first, end) as a struct. Displacements of items inside a loop count from the start of
 * its iteration.
 */
static dame_status_t import_items(dame_tree_t *tree, const dt_elem_desc_t *items, size_t n,
                                  int depth, dame_limit_t *limit, const dame_type_t **out)
{
    int64_t *blklens = dame_tree_array(tree, (int64_t) n);
    int64_t *disps = dame_tree_array(tree, (int64_t) n);
    const dame_type_t **types = dame_tree_types(tree, (int64_t) n);
    if (blklens == NULL || disps == NULL || types == NULL) {
        return DAME_ERR_NOMEM;
    }
    if (depth > MAX_LOOPS) {
        *limit = (dame_limit_t){"nested loops", MAX_LOOPS, depth};
        return DAME_ERR_LIMIT;
    }
    int64_t fields = 0;
    for (size_t i = 0; i < n; i++) {
        dame_status_t status = DAME_OK;
        disps[fields] = 0;
        if (items[i].elem.common.type == OPAL_DATATYPE_LOOP) {
            const ddt_loop_desc_t *loop = &items[i].loop;
            const dame_type_t *body;
            /* loop.items counts from the LOOP to its END_LOOP */
            status = import_items(tree, items + i + 1, loop->items - 1, depth + 1, limit, &body);
            if (status == DAME_OK) {
                status = dame_type_vector(tree, loop->loops, 1, loop->extent, body, &types[fields]);
            }
            i += loop->items;
        } else if (items[i].elem.common.flags & OPAL_DATATYPE_FLAG_DATA) {
            status = import_element(tree, &items[i].elem, &types[fields]);
            disps[fields] = items[i].elem.disp;
        } else {
            continue; /* bounds markers */
        }
        if (status != DAME_OK) {
            return status;
        }
        blklens[fields++] = 1;
    }
    return dame_type_struct(tree, fields, blklens, disps, types, out);
}

dt_decline_t dt_import_desc(dame_tree_t *tree, const opal_datatype_t *datatype, dame_limit_t *limit,
                            const dame_type_t **out)
{
    const dame_type_t *type;
    dame_status_t status =
        import_items(tree, datatype->desc.desc, datatype->desc.used, 0, limit, &type);
    if (status == DAME_OK) {
        status = dt_bounds_apply(tree, datatype, type, out);
    }
    return dt_bounds_declined(status);
}
