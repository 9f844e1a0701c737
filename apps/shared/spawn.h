/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs. */
#ifndef SHARED_SPAWN_H
#define SHARED_SPAWN_H

#include <stddef.h>

/* The path of a file in or below this program's own directory, where our programs are. */
void spawn_beside(const char *name, char *path, size_t room);

/* Runs a program of PATH, which may be a path, and waits. Descriptors: -1: this process's own.
 * Returns an error number; *status is as waitpid() has it. */
int spawn_run(const char *const *arguments, int input, int output, int errors, int *status);

#endif
