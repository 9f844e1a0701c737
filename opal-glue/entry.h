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

#include "layout.h"

struct dt_dump;
struct dt_tally;
struct dt_events;

/* Is the native engine right about whole messages of a datatype? */
typedef enum { DT_TRUST_UNKNOWN, DT_TRUST_GIVEN, DT_TRUST_DENIED } dt_trust_t;

typedef struct dt_entry dt_entry_t;
struct dt_entry {
    _Atomic(const struct opal_datatype_t *) key; /* Open MPI's; the entry ends before it. NULL: the
                                                    entry is unused */
    _Atomic(dt_entry_t *) next; /* the table's: of the chain, or of unused entries */
    _Atomic int32_t owed; /* not 0: the layout has not been looked up, and its import will pay when
                             uses have gained as much more (worth.h). Of the fields below, only
                             gain, sketch, kind and cost are set */
    int32_t gain;         /* of an element, while something is owed */
    dt_layout_t *layout;  /* shared with other datatypes; lives as long as the entry */
    union {
        uint64_t serial; /* never used twice, unlike addresses */
        uint64_t sketch; /* of the layout, while something is owed */
    };
    union {
        uint32_t recent; /* where its messages are counted: dt_recent_place() */
        uint32_t kind;   /* dt_worth_t's, while something is owed */
    };
    _Atomic dt_trust_t trust; /* native.c's */
    union {
        uint64_t tag; /* 0, or what tells its uses from those of its layout with another tally */
        int32_t cost; /* owed at first, while something is */
    };
};

/* Does it have its layout? What a convertor of DAME needs, has. */
static inline bool dt_entry_is_open(const dt_entry_t *entry)
{
    return 0 == atomic_load_explicit(&entry->owed, memory_order_acquire);
}

/* An entry while something is kept for each datatype on its own; there may be a hundred thousand
 * for which nothing is. */
typedef struct dt_wide_entry {
    dt_entry_t entry;
    struct dt_dump *dump;   /* owned: dt_dump_end() frees it with the entry; NULL: has no file */
    struct dt_tally *tally; /* of tally.c; NULL: none are kept */
    _Atomic(struct dt_events *) events; /* events.c's, which frees it later; NULL: none yet */
} dt_wide_entry_t;

/* Are all entries dt_wide_entry_t? Set while there is none. */
extern bool dt_entries_are_wide;

static inline struct dt_dump *dt_entry_dump(const dt_entry_t *entry)
{
    return dt_entries_are_wide ? ((const dt_wide_entry_t *) entry)->dump : NULL;
}

/* Of the layout, and of its tally (recent.h). */
static inline uint64_t dt_entry_ticket(const dt_entry_t *entry)
{
    return dt_layout_ticket(entry->layout) ^ entry->tag;
}

/* The datatype's own tally, or else its layout's; NULL: none are kept. */
static inline struct dt_tally *dt_entry_tally(const dt_entry_t *entry)
{
    return dt_entries_are_wide ? ((const dt_wide_entry_t *) entry)->tally
                               : atomic_load_explicit(&entry->layout->tally, memory_order_acquire);
}

#endif
