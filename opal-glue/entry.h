/*
 * What DAME knows of one datatype: an entry of the table (table.h). The table makes and ends
 * entries; the other files of this room are given one by a caller that holds the datatype.
 */
#ifndef DT_ENTRY_H
#define DT_ENTRY_H

#include <stdatomic.h>
#include <stdint.h>

#include "dame/program.h"
#include "stats.h"

struct opal_datatype_t;
struct dt_dump;
struct dt_events;

/* When the program is compiled for one direction. Only promote.c and promote.h use it. */
typedef struct dt_promotion {
    _Atomic int32_t countdown; /* uses until the next attempt; 0: never */
    int32_t period; /* uses from that attempt to the one after it; under the gate's lock */
} dt_promotion_t;

typedef struct dt_entry dt_entry_t;
struct dt_entry {
    _Atomic(const struct opal_datatype_t *) key; /* Open MPI's; the entry ends before it. NULL: the
                                                    entry is unused */
    _Atomic(dt_entry_t *) next; /* the table's: of the chain, or of unused entries */
    dame_program_t *program;    /* owned: table.c frees it with the entry; NULL: declined */
    uint64_t serial;            /* never used twice, unlike addresses */
    struct dt_dump *dump; /* owned: dt_dump_end() frees it with the entry; NULL: has no file */
    _Atomic(struct dt_events *) events; /* events.c's, which frees it later; NULL: none yet */
    _Atomic dt_decline_t declined;      /* DT_DECLINE_NONE when DAME moves its data */
    dt_promotion_t promotions[2];       /* [dame_dir_t] */
};

#endif
