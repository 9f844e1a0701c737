/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts, in all and of each datatype. Any thread; texts have static storage. */
#ifndef DT_COUNTERS_H
#define DT_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/tally.h"
#include "types.h"

/* Sums over all threads, living and gone. */
int64_t dt_stats_total(dt_counter_t counter);
int64_t dt_stats_declined(dt_decline_t reason);

/* The first limit that a datatype exceeded; all zero: none has. */
dame_limit_t dt_stats_limit(void);

const char *dt_counter_name(dt_counter_t counter);
const char *dt_counter_description(dt_counter_t counter);
const char *dt_decline_name(dt_decline_t reason); /* as in decline.def: UPPER_CASE */
const char *dt_decline_text(dt_decline_t reason);
const char *dt_left_text(int32_t why); /* a dt_decline_t, or DT_LEFT_... */

/* Keeps the limit, if it is the first. */
void dt_stats_tell_limit(const dame_limit_t *limit);

/* Facts about compiled programs (engine/counts.h), by now. */
int64_t dt_code_stat(dame_code_stat_t stat);

/* The rows with the most bytes, those first. Returns how many, at most `room`. */
int dt_tally_rows(dame_tally_row_t *rows, int room);

/* Nanoseconds that `work` took, estimated from samples; 0 while the report is off. */
int64_t dt_tally_ns(dame_work_t work);

/* Uses, or bytes, of all datatypes. */
int64_t dt_tally_total(dame_work_t work, dame_tier_t tier, bool bytes);

#endif
