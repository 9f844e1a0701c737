/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of a run, found by what dame/program.h says a program means. Uses no cursor and no
 * kernel.
 */
#ifndef JUDGE_WALK_H
#define JUDGE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/program.h"

/* One contiguous block: `packed` bytes after the start of the run. False ends the walk. */
typedef bool (*walk_block_fn)(void *context, uint64_t address, int64_t packed, int64_t bytes);

/* Iterations [first, first + n) of a level with origin `origin`, in stream order. False when
 * `block` ended it. */
bool walk_run(const dame_prim_t *prim, uint64_t origin, int64_t first, int64_t n,
              walk_block_fn block, void *context);

/* Iterations that a level can have: INT64_MAX for EXIT, and for a CONTIGCHILD under INDEX those of
 * the longest block. */
int64_t walk_limit(const dame_program_t *program, const dame_prim_t *prim);

#endif
