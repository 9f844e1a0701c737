/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does a type tree name a byte twice? A datatype that receives must not (MPI-4.0, section 4.1.11;
 * receiving into overlapping entries is erroneous). Different bases are taken to be different
 * memory.
 */
#ifndef SUGGEST_OVERLAP_H
#define SUGGEST_OVERLAP_H

#include "types.h"

typedef struct overlap {
    bool certain;    /* it does, for some sizes that are not an exception; conditions[0] says
                        where */
    int nconditions; /* else: it does not where these hold; 0: never */
    const char *const *conditions; /* each like "8*n1 >= 8*m", or a sentence; of the space */
} overlap_t;

overlap_t overlap_find(access_program_t *program, const types_node_t *type);

#endif
