/* SPDX-License-Identifier: BSD-3-Clause */
#include "cursors.h"

dt_cached_cursor_t *dt_cursors_renew(dt_thread_t *thread, const opal_convertor_t *convertor)
{
    const uint64_t generation = dt_table_generation();
    const dt_entry_t *entry = dt_table_get(convertor->pDesc);
    dt_cached_cursor_t *cached = dt_cursors_slot(thread, convertor);
    if (dt_cursors_is_at(cached, convertor) && entry->serial == cached->serial) {
        cached->generation = generation; /* still the same datatype */
        return cached;
    }
    cached = dt_cursors_begin(thread, entry, convertor);
    if (cached == NULL) {
        return NULL;
    }
    if (convertor->bConverted > 0) {
        dame_cursor_seek(&cached->cursor, (int64_t) convertor->bConverted);
        dt_thread_add(thread, DT_COUNT_seeks, 1);
    }
    cached->datatype = convertor->pDesc;
    return cached;
}
