/* SPDX-License-Identifier: BSD-3-Clause */
/* What point-to-point calls do, for their C and their Fortran bindings: behind call_end(). */
#ifndef OVERLAP_CALLS_H
#define OVERLAP_CALLS_H

#include <mpi.h>

#include "overlap.h"

void calls_blocked(const call_t *call, bool sends, int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm);
void calls_started(const call_t *call, bool sends, int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, MPI_Request request);
void calls_persistent(const call_t *call, bool sends, int count, MPI_Datatype type, int peer,
                      int tag, MPI_Comm comm, MPI_Request request);

/* MPI_Start and MPI_Startall; the requests are those of C, or else of Fortran. */
void calls_restarted(const call_t *call, int n, const MPI_Request *requests,
                     const MPI_Fint *fortran);

/* Sendrecv. */
void calls_exchanged(const call_t *call, int sends, MPI_Datatype sent, int to, int send_tag,
                     int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);

#endif
