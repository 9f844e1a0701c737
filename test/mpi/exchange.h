/* SPDX-License-Identifier: BSD-3-Clause */
/* One message between two ranks, sent and received in every way. */
#ifndef TEST_MPI_EXCHANGE_H
#define TEST_MPI_EXCHANGE_H

#include "mpi_check.h"

enum { EXCHANGE_TAG = 7 };

enum send_mode { SEND, SSEND, BSEND, RSEND, ISEND, ISSEND, SEND_PERSISTENT, SEND_MODES };
enum recv_mode { RECV, IRECV, RECV_PERSISTENT, MPROBE, IMPROBE, RECV_MODES };

/* From rank `from` to the other of ranks 0 and 1: `count` elements, received with room for `room`.
   Both buffers and the status are checked. The layouts have one signature. */
void exchange(const layout_t *sent, int64_t count, const layout_t *received, int64_t room,
              enum send_mode how, enum recv_mode what, int from, const char *name);

#endif
