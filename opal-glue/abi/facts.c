/* SPDX-License-Identifier: BSD-3-Clause */
/* What we declare (facts.h). */
#include "facts.h"

#include "abi.h"

const dt_fact_t dt_facts_ours[] = {
#include "facts.def"
    {0, 0, 0},
};
