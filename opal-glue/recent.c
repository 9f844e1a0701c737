#include "recent.h"

#include "promote.h"

enum {
    GRANT = 1021, /* uses, at most */
    LEAST = 4,    /* uses that are worth a grant */
    PATIENCE = 8  /* misses before one makes room for another: more in turn than DT_RECENTS would
                     only replace each other */
};

bool dt_recent_samples;

static bool is_of(uint64_t ticket, const dt_entry_t *entry)
{
    return 0 == (ticket ^ dt_entry_ticket(entry)) << (64 - DT_NUMBER_BITS);
}

static int32_t settle(dt_thread_t *thread, dt_recent_t *recent, dt_work_t work)
{
    const int32_t uses = dt_stats_settle(&thread->stats, recent, work);
    thread->until_sample -= dt_recent_samples ? uses : 0;
    return uses;
}

static void end_copies(dt_thread_t *thread, dt_entry_t *entry)
{
    dt_recent_t *recent = dt_recent_of(thread, entry);
    if (is_of(recent->ticket, entry)) {
        (void) settle(thread, recent, DT_COPY);
    }
}

void dt_recent_end(dt_thread_t *thread, dt_entry_t *entry, dt_work_t work, size_t bytes)
{
    dt_recent_t *recent = dt_recent_of(thread, entry);
    const dame_dir_t dir = (dame_dir_t) work;
    int32_t uses = 0;
    if (DT_COPY == work) {
        end_copies(thread, entry);
        return;
    }
    if (is_of(recent->before, entry)) {
        uses = recent->untold[dir];
        recent->untold[dir] = 0;
    }
    if (is_of(recent->ticket, entry) && !dt_recent_may(recent, entry, dir)) {
        uses += settle(thread, recent, work);
    }
    if (uses > 0) {
        dt_promote_skipped(entry, dir, bytes, uses);
    }
}

void dt_recent_end_grants(dt_thread_t *thread)
{
    for (int i = 0; i < DT_RECENTS; i++) {
        for (int work = 0; work < DT_WORKS; work++) {
            _Atomic uint64_t *uses = &thread->stats.recent[i].uses[work];
            const uint64_t all = atomic_load_explicit(uses, memory_order_relaxed);
            atomic_store_explicit(uses, ((all >> 32) - (uint32_t) all) << 32, memory_order_relaxed);
        }
    }
}

/* The entry's, which others may have to make room for; NULL: not yet. */
static dt_recent_t *recent_for(dt_thread_t *thread, const dt_entry_t *entry)
{
    dt_recent_t *recent = dt_recent_of(thread, entry);
    const uint64_t ticket = dt_entry_ticket(entry);
    if (recent->ticket == ticket) {
        return recent;
    }
    if (0 != recent->ticket && !is_of(recent->ticket, entry) && ++recent->misses < PATIENCE) {
        return NULL;
    }
    for (int work = 0; work < DT_WORKS; work++) {
        const int32_t uses = settle(thread, recent, (dt_work_t) work);
        if (DT_COPY != work) {
            recent->untold[work] = uses;
        }
    }
    recent->before = recent->ticket;
    recent->ticket = ticket;
    recent->misses = 0;
    atomic_store_explicit(&recent->tally, dt_entry_tally(entry), memory_order_relaxed);
    return recent;
}

static dt_tier_t tier_of(const dt_layout_t *layout, dt_work_t work)
{
    const dame_dir_t dir = (dame_dir_t) work;
    return DT_COPY == work ? DT_INTERP
                           : dt_promote_tier(layout, dir, dt_promote_is_native(layout, dir));
}

void dt_recent_grant(dt_thread_t *thread, const dt_entry_t *entry, dt_work_t work)
{
    const dt_layout_t *layout = entry->layout;
    const int32_t most =
        dt_recent_samples && thread->until_sample < GRANT ? thread->until_sample : GRANT;
    const int32_t uses =
        DT_COPY == work ? most : dt_promote_may_skip(layout, (dame_dir_t) work, most);
    if (!thread->stats.listed || uses < LEAST) {
        return;
    }
    dt_recent_t *recent = recent_for(thread, entry);
    if (NULL == recent || dt_recent_has_left(recent, entry, work)) {
        return;
    }
    (void) settle(thread, recent, work);
    if (DT_COPY != work) {
        recent->codes[work] =
            atomic_load_explicit(&layout->program->codes[work], memory_order_relaxed);
    }
    atomic_store_explicit(&recent->tier[work], tier_of(layout, work), memory_order_relaxed);
    atomic_store_explicit(&recent->uses[work], (uint64_t) uses << 32 | (uint32_t) uses,
                          memory_order_relaxed);
}
