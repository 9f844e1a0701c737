/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file of this room speaks of: counters, and why DAME does not move something. */
#ifndef DT_TYPES_H
#define DT_TYPES_H

#include <stdbool.h>

/* The engine's, and those of what only Open MPI has. */
typedef enum dt_counter {
#define DAME_COUNTER(name, unit, description) DT_COUNT_##name,
#include "engine/counters.def"
#undef DAME_COUNTER
#define DT_COUNTER(name, unit, description) DT_COUNT_##name,
#include "counters.def"
#undef DT_COUNTER
    DT_COUNTERS
} dt_counter_t;

/* Why a datatype or a message is left to Open MPI's own engine. */
typedef enum dt_decline {
    DT_DECLINE_NONE,
#define DT_DECLINE(name, description) DT_DECLINE_##name,
#include "decline.def"
#undef DT_DECLINE
    DT_DECLINES
} dt_decline_t;

/* .. or its messages until it is imported. */
enum { DT_LEFT_UNPAID = DT_DECLINES };

/* Returns whether the reason is decided for each message. Otherwise it is decided once for a
 * datatype. */
static inline bool dt_decline_is_of_message(dt_decline_t reason)
{
    return reason >= DT_DECLINE_HETEROGENEOUS;
}

#endif
