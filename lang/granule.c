/* SPDX-License-Identifier: BSD-3-Clause */
#include "granule.h"

int64_t dame_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Beyond a page none is worth keeping to. */
int64_t dame_granule_common(int64_t a, int64_t b)
{
    if (a == b || a == DAME_NO_GRANULE) {
        return a;
    }
    if (b == DAME_NO_GRANULE) {
        return b;
    }
    int64_t divisor = dame_gcd(a, b);
    if (divisor == a || divisor == b) {
        return divisor == a ? b : a;
    }
    int64_t factor = a / divisor;
    return factor > 4096 / b ? DAME_NO_GRANULE : factor * b;
}

int64_t dame_granule_of_leaves(const dame_program_t *program)
{
    int64_t granule = 1;
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        if (prim->params->op == DAME_OP_CONTIGFINAL && prim->params->size != 0) {
            granule = dame_granule_common(granule, prim->params->size);
        }
    }
    return granule;
}
