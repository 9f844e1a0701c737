/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cursors of messages in progress that a thread keeps (thread.h). Nothing is kept in a
 * convertor: its cursor is found by datatype, buffer, count and position, or made again.
 */
#ifndef DT_CURSORS_H
#define DT_CURSORS_H

#include "opal-glue/abi/abi.h"
#include "base/hash.h"
#include "opal-glue/table.h"
#include "opal-glue/thread.h"

static inline bool dt_cursors_is_at(const dt_cached_cursor_t *cached,
                                    const opal_convertor_t *convertor)
{
    return convertor->pDesc == cached->datatype &&
           (int64_t) convertor->bConverted == cached->cursor.position &&
           (uintptr_t) convertor->pBaseBuf == cached->cursor.frames[0].origin &&
           (int64_t) convertor->count == cached->cursor.frames[0].count;
}

/* Where the convertor's cursor is kept, or another's. */
static inline dt_cached_cursor_t *dt_cursors_slot(dt_thread_t *thread,
                                                  const opal_convertor_t *convertor)
{
    return &thread->cursors[dt_hash(convertor) >> (64 - DT_CURSORS_LOG2)];
}

/* A cursor at the beginning of a message of the entry's datatype, in the convertor's slot. The
 * caller sets the slot's datatype; before that, no search finds the cursor, even if a signal
 * handler jumps out. NULL: it cannot be made. */
static inline dt_cached_cursor_t *dt_cursors_begin(dt_thread_t *thread, const dt_entry_t *entry,
                                                   const opal_convertor_t *convertor)
{
    dt_cached_cursor_t *cached = dt_cursors_slot(thread, convertor);
    cached->datatype = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    cached->generation = dt_table_generation();
    cached->serial = entry->serial;
    cached->mark = (dt_native_mark_t){.item = NULL};
    /* Cannot fail: dt_import() lets no program deeper than DAME_CURSOR_DEPTH pass, and DAME only
     * handles convertors (glue.c) if count * size fits. */
    return dame_cursor_init(&cached->cursor, entry->use.layout->program,
                            (uintptr_t) convertor->pBaseBuf, (int64_t) convertor->count) == DAME_OK
               ? cached
               : NULL;
}

/* For dt_cursors_find() only: no cursor is known to be good, so it is looked at, or made. */
dt_cached_cursor_t *dt_cursors_renew(dt_thread_t *thread, const opal_convertor_t *convertor);

/* A cursor at the convertor's position. NULL: it cannot be made. */
static inline dt_cached_cursor_t *dt_cursors_find(dt_thread_t *thread,
                                                  const opal_convertor_t *convertor)
{
    dt_cached_cursor_t *cached = dt_cursors_slot(thread, convertor);
    if (dt_cursors_is_at(cached, convertor) && dt_table_generation() == cached->generation) {
        return cached;
    }
    return dt_cursors_renew(thread, convertor);
}

#endif
