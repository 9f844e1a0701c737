/*
 * Local copies: from one buffer to another of the same datatype, without a packed stream between.
 * Collectives copy a process's own part so (opal_datatype_copy_content_same_ddt()).
 */
#ifndef DT_COPY_H
#define DT_COPY_H

#include "ompi_config.h"

#include "entry.h"
#include "opal/datatype/opal_datatype.h"

/*
 * Copies `count` elements of the entry's datatype, which DAME moves data of, from `from` to `to`.
 * Nothing is copied, and false returned, when a byte may be both read and written: then the result
 * depends on the native engine's order.
 */
bool dt_copy(dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count, char *to,
             const char *from);

/* The parameter `report` is on: take the time of every copy. Set before the first use. */
void dt_copy_take_times(bool on);

#endif
