/* SPDX-License-Identifier: BSD-3-Clause */
/* The common set of datatypes that the test programs send about. */
#ifndef TEST_MPI_TYPES_H
#define TEST_MPI_TYPES_H

#include <stdbool.h>

#include "layout.h"

/* Its own engine unpacks wrong bytes where a fragment cuts an element, describes some structures as
 * bytes, and corrupts memory in external32. Its MPI_Ialltoallw moves wrong bytes, or fails, and its
 * MPI_Scatter on more than two ranks writes behind a buffer. */
#define OPEN_MPI_4_1_0 (OMPI_MAJOR_VERSION == 4 && OMPI_RELEASE_VERSION == 0)

typedef struct type_case {
    const char *name;
    layout_t *layout; /* committed */
    bool send_only;   /* sends some bytes twice: must not be received with */
    bool external;    /* external32 means turning every number round, and no more */
} type_case_t;

/* Largest count that absolute layouts have memory for. */
#define TYPES_MAX_COUNT 40

typedef struct types types_t;

/* Two sets are independent of each other: their absolute layouts have memory of their own. */
types_t *types_new(void);
void types_free(types_t *t);
int types_count(const types_t *t);
const type_case_t *types_at(const types_t *t, int i);
const type_case_t *types_find(const types_t *t, const char *name);

/*
 * Is the engine of every rank trusted with every byte? From 5.0 on, Open MPI's own leaves the
 * padding of a long double behind, and in fragments it moves wrong bytes of short blocks at odd
 * strides; in 5.0 it moves wrong bytes of complex numbers with a stride that is not a multiple of
 * their size. test/mpi/run says when it takes part.
 */
bool every_engine_is_right(void);

/*
 * What Open MPI's pml cm with mtl ofi is trusted with; test/mpi/run says when it takes part. It
 * does not unpack data received by MPI_Mrecv, and in 4.1 MPI_Ssend does not learn of the receive
 * either. In 4.1, persistent and buffered sends of contiguous data begin at displacement 0 and not
 * at the datatype's true lower bound; MPI_Alltoallv, MPI_Alltoallw and osc pt2pt use such. After a
 * message that does not fit, libfabric may lose the next one.
 */
bool matched_receives_are_right(void);
bool truncated_messages_are_right(void);
bool requests_are_sent_right(const layout_t *l); /* NULL: whatever the layout */

#endif
