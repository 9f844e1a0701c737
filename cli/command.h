/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs, and their output. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stddef.h>
#include <sys/types.h>

/* The path of `name` in or below the directory that this program is in; 0: that is not known. */
int command_beside(const char *name, char *path, size_t room);

/* The path of a program that dame(1) starts: beside it in the build directory, else where it is
 * installed. */
void command_of_ours(const char *name, char *path, size_t room);

/* Starts argv[0] as the next does; *line is its input and output. Returns its process, a group of
 * its own, or -1 with errno. */
pid_t command_start(const char *const argv[], int *line);

/* Where such programs and libraries are installed: as far from this program as `make install` puts
 * them, which also holds where the prefix is another than configure's. */
const char *command_directory(void);

/*
 * Runs argv[0], found in PATH unless it has a slash, with no input, for at most `seconds`. Returns
 * its output and errors, which the caller frees; NULL when it cannot be started or memory is out.
 * *code is its exit code, or -1 when a signal or the time limit ended it.
 */
char *command_output(const char *const argv[], int seconds, int *code);

/* The rest of the first line of `text` that starts with `prefix`, up to its end, as a copy that the
 * caller frees; NULL: no line does. */
char *command_line(const char *text, const char *prefix);

#endif
