/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks waited for: the message of one rank's file, found in the other rank's.
 *
 * The n-th send of a channel is the n-th receive there. Ranks of a host have one clock; messages
 * between hosts are not compared.
 */
#ifndef OVERLAP_MATCH_H
#define OVERLAP_MATCH_H

#include "read.h"

/* The waits of a site that were compared with the other side's times; sums of ns. */
typedef struct overlap_waits {
    int64_t count, ns;
    int64_t late; /* of ns: until the other side was there, too */
} overlap_waits_t;

typedef struct overlap_match {
    overlap_waits_t **waits; /* [rank in the array][site] */
    int nranks;
} overlap_match_t;

/* Of `n` ranks. TOOL_SYSTEM after a message. Frees with overlap_match_free(), also after an error.
 */
int overlap_match(const overlap_rank_t *ranks, int n, overlap_match_t *out);
void overlap_match_free(overlap_match_t *match);

#endif
