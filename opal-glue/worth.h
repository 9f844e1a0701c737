/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the import of a new layout pays.
 *
 * Until then Open MPI's own engine moves the messages of its datatypes: a list that is made, sent
 * once and freed would cost more to import than it takes to send. The rule is that of ski rental:
 * a layout is imported when the uses so far would have saved what its import costs, or at its first
 * use, if one use repays it. So if the estimates are right, no number of uses costs more than twice
 * what the best choice for that number does. What an import costs is measured in this process, for
 * each constructor; what the native engine takes for a short block, by packing small lists once
 * (native_cost.h). So what a use saves follows from the blocks that it moves.
 *
 * Programs that make datatypes again and again use each about as often as the one before. Where
 * those of a constructor have mostly repaid their import, the next ones are imported at their first
 * use; but one in four, from whose life the rule learns whether that is still so.
 *
 * A datatype counts its own uses (entry.h). When it ends before they suffice, they are remembered
 * for the next datatype that looks like it, as far as there is room.
 *
 * Under DAME_LOCK_LAYOUTS, unless they say otherwise.
 */
#ifndef DT_WORTH_H
#define DT_WORTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opal_datatype_t;

typedef struct dt_worth {
    int32_t cost;  /* of the import: number of elements of messages that repay it; < 0: it comes
                      with the -cost-th message, whatever it is worth */
    uint32_t kind; /* of the datatype: those of one kind are expected to be used as often */
    bool gains;    /* do its uses repay the import, sooner or later? Else its blocks are long */
} dt_worth_t;

/* `uses`: 1 and more: every layout is imported at that use, whatever it is worth; 0: when it pays.
 */
void dt_worth_start(int32_t uses);

/* Measures what the native engine takes for a block. Before the first question about a datatype,
 * without a lock. */
void dt_worth_measure(void);

/* What is left of the cost when a datatype of this layout, by its sketch (layout_key.h), is used
 * for the first time. Reads a few items of the description. */
dt_worth_t dt_worth_of(const struct opal_datatype_t *datatype, uint64_t sketch);

/*
 * Was no message seen before of a datatype with this sketch? Then it is remembered, and the caller
 * may leave it at that: an entry in the table would cost a tenth of the life of a small datatype
 * that is used once. Sometimes the answer is false nevertheless, so that each datatype gets its
 * entry although others that share its place are used in turn with it. Any thread, with no lock.
 */
bool dt_worth_is_first(uint64_t sketch);

/* A datatype ends whose layout was not imported. It was worth that at first, and `left` of the cost
 * is left. */
void dt_worth_keep(uint64_t sketch, const dt_worth_t *worth, int32_t left);

/* The uses of a datatype have repaid the import of its layout, which comes now. */
void dt_worth_repaid(const dt_worth_t *worth);

/* What the import of a datatype's layout took. What uses had gained is spent. */
void dt_worth_took(const struct opal_datatype_t *datatype, uint64_t sketch, int64_t ns);

/* What is left of a cost after a message of `count` elements; 0: nothing. */
static inline int32_t dt_worth_left(int32_t cost, uint64_t count)
{
    return cost < 0                  ? cost + 1
           : count < (uint64_t) cost ? cost - (int32_t) count
                                     : 0;
}

#endif
