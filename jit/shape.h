/*
 * The shape of a program: what is the same for all programs of one structure, wherever their blocks
 * are. Code of a provider that is by_shape (provider.h) depends on nothing else of the program.
 */
#ifndef DAME_SHAPE_H
#define DAME_SHAPE_H

#include <stddef.h>

#include "dame/program.h"

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
