/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Promotion at a fixed use: each direction of a program is compiled at its threshold-th use, its
 * first candidate, once.
 */
#ifndef DAME_PROMOTE_FIXED_H
#define DAME_PROMOTE_FIXED_H

#include "promoter.h"

/* The use has begun. With the gate's lock held. */
void dame_promote_at_fixed_use(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir);

#endif
