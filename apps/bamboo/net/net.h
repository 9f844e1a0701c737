/* SPDX-License-Identifier: BSD-3-Clause */
/* A network's latency and bandwidth, added to messages so that their effect can be measured on one
 * machine. */
#ifndef BAMBOO_NET_NET_H
#define BAMBOO_NET_NET_H

#include <stddef.h>

typedef struct bamboo_link {
    double latency; /* ns */
    double ns_byte; /* 0: no limit */
} bamboo_link_t;

/* When a message that a node sends now has arrived, in ns. *port_free: when the node's link has
 * sent all that it was given before; one message is sent after the other. */
long long bamboo_net_arrival(const bamboo_link_t *link, long long now, long long *port_free,
                             size_t bytes);

/* ---- processes of one machine ----
 *
 * MPI moves the message at once. Its time of sending goes through shared memory, and the receiver
 * may not see the message before that time plus the latency. */

/* Collective over MPI_COMM_WORLD. Returns NULL, or why that cannot be done here. */
const char *bamboo_net_start(void);
void bamboo_net_stop(void);

/* stream: the messages of a pair of processes that have the same number here are received in the
 * order in which they are sent. A time is lost where a receiver is 64 messages of a stream behind.
 */
void bamboo_net_sent(int to, unsigned stream, long long now);
/* When the next message of the stream was sent. */
long long bamboo_net_when_sent(int from, unsigned stream);

#endif
