/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type tree: an MPI datatype as its constructors describe it (MPI-4.0, section 5.1).
 *
 * All lengths, strides, displacements and extents are BYTES; counts and blocklengths are numbers of
 * child instances. All are 64-bit. Negative strides, displacements and extents, stride 0,
 * overlapping blocks, empty blocks and empty types are allowed.
 *
 * Ownership: nodes and arrays belong to a tree and live until dame_tree_reset() or
 * dame_tree_free(). Nodes are read-only and may be the child of any number of others. Threads: a
 * tree belongs to one thread at a time.
 */
#ifndef DAME_TYPE_H
#define DAME_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include "dame/status.h"

typedef enum dame_kind {
    DAME_BASIC,      /* `size` contiguous bytes */
    DAME_CONTIG,     /* count children, one child extent apart */
    DAME_VECTOR,     /* count blocks of blklen children, blocks stride bytes apart */
    DAME_BLOCKINDEX, /* count blocks of blklen children, block i at disps[i] */
    DAME_INDEX,      /* count blocks, block i of blklens[i] children at disps[i] */
    DAME_STRUCT,     /* count blocks, block i of blklens[i] instances of children[i] at disps[i] */
    DAME_RESIZED     /* the child with another lower bound and extent */
} dame_kind_t;

typedef struct dame_type dame_type_t;
typedef struct dame_tree dame_tree_t;

struct dame_type {
    dame_kind_t kind;
    int64_t count;                      /* blocks; 1 for BASIC and RESIZED */
    int64_t blklen;                     /* VECTOR, BLOCKINDEX */
    int64_t stride;                     /* VECTOR */
    const int64_t *blklens;             /* INDEX, STRUCT: count entries */
    const int64_t *disps;               /* BLOCKINDEX, INDEX, STRUCT: count entries */
    const dame_type_t *child;           /* all but BASIC and STRUCT */
    const dame_type_t *const *children; /* STRUCT: count entries */
    int64_t size;                       /* bytes of data, i.e. packed bytes */
    int marked;                         /* not 0: a RESIZED here or below sets the bounds; see
                                           lb_marker in MPI-4.0 section 5.1.7 */
    int64_t lb;                         /* lower bound */
    int64_t extent;                     /* upper bound - lower bound, may be negative (resized) */
    int64_t true_lb;                    /* first byte of data; 0 when size is 0 */
    int64_t true_ub;                    /* one past the last byte of data; 0 when size is 0 */
};

/* A new, empty tree, or NULL if memory is out. dame_tree_free() accepts NULL. */
dame_tree_t *dame_tree_new(void);
void dame_tree_free(dame_tree_t *tree);

/* Frees all nodes and arrays, but keeps up to 1 MiB of memory for new ones. */
void dame_tree_reset(dame_tree_t *tree);

/* An uninitialised array of n entries that lives as long as the nodes; NULL if memory is out. */
int64_t *dame_tree_array(dame_tree_t *tree, int64_t n);
const dame_type_t **dame_tree_types(dame_tree_t *tree, int64_t n);

/*
 * Constructors. They keep pointers to the given arrays, which must live and stay unchanged as long
 * as the nodes; dame_tree_array() returns such memory. Errors: DAME_ERR_NOMEM, DAME_ERR_ARGUMENT
 * (negative count, blocklength or size), DAME_ERR_RANGE (size or bounds overflow).
 *
 * Bounds follow MPI-4.0 section 5.1.7 without the alignment epsilon. A caller that knows other
 * bounds, such as Open MPI's, sets them with dame_type_resized().
 */
dame_status_t dame_type_basic(dame_tree_t *tree, int64_t size, const dame_type_t **out);
dame_status_t dame_type_contig(dame_tree_t *tree, int64_t count, const dame_type_t *child,
                               const dame_type_t **out);
dame_status_t dame_type_vector(dame_tree_t *tree, int64_t count, int64_t blklen, int64_t stride,
                               const dame_type_t *child, const dame_type_t **out);
dame_status_t dame_type_blockindex(dame_tree_t *tree, int64_t count, int64_t blklen,
                                   const int64_t *disps, const dame_type_t *child,
                                   const dame_type_t **out);
dame_status_t dame_type_index(dame_tree_t *tree, int64_t count, const int64_t *blklens,
                              const int64_t *disps, const dame_type_t *child,
                              const dame_type_t **out);
dame_status_t dame_type_struct(dame_tree_t *tree, int64_t count, const int64_t *blklens,
                               const int64_t *disps, const dame_type_t *const *children,
                               const dame_type_t **out);
dame_status_t dame_type_resized(dame_tree_t *tree, int64_t lb, int64_t extent,
                                const dame_type_t *child, const dame_type_t **out);

#endif
