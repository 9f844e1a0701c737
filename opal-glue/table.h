/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table datatype -> program.
 *
 * Datatypes are entered when their import pays (break_even.h), and leave with their object (the
 * last destructor, glue.c): addresses are reused at once, so an entry must never outlive its
 * datatype. Finding takes no lock. The caller holds a reference to the datatype, so its entry
 * cannot leave meanwhile.
 */
#ifndef DT_TABLE_H
#define DT_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "entry.h"
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
    if (buckets == NULL) {
        return NULL;
    }
    dt_entry_t *entry =
        atomic_load_explicit(dt_table_head(buckets, datatype), memory_order_acquire);
    while (entry != NULL && datatype != atomic_load_explicit(&entry->key, memory_order_acquire)) {
        entry = atomic_load_explicit(&entry->next, memory_order_acquire);
    }
    return entry;
}

/* Before the first entry. has_extras: datatypes have files, tallies or counts of events each. */
void dt_table_start(bool has_extras);

/* Finds it under the lock, or makes it, with its layout. `fingerprint`: the layout's
 * (layout_key.h). NULL: memory is out; or without `imports`, the layout is not known from earlier
 * datatypes. */
dt_entry_t *dt_table_open(const struct opal_datatype_t *datatype, uint64_t fingerprint,
                          bool imports);

/* The entry of a datatype, which gets one now if it is new. NULL: memory is out. */
dt_entry_t *dt_table_get(const struct opal_datatype_t *datatype);

/* Counts a message of a datatype without an entry for the report, if there is one. */
void dt_table_leave(const struct opal_datatype_t *datatype, dame_work_t work, int64_t bytes);

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
