/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Backtraces of crashes in machine code. A kernel that is given a bad address ends in a signal.
 * The process's handler, such as Open MPI's, sees one frame, since backtrace(3) does not know the code.
 * So a handler stands before that one: if the signal comes from an arena's code, it registers the
 * arena's table, and then calls the other. Until then it costs nothing.
 *
 * Private to jit/.
 */
#ifndef DAME_CRASH_H
#define DAME_CRASH_H

#include "code_arena.h"

/* Puts handlers before those of SIGSEGV and SIGBUS, if there are any. A process watches one arena:
 * no-op while it watches another. */
void dame_crash_watch(dame_code_arena_t *arena);

/* Takes them away, except where another was installed since: there ours stays behind it. No-op for an arena that is not watched. */
void dame_crash_unwatch(const dame_code_arena_t *arena);

#endif
