/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/spawn.h: other programs. */
#ifndef SUGGEST_C_SPAWN_H
#define SUGGEST_C_SPAWN_H

/* Runs ARGUMENTS (end with NULL), found in PATH, with these descriptors for standard input and
 * output; -1: ours. Returns 0 with the status of waitpid(), or the error of the start. */
int spawn_run(const char *const *arguments, int input, int output, int *status);

#endif
