/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DAME knows of one datatype: an entry of the table (table.h). The table makes and ends
 * entries; the other files of this room are given one by a caller that holds the datatype.
 */
#ifndef DT_ENTRY_H
#define DT_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tally.h"
#include "engine/use.h"

struct dt_dump;
struct dt_events;

/* Rarely needed data of one datatype, in a block of its own since there may be a hundred thousand
 * datatypes. */
typedef struct dt_extra {
    struct dt_dump *dump; /* owned: dt_dump_end() frees it with the entry; NULL: no file */
    _Atomic(struct dt_events *) events; /* events.c's, which frees it later; NULL: not yet */
} dt_extra_t;

typedef struct dt_entry dt_entry_t;
struct dt_entry {
    dame_use_t use;
    _Atomic(const struct opal_datatype_t *) key; /* Open MPI's; the entry ends before it. NULL: the
                                                    entry is unused */
    _Atomic(dt_entry_t *) next; /* the table's: of the chain, or of unused entries */
    uint64_t serial;            /* never used twice, unlike addresses */
    dt_extra_t *extra;          /* owned by the table; NULL: no feature needs one */
};

_Static_assert(sizeof(dt_entry_t) == 64, "a message finds all of an entry in one line");

/* DT_DECLINE_NONE: DAME moves data of the datatype. */
static inline int32_t dt_entry_declined(const dt_entry_t *entry)
{
    return atomic_load_explicit(&entry->use.layout->declined, memory_order_relaxed);
}

static inline struct dt_dump *dt_entry_dump(const dt_entry_t *entry)
{
    return entry->extra == NULL ? NULL : entry->extra->dump;
}

/* The entry of a handle that this room gave to the engine. */
static inline const dt_entry_t *dt_entry_of(const dame_use_t *use)
{
    return (const dt_entry_t *) use; /* its first member */
}

#endif
