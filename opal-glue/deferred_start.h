/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for the first non-contiguous datatype, or for tools. */
#ifndef DT_DEFERRED_START_H
#define DT_DEFERRED_START_H

#include <stdbool.h>

/* Before dt_deferred_wait(): registers the process for membarrier(), which costs nothing while it
 * has one thread, and ten milliseconds later. */
void dt_deferred_prepare(void);

/*
 * At the end of MPI_Init: the next commit of a non-contiguous datatype, or MPI_T_init_thread, calls
 * `start`, once, in whatever thread. Until then nothing of Open MPI is changed but two GOT slots of
 * libmpi. False: these calls cannot be noticed.
 */
bool dt_deferred_wait(void (*start)(void));

/* Stops waiting, and puts the slots back. */
void dt_deferred_stop(void);

#endif
