/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packs and unpacks in fragments by driving a convertor as a PML does. For the bench and the tests,
 * which know MPI only: MPI_Pack always moves whole messages.
 *
 * All return 0 on success, -1 when the convertor made no progress or memory is out.
 */
#ifndef DT_FRAGMENTS_H
#define DT_FRAGMENTS_H

#include <stddef.h>

#include <mpi.h>

/* Packs all of `count` elements at `buf`, in fragments of at most `fragment` bytes. *packed_size:
 * the bytes written to `packed`. */
int dt_fragments_pack(const void *buf, int count, MPI_Datatype type, void *packed, size_t fragment,
                      size_t *packed_size);

/* Unpacks `size` bytes, in fragments of `fragment` bytes. */
int dt_fragments_unpack(void *buf, int count, MPI_Datatype type, const void *packed, size_t size,
                        size_t fragment);

#endif
