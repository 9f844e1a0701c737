/*
 * The table datatype -> program.
 *
 * Datatypes are entered on first use and leave with their object (class destructor): addresses are
 * reused at once, so an entry must never outlive its datatype. Finding takes no lock. The caller
 * holds a reference to the datatype, so its entry cannot leave meanwhile.
 */
#ifndef DT_TABLE_H
#define DT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dame/dame.h"
#include "stats.h"

struct opal_datatype_t;

typedef struct dt_entry dt_entry_t;
struct dt_entry {
    _Atomic(const struct opal_datatype_t *) key;
    _Atomic(dt_entry_t *) next;
    dame_program_t *program;       /* NULL: declined */
    uint64_t serial;               /* never used twice, unlike addresses */
    _Atomic dt_decline_t declined; /* DT_DECLINE_NONE when DAME moves its data */
};

/* The entry of a datatype; made on first use. NULL only when memory is out. */
dt_entry_t *dt_table_get(const struct opal_datatype_t *datatype);

/*
 * Grows whenever a datatype leaves. While it stays the same, what was found stays true, so a caller
 * that remembers both saves the search.
 */
extern _Atomic uint64_t dt_table_left;

static inline uint64_t dt_table_generation(void)
{
    return atomic_load_explicit(&dt_table_left, memory_order_acquire);
}

/* The datatype's object ends. No-op for datatypes that were never used. */
void dt_table_forget(const struct opal_datatype_t *datatype);

/* Frees everything. No thread may be using the table. */
void dt_table_clear(void);

#endif
