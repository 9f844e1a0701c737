/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the import of a new layout pays.
 *
 * Until then Open MPI's own engine moves the messages of its datatypes: a list that is made, sent
 * once and freed would cost more to import than it takes to send. The rule is that of ski rental: a
 * layout is imported when its messages so far would have saved what the import costs, so at its
 * first message if that one repays it. If the estimates are right, no number of messages costs more
 * than twice the best choice for that number.
 *
 * What messages would have saved is kept by the fingerprint of the layout (layout_key.h), so that
 * it adds up over datatypes that are made again and again. Where fingerprints share a place,
 * messages of one do not count while the other has it. A datatype has nothing of its own before its
 * import. Of short messages one in seven is looked at: for a small datatype that is used a few
 * times, looking costs as much as moving it.
 *
 * Any thread, without a lock.
 */
#ifndef DT_BREAK_EVEN_H
#define DT_BREAK_EVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opal-glue/thread.h"

struct opal_datatype_t;

/* messages: 1 and more: a layout is imported at its messages-th message; 0: when it pays.
 * looks_at_all: also at each short message, for a report that names their datatypes. Before the
 * first message. */
void dt_break_even_start(int32_t messages, bool looks_at_all);

enum { DT_BREAK_EVEN_SHORT = 2048 /* bytes */, DT_BREAK_EVEN_OF_SHORT = 7 /* a prime */ };

extern bool dt_break_even_looks_at_all;

/* Returns whether this is one of the short messages of datatypes without an entry that are not
 * looked at. */
static inline bool dt_break_even_passes(dt_thread_t *thread, int64_t bytes)
{
    return bytes < DT_BREAK_EVEN_SHORT && !dt_break_even_looks_at_all &&
           0 != ++thread->short_messages % DT_BREAK_EVEN_OF_SHORT;
}

typedef enum dt_due {
    DT_DUE_NOTHING,
    DT_DUE_LOOK,  /* for the layout of an earlier datatype with this fingerprint */
    DT_DUE_IMPORT /* if there is none, too */
} dt_due_t;

/* Counts a message that does not pass, `count` elements and `bytes` bytes, of a datatype with this
 * fingerprint (layout_key.h). Returns what is due; its cost is then taken from the sum. */
dt_due_t dt_break_even(const struct opal_datatype_t *datatype, uint64_t fingerprint, size_t count,
                       int64_t bytes);

/* A look was in vain: the next one due is an import. */
void dt_break_even_missed(uint64_t fingerprint);

#endif
