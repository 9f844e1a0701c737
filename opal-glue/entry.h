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
    _Atomic(struct dame_tally *) left; /* the engine's; for messages before the import; or NULL */
    int32_t why;                       /* DT_LEFT_... of those */
} dt_extra_t;

typedef struct dt_entry dt_entry_t;
struct dt_entry {
    union {
        dame_use_t use; /* once the entry is open; `own` is always the import debt (below) */
        struct {
            uint64_t sketch; /* of the layout */
            int32_t cost;    /* of its import: owed at first */
            uint32_t kind;   /* dt_worth_t's */
        } waiting;           /* while something is owed */
    };
    _Atomic(const struct opal_datatype_t *) key; /* Open MPI's; the entry ends before it. NULL: the
                                                    entry is unused */
    _Atomic(dt_entry_t *) next; /* the table's: of the chain, or of unused entries */
    uint64_t serial;            /* once it is open: never used twice, unlike addresses */
    dt_extra_t *extra;          /* owned by the table; NULL: no feature needs one */
};

_Static_assert(sizeof(dt_entry_t) == 64 && offsetof(dame_use_t, own) >= 20,
               "a message finds all of an entry in one line");

/* The import debt: uses until the import of the layout pays, as dt_worth_t.cost; 0: the entry is
 * open, it has its layout. While something is owed, `waiting` is under the table's lock. */
static inline _Atomic int32_t *dt_entry_owed(dt_entry_t *entry)
{
    return &entry->use.own;
}

/* Does it have its layout? Entries that a convertor of DAME needs do. */
static inline bool dt_entry_is_open(const dt_entry_t *entry)
{
    return 0 == atomic_load_explicit(&entry->use.own, memory_order_acquire);
}

/* Does DAME move data of the datatype? The entry is open. */
static inline int32_t dt_entry_declined(const dt_entry_t *entry)
{
    return atomic_load_explicit(&entry->use.layout->declined, memory_order_relaxed);
}

static inline struct dt_dump *dt_entry_dump(const dt_entry_t *entry)
{
    return NULL == entry->extra ? NULL : entry->extra->dump;
}

/* The entry of a handle that this room gave to the engine. */
static inline const dt_entry_t *dt_entry_of(const dame_use_t *use)
{
    return (const dt_entry_t *) use; /* its first member */
}

#endif
