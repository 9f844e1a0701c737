/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts of one MPI_Datatype with all others of its name and layout. The caller must not free
 * it meanwhile. Any thread. */
#ifndef DT_DATATYPE_COUNTS_H
#define DT_DATATYPE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/tally.h"

/* Uses, or bytes. */
int64_t dt_tally_of_datatype(const void *datatype, dame_work_t work, dame_tier_t tier, bool bytes);

/* What a byte costs in nanoseconds, < 0 when that is not known; the time spent on compiling; how
 * often machine code was given up. */
double dt_tally_rate(const void *datatype, dame_work_t work, dame_tier_t tier);
int64_t dt_tally_compile_ns(const void *datatype);
int64_t dt_tally_demoted(const void *datatype);

#endif
