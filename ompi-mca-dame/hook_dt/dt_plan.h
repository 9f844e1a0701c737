/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the framework starts. Private to mca_hook_dt.so.
 *
 * A job that commits no non-contiguous datatype shall not pay for the framework or DAME. So the
 * start may be late, at the first such datatype (dt_deferred_wait() in opal-glue/glue.h).
 *
 * All must then be as if the start had been in MPI_Init. So it is late only where MPI_Init opens
 * the hook, and where dt = dame, from mpirun or the environment, is all that is set: another
 * parameter of the framework, in a file too, may ask for a message at once. Tools look for its
 * variables: MPI_T_init_thread starts it, and in a program that has PAPI it is not late. The start
 * is not late either if several threads may call MPI, because registering parameters is not
 * thread-safe.
 */
#ifndef DT_PLAN_H
#define DT_PLAN_H

#include <stdbool.h>

/* Returns whether mca_dt_dame.so is beside this library, or where else Open MPI looks, and can be
 * loaded. */
bool dt_plan_has_dame(void);

/* Returns whether the framework may start late, unless MPI_THREAD_MULTIPLE is asked for. Changes
 * nothing. */
bool dt_plan_is_late(void);

#endif
