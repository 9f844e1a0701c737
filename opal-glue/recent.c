#include "recent.h"

#include "promote.h"

enum {
    GRANT = 1021, /* uses, at most */
    LEAST = 4,    /* uses that are worth a grant */
    PATIENCE = 8  /* misses before a layout makes room for another: more layouts in turn than
                     DT_RECENTS would only replace each other */
};

void dt_recent_end(dt_thread_t *thread, dt_entry_t *entry, dame_dir_t dir, size_t bytes)
{
    const dt_layout_t *layout = entry->layout;
    dt_recent_t *recent = dt_recent_of(thread, layout);
    if (recent->layout != layout->number) {
        return;
    }
    if (!dt_recent_may(recent, layout, dir)) {
        const int32_t uses = dt_stats_settle(&thread->stats, recent, (dt_work_t) dir);
        if (uses > 0) {
            dt_promote_skipped(entry, dir, bytes, uses);
        }
    }
}

/* The layout's, which others may have to make room for; NULL: not yet. */
static dt_recent_t *recent_for(dt_thread_t *thread, const dt_layout_t *layout)
{
    dt_recent_t *recent = dt_recent_of(thread, layout);
    if (recent->layout == layout->number) {
        return recent;
    }
    if (0 != recent->layout && ++recent->misses < PATIENCE) {
        return NULL;
    }
    for (int work = 0; work < DT_WORKS; work++) {
        (void) dt_stats_settle(&thread->stats, recent, (dt_work_t) work);
    }
    recent->layout = layout->number;
    recent->misses = 0;
    atomic_store_explicit(&recent->tally, layout->tally, memory_order_relaxed);
    return recent;
}

static dt_tier_t tier_of(const dt_layout_t *layout, dt_work_t work)
{
    return DT_COPY != work && dt_promote_is_compiled(layout, (dame_dir_t) work) ? DT_CODE
                                                                                : DT_INTERP;
}

void dt_recent_grant(dt_thread_t *thread, const dt_entry_t *entry, dt_work_t work)
{
    const dt_layout_t *layout = entry->layout;
    const int32_t uses =
        DT_COPY == work ? GRANT : dt_promote_may_skip(layout, (dame_dir_t) work, GRANT);
    if (dt_entries_are_wide || !thread->stats.listed || uses < LEAST) {
        return;
    }
    dt_recent_t *recent = recent_for(thread, layout);
    if (NULL == recent || dt_recent_has_left(recent, layout, work)) {
        return;
    }
    (void) dt_stats_settle(&thread->stats, recent, work);
    if (DT_COPY != work) {
        recent->codes[work] =
            atomic_load_explicit(&layout->program->codes[work], memory_order_relaxed);
    }
    atomic_store_explicit(&recent->tier[work], tier_of(layout, work), memory_order_relaxed);
    atomic_store_explicit(&recent->granted[work], uses, memory_order_relaxed);
    atomic_store_explicit(&recent->left[work], uses, memory_order_relaxed);
}
