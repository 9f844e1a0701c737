/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI's functions do, for their C and their Fortran bindings. */
#ifndef RECORD_CALLS_H
#define RECORD_CALLS_H

#include <mpi.h>

#include "record.h"

/* Returns the number of the sending for calls_request(); -1: none. */
int calls_sent(const char *function, uintptr_t pc, const void *buffer, int count, MPI_Datatype type,
               int peer, bool completes_later);
void calls_received(const char *function, uintptr_t pc, const void *buffer, int count,
                    MPI_Datatype type, int peer);

/* The request that a sending is completed with. */
void calls_request(MPI_Request request, int sending);

/* A persistent request, and its start. */
void calls_persistent(MPI_Request request, bool sends, const char *function, uintptr_t pc,
                      const void *buffer, int count, MPI_Datatype type, int peer);
void calls_started(MPI_Request request);

/* A request is complete; or freed: then it is not persistent any more. */
void calls_completed(MPI_Request request, bool freed);

/* Before MPI ends. */
void calls_finish(void);

#endif
