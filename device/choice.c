/* SPDX-License-Identifier: BSD-3-Clause */
#include "choice.h"

enum {
    FEW = 8,     /* copies that may do without a kernel */
    MOST = 64,   /* copies that are timed beside one */
    TRIES = 3,   /* of each way */
    AGAIN = 256, /* uses from one time to the next of the slower way */
    WEIGHT = 4   /* a later time counts one WEIGHTth */
};

static dame_way_t faster(const dame_choice_t *choice)
{
    return choice->cost[DAME_WAY_COPIES] < choice->cost[DAME_WAY_KERNEL] ? DAME_WAY_COPIES
                                                                         : DAME_WAY_KERNEL;
}

dame_way_t dame_choice_next(dame_choice_t *choice, bool has_kernel, double kernel_ns, int64_t *most)
{
    *most = has_kernel ? MOST : FEW;
    choice->uses++;
    if (choice->is_many) {
        return DAME_WAY_KERNEL;
    }
    if (!has_kernel) {
        return choice->spent < kernel_ns ? DAME_WAY_COPIES : DAME_WAY_KERNEL;
    }
    for (int way = 0; way < DAME_WAYS; way++) {
        if (choice->tries[way] < TRIES) {
            return (dame_way_t) way;
        }
    }
    const dame_way_t best = faster(choice);
    return 0 != choice->uses % AGAIN ? best : (dame_way_t) (DAME_WAYS - 1 - (int) best);
}

void dame_choice_took(dame_choice_t *choice, dame_way_t way, bool is_many, double ns, int64_t bytes)
{
    const float cost = (float) (ns / (double) bytes);
    if (is_many) {
        choice->is_many = true;
        return;
    }
    if (choice->tries[DAME_WAY_KERNEL] == 0) {
        choice->spent += (float) ns;
    }
    if (choice->tries[way] >= TRIES) {
        choice->cost[way] += (cost - choice->cost[way]) / WEIGHT;
        return;
    }
    /* The first one pays for what is there later. */
    if (choice->tries[way] < 2 || cost < choice->cost[way]) {
        choice->cost[way] = cost;
    }
    choice->tries[way]++;
}
