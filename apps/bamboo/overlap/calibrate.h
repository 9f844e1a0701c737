/* SPDX-License-Identifier: BSD-3-Clause */
/* What measuring costs, and what messages within a process do. */
#ifndef OVERLAP_CALIBRATE_H
#define OVERLAP_CALIBRATE_H

#include "overlap.h"

/* Sets the three costs, in about 5 ms. The thread is the measured one. */
void calibrate(overlap_rank_t *rank);

#endif
