/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program's bytes one by one, in stream order: by the meaning of its primitives, without run
 * kernels, cursor or prefix sums' positions.
 */
#ifndef TEST_WALK_H
#define TEST_WALK_H

#include "dame/program.h"

/*
 * Writes the offsets of one element's bytes from its start, at most `room`; returns their number,
 * or -1 without room. The program has been verified.
 */
int64_t walk_program(const dame_program_t *program, int64_t *offsets, int64_t room);

#endif
