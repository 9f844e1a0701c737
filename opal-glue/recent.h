/*
 * Messages that need no decision, and what they cost besides being moved: two counts in the
 * thread's own memory. (To find the program, advance.c also looks into the table, compares the
 * program's code with that of the grant, and enters and leaves the thread's reader.)
 *
 * When the policy of promotion has nothing to ask of a layout for a while, a thread is granted its
 * next uses: messages, which it counts down without looking at anything that other threads
 * write; so, too, while the policy waits for uses to pass. With them it counts their bytes. A grant
 * ends with its last use, when the program gets or loses machine code, or when it is called in
 * (dt_layout_call_in()); then uses and bytes go to the counters and to the tally, and the policy
 * hears of them. While the report is on, no grant goes beyond the next sample (sample.h). Layouts
 * in use, or their datatypes of one name where each name has a tally, have a dt_recent_t each in
 * every thread that uses them.
 */
#ifndef DT_RECENT_H
#define DT_RECENT_H

#include "entry.h"
#include "thread.h"

/* Are samples taken, so that grants end with them, and count as fragments until the next one? Set
 * while no thread has a grant. */
extern bool dt_recent_samples;

/* The place in a thread's `recent` of a new entry's messages: entry->recent. Datatypes that are
 * counted together share it. It is kept in the entry because each message waits for it, and would
 * else wait for the layout's ticket first. */
static inline uint32_t dt_recent_place(const dt_entry_t *entry)
{
    return (uint32_t) (dt_entry_ticket(entry) % DT_RECENTS);
}

/* Where the entry's messages are counted, if they are. */
static inline dt_recent_t *dt_recent_of(dt_thread_t *thread, const dt_entry_t *entry)
{
    return &thread->stats.recent[entry->recent];
}

static inline bool dt_recent_has_left(const dt_recent_t *recent, const dt_entry_t *entry,
                                      dt_work_t work)
{
    return recent->ticket == dt_entry_ticket(entry) &&
           0 != (uint32_t) atomic_load_explicit(&recent->uses[work], memory_order_relaxed);
}

/* Does the program run the code that it ran when its uses were granted? */
static inline bool dt_recent_is_current(const dt_recent_t *recent, const dt_entry_t *entry,
                                        dame_dir_t dir)
{
    return recent->codes[dir] ==
           atomic_load_explicit(&entry->layout->program->codes[dir], memory_order_relaxed);
}

/* May the entry's next message go without a question? */
static inline bool dt_recent_may(const dt_recent_t *recent, const dt_entry_t *entry, dame_dir_t dir)
{
    return dt_recent_has_left(recent, entry, (dt_work_t) dir) &&
           dt_recent_is_current(recent, entry, dir);
}

/* Whether the entry's next message, of this work, goes without a question; then it is counted. A
 * thread that is not enlisted has no grants. */
static inline bool dt_recent_take(dt_thread_t *thread, const dt_entry_t *entry, dt_work_t work,
                                  int64_t bytes)
{
    const uint64_t ticket = dt_entry_ticket(entry);
    dt_recent_t *recent = &thread->stats.recent[entry->recent];
    const uint64_t uses = atomic_load_explicit(&recent->uses[work], memory_order_relaxed);
    if (recent->ticket != ticket || 0 == (uint32_t) uses ||
        (DT_COPY != work && !dt_recent_is_current(recent, entry, (dame_dir_t) work))) {
        return false;
    }
    atomic_store_explicit(&recent->uses[work], uses - 1, memory_order_relaxed);
    dt_stats_add(&recent->bytes[work], bytes);
    return true;
}

/* A message begins that may not: settles a grant that has ended, and lets the policy hear of it. */
void dt_recent_end(dt_thread_t *thread, dt_entry_t *entry, dt_work_t work, size_t bytes);

/* Grants the entry's next uses for this work, if nobody has a question before. */
void dt_recent_grant(dt_thread_t *thread, const dt_entry_t *entry, dt_work_t work);

/* All of the thread's grants end with the uses that they have had. */
void dt_recent_end_grants(dt_thread_t *thread);

#endif
