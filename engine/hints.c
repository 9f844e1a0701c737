/* SPDX-License-Identifier: BSD-3-Clause */
#include "hints.h"

#include "base/heap.h"
#include "measure/policy.h"

enum { MOST_MISMATCHES = 16 };

/* Made if need be; NULL when memory is out. */
static dame_hints_t *hints_of(dame_layout_t *layout)
{
    dame_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    if (hints != NULL) {
        return hints;
    }
    dame_hints_t *made = dame_heap_zalloc(sizeof(*made));
    if (made != NULL && !atomic_compare_exchange_strong(&layout->hints, &hints, made)) {
        dame_heap_free(made); /* another thread was faster */
        return hints;
    }
    return made;
}

bool dame_hints_fit(dame_hints_t *hints, size_t count, const void *base)
{
    const int64_t wanted = atomic_load_explicit(&hints->count, memory_order_relaxed);
    if ((wanted == 0 || (int64_t) count == wanted) &&
        (!atomic_load_explicit(&hints->has_base, memory_order_relaxed) ||
         (uintptr_t) base == atomic_load_explicit(&hints->base, memory_order_relaxed))) {
        atomic_store_explicit(&hints->mismatches, 0, memory_order_relaxed);
        return true;
    }
    if (MOST_MISMATCHES <=
        1 + atomic_fetch_add_explicit(&hints->mismatches, 1, memory_order_relaxed)) {
        atomic_store_explicit(&hints->count, 0, memory_order_relaxed);
        atomic_store_explicit(&hints->has_base, false, memory_order_relaxed);
    }
    return false;
}

/* The largest number counts. */
static void expect(dame_hints_t *hints, double uses)
{
    if (uses > atomic_load_explicit(&hints->uses, memory_order_relaxed)) {
        atomic_store_explicit(&hints->uses, uses, memory_order_relaxed);
    }
}

static void change(dame_hints_t *hints, dame_hint_t hint, intptr_t value)
{
    switch (hint) {
    case DAME_HINTED_USES:
        expect(hints, (double) value);
        break;
    case DAME_HINTED_COUNT:
        atomic_store_explicit(&hints->count, value > 0 ? value : 0, memory_order_relaxed);
        break;
    case DAME_HINTED_BASE:
        atomic_store_explicit(&hints->base, (uintptr_t) value, memory_order_relaxed);
        atomic_store_explicit(&hints->has_base, true, memory_order_relaxed);
        break;
    default:
        expect(hints, DAME_POLICY_MATTERS);
        break;
    }
    atomic_store_explicit(&hints->mismatches, 0, memory_order_relaxed);
}

bool dame_hints_keep(dame_layout_t *layout, dame_hint_t hint, intptr_t value)
{
    dame_hints_t *hints = hints_of(layout);
    if (hints != NULL) {
        change(hints, hint, value);
    }
    return hints != NULL;
}
