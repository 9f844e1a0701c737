/* SPDX-License-Identifier: BSD-3-Clause */
/* What Open MPI's internal headers declare (facts.h). The compiler compares their prototypes with
 * ours, which are included after them. */
#include "facts.h"

#include "internal_headers.h"
#define DT_ABI_INTERNAL
#include "abi.h"

const dt_fact_t dt_facts_internal[] = {
#include "facts.def"
    {0, 0, 0},
};
