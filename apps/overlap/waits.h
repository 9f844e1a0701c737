/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that complete requests, in C and in Fortran. */
#ifndef OVERLAP_WAITS_H
#define OVERLAP_WAITS_H

#include <mpi.h>

#include "overlap.h"

/* Keeps handles as they are before the call, which overwrites them. */
void waits_keep(int n, const MPI_Request *requests);
void waits_keep_fortran(int n, const MPI_Fint *requests);

/* Behind call_end(): of those kept, the `n` requests of `indices`, which count from `first`, are
 * complete; NULL: the first n. MPI_UNDEFINED: none. */
void waits_enter(const call_t *call, int n, const int *indices, int first);

/* The same for a test. */
void waits_enter_test(const call_t *call, int n, const int *indices, int first);

/* MPI_Request_free. */
void waits_freed(void);

#endif
