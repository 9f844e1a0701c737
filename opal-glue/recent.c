#include "recent.h"

#include "promote.h"

enum {
    GRANT = 1021, /* uses, at most */
    LEAST = 4,    /* uses that are worth a grant */
    PATIENCE = 8  /* misses before a layout makes room for another: more layouts in turn than
                     DT_RECENTS would only replace each other */
};

static bool is_of(uint64_t ticket, const dt_layout_t *layout)
{
    return 0 == (ticket ^ dt_layout_ticket(layout)) << (64 - DT_NUMBER_BITS);
}

void dt_recent_end(dt_thread_t *thread, dt_entry_t *entry, dame_dir_t dir, size_t bytes)
{
    dt_recent_t *recent = dt_recent_of(thread, entry->layout);
    int32_t uses = 0;
    if (is_of(recent->before, entry->layout)) {
        uses = recent->untold[dir];
        recent->untold[dir] = 0;
    }
    if (is_of(recent->ticket, entry->layout) && !dt_recent_may(recent, entry->layout, dir)) {
        uses += dt_stats_settle(&thread->stats, recent, (dt_work_t) dir);
    }
    if (uses > 0) {
        dt_promote_skipped(entry, dir, bytes, uses);
    }
}

/* The layout's, which others may have to make room for; NULL: not yet. */
static dt_recent_t *recent_for(dt_thread_t *thread, const dt_layout_t *layout)
{
    dt_recent_t *recent = dt_recent_of(thread, layout);
    const uint64_t ticket = dt_layout_ticket(layout);
    if (recent->ticket == ticket) {
        return recent;
    }
    if (0 != recent->ticket && !is_of(recent->ticket, layout) && ++recent->misses < PATIENCE) {
        return NULL;
    }
    for (int work = 0; work < DT_WORKS; work++) {
        const int32_t uses = dt_stats_settle(&thread->stats, recent, (dt_work_t) work);
        if (DT_COPY != work) {
            recent->untold[work] = uses;
        }
    }
    recent->before = recent->ticket;
    recent->ticket = ticket;
    recent->misses = 0;
    atomic_store_explicit(&recent->tally,
                          atomic_load_explicit(&layout->tally, memory_order_relaxed),
                          memory_order_relaxed);
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
    atomic_store_explicit(&recent->uses[work], (uint64_t) uses << 32 | (uint32_t) uses,
                          memory_order_relaxed);
}
