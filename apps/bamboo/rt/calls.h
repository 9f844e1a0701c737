/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting messages, for the calls that wait for them. */
#ifndef BAMBOO_RT_CALLS_H
#define BAMBOO_RT_CALLS_H

#include "message.h"

/* Checks arguments; an inactive request. */
bamboo_request_t *bamboo_request(bamboo_kind_t kind, void *buf, int count, MPI_Datatype type,
                                 int peer, int tag, bamboo_comm_t *comm);
void bamboo_start(bamboo_request_t *request);
bamboo_task_t *bamboo_task_of(int rank); /* of this process */

/* collective: 1 keeps messages of collective operations apart from those of the program. */
bamboo_request_t *bamboo_begin_send(const void *buf, int count, MPI_Datatype type, int to, int tag,
                                    bamboo_comm_t *comm, int collective);
bamboo_request_t *bamboo_begin_recv(void *buf, int count, MPI_Datatype type, int from, int tag,
                                    bamboo_comm_t *comm, int collective);

/* Waits for all requests; hands them and their statuses back as MPI_Waitall does. */
void bamboo_await_all(int count, bamboo_request_t **requests, MPI_Status *statuses);

#endif
