#include "layout.h"

#include "dame/heap.h"
#include "import.h"
#include "promote.h"

dt_layout_t *dt_layout_new(dame_tree_t *tree, const struct opal_datatype_t *datatype)
{
    dt_layout_t *layout = dame_heap_zalloc(sizeof(*layout));
    if (NULL == layout) {
        return NULL;
    }
    dt_decline_t declined;
    layout->program = dt_import(tree, datatype, &declined);
    atomic_store_explicit(&layout->declined, declined, memory_order_relaxed);
    dt_promote_layout_init(layout);
    return layout;
}

void dt_layout_free(dt_layout_t *layout)
{
    if (NULL == layout) {
        return;
    }
    dt_promote_layout_release(layout);
    dame_program_free(layout->program);
    dame_heap_free(layout);
}
