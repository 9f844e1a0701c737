/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters for other rooms (glue.h). */
#include "counters.h"

#include "base/lock.h"
#include "thread.h"

static const struct {
    const char *name;
    const char *description;
} own[] = {
#define DT_COUNTER(name, unit, description) {#name, description},
#include "counters.def"
#undef DT_COUNTER
};

static const struct {
    const char *name;
    const char *text;
} declines[] = {
    {"NONE", "none"},
#define DT_DECLINE(name, description) {#name, description},
#include "decline.def"
#undef DT_DECLINE
};

const char *dt_left_text(int32_t why)
{
    return why == DT_LEFT_UNPAID ? "too few uses to repay an import"
                                 : dt_decline_text((dt_decline_t) why);
}

static dame_limit_t first_limit; /* under DAME_LOCK_THREADS */

/* ---- Sums ----------------------------------------------------------------------------------- */

int64_t dt_stats_total(dt_counter_t counter)
{
    return dame_counts_total(&dt_engine.counts, (dame_counter_t) counter);
}

int64_t dt_stats_declined(dt_decline_t reason)
{
    return dame_counts_total(&dt_engine.counts,
                             (dame_counter_t) ((int) DT_COUNTERS + (int) reason));
}

void dt_stats_tell_limit(const dame_limit_t *limit)
{
    dame_lock(DAME_LOCK_THREADS);
    if (first_limit.what == NULL) {
        first_limit = *limit;
    }
    dame_unlock(DAME_LOCK_THREADS);
}

dame_limit_t dt_stats_limit(void)
{
    dame_lock(DAME_LOCK_THREADS);
    const dame_limit_t limit = first_limit;
    dame_unlock(DAME_LOCK_THREADS);
    return limit;
}

int64_t dt_code_stat(dame_code_stat_t stat)
{
    dame_jit_stats_t stats;
    dame_promoter_stats(&dt_engine.promoter, &stats);
    return dame_code_stat(&stats, stat);
}

/* ---- Texts ---------------------------------------------------------------------------------- */

const char *dt_counter_name(dt_counter_t counter)
{
    return (int) counter < (int) DAME_ENGINE_COUNTERS
               ? dame_counts_name((dame_counter_t) counter)
               : own[(int) counter - (int) DAME_ENGINE_COUNTERS].name;
}

const char *dt_counter_description(dt_counter_t counter)
{
    return (int) counter < (int) DAME_ENGINE_COUNTERS
               ? dame_counts_description((dame_counter_t) counter)
               : own[(int) counter - (int) DAME_ENGINE_COUNTERS].description;
}

const char *dt_decline_name(dt_decline_t reason)
{
    return declines[reason].name;
}

const char *dt_decline_text(dt_decline_t reason)
{
    return declines[reason].text;
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

int dt_tally_rows(dame_tally_row_t *rows, int room)
{
    return dame_tally_rows(&dt_engine.tallies, rows, room);
}

int64_t dt_tally_ns(dame_work_t work)
{
    return dame_tallies_ns(&dt_engine.tallies, work);
}

int64_t dt_tally_total(dame_work_t work, dame_tier_t tier, bool bytes)
{
    return dame_tallies_total(&dt_engine.tallies, work, tier, bytes);
}
