/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of a program: the part that all programs of one structure share, wherever their blocks
 * are. Code of a provider that is by_shape (provider.h) depends on nothing else of the program.
 */
#ifndef DAME_SHAPE_H
#define DAME_SHAPE_H

#include <stddef.h>

#include "dame/program.h"

/* Tables of up to this many entries are part of the shape: all lengths, and displacements that are
 * closer to 0 than DAME_SHAPE_DISP, which addresses never are. */
enum { DAME_SHAPE_ENTRIES = 64, DAME_SHAPE_DISP = 1 << 16 };

/* Returns whether the sizes of a level's iterations are part of the shape. */
static inline int dame_shape_has_sizes(const dame_prim_t *prim)
{
    return prim->prefix == NULL || prim->count <= DAME_SHAPE_ENTRIES;
}

/* Returns whether the entries of a level's list of displacements are part of the shape. */
static inline int dame_shape_has_disps(const dame_prim_t *prim)
{
    int has = dame_prim_has_list(prim) && prim->count <= DAME_SHAPE_ENTRIES;
    for (int64_t i = 0; has && i < prim->count; i++) {
        const int64_t disp = dame_prim_disp(prim, i);
        has = disp > -DAME_SHAPE_DISP && disp < DAME_SHAPE_DISP;
    }
    return has;
}

/*
 * Returns whether the step of a level is part of the shape. Not where displacements decide it
 * that are not: in a list, and in EXIT above one, since the extent of a datatype made of
 * absolute addresses differs from process to process. Code that is by_shape reads such a step
 * from the primitive.
 */
static inline int dame_shape_has_step(const dame_prim_t *prim)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    return !dame_prim_has_list(prim) &&
           !(prim->params->op == DAME_OP_EXIT && inner != prim && dame_prim_has_list(inner) &&
             !dame_shape_has_disps(inner));
}

/*
 * Writes the bytes of the shape: of each primitive its operation, count, step, iteration size,
 * distances to inner levels, and which tables it has, with the entries of small ones. Not in it:
 * the entries of other tables of displacements and lengths, and of visits; addresses; an element's
 * bounds; the elements of a message. Equal bytes mean equal shapes, on machines of one byte order.
 *
 * Returns how many bytes the shape has. Writes up to `room` of them, all when that is enough.
 */
size_t dame_shape(const dame_program_t *program, void *out, size_t room);

#endif
