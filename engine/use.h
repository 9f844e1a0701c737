/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handle: what the engine knows of one datatype of a caller. It is the first member of what the
 * caller keeps for the datatype, which it finds again from the handle. A caller that passes a
 * handle holds the datatype, and so its layout.
 */
#ifndef DAME_USE_H
#define DAME_USE_H

#include <stdatomic.h>
#include <stdint.h>

#include "layout.h"

/* Tells whether the caller's other engine moves whole messages of a datatype correctly. Broken: it
 * moved wrong bytes. */
typedef enum dame_trust {
    DAME_TRUST_UNKNOWN,
    DAME_TRUST_GIVEN,
    DAME_TRUST_DENIED,
    DAME_TRUST_BROKEN
} dame_trust_t;

typedef struct dame_use {
    dame_layout_t *layout;   /* shared with other datatypes */
    dame_amounts_t *amounts; /* of its tally (tally.h), which it may share; NULL: not counted */
    uint64_t tally_bits;     /* 0, or bits that distinguish its uses from those of its layout with
                                another tally */
    uint16_t slot;           /* where its messages are counted: dame_credit_slot() */
    _Atomic uint16_t trust;  /* dame_trust_t, the caller's to decide */
} dame_use_t;

_Static_assert(sizeof(dame_use_t) == 32, "callers put it into cache lines with fields of theirs");

/* Returns an epoch of layout and tally: the uses of two datatypes that have one epoch are counted
 * together. */
static inline uint64_t dame_use_epoch(const dame_use_t *use)
{
    return dame_layout_epoch(use->layout) ^ use->tally_bits;
}

static inline dame_trust_t dame_use_trust(const dame_use_t *use)
{
    return (dame_trust_t) atomic_load_explicit(&use->trust, memory_order_relaxed);
}

#endif
