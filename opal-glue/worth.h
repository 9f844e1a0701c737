/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the import of a new layout pays.
 *
 * Until then Open MPI's own engine moves the messages of its datatypes: a list that is made, sent
 * once and freed would cost more to import than it takes to send. The rule is that of ski rental: a
 * layout is imported when the uses so far would have saved what its import costs, or at its first
 * use, if one use repays it. So if the estimates are right, no number of uses costs more than twice
 * the best choice for that number. The cost of an import is measured in this process, for each
 * constructor. The native engine's time for a short block is measured by packing small lists once
 * (native_cost.h). The saving of a use follows from the blocks that it moves.
 *
 * A layout that is known from an earlier datatype is not imported again, but finding it reads all
 * numbers of the constructors' calls, which takes longer than to pack a short message. The same
 * rule applies, with that cost for each datatype.
 *
 * Programs that make datatypes again and again use each about as often as the one before. Where
 * those of a constructor have mostly repaid their import, the next ones are imported at their first
 * use. One in four is not, of known layouts one in sixteen; the rule learns from its uses whether
 * importing still pays.
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
    int32_t cost;  /* of the import: number of elements of messages that repay it; < 0: imported
                      with the -cost-th message, even if it does not pay */
    uint32_t kind; /* of the datatype: those of one kind are expected to be used as often */
    bool gains;    /* do its uses repay the import, sooner or later? Else its blocks are long */
} dt_worth_t;

/* `uses`: 1 and more: every layout is imported at that use; 0: when the import pays.
 */
void dt_worth_start(int32_t uses);

/* Measures the native engine's time for a block. Call it before the first dt_worth_of(), without a
 * lock. */
void dt_worth_measure(void);

/* The remaining cost when a datatype of this layout, found by its sketch (layout_key.h), is used
 * for the first time. `known`: of finding a known layout. Reads a few items of the description. */
dt_worth_t dt_worth_of(const struct opal_datatype_t *datatype, uint64_t sketch, bool known);

/* Is it of finding a known layout? */
bool dt_worth_is_known(const dt_worth_t *worth);

/*
 * Is a message of a small datatype with this sketch to have no entry? An entry costs a tenth to a
 * third of the life of a small datatype that is used once. So the first message has none, and
 * leaves its sketch; of the next ones every second, or fewer, after entries that were of no use:
 * down to one in 16. Sometimes it is not, so that each datatype gets its entry although others that
 * share its place are used in turn with it. Any thread, with no lock.
 */
bool dt_worth_has_none(uint64_t sketch);

/* A datatype without an imported layout ends. `worth` is what dt_worth_of() returned, `left` the
 * rest of the cost. */
void dt_worth_keep(uint64_t sketch, const dt_worth_t *worth, int32_t left);

/* The uses of a datatype have repaid the import of its layout, which comes now. */
void dt_worth_repaid(uint64_t sketch, const dt_worth_t *worth);

/* What the import of a datatype's layout took, or finding a known one. What uses had gained is
 * spent. */
void dt_worth_took(const struct opal_datatype_t *datatype, uint64_t sketch, bool known, int64_t ns);

/* The rest of a cost after a message of `count` elements; 0: it is repaid. */
static inline int32_t dt_worth_left(int32_t cost, uint64_t count)
{
    return cost < 0 ? cost + 1 : count < (uint64_t) cost ? cost - (int32_t) count : 0;
}

#endif
