/* SPDX-License-Identifier: BSD-3-Clause */
#include "datatype_counts.h"

#include "table.h"
#include "thread.h"

static const dame_tally_t *tally_of(const void *datatype)
{
    const dt_entry_t *entry = dt_table_find(datatype);
    return entry == NULL ? NULL : dame_tally_of(&entry->use);
}

int64_t dt_tally_of_datatype(const void *datatype, dame_work_t work, dame_tier_t tier, bool bytes)
{
    const dame_tally_t *tally = tally_of(datatype);
    return tally == NULL ? 0 : dame_tally_total(&dt_engine.tallies, tally, work, tier, bytes);
}

double dt_tally_rate(const void *datatype, dame_work_t work, dame_tier_t tier)
{
    const dame_tally_t *tally = tally_of(datatype);
    return tally == NULL ? -1 : dame_tally_rate(tally, work, tier);
}

int64_t dt_tally_compile_ns(const void *datatype)
{
    const dame_tally_t *tally = tally_of(datatype);
    return tally == NULL ? 0 : atomic_load_explicit(&tally->compile_ns, memory_order_relaxed);
}

int64_t dt_tally_demoted(const void *datatype)
{
    const dame_tally_t *tally = tally_of(datatype);
    return tally == NULL ? 0 : atomic_load_explicit(&tally->demoted, memory_order_relaxed);
}
