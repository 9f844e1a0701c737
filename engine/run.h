/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages, for callers that have nothing else to do with them: moved by what is fastest, counted,
 * and timed when promotion wants that. The caller holds the datatype, which DAME moves data of.
 * `thread` is the calling thread's. User memory and stream as dame_program_run() and the cursor
 * take them.
 */
#ifndef DAME_RUN_H
#define DAME_RUN_H

#include "dame/cursor.h"
#include "engine.h"

/* A whole message of `count` elements, whose bytes fit in 64 bits. */
void dame_run_whole(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, uintptr_t base, int64_t count, char *packed);

/* Exactly `length` bytes from where the cursor stands, and no more than are left. The one at
 * position 0 counts as the beginning of a message. */
void dame_run_piece(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                    dame_dir_t dir, dame_cursor_t *cursor, char *packed, int64_t length);

/* A copy within memory, as dame_program_copy() does it; dame_program_is_apart() holds. */
void dame_run_copy(dame_engine_t *engine, dame_thread_t *thread, const dame_use_t *use,
                   uintptr_t to, uintptr_t from, int64_t count);

#endif
