/*
 * The shape of a program: what is the same for all programs of one structure, wherever their blocks
 * are. Code of a provider that is by_shape (provider.h) depends on nothing else of the program.
 */
#ifndef DAME_SHAPE_H
#define DAME_SHAPE_H

#include <stddef.h>

#include "dame/program.h"

/*
 * Is the step of a level part of the shape? Not where displacements decide it: in a list, and in
 * EXIT above one, since the extent of a datatype made of absolute addresses differs from process to
 * process. Code that is by_shape reads such a step from the primitive.
 */
static inline int dame_shape_has_step(const dame_prim_t *prim)
{
    return !dame_prim_has_list(prim) &&
           !(DAME_OP_EXIT == prim->params->op && 0 != prim->inner_delta &&
             dame_prim_has_list(prim + prim->inner_delta));
}

/*
 * Writes the bytes of the shape: of each primitive its operation, count, step, iteration size,
 * distances to inner levels, and which tables it has. Not in it: the entries of tables of
 * displacements, lengths and visits; addresses; an element's bounds; the elements of a message.
 * Equal bytes mean equal shapes, on machines of one byte order.
 *
 * Returns how many bytes the shape has. Writes up to `room` of them, all when that is enough.
 */
size_t dame_shape(const dame_program_t *program, void *out, size_t room);

#endif
