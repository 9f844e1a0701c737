/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters as PAPI's software-defined events, with the names that MPI_T has without "dt_dame_".
 */
#include "dt_dame.h"

#include <stdio.h>

#include "measure/sde.h"

static const char *const moved_names[DAME_WORKS][DAME_TIERS][2] = {
    {{"pack_interp_uses", "pack_interp_bytes"},
     {"pack_code_uses", "pack_code_bytes"},
     {"pack_opal_uses", "pack_opal_bytes"}},
    {{"unpack_interp_uses", "unpack_interp_bytes"},
     {"unpack_code_uses", "unpack_code_bytes"},
     {"unpack_opal_uses", "unpack_opal_bytes"}},
    {{"copy_interp_uses", "copy_interp_bytes"}},
};

enum { EACH = 2 * DAME_TIERS }; /* work has uses and bytes */

static long long read_counter(void *counter)
{
    return dt_stats_total((dt_counter_t) (intptr_t) counter);
}

static long long read_code_stat(void *stat)
{
    return dt_code_stat((dame_code_stat_t) (intptr_t) stat);
}

static long long read_moved(void *what)
{
    const intptr_t i = (intptr_t) what;
    return dt_tally_total((dame_work_t) (i / EACH), (dame_tier_t) (i / 2 % DAME_TIERS), 0 != i % 2);
}

void mca_dt_dame_offer_sde(void)
{
    enum { MOST = DT_COUNTERS + DAME_CODE_STATS + EACH * DAME_WORKS };
    dame_sde_counter_t counters[MOST];
    int32_t n = 0;
    for (intptr_t i = 0; i < DT_COUNTERS; i++) {
        counters[n++] = (dame_sde_counter_t){dt_counter_name((dt_counter_t) i),
                                             dt_counter_description((dt_counter_t) i), 0,
                                             read_counter, (void *) i};
    }
    for (intptr_t i = 0; i < DAME_CODE_STATS; i++) {
        const dame_code_stat_t stat = (dame_code_stat_t) i;
        counters[n++] =
            (dame_sde_counter_t){dame_code_stat_name(stat), dame_code_stat_description(stat),
                                 dame_code_stat_is_level(stat), read_code_stat, (void *) i};
    }
    for (intptr_t i = 0; i < EACH * DAME_WORKS; i++) {
        const char *name = moved_names[i / EACH][i / 2 % DAME_TIERS][i % 2];
        if (name != NULL) {
            counters[n++] =
                (dame_sde_counter_t){name, "Uses, or bytes, by interpreter, machine code or opal",
                                     0, read_moved, (void *) i};
        }
    }
    (void) dame_sde_offer("DAME", counters, n);
}
