/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table datatype -> program.
 *
 * Datatypes are entered on first use, or on the second if they are small, and leave with their
 * object (the last destructor, glue.c): addresses are reused at once, so an entry must never
 * outlive its datatype. Finding takes no lock. The caller holds a reference to the datatype, so its
 * entry cannot leave meanwhile.
 */
#ifndef DT_TABLE_H
#define DT_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "entry.h"
#include "worth.h"
#include "base/hash.h"

/*
 * Hash chains. Entries are never freed while the table is in use, only recycled, and the bucket
 * arrays that were outgrown are kept: a reader that is overtaken by a change may walk into another
 * chain and miss, but never into freed memory. An entry that it missed is found again under the
 * lock.
 */
typedef struct dt_buckets {
    struct dt_buckets *older;
    size_t mask;
    _Atomic(dt_entry_t *) heads[];
} dt_buckets_t;

extern _Atomic(dt_buckets_t *) dt_table_buckets; /* NULL: empty */

static inline _Atomic(dt_entry_t *) *dt_table_head(dt_buckets_t *buckets,
                                                   const struct opal_datatype_t *datatype)
{
    return &buckets->heads[(dt_hash(datatype) >> 32) & buckets->mask];
}

/* The entry of a datatype, or NULL if it has none or a change overtook the search. */
static inline dt_entry_t *dt_table_find(const struct opal_datatype_t *datatype)
{
    dt_buckets_t *buckets = atomic_load_explicit(&dt_table_buckets, memory_order_acquire);
    if (NULL == buckets) {
        return NULL;
    }
    dt_entry_t *entry =
        atomic_load_explicit(dt_table_head(buckets, datatype), memory_order_acquire);
    while (NULL != entry && datatype != atomic_load_explicit(&entry->key, memory_order_acquire)) {
        entry = atomic_load_explicit(&entry->next, memory_order_acquire);
    }
    return entry;
}

/* Before the first entry. has_extras: datatypes have files, tallies or counts of events each. */
void dt_table_start(bool has_extras);

/* Finds it under the lock, or makes it, with its layout. */
dt_entry_t *dt_table_open(const struct opal_datatype_t *datatype);

/* The entry of a datatype, with its layout, imported now if it is new. NULL only when memory is out
 * and the datatype had no entry. */
static inline dt_entry_t *dt_table_get(const struct opal_datatype_t *datatype)
{
    dt_entry_t *entry = dt_table_find(datatype);
    return NULL != entry && dt_entry_is_open(entry) ? entry : dt_table_open(datatype);
}

/* The same for a message, of `count` elements and `bytes` bytes in all, of a datatype that may be
 * new: then the entry has its layout (dt_entry_is_open()) if that is known or worth its import by
 * now; an entry that is not open is of no other use. NULL: memory is out. */
dt_entry_t *dt_table_use(const struct opal_datatype_t *datatype, size_t count, int64_t bytes);

/* Counts a use of an entry that is not open, while the datatype is held. Does it go on waiting for
 * its layout? */
static inline bool dt_table_waits(dt_entry_t *entry, size_t count)
{
    int32_t owed = atomic_load_explicit(dt_entry_owed(entry), memory_order_relaxed);
    const int32_t left = dt_worth_left(owed, count);
    if (0 != left) { /* not counted if another thread counts, or opens it, at the same time */
        (void) atomic_compare_exchange_strong_explicit(dt_entry_owed(entry), &owed, left,
                                                       memory_order_relaxed, memory_order_relaxed);
    }
    return 0 != left;
}

/*
 * Grows whenever a datatype leaves. While it stays the same, results stay true, so a caller that
 * remembers both saves the search.
 */
extern _Atomic uint64_t dt_table_generation_count;

static inline uint64_t dt_table_generation(void)
{
    return atomic_load_explicit(&dt_table_generation_count, memory_order_acquire);
}

/* The datatype's object has ended, and nothing can use it any more; it is not read. No-op for
 * datatypes that were never used. */
void dt_table_forget(const struct opal_datatype_t *datatype);

/* Frees everything. No thread may be using the table. */
void dt_table_clear(void);

#endif
