/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between processes: MPI's own, with the two tasks in the tag. */
#ifndef BAMBOO_RT_REMOTE_H
#define BAMBOO_RT_REMOTE_H

#include "message.h"

/* Collective over all processes. Returns NULL, or why an option cannot be had. */
const char *bamboo_remote_start(void);
void bamboo_remote_stop(void);

int bamboo_remote_highest_tag(void);
void bamboo_remote_send(bamboo_request_t *send, int process, int to_local);
/* A receive from one task of another process, with a tag: MPI matches it. */
void bamboo_remote_recv(bamboo_request_t *recv, int process, int from_local);
/* A message that a probe of MPI took out is received. */
void bamboo_remote_receive(bamboo_message_t *message, bamboo_request_t *recv);

/* One MPI_Testsome() for all requests, and MPI_Improbe() while a task waits for a message from
 * anywhere. */
void bamboo_remote_poll(void);
/* Takes what has arrived out of MPI, for a task's probe. */
void bamboo_remote_pull(int context);
int bamboo_remote_active(void); /* requests that MPI has */
void bamboo_remote_cancel_receives(void);

#endif
