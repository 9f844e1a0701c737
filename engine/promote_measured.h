/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measured promotion: asks the policy of measure/ about a direction of a layout, and follows it.
 * With the gate's lock held, unless noted.
 */
#ifndef DAME_PROMOTE_MEASURED_H
#define DAME_PROMOTE_MEASURED_H

#include "promoter.h"

/* A use has begun that is an event; or, if not 0, `settled` uses of a settled direction since it
 * was looked at last. `bytes`: of the message. */
void dame_promote_at_measured_use(dame_promoter_t *promoter, const dame_use_t *use, dame_dir_t dir,
                                  size_t bytes, int32_t settled);

/* A use begins that is to be timed. Without the lock. NULL: another thread's use is timed. */
struct dame_measured *dame_promote_begin_timed(const dame_promoter_t *promoter,
                                               dame_promotion_t *state);

/* The policy is not asked any more. Any thread, with the lock or not. */
void dame_promote_end_measuring(dame_layout_t *layout, dame_dir_t dir);

#endif
