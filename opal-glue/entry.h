/*
 * What DAME knows of one datatype: an entry of the table (table.h). The table makes and ends
 * entries; the other files of this room are given one by a caller that holds the datatype.
 */
#ifndef DT_ENTRY_H
#define DT_ENTRY_H

#include <stdatomic.h>
#include <stdint.h>

#include "layout.h"

struct dt_dump;
struct dt_tally;

typedef struct dt_entry dt_entry_t;
struct dt_entry {
    _Atomic(const struct opal_datatype_t *) key; /* Open MPI's; the entry ends before it. NULL: the
                                                    entry is unused */
    _Atomic(dt_entry_t *) next; /* the table's: of the chain, or of unused entries */
    dt_layout_t *layout;        /* owned: table.c frees it with the entry */
    uint64_t serial;            /* never used twice, unlike addresses */
    struct dt_tally *tally;     /* of tally.c; NULL: none are kept */
    struct dt_dump *dump; /* owned: dt_dump_end() frees it with the entry; NULL: has no file */
};

#endif
