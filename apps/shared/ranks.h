/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs an application with ranks that write files. */
#ifndef RANKS_H
#define RANKS_H

#include <limits.h>
#include <stddef.h>

enum { RANKS_PATH = PATH_MAX };

/* The directory of "libNAME.so": in the build tree that this program is in, `below` its top, or
 * beside this program. */
void ranks_library(const char *below, const char *name, char *directory, size_t room);

/* Makes a directory in the current one, since all hosts of a job tend to share that; the ranks'
 * files are PREFIX.0, PREFIX.1, ... in it. TOOL_SYSTEM after a message. */
int ranks_directory(const char *command, char prefix[RANKS_PATH]);

/* Removes the directory and its files. */
void ranks_remove(const char *prefix);

/* Runs a command; returns how it ended as a shell says it, -1 after a message. */
int ranks_run(char **argv);

#endif
