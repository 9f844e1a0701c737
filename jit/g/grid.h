/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes code for a grid (launch.h). Private to jit/.
 */
#ifndef DAME_GRID_H
#define DAME_GRID_H

#include "jit/l/unit.h"
#include "launch.h"

/*
 * Writes the function into u->module, for the direction u->dir. The caller creates and disposes of
 * context, builder and module. 0: the program is too large.
 */
int l_emit_grid(l_unit_t *u, dame_grid_target_t target);

#endif
