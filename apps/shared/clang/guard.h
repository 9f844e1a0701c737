/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that reads programs with libclang: its death is one line that names the file. */
#ifndef CLANG_GUARD_H
#define CLANG_GUARD_H

#include <stdbool.h>

/* Goes on in a process of its own. This one waits for it and ends with its exit status, or, when a
 * signal ended it, with a message of PROGRAM (static storage) and status 2. Without memory or
 * processes it goes on in this one.
 *
 * With AGAIN, a process that was ended is followed by another one, which is told by guard_ended()
 * what it must leave out. Only the last one's output is printed, at its end; the status is then
 * 2. */
void guard_start(const char *program, bool again);

/* What is done now, for the message: a file, and a function of it or NULL. It may take a minute of
 * the CPU, and 2 GiB of memory more than there is now. */
void guard_at(const char *path, const char *function);

/* No limits: what follows is not ours. */
void guard_no_limits(void);

/* Why this ended the process before; NULL: it did not. */
const char *guard_ended(const char *path, const char *function);

#endif
