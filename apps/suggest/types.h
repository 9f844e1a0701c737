/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type tree: a datatype with counts, strides and displacements that are polynomials in the
 * sizes of the source. The core builds it from an access program (shape.h), a recorder from what a
 * run did.
 *
 * A node describes bytes in the order in which they are packed. Its origin is the address that
 * offsets below it count from. All is in BYTES. Extents never matter: a node that is not a
 * TYPES_DENSE is used with blocklength 1 and byte strides or displacements.
 *
 * Ownership: nodes are read-only and live as long as the program's space (access.h); they may be
 * children of any number of others. Errors are the space's sticky ones: after one, functions return
 * a node with meaningless contents, or NULL.
 */
#ifndef SUGGEST_TYPES_H
#define SUGGEST_TYPES_H

#include <stdbool.h>
#include <stdio.h>

#include "access.h"

/* A byte: `offset` behind the address of a base of the program. */
typedef struct types_address {
    int base; /* index in program->bases */
    const poly_t *offset;
} types_address_t;

typedef enum types_kind {
    TYPES_DENSE,  /* `count` contiguous elements of a basic type */
    TYPES_VECTOR, /* `count` times the child, `stride` bytes apart; the child is the first */
    TYPES_STRUCT, /* the children, each at its own origin */
    TYPES_LIST    /* the children for each iteration of loops, on which their origins, counts and
                     guards may depend; the origin is the start of a base */
} types_kind_t;

typedef struct types_loop {
    poly_atom_t variable;
    const poly_t *trip; /* may depend on loops around it; less than 0: as 0 */
} types_loop_t;

typedef struct types_node types_node_t;

struct types_node {
    types_kind_t kind;
    types_address_t origin; /* of DENSE, VECTOR and STRUCT: the first packed byte, except where a
                               LIST is packed first */
    const poly_t *count;    /* DENSE: elements; VECTOR: children */
    int nclamps;            /* where one of these is negative, the count is 0, whatever its value */
    const poly_t *const *clamps;
    access_type_t type;   /* DENSE */
    const poly_t *stride; /* VECTOR; may be negative or 0 */
    int nloops;           /* LIST: outermost first */
    const types_loop_t *loops;
    int nchildren; /* VECTOR: 1; STRUCT: 2 and more, or 1 that has a guard; LIST: 1 and more */
    const types_node_t *const *children;
    const access_guard_t *guard; /* packed only where its condition holds (its parent and loop mean
                                    nothing here); NULL: always. Only children of STRUCT and LIST,
                                    and the top, have one */
};

/* ---- making nodes; each returns the simplest node of these bytes that it knows ---- */

/* `size` contiguous bytes of a basic type, if its size divides every term of `size`; else NULL. */
const types_node_t *types_dense(access_program_t *program, types_address_t origin,
                                const poly_t *size, access_type_t type);

/*
 * The child once for each value 0 to trip - 1 of `variable`, on which its origins, counts, strides
 * and guards may depend. Contiguous, vectors of vectors with one stride, and a trip of 1 are
 * recognised.
 */
const types_node_t *types_repeat(access_program_t *program, poly_atom_t variable,
                                 const poly_t *trip, const types_node_t *child);

/* The children one behind the other, 1 and more. Contiguous neighbours, and equal children at equal
 * distances, are recognised. */
const types_node_t *types_sequence(access_program_t *program, int count,
                                   const types_node_t *const *children);

/* The node where the guard's condition holds, else nothing. The guard lives as long as the space.
 */
const types_node_t *types_guarded(access_program_t *program, const access_guard_t *guard,
                                  const types_node_t *node);

/* The node without its own guard. */
const types_node_t *types_unguarded(access_program_t *program, const types_node_t *node);

/* The node with an atom replaced everywhere but in the texts of guards. */
const types_node_t *types_substitute(access_program_t *program, const types_node_t *node,
                                     poly_atom_t atom, const poly_t *by);

/* ---- questions ---- */

/* Does anything in it depend on the atom? */
bool types_depends(const access_program_t *program, const types_node_t *node, poly_atom_t atom);

/* Do the two describe the same bytes, seen from their origins? The origins may differ. */
bool types_alike(access_program_t *program, const types_node_t *a, const types_node_t *b);

/* Bytes of data where no trip is negative; NULL: guards or lists decide that. */
const poly_t *types_size(access_program_t *program, const types_node_t *node);

/* ---- text ---- */

/*
 * Writes the constructors, outermost first, in one line:
 *
 *     hvector(nz, 1, 40*(isiz1+4)*(isiz2+4)) of vector(ny, 5, 5*(isiz1+4), MPI_DOUBLE)
 *     hindexed_block(2: 0, h-g; nx, MPI_DOUBLE)
 *     hindexed(i < n: {8*n*i, i+1}; MPI_DOUBLE)
 *     struct(2: {0, contiguous(n, MPI_DOUBLE)}, {h-g+8*n, vector(n, 1, 2, MPI_INT)})
 *     struct(i < n: {if (mask[i]) 48*list[i], contiguous(3, MPI_DOUBLE)})
 *
 * Displacements are in bytes, of indexed_block in elements. Those of a list count from its base's
 * address, others from the first element. Displacements and strides that are numbers of bytes have
 * constructors with an h, as in MPI.
 */
void types_print(access_program_t *program, const types_node_t *node, FILE *out);

/* How the source would write the address: "&g[k][1][1]", "&q->first + 16" with casts that make it
 * C. An rvalue of some pointer type. The text is of the space. */
const char *types_address_text(access_program_t *program, types_address_t address);

#endif
