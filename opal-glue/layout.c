#include "layout.h"

#include <stdbool.h>

#include "dame/heap.h"
#include "import.h"
#include "jit/lock.h"
#include "layout_key.h"
#include "promote.h"
#include "thread.h"
#include "worth.h"

enum { FIRST_CHAINS = 64 };

/* All layouts that are shared, by their sketch. Under DAME_LOCK_TABLE. */
static struct {
    dt_layout_t **chains;
    size_t mask; /* number of chains - 1 */
    size_t layouts;
    uint64_t number;              /* the last one */
    dt_layout_t *newest, *oldest; /* of the unused ones, by when they became so */
    size_t unused;                /* bytes of those */
    size_t most_unused;
} all;

/* Of the shared layouts, by their sketch: read without a lock. */
static _Atomic uint32_t known[1024];

static _Atomic uint32_t *known_of(uint64_t sketch)
{
    return &known[sketch % (sizeof(known) / sizeof(known[0]))];
}

bool dt_layout_may_be_known(uint64_t sketch)
{
    return 0 != atomic_load_explicit(known_of(sketch), memory_order_relaxed);
}

void dt_layout_start(size_t most_unused)
{
    all.most_unused = most_unused;
}

/* ---- Unused layouts ------------------------------------------------------------------------- */

static bool is_unused(const dt_layout_t *layout)
{
    return 0 == layout->datatypes &&
           0 == atomic_load_explicit(&layout->holds, memory_order_relaxed);
}

static void append(dt_layout_t *layout)
{
    layout->newer = NULL;
    layout->older = all.newest;
    *(NULL != all.newest ? &all.newest->newer : &all.oldest) = layout;
    all.newest = layout;
    all.unused += layout->bytes;
}

static void take_out(dt_layout_t *layout)
{
    *(NULL != layout->newer ? &layout->newer->older : &all.newest) = layout->older;
    *(NULL != layout->older ? &layout->older->newer : &all.oldest) = layout->newer;
    all.unused -= layout->bytes;
}

/* ---- Chains --------------------------------------------------------------------------------- */

static dt_layout_t **chain_of(uint64_t sketch)
{
    return &all.chains[sketch & all.mask];
}

/* The first layout of the chain from `layout` on that has this sketch. */
static dt_layout_t *alike(dt_layout_t *layout, uint64_t sketch)
{
    while (NULL != layout && sketch != layout->sketch) {
        layout = layout->next;
    }
    return layout;
}

/* All of the datatype is read only if a layout looks like it. */
static dt_layout_t *find(dame_tree_t *tree, const struct opal_datatype_t *datatype, uint64_t sketch)
{
    dt_layout_t *layout = NULL == all.chains ? NULL : alike(*chain_of(sketch), sketch);
    dt_layout_key_t key;
    if (NULL == layout || !dt_layout_key(tree, datatype, &key)) {
        return NULL;
    }
    while (NULL != layout && !dt_layout_key_equals(key, layout->key)) {
        layout = alike(layout->next, sketch);
    }
    return layout;
}

static void link_layout(dt_layout_t *layout)
{
    dt_layout_t **chain = chain_of(layout->sketch);
    layout->next = *chain;
    *chain = layout;
}

/* Twice the chains, or the first ones. They stay as they are when memory is out. */
static void grow(void)
{
    const size_t before = NULL == all.chains ? 0 : all.mask + 1;
    const size_t n = 0 == before ? FIRST_CHAINS : 2 * before;
    dt_layout_t **old = all.chains;
    dt_layout_t **chains = dame_heap_zalloc(n * sizeof(*chains));
    if (NULL == chains) {
        return;
    }
    all.chains = chains;
    all.mask = n - 1;
    for (size_t i = 0; i < before; i++) {
        for (dt_layout_t *layout = old[i]; NULL != layout;) {
            dt_layout_t *next = layout->next;
            link_layout(layout);
            layout = next;
        }
    }
    dame_heap_free(old);
}

/* Lets others find the layout, unless memory is out. */
static void share(dame_tree_t *tree, dt_layout_t *layout, const struct opal_datatype_t *datatype,
                  uint64_t sketch)
{
    if (NULL == all.chains || all.layouts > all.mask) {
        grow();
    }
    if (NULL != all.chains && dt_layout_key(tree, datatype, &layout->key)) {
        layout->is_shared = true;
        layout->sketch = sketch;
        layout->bytes = sizeof(*layout) + (NULL == layout->program ? 0 : layout->program->memory);
        link_layout(layout);
        all.layouts++;
        atomic_fetch_add_explicit(known_of(sketch), 1, memory_order_relaxed);
    }
}

static void unlink_layout(dt_layout_t *layout)
{
    dt_layout_t **at = chain_of(layout->sketch);
    while (layout != *at) {
        at = &(*at)->next;
    }
    *at = layout->next;
    all.layouts--;
    atomic_fetch_sub_explicit(known_of(layout->sketch), 1, memory_order_relaxed);
}

/* ---- Holding and giving up ------------------------------------------------------------------ */

static dt_layout_t *new_layout(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                               uint64_t sketch)
{
    const int64_t start = dt_now();
    dt_layout_t *layout = dame_heap_zalloc(sizeof(*layout));
    if (NULL == layout) {
        return NULL;
    }
    atomic_store_explicit(&layout->ticket, ++all.number, memory_order_relaxed);
    dt_decline_t declined;
    const int cancel_state = dame_cancel_defer(); /* it may log */
    layout->program = dt_import(tree, datatype, &declined);
    dame_cancel_restore(cancel_state);
    atomic_store_explicit(&layout->declined, declined, memory_order_relaxed);
    dt_promote_layout_init(layout);
    if (DT_DECLINE_MEMORY != declined) { /* which may pass */
        share(tree, layout, datatype, sketch);
    }
    const int64_t ns = dt_now() - start;
    dt_worth_took(datatype, sketch, ns);
    dt_count(DT_COUNT_import_ns, ns);
    return layout;
}

static dt_layout_t *take(dt_layout_t *layout)
{
    const dt_decline_t declined = atomic_load_explicit(&layout->declined, memory_order_relaxed);
    layout->datatypes++;
    if (DT_DECLINE_NONE == declined) {
        dt_count(DT_COUNT_types_imported, 1);
    } else {
        dt_count(DT_COUNT_types_declined, 1);
        dt_count_declined(declined);
    }
    return layout;
}

dt_layout_t *dt_layout_find(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                            uint64_t sketch)
{
    dt_layout_t *layout = find(tree, datatype, sketch);
    if (NULL != layout && is_unused(layout)) {
        take_out(layout);
    }
    return NULL == layout ? NULL : take(layout);
}

dt_layout_t *dt_layout_import(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                              uint64_t sketch)
{
    dt_layout_t *layout = new_layout(tree, datatype, sketch);
    return NULL == layout ? NULL : take(layout);
}

/* Takes out those that have been unused for longest, until the rest is within the bound. */
static dt_layout_t *take_surplus(void)
{
    dt_layout_t *surplus = NULL;
    while (all.unused > all.most_unused) {
        dt_layout_t *layout = all.oldest;
        take_out(layout);
        unlink_layout(layout);
        dt_count(DT_COUNT_layouts_dropped, 1);
        layout->next = surplus;
        surplus = layout;
    }
    return surplus;
}

/* Nobody has the layout any more. */
static dt_layout_t *retire(dt_layout_t *layout)
{
    if (!layout->is_shared) {
        layout->next = NULL;
        return layout;
    }
    append(layout);
    return take_surplus();
}

dt_layout_t *dt_layout_put(dt_layout_t *layout)
{
    layout->datatypes--;
    return is_unused(layout) ? retire(layout) : NULL;
}

void dt_layout_release(dt_layout_t *layout)
{
    dame_lock_briefly(DAME_LOCK_TABLE);
    atomic_fetch_sub_explicit(&layout->holds, 1, memory_order_relaxed);
    dt_layout_t *surplus = is_unused(layout) ? retire(layout) : NULL;
    dame_unlock_briefly(DAME_LOCK_TABLE);
    dt_layout_free(surplus);
}

void dt_layout_free(dt_layout_t *layouts)
{
    while (NULL != layouts) {
        dt_layout_t *next = layouts->next;
        dt_promote_layout_release(layouts);
        dame_program_free(layouts->program);
        dame_heap_free(atomic_load_explicit(&layouts->hints, memory_order_relaxed));
        dame_heap_free(layouts);
        layouts = next;
    }
}

void dt_layout_clear(void)
{
    const size_t most = all.most_unused;
    all.most_unused = 0;
    dt_layout_free(take_surplus());
    all.most_unused = most;
    for (size_t i = 0; NULL != all.chains && i <= all.mask; i++) { /* held by a compilation */
        for (dt_layout_t *layout = all.chains[i]; NULL != layout; layout = layout->next) {
            atomic_store_explicit(&layout->tally, NULL, memory_order_relaxed); /* which ends now */
        }
    }
    if (0 == all.layouts) {
        dame_heap_free(all.chains);
        all.chains = NULL;
    }
}
