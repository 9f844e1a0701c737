#include "hints.h"

#include "dame/heap.h"
#include "measure/policy.h"

enum { MOST_STRANGERS = 16 };

/* Made if need be; NULL when memory is out. */
static dt_hints_t *hints_of(dt_layout_t *layout)
{
    dt_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    if (NULL != hints) {
        return hints;
    }
    dt_hints_t *made = dame_heap_zalloc(sizeof(*made));
    if (NULL != made && !atomic_compare_exchange_strong(&layout->hints, &hints, made)) {
        dame_heap_free(made); /* another thread was faster */
        return hints;
    }
    return made;
}

bool dt_hints_fit(dt_hints_t *hints, size_t count, const void *base)
{
    const int64_t wanted = atomic_load_explicit(&hints->count, memory_order_relaxed);
    if ((0 == wanted || (int64_t) count == wanted) &&
        (!atomic_load_explicit(&hints->has_base, memory_order_relaxed) ||
         (uintptr_t) base == atomic_load_explicit(&hints->base, memory_order_relaxed))) {
        atomic_store_explicit(&hints->strangers, 0, memory_order_relaxed);
        return true;
    }
    if (MOST_STRANGERS <=
        1 + atomic_fetch_add_explicit(&hints->strangers, 1, memory_order_relaxed)) {
        atomic_store_explicit(&hints->count, 0, memory_order_relaxed);
        atomic_store_explicit(&hints->has_base, false, memory_order_relaxed);
    }
    return false;
}

/* The largest number counts. */
static void expect(dt_hints_t *hints, double uses)
{
    if (uses > atomic_load_explicit(&hints->uses, memory_order_relaxed)) {
        atomic_store_explicit(&hints->uses, uses, memory_order_relaxed);
    }
}

static void change(dt_hints_t *hints, dt_hint_t hint, intptr_t value)
{
    switch (hint) {
    case DT_HINT_USES:
        expect(hints, (double) value);
        break;
    case DT_HINT_COUNT:
        atomic_store_explicit(&hints->count, value > 0 ? value : 0, memory_order_relaxed);
        break;
    case DT_HINT_BASE:
        atomic_store_explicit(&hints->base, (uintptr_t) value, memory_order_relaxed);
        atomic_store_explicit(&hints->has_base, true, memory_order_relaxed);
        break;
    default:
        expect(hints, DAME_POLICY_MATTERS);
        break;
    }
    atomic_store_explicit(&hints->strangers, 0, memory_order_relaxed);
}

bool dt_hints_keep(dt_layout_t *layout, dt_hint_t hint, intptr_t value)
{
    dt_hints_t *hints = hints_of(layout);
    if (NULL != hints) {
        change(hints, hint, value);
    }
    return NULL != hints;
}
