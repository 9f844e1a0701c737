/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include "base/heap.h"
#include "base/lock.h"

enum { FIRST_CHAINS = 64 };

static _Atomic uint32_t *known_of(dame_layouts_t *all, uint64_t fingerprint)
{
    return &all->known[fingerprint % (sizeof(all->known) / sizeof(all->known[0]))];
}

void dame_layouts_start(dame_layouts_t *all, dame_counts_t *counts, size_t most_unused)
{
    all->counts = counts;
    all->most_unused = most_unused;
}

/* ---- Unused layouts ------------------------------------------------------------------------- */

static bool is_unused(const dame_layout_t *layout)
{
    return layout->datatypes == 0 &&
           atomic_load_explicit(&layout->holds, memory_order_relaxed) == 0;
}

static void append_unused(dame_layouts_t *all, dame_layout_t *layout)
{
    layout->newer = NULL;
    layout->older = all->newest;
    *(all->newest != NULL ? &all->newest->newer : &all->oldest) = layout;
    all->newest = layout;
    all->unused += layout->bytes;
}

static void take_out(dame_layouts_t *all, dame_layout_t *layout)
{
    *(layout->newer != NULL ? &layout->newer->older : &all->newest) = layout->older;
    *(layout->older != NULL ? &layout->older->newer : &all->oldest) = layout->newer;
    all->unused -= layout->bytes;
}

/* ---- Chains --------------------------------------------------------------------------------- */

static dame_layout_t **chain_of(const dame_layouts_t *all, uint64_t fingerprint)
{
    return &all->chains[fingerprint & all->mask];
}

/* The first layout of the chain from `layout` on that has this fingerprint. */
static dame_layout_t *alike(dame_layout_t *layout, uint64_t fingerprint)
{
    while (layout != NULL && fingerprint != layout->fingerprint) {
        layout = layout->next;
    }
    return layout;
}

/* All of the datatype is read only if a layout looks like it. */
static dame_layout_t *find_layout(dame_layouts_t *all, const dame_layout_source_t *source,
                                  const void *datatype, uint64_t fingerprint)
{
    dame_layout_t *layout =
        all->chains == NULL ? NULL : alike(*chain_of(all, fingerprint), fingerprint);
    dame_layout_key_t key;
    if (layout == NULL || !source->key(datatype, &key)) {
        return NULL;
    }
    while (layout != NULL && !dame_layout_key_equals(key, layout->key)) {
        layout = alike(layout->next, fingerprint);
    }
    return layout;
}

static void link_layout(dame_layouts_t *all, dame_layout_t *layout)
{
    dame_layout_t **chain = chain_of(all, layout->fingerprint);
    layout->next = *chain;
    *chain = layout;
}

/* Twice the chains, or the first ones. They stay as they are when memory is out. */
static void grow_chains(dame_layouts_t *all)
{
    const size_t before = all->chains == NULL ? 0 : all->mask + 1;
    const size_t n = before == 0 ? FIRST_CHAINS : 2 * before;
    dame_layout_t **old = all->chains;
    dame_layout_t **chains = dame_heap_zalloc(n * sizeof(*chains));
    if (chains == NULL) {
        return;
    }
    all->chains = chains;
    all->mask = n - 1;
    for (size_t i = 0; i < before; i++) {
        for (dame_layout_t *layout = old[i]; layout != NULL;) {
            dame_layout_t *next = layout->next;
            link_layout(all, layout);
            layout = next;
        }
    }
    dame_heap_free(old);
}

/* Lets others find the layout, unless memory is out. */
static void share(dame_layouts_t *all, dame_layout_t *layout, const dame_layout_source_t *source,
                  const void *datatype, uint64_t fingerprint)
{
    if (all->chains == NULL || all->layouts > all->mask) {
        grow_chains(all);
    }
    if (all->chains != NULL && source->key(datatype, &layout->key)) {
        layout->is_shared = true;
        layout->fingerprint = fingerprint;
        layout->bytes = sizeof(*layout) + (layout->program == NULL ? 0 : layout->program->memory);
        link_layout(all, layout);
        all->layouts++;
        atomic_fetch_add_explicit(known_of(all, fingerprint), 1, memory_order_relaxed);
    }
}

static void unlink_layout(dame_layouts_t *all, dame_layout_t *layout)
{
    dame_layout_t **at = chain_of(all, layout->fingerprint);
    while (layout != *at) {
        at = &(*at)->next;
    }
    *at = layout->next;
    all->layouts--;
    atomic_fetch_sub_explicit(known_of(all, layout->fingerprint), 1, memory_order_relaxed);
}

/* ---- Holding and giving up ------------------------------------------------------------------ */

dame_layout_t *dame_layout_find(dame_layouts_t *all, const dame_layout_source_t *source,
                                const void *datatype, uint64_t fingerprint)
{
    dame_layout_t *layout = find_layout(all, source, datatype, fingerprint);
    if (layout == NULL) {
        return NULL;
    }
    if (is_unused(layout)) {
        take_out(all, layout);
    }
    layout->datatypes++;
    return layout;
}

dame_layout_t *dame_layout_new(dame_layouts_t *all, const dame_layout_source_t *source,
                               const void *datatype, uint64_t fingerprint)
{
    int32_t declined = 0;
    dame_layout_t *layout = dame_heap_zalloc(sizeof(*layout));
    if (layout == NULL) {
        return NULL;
    }
    atomic_store_explicit(&layout->credit_epoch, ++all->number, memory_order_relaxed);
    layout->program = source->build(datatype, &declined);
    atomic_store_explicit(&layout->declined, declined, memory_order_relaxed);
    if (source->key != NULL && (declined == 0 || source->passing != declined)) {
        share(all, layout, source, datatype, fingerprint);
    }
    layout->datatypes = 1;
    return layout;
}

dame_layout_t *dame_layout_private(dame_layouts_t *all, dame_program_t *program)
{
    dame_layout_t *layout = dame_heap_zalloc(sizeof(*layout));
    if (layout == NULL) {
        return NULL;
    }
    dame_lock_briefly(DAME_LOCK_LAYOUTS);
    atomic_store_explicit(&layout->credit_epoch, ++all->number, memory_order_relaxed);
    dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    layout->program = program;
    layout->datatypes = 1;
    return layout;
}

/* Takes out those that have been unused for longest, until the rest is within the bound. */
static dame_layout_t *take_surplus(dame_layouts_t *all)
{
    dame_layout_t *surplus = NULL;
    while (all->unused > all->most_unused) {
        dame_layout_t *layout = all->oldest;
        take_out(all, layout);
        unlink_layout(all, layout);
        dame_count(all->counts, DAME_COUNT_layouts_dropped, 1);
        layout->next = surplus;
        surplus = layout;
    }
    return surplus;
}

/* No datatype or holder has the layout any more. */
static dame_layout_t *retire(dame_layouts_t *all, dame_layout_t *layout)
{
    if (!layout->is_shared) {
        layout->next = NULL;
        return layout;
    }
    append_unused(all, layout);
    return take_surplus(all);
}

dame_layout_t *dame_layout_put(dame_layouts_t *all, dame_layout_t *layout)
{
    layout->datatypes--;
    return is_unused(layout) ? retire(all, layout) : NULL;
}

dame_layout_t *dame_layout_release(dame_layouts_t *all, dame_layout_t *layout)
{
    dame_lock_briefly(DAME_LOCK_LAYOUTS);
    atomic_fetch_sub_explicit(&layout->holds, 1, memory_order_relaxed);
    dame_layout_t *surplus = is_unused(layout) ? retire(all, layout) : NULL;
    dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    return surplus;
}

dame_layout_t *dame_layouts_clear(dame_layouts_t *all)
{
    const size_t most = all->most_unused;
    all->most_unused = 0;
    dame_layout_t *surplus = take_surplus(all);
    all->most_unused = most;
    for (size_t i = 0; all->chains != NULL && i <= all->mask; i++) { /* held by a compilation */
        for (dame_layout_t *layout = all->chains[i]; layout != NULL; layout = layout->next) {
            atomic_store_explicit(&layout->tally, NULL, memory_order_relaxed); /* which ends now */
        }
    }
    return surplus;
}

void dame_layouts_stop(dame_layouts_t *all)
{
    if (all->layouts == 0) {
        dame_heap_free(all->chains);
        all->chains = NULL;
    }
}
