/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says that DAME is not used, when another engine was chosen or when mca_dt_dame.so is missing.
 * Also names parameters that do not exist. Called by mca_hook_dt.so; where Open MPI has the seam,
 * by mca_dt_dame.so.
 */
#ifndef DT_STATE_H
#define DT_STATE_H

#include <stdbool.h>

/* Returns whether DAME is one of the engines that this value of the parameter dt names, and not
 * excluded. */
bool dt_state_names_dame(const char *choice);

/* The parameter dt names an engine that is not there, and the job ends. Each rank has printed Open
 * MPI's own message; this one comes once a job. */
void dt_state_not_found(void);

/* The framework is open, and nothing is chosen yet: unchosen components take their parameters with
 * them. */
void dt_state_before_choice(void);

/* `engine`: the component that was chosen, NULL when none was. */
void dt_state_after_choice(const char *engine);

#endif
